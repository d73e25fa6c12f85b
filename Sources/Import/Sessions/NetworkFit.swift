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
  /// The reason why the rate is unknown, as a phrase; nil if rates 5 % higher and lower and other assumptions fit worse.
  private(set) var rateDoubt: String?
  /// True if the times are explained well, and worse by round trips 10 % shorter and longer and by other assumptions.
  private(set) var isDelayKnown = false
  /// True if connections were open when the recording began.
  private(set) var beginsOpen = false
  /// True if the archive has the times of connections.
  var hasConnections: Bool { replay.requests.contains { $0.connecting != nil } }
  /// The number of requests to which the network is fitted.
  var playedCount: Int { replay.requests.count }
  /// The median rate of the busy times in bits a second.
  let busyRate: Int64
  /// True if the rates of the link change.
  var isVarying: Bool { !network.down.isConstant }

  private let replay: RequestReplay

  /// The error above which a rate is a guess; without times of connections, some waits may have been handshakes.
  private var doubtful: Double { hasConnections ? 0.15 : 0.05 }
  /// The error below which a network is so near the right one that the requests compared so far show no more.
  private static let nearError = 0.001
  /// The error below which no other start of the search is needed.
  private static let exactError = 0.0003
  private static let rates: ClosedRange<Double> = 10_000...10e9
  private static let second: Int64 = 1_000_000_000

  /// Fits a network. O(trials × packets).
  /// - Throws: `ImportCancelled` if the user ends the import.
  init(_ session: RecordedSession, check: () throws -> Void) throws {
    replay = RequestReplay(session)
    let requests = replay.requests
    let waits = requests.filter { $0.connecting == nil && $0.firstByte > $0.start && !$0.isCancelled }.map { $0.firstByte - $0.start }
    let connects = requests.compactMap(\.connecting)
    let roundTrip = max(100_000, waits.min() ?? (connects.min().map { $0 / 2 } ?? 50_000_000))
    let versions = requests.map(\.version)
    func isMost(_ names: [String]) -> Bool { versions.count { version in names.contains { version.hasPrefix($0) } } * 2 > versions.count }
    let isQUIC = versions.count { $0.contains("quic") } * 2 > versions.count
    let http: HTTPConfiguration.Version = isQUIC || isMost(["h3", "http/3"]) ? .http3 : isMost(["h2", "http/2"]) ? .http2 : .http1
    busyRate = Self.busyRate(requests)
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
    // Without times of connections, all may have been open before.
    let assumptions =
      securities.map { Assumptions(security: $0, beginsOpen: !connects.isEmpty) }
      + (connects.isEmpty ? [Assumptions(security: securities[0], beginsOpen: true)] : [])
    let starts = assumptions.flatMap { assumptions in
      // A handshake costs a round trip for TCP, and one or two for TLS; waits hold other transfers too.
      let trips = http == .http3 ? 1 : Double(1 + (assumptions.security == .tls12 ? 2 : assumptions.security == .none ? 0 : 1))
      let trip = min(Double(roundTrip), connects.min().map { Double($0) / trips } ?? .infinity)
      return Candidate.around(rate: Double(busyRate), trip: trip, under: assumptions)
    }
    try fitConstant(starts, check)
    if error > 0.1 { try fitTrace(check) }
    // The requests that were played start after their lookups, of which this is the median.
    let lookups = session.requests.filter { $0.lookup > 0 }.map { Double($0.lookup) }
    network.http.dnsTime = Interval(nanoseconds: Int64(min(60e9, lookups.median)))
  }

  /// The assumptions under which parameters are searched.
  private struct Assumptions: Hashable {
    let security: HTTPConfiguration.Security
    /// True if connections were open when the recording began.
    let beginsOpen: Bool
  }

  /// A network of the search.
  private struct Candidate {
    /// The logarithms of the downlink's rate in bits a second, of the round trip in nanoseconds and of the uplink's part of the rate.
    private(set) var logs: [Double]
    let assumptions: Assumptions
    var error = Double.infinity

    /// The bounds of the logarithms: 10 kbit/s to 10 Gbit/s, 1 µs to 2 minutes, and a ten-thousandth to all of the rate.
    private static let bounds = [(1e4, 1e10), (1e3, 1.2e11), (1e-4, 1)].map { StableMath.log($0.0)...StableMath.log($0.1) }

    /// Returns networks with rates, round trips and uplinks around likely ones.
    static func around(rate: Double, trip: Double, under assumptions: Assumptions) -> [Candidate] {
      [0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 8].flatMap { factor in
        [1, 0.7, 0.4].flatMap { fraction in
          [1, 0.5, 0.25, 0.1].map {
            Candidate(logs: [rate * factor, trip * fraction, $0].map(StableMath.log), assumptions: assumptions).moved([])
          }
        }
      }
    }

    /// Returns the candidate with some of its logarithms changed, within the bounds; the uplink is no faster than the downlink.
    func moved(_ changes: [(parameter: Int, by: Double)]) -> Candidate {
      var moved = self
      for change in changes { moved.logs[change.parameter] += change.by }
      for (index, range) in Self.bounds.enumerated() { moved.logs[index] = min(max(moved.logs[index], range.lowerBound), range.upperBound) }
      return moved
    }
  }

  /// Returns the network with the rates and the round trip of a candidate.
  private func network(_ candidate: Candidate) -> NetworkConfiguration {
    let (rate, trip, share) = (StableMath.exp(candidate.logs[0]), StableMath.exp(candidate.logs[1]), StableMath.exp(candidate.logs[2]))
    var network = network
    network.down = LinkRate(constant: Int64(rate.rounded()))
    network.up = LinkRate(constant: Int64(max(Self.rates.lowerBound, rate * share).rounded()))
    let delay = Interval(nanoseconds: Int64((trip / 2).rounded()))
    (network.delayDown, network.delayUp) = (delay, delay)
    network.http.security = candidate.assumptions.security
    return network
  }

  // MARK: Search

  /// Searches rates and round trip from many candidates over few requests, then from the best of them over more and more: a small
  /// difference in one request changes all after it.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fitConstant(_ starts: [Candidate], _ check: () throws -> Void) throws {
    // The requests that are compared, and from how many candidates each of the two searches begins.
    let plans: [(count: Int, leastSquaresStarts: Int, patternStarts: Int)] =
      // A packet of QUIC takes 30 times as long to play.
      network.http.version == .http3
      ? [(4, 16, 0), (10, 4, 1), (24, 2, 1), (60, 1, 1), (200, 1, 1)] : [(4, 60, 0), (10, 12, 4), (24, 4, 2), (60, 2, 2), (200, 1, 1)]
    var kept = starts
    for (index, (count, leastSquaresStarts, patternStarts)) in plans.enumerated()
    where index == 0 || plans[index - 1].count < replay.requests.count {
      let part = replay.first(count)
      kept = try kept.map { try rated($0, part, check) }.sorted { $0.error < $1.error }
      // Each set of assumptions keeps its best ones.
      kept = try kept.map(\.assumptions).distinct.flatMap { assumptions in
        let own = kept.filter { $0.assumptions == assumptions }
        if own[0].error < Self.nearError { return Array(own.prefix(3)) }
        var found: [Candidate] = []
        for candidate in own.prefix(leastSquaresStarts) where count <= 10 || !found.contains(where: { $0.error < Self.exactError }) {
          found += [candidate, try leastSquares(from: candidate, part, check)]
        }
        found.sort { $0.error < $1.error }
        for candidate in found.prefix(patternStarts) where candidate.error > Self.nearError {
          found.append(try patternSearch(from: candidate, part, check))
        }
        return found
      }
      kept.sort { $0.error < $1.error }
    }
    let best = try rated(kept[0], replay, check)
    (network, error, beginsOpen) = (network(best), best.error, best.assumptions.beginsOpen)
    // Another rate may fit as well with another round trip and uplink, and another round trip with another rate and uplink.
    /// - Throws: `ImportCancelled` if the user ends the import.
    func otherError(_ parameter: Int, _ change: Double) throws -> Double {
      let (other, free) = (best.moved([(parameter, change)]), [0, 1, 2].filter { $0 != parameter })
      return min(try rated(other, replay, check).error, try leastSquares(from: other, replay, parameters: free, check).error)
    }
    rateDoubt = try doubt { try otherError(0, 0.05 * $0) }
    isDelayKnown = try error < min(doubtful, 0.05) && isShown { try otherError(1, 0.1 * $0) }
    for assumptions in kept.map(\.assumptions).distinct where assumptions != best.assumptions {
      guard let first = kept.first(where: { $0.assumptions == assumptions }) else { continue }
      let other = try rated(first, replay, check)
      if other.error > error + margin { continue }
      if abs(other.logs[1] - best.logs[1]) > 0.1 { isDelayKnown = false }
      if abs(other.logs[0] - best.logs[0]) > 0.05 { rateDoubt = rateDoubt ?? "another one explains the times about as well" }
    }
  }

  /// Returns the reason why the rate is unknown; nil if rates 5 % lower and higher have clearly larger errors.
  /// - Throws: any error of `otherError`.
  private func doubt(_ otherError: (_ direction: Double) throws -> Double) throws -> String? {
    let count = replay.requests.count { $0.bytes > 0 }
    if count == 0 { return "nothing was received" }
    if !hasConnections, count < 3 { return "too few requests show it" }
    if error >= doubtful { return "none explains the times well" }
    return try isShown(otherError) ? nil : "one 5 % lower or higher explains the times about as well"
  }

  /// Returns true if the networks in both directions have clearly larger errors.
  /// - Throws: any error of `otherError`.
  private func isShown(_ otherError: (_ direction: Double) throws -> Double) throws -> Bool {
    try [-1, 1].allSatisfy { try otherError($0) > error + margin }
  }

  /// The largest difference of errors at which two networks explain the times about as well.
  private var margin: Double { max(error * 0.15, min(0.006, error + 0.0005)) }

  /// Returns a candidate with its error.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func rated(_ candidate: Candidate, _ replay: RequestReplay, _ check: () throws -> Void) throws -> Candidate {
    try check()
    var rated = candidate
    rated.error = replay.error(over: network(candidate), beginsOpen: candidate.assumptions.beginsOpen)
    return rated
  }

  /// Returns the candidate that the Levenberg–Marquardt method reaches by changing some parameters of one (Marquardt 1963,
  /// doi:10.1137/0111030): times change nearly evenly with the logarithms.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func leastSquares(
    from start: Candidate, _ replay: RequestReplay, parameters: [Int] = [0, 1, 2], _ check: () throws -> Void
  ) throws -> Candidate {
    func dot(_ one: [Double], _ other: [Double]) -> Double { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }
    /// - Throws: any error of `check`.
    func differences(_ candidate: Candidate) throws -> [Double] {
      try check()
      return replay.differences(over: network(candidate), beginsOpen: candidate.assumptions.beginsOpen)
    }
    var (best, residuals, damping) = (start, try differences(start), 0.01)
    for _ in 0..<12 where dot(residuals, residuals) > 1e-8 && damping < 1e3 {
      // Downwards, because the uplink's part has a highest value.
      let slopes = try parameters.map { parameter in
        zip(residuals, try differences(best.moved([(parameter, -0.002)]))).map { ($0 - $1) / 0.002 }
      }
      var isBetter = false
      while !isBetter, damping < 1e3 {
        let rows = slopes.indices.map { row in
          slopes.indices.map { dot(slopes[row], slopes[$0]) * ($0 == row ? 1 + damping : 1) } + [-dot(slopes[row], residuals)]
        }
        let steps = LinearSystem.solved(rows).map { $0[0].isFinite ? min(0.7, max(-0.7, $0[0])) : 0 }
        let trial = best.moved(Array(zip(parameters, steps)))
        let found = try differences(trial)
        isBetter = dot(found, found) < dot(residuals, residuals)
        damping = isBetter ? (dot(found, found) > dot(residuals, residuals) * 0.999 ? 1e3 : damping / 10) : damping * 10
        if isBetter { (best, residuals) = (trial, found) }
      }
    }
    return try rated(best, replay, check)
  }

  /// Returns the best candidate that smaller and smaller steps of one or two parameters reach. A step can cross a discontinuity.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func patternSearch(from start: Candidate, _ replay: RequestReplay, _ check: () throws -> Void) throws -> Candidate {
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
    let last = try leastSquares(from: best, replay, check)
    return last.error < best.error ? last : best
  }

  /// Replaces the rate by one for each second, if that fits much better.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fitTrace(_ check: () throws -> Void) throws {
    let rates = Self.ratesBySecond(replay.requests)
    guard !rates.isEmpty else { return }
    /// - Throws: any error of `check`.
    func attempt(_ factor: Double) throws -> (error: Double, factor: Double, link: LinkRate) {
      try check()
      var trial = network
      trial.down = LinkRate(
        periods: rates.map { LinkRate.Period(duration: .seconds(1), bitsPerSecond: Int64(min(max(1000, $0 * factor), 1e10).rounded())) })
      return (replay.error(over: trial, beginsOpen: beginsOpen), factor, trial.down)
    }
    var best = try attempt(1)
    for factors in [[0.8, 0.9, 1.1, 1.25, 1.5, 1.8], [0.95, 1.05], [0.98, 1.02]] {
      let factor = best.factor
      for other in try factors.map({ try attempt(factor * $0) }) where other.error < best.error { best = other }
    }
    guard best.error < error * 0.8 else { return }
    error = best.error
    rateDoubt = try doubt { try attempt(best.factor * (1 + 0.05 * $0)).error }
    isDelayKnown = false
    network.down = best.link
  }

  /// Returns the median rate of the busy times in bits a second, weighted by their bytes.
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

  /// Returns the rate of each second in bits a second: the bytes of transfers, spread evenly over their time, over the busy time. Returns none
  /// if fewer than three seconds show their rate, or for more than two hours.
  private static func ratesBySecond(_ requests: [RecordedRequest]) -> [Double] {
    let count = Int((requests.map(\.end).max() ?? 0) / second + 1)
    if count > 7200 { return [] }
    var (bits, busy) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    var covered: Int64 = 0
    for request in requests.sorted(by: { $0.firstByte < $1.firstByte })
    where request.end > request.firstByte {
      let rate = Double(request.bytes) * 8 / Double(request.end - request.firstByte)
      for index in Int(request.firstByte / second)..<min(count, Int(request.end / second) + 1) {
        let (low, high) = (Int64(index) * second, Int64(index + 1) * second)
        bits[index] += rate * Double(max(0, min(high, request.end) - max(low, request.firstByte)))
        busy[index] += Double(max(0, min(high, request.end) - max(low, max(covered, request.firstByte))))
      }
      covered = max(covered, request.end)
    }
    let known = (0..<count).filter { busy[$0] > 3e8 && bits[$0] > 0 }
    if known.count < 3 { return [] }
    return (0..<count).map { index in
      let nearest = known.min { abs($0 - index) < abs($1 - index) } ?? index
      // A packet has 52 bytes of headers on its 1448 of payload.
      return bits[nearest] / busy[nearest] * 1e9 * 1500 / 1448
    }
  }
}
