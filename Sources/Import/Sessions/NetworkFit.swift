// The network of a recorded session: its requests are played, and rates and a round trip are searched that end them when they ended. No
// prefetcher is assumed.

import Analysis
import Base
import Simulation

/// A network fitted to the times of requests.
struct NetworkFit {
  private(set) var network: NetworkConfiguration
  /// The differences of its times and bytes from the recorded ones, as a share.
  private(set) var error = Double.infinity
  /// False if a rate 5 % higher or lower fits as well, or none fits.
  private(set) var isRateKnown = false
  /// True if the archive has the time of a connection, or requests over an open one, which show the round trip.
  private(set) var isDelayKnown: Bool
  /// True if the archive has the times of connections.
  var hasConnections: Bool { replay.requests.contains { $0.connecting != nil } }
  /// True if the rates of the link change.
  var isVarying: Bool { !network.down.isConstant }

  private let replay: RequestReplay

  /// The error above which a rate is a guess, that of a network near the right one, and the one below which it is right.
  private static let doubtful = 0.25, near = 0.001, exact = 0.0003
  private static let rates: ClosedRange<Double> = 10_000...10e9
  private static let second: Int64 = 1_000_000_000

  /// Fits a network. O(trials × packets).
  /// - Throws: `ImportCancelled` if the user ends the import.
  init(_ session: RecordedSession, check: () throws -> Void) throws {
    replay = RequestReplay(session)
    let requests = replay.requests
    let waits = requests.filter { $0.connecting == nil && $0.firstByte > $0.start && !$0.isCancelled }.map { $0.firstByte - $0.start }
    let connects = requests.compactMap(\.connecting)
    isDelayKnown = waits.count > 1
    let roundTrip = max(100_000, waits.min() ?? (connects.min().map { $0 / 2 } ?? 50_000_000))
    let versions = requests.map(\.version)
    func share(_ names: [String]) -> Bool { versions.count { version in names.contains { version.hasPrefix($0) } } * 2 > versions.count }
    let http: HTTPConfiguration.Version = share(["h3", "http/3", "quic"]) ? .http3 : share(["h2", "http/2"]) ? .http2 : .http1
    let busyRate = Self.busyRate(requests)
    network = NetworkConfiguration(
      down: LinkRate(constant: busyRate), up: LinkRate(constant: 1_000_000), delayDown: .zero, delayUp: .zero, transport: .packet)
    network.http.version = http
    (network.http.requestBytes, network.http.responseHeaderBytes) = network.http.usualHeaders
    if http == .http2 { network.http.laterRequestBytes = network.http.usualLaterRequestBytes }
    if http == .http3 { network.http.security = .tls13 }
    let isSecure = requests.count(where: \.isSecure) * 2 > requests.count && http != .http3
    network.http.connectionsPerHost = max(1, session.concurrency)
    network.http.hosts = max(1, requests.map(\.host).distinct.count)
    let securities = isSecure ? (connects.isEmpty ? [.tls13] : [.tls13, .tls12]) : [network.http.security]
    let starts = securities.flatMap { security in
      // A handshake costs a round trip for TCP, and one or two for TLS; waits hold other transfers too.
      let trips = http == .http3 ? 1 : Double(1 + (security == .tls12 ? 2 : security == .none ? 0 : 1))
      let trip = min(Double(roundTrip), connects.min().map { Double($0) / trips } ?? .infinity)
      return Candidate.around(rate: Double(busyRate), trip: trip, security: security)
    }
    try fitConstant(starts, check)
    if error > 0.1 { try fitTrace(check) }
    // Requests that were all cancelled before their first byte fit any rate.
    if requests.count(where: { $0.bytes > 0 }) < 3 { isRateKnown = false }
  }

  /// A network of the search.
  private struct Candidate {
    /// The logarithms of the downlink's rate in bits a second, of the round trip in nanoseconds and of the uplink's part of the rate.
    private(set) var logs: [Double]
    let security: HTTPConfiguration.Security
    var error = Double.infinity

    /// Returns networks with rates, round trips and uplinks around likely ones.
    static func around(rate: Double, trip: Double, security: HTTPConfiguration.Security) -> [Candidate] {
      [0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 8].flatMap { factor in
        [1, 0.7, 0.4].flatMap { part in
          [1, 0.5, 0.25, 0.1].map {
            Candidate(logs: [StableMath.log(rate * factor), StableMath.log(trip * part), StableMath.log($0)], security: security)
          }
        }
      }
    }

    /// Returns the candidate with some of its logarithms changed; the uplink is no faster than the downlink.
    func moved(_ changes: [(number: Int, by: Double)]) -> Candidate {
      var moved = self
      for change in changes { moved.logs[change.number] += change.by }
      moved.logs[2] = min(0, moved.logs[2])
      return moved
    }
  }

  /// Returns the network with the rates and the round trip of a candidate.
  private func network(_ candidate: Candidate) -> NetworkConfiguration {
    func valid(_ rate: Double) -> LinkRate { LinkRate(constant: Int64(min(max(rate, Self.rates.lowerBound), Self.rates.upperBound))) }
    let rate = StableMath.exp(candidate.logs[0])
    var network = network
    (network.down, network.up) = (valid(rate), valid(rate * StableMath.exp(candidate.logs[2])))
    let delay = Interval(nanoseconds: Int64(min(StableMath.exp(candidate.logs[1]) / 2, 6e10)))
    (network.delayDown, network.delayUp) = (delay, delay)
    network.http.security = candidate.security
    return network
  }

  // MARK: Search

  /// Searches rates and round trip from many candidates over few requests, then from the best of them over more and more: a small
  /// difference in one request changes all after it.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fitConstant(_ starts: [Candidate], _ check: () throws -> Void) throws {
    // The requests that are compared, and from how many candidates a search by slopes and one by steps begins.
    let plans: [(count: Int, climbs: Int, searches: Int)] =
      // A packet of QUIC takes thirty times as long to play.
      network.http.version == .http3
      ? [(4, 16, 0), (10, 4, 1), (24, 2, 1), (60, 1, 1), (200, 1, 1)] : [(4, 60, 0), (10, 12, 4), (24, 4, 2), (60, 2, 2), (200, 1, 1)]
    var kept = starts
    for (count, climbs, searches) in plans where count == 4 || count < 2 * replay.requests.count {
      let part = replay.first(count)
      kept = try kept.map { try rated($0, part, check) }.sorted { $0.error < $1.error }
      // The best of each version of TLS.
      kept = try kept.map(\.security).distinct.flatMap { security in
        let own = kept.filter { $0.security == security }
        if own[0].error < Self.near { return Array(own.prefix(3)) }
        var found: [Candidate] = []
        for candidate in own.prefix(climbs) where count <= 10 || !found.contains(where: { $0.error < Self.exact }) {
          found += [candidate, try climbed(candidate, part, check)]
        }
        found.sort { $0.error < $1.error }
        for candidate in found.prefix(searches) where candidate.error > Self.near { found.append(try searched(candidate, part, check)) }
        return found
      }
      kept.sort { $0.error < $1.error }
    }
    let best = try rated(kept[0], replay, check)
    (network, error) = (network(best), best.error)
    // Another rate may fit as well with another round trip and uplink.
    isRateKnown =
      try error < Self.doubtful
      && [-0.05, 0.05].allSatisfy { change in
        let other = best.moved([(0, change)])
        let found = min(try rated(other, replay, check).error, try climbed(other, replay, free: [1, 2], check).error)
        return found > error + max(error * 0.15, min(0.006, error + 0.0005))
      }
  }

  /// Returns a candidate with its error.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func rated(_ candidate: Candidate, _ replay: RequestReplay, _ check: () throws -> Void) throws -> Candidate {
    try check()
    var rated = candidate
    rated.error = replay.error(over: network(candidate))
    return rated
  }

  /// Returns the candidate that steps of Levenberg and Marquardt reach over the `free` numbers of one (Marquardt 1963,
  /// doi:10.1137/0111030): times change nearly evenly with the logarithms.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func climbed(_ start: Candidate, _ replay: RequestReplay, free: [Int] = [0, 1, 2], _ check: () throws -> Void) throws -> Candidate
  {
    func dot(_ one: [Double], _ other: [Double]) -> Double { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }
    /// - Throws: any error of `check`.
    func differences(_ candidate: Candidate) throws -> [Double] {
      try check()
      return replay.differences(over: network(candidate))
    }
    var (best, now, damping) = (start, try differences(start), 0.01)
    for _ in 0..<12 where dot(now, now) > 1e-8 && damping < 1e3 {
      // Downwards, because the uplink's part has a highest value.
      let slopes = try free.map { number in zip(now, try differences(best.moved([(number, -0.002)]))).map { ($0 - $1) / 0.002 } }
      var isBetter = false
      while !isBetter, damping < 1e3 {
        let rows = slopes.indices.map { row in
          slopes.indices.map { dot(slopes[row], slopes[$0]) * ($0 == row ? 1 + damping : 1) } + [-dot(slopes[row], now)]
        }
        let steps = LinearSystem.solved(rows).map { $0[0].isFinite ? min(0.7, max(-0.7, $0[0])) : 0 }
        let trial = best.moved(Array(zip(free, steps)))
        let found = try differences(trial)
        isBetter = dot(found, found) < dot(now, now)
        damping = isBetter ? (dot(found, found) > dot(now, now) * 0.999 ? 1e3 : damping / 10) : damping * 10
        if isBetter { (best, now) = (trial, found) }
      }
    }
    return try rated(best, replay, check)
  }

  /// Returns the best candidate that smaller and smaller steps of one or two numbers reach, which pass jumps.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func searched(_ start: Candidate, _ replay: RequestReplay, _ check: () throws -> Void) throws -> Candidate {
    var best = start
    for step in [0.1, 0.03, 0.01, 0.003] {
      let single = [0, 1, 2].flatMap { [[($0, step)], [($0, -step)]] }
      let pairs = [(0, 1), (0, 2), (1, 2)].flatMap { one, other in
        [(step, step), (-step, -step), (step, -step), (-step, step)].map { [(one, $0.0), (other, $0.1)] }
      }
      for _ in 0..<2 {
        let before = best.error
        for changes in single + pairs {
          while case let trial = try rated(best.moved(changes), replay, check), trial.error < best.error - 1e-9 { best = trial }
        }
        if best.error >= before { break }
      }
    }
    return try climbed(best, replay, check)
  }

  /// Replaces the rate by one for each second, if that fits much better.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fitTrace(_ check: () throws -> Void) throws {
    let rates = Self.ratesBySecond(replay.requests)
    guard rates.count > 2 else { return }
    var best: (error: Double, link: LinkRate)?
    for factor in [0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.8] {
      try check()
      let link = LinkRate(
        periods: rates.map { LinkRate.Period(duration: .seconds(1), bitsPerSecond: Int64(min(max(1000, $0 * factor), 1e10))) })
      var trial = network
      trial.down = link
      let found = replay.error(over: trial)
      if found < best?.error ?? .infinity { best = (found, link) }
    }
    guard let best, best.error < error * 0.8 else { return }
    (network.down, error, isRateKnown) = (best.link, best.error, best.error < Self.doubtful)
  }

  /// Returns the rate of the busy times in bits a second, those weighted by their bytes.
  private static func busyRate(_ requests: [RecordedRequest]) -> Int64 {
    let spans = requests.filter { $0.end > $0.firstByte && $0.bytes > 0 }.sorted { $0.firstByte < $1.firstByte }
    var (from, to, bytes, total): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
    var periods: [(rate: Double, bytes: Int64)] = []
    func close() {
      if to > from { periods.append((Double(bytes) * 8e9 / Double(to - from), bytes)) }
    }
    for span in spans {
      total += span.bytes
      if span.firstByte > to {
        close()
        (from, to, bytes) = (span.firstByte, span.end, 0)
      }
      (to, bytes) = (max(to, span.end), bytes + span.bytes)
    }
    close()
    var sum: Int64 = 0
    let middle = periods.sorted { $0.rate < $1.rate }.first { period in
      sum += period.bytes
      return sum * 2 >= total
    }
    return Int64(min(max(middle?.rate ?? 5e6, rates.lowerBound), rates.upperBound))
  }

  /// Returns the rate of each second in bits a second: the bytes of transfers, spread evenly over their time, over the busy time.
  private static func ratesBySecond(_ requests: [RecordedRequest]) -> [Double] {
    let count = Int(min(7200, (requests.map(\.end).max() ?? 0) / second + 1))
    var (bits, busy) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    var covered: Int64 = 0
    for request in requests.sorted(by: { $0.firstByte < $1.firstByte })
    where request.end > request.firstByte && request.firstByte / second < count {
      let rate = Double(request.bytes) * 8 / Double(request.end - request.firstByte)
      for index in Int(request.firstByte / second)..<min(count, Int(request.end / second) + 1) {
        let (low, high) = (Int64(index) * second, Int64(index + 1) * second)
        bits[index] += rate * Double(max(0, min(high, request.end) - max(low, request.firstByte)))
        busy[index] += Double(max(0, min(high, request.end) - max(low, max(covered, request.firstByte))))
      }
      covered = max(covered, request.end)
    }
    let known = (0..<count).filter { busy[$0] > 3e8 }
    return (0..<count).map { index in
      guard let near = known.min(by: { abs($0 - index) < abs($1 - index) }) else { return 0 }
      // A packet has 52 bytes of headers on its 1448 of payload.
      return bits[near] / busy[near] * 1e9 * 1500 / 1448
    }
  }
}
