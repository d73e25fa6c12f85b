// The network of a recorded session: its requests are played at their recorded starts, and rate and delay are searched that end them
// when they ended. No prefetcher is assumed.

import Base
import Simulation

/// A network fitted to the times of requests.
struct NetworkFit {
  private(set) var network: NetworkConfiguration
  /// The differences of its times and bytes from the recorded ones, as a share.
  private(set) var error = Double.infinity
  /// False if a rate a quarter higher or lower fits as well: nothing was ever limited by it.
  private(set) var isRateKnown = false
  /// True if the archive has the time of a connection, or requests over an open one, which show the round trip.
  private(set) var isDelayKnown: Bool
  /// True if the archive has the times of connections.
  var hasConnections: Bool { requests.contains { $0.connecting != nil } }
  /// True if the rates of the link change.
  var isVarying: Bool { !network.down.isConstant }

  private var requests: [RecordedRequest]
  /// The first requests, which a step of the search plays.
  private var shown: [RecordedRequest] = []
  /// The payload that each request asked for.
  private var asked: [Int64]
  private var hosts: [Int]

  /// The most requests that are played in each trial.
  private static let playedLimit = 200
  private static let playedBytes: Int64 = 150_000_000
  /// The error above which a rate is a guess.
  private static let doubtful = 0.25
  private static let rates: ClosedRange<Double> = 10_000...10e9
  private static let second: Int64 = 1_000_000_000

  /// Fits a network. O(trials × packets).
  /// - Throws: `ImportCancelled` if the user ends the import.
  init(_ session: RecordedSession, check: () throws -> Void) throws {
    var volume: Int64 = 0
    requests = Array(
      session.requests.prefix(Self.playedLimit).prefix { request in
        defer { volume += session.asked(request) }
        return volume < Self.playedBytes
      })
    asked = requests.map(session.asked)
    let names = requests.map(\.host).distinct
    hosts = requests.map { request in names.firstIndex(of: request.host) ?? 0 }
    let waits = requests.filter { $0.connecting == nil && $0.firstByte > $0.start && !$0.isCancelled }.map { $0.firstByte - $0.start }
    let connects = requests.compactMap(\.connecting)
    isDelayKnown = waits.count > 1
    let roundTrip = max(100_000, waits.min() ?? (connects.min().map { $0 / 2 } ?? 50_000_000))
    let versions = requests.map(\.version)
    func share(_ names: [String]) -> Bool { versions.count { version in names.contains { version.hasPrefix($0) } } * 2 > versions.count }
    let http: HTTPConfiguration.Version = share(["h3", "http/3", "quic"]) ? .http3 : share(["h2", "http/2"]) ? .http2 : .http1
    network = NetworkConfiguration(
      down: LinkRate(constant: Self.busyRate(requests)), up: LinkRate(constant: 1_000_000), delayDown: .zero, delayUp: .zero,
      transport: .packet)
    network.http.version = http
    (network.http.requestBytes, network.http.responseHeaderBytes) = network.http.usualHeaders
    if http == .http2 { network.http.laterRequestBytes = network.http.usualLaterRequestBytes }
    if http == .http3 { network.http.security = .tls13 }
    let isSecure = requests.count(where: \.isSecure) * 2 > requests.count && http != .http3
    network.http.connectionsPerHost = max(1, session.concurrency)
    network.http.hosts = max(1, names.count)
    let securities = isSecure ? (connects.isEmpty ? [.tls13] : [.tls13, .tls12]) : [network.http.security]
    let fits = try securities.map { security in
      var fit = self
      fit.network.http.security = security
      // A handshake costs a round trip for TCP, and one or two for TLS; waits hold other transfers too.
      let trips = http == .http3 ? 1 : Double(1 + (security == .tls12 ? 2 : security == .none ? 0 : 1))
      let start = min(Double(roundTrip), connects.min().map { Double($0) / trips } ?? .infinity)
      fit.set(rate: Double(Self.busyRate(requests)), roundTrip: start)
      try fit.fitConstant(roundTrip: start, check)
      return fit
    }
    self = fits.min { $0.error < $1.error } ?? self
    shown = requests
    if error > 0.1 { try fitTrace(check) }
  }

  /// Sets the rates of both directions, `share` the uplink's part of the downlink's, and the round trip in nanoseconds.
  private mutating func set(rate: Double, roundTrip: Double, share: Double = 1) {
    func valid(_ rate: Double) -> LinkRate { LinkRate(constant: Int64(min(max(rate, Self.rates.lowerBound), Self.rates.upperBound))) }
    (network.down, network.up) = (valid(rate), valid(rate * share))
    let delay = Interval(nanoseconds: Int64(min(max(roundTrip / 2, 0), 6e10)))
    (network.delayDown, network.delayUp) = (delay, delay)
  }

  /// Searches rates and round trip by steps that become smaller, over more and more requests: a small difference in one changes all after it.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fitConstant(roundTrip: Double, _ check: () throws -> Void) throws {
    var best = (rate: Double(network.down.periods[0].bitsPerSecond), trip: roundTrip, share: 1.0)
    /// - Throws: any error of `check`.
    func attempt(_ rate: Double, _ trip: Double, _ share: Double) throws -> Bool {
      try check()
      var trial = self
      trial.set(rate: rate, roundTrip: trip, share: min(1, share))
      let found = error(of: trial.network)
      guard found < error - 1e-9 else { return false }
      (best, error) = ((rate, trip, min(1, share)), found)
      return true
    }
    let plans: [(count: Int, steps: [Double])] = [
      (10, [1.3, 1.15, 1.07, 1.03, 1.015, 1.007]), (24, [1.2, 1.07, 1.03, 1.015, 1.007, 1.003]),
      (60, [1.07, 1.03, 1.015, 1.007, 1.003, 1.0015]), (Self.playedLimit, [1.03, 1.015, 1.007, 1.003, 1.0015, 1.0007]),
    ]
    for (index, plan) in plans.enumerated() where index == 0 || plan.count / 2 < requests.count {
      shown = Array(requests.prefix(plan.count))
      set(rate: best.rate, roundTrip: best.trip, share: best.share)
      error = error(of: network)
      if index < 2 {
        let rate = best.rate
        for factor in [0.35, 0.5, 0.7, 1.4, 2, 2.8, 4, 8] { _ = try attempt(rate * factor, best.trip, best.share) }
        for share in [1, 0.5, 0.25, 0.1] { _ = try attempt(best.rate, best.trip, share) }
      }
      for step in plan.steps {
        var isBetter = true
        for _ in 0..<4 where isBetter {
          isBetter = false
          for factor in [step, 1 / step] {
            while try attempt(best.rate * factor, best.trip, best.share) { isBetter = true }
            while try attempt(best.rate, best.trip * factor, best.share) { isBetter = true }
            while best.share * factor < 1.01, try attempt(best.rate, best.trip, best.share * factor) { isBetter = true }
            if try attempt(best.rate * factor, best.trip / factor, best.share) { isBetter = true }
          }
        }
      }
    }
    shown = requests
    set(rate: best.rate, roundTrip: best.trip, share: best.share)
    error = error(of: network)
    // Another rate may fit as well with another round trip.
    var others: [Double] = []
    for factor in [0.9, 1.11] {
      for trip in [0.97, 1, 1.03] {
        var trial = self
        trial.set(rate: best.rate * factor, roundTrip: best.trip * trip, share: best.share)
        others.append(error(of: trial.network))
      }
    }
    var twice = self
    twice.set(rate: best.rate * 2, roundTrip: best.trip, share: best.share / 2)
    isRateKnown =
      others.allSatisfy { $0 > error + max(0.006, error * 0.15) }
      && error < Self.doubtful && time(of: twice.network) < time(of: network) * 0.88
  }

  /// Replaces the rate by one for each second, if that fits much better.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fitTrace(_ check: () throws -> Void) throws {
    let rates = Self.ratesBySecond(requests)
    guard rates.count > 2 else { return }
    var best: (error: Double, link: LinkRate)?
    for factor in [0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.8] {
      try check()
      let link = LinkRate(
        periods: rates.map { LinkRate.Period(duration: .seconds(1), bitsPerSecond: Int64(min(max(1000, $0 * factor), 1e10))) })
      var trial = network
      trial.down = link
      let found = error(of: trial)
      if found < best?.error ?? .infinity { best = (found, link) }
    }
    guard let best, best.error < error * 0.8 else { return }
    (network.down, error, isRateKnown) = (best.link, best.error, true)
  }

  /// Returns the differences of ends, cancels, connections and waits as shares; 0 if all are the recorded ones. O(packets).
  private func error(of network: NetworkConfiguration) -> Double {
    let (played, limit) = play(network)
    return endsError(played, limit) + cancelsError(played, limit) + (setUpError(played) + waitsError(played)) / 2
  }

  /// Returns the summed durations of the transfers over a network, in nanoseconds.
  private func time(of network: NetworkConfiguration) -> Double {
    let (played, limit) = play(network)
    return zip(shown, played).reduce(0) { $0 + Double(($1.1.end ?? limit) - $1.0.start) }
  }

  /// Plays the requests over a network, and returns what became of them and the end of the time played. O(packets).
  private func play(_ network: NetworkConfiguration) -> (played: [Played], limit: Int64) {
    var probe = NetworkProbe(network)
    var played = [Played](repeating: Played(), count: shown.count)
    func play(until time: Int64) {
      while let event = probe.advance(until: max(probe.now, Instant(nanoseconds: time))) {
        let times = probe.milestones(event.request)
        played[event.request] = Played(
          end: event.at.nanoseconds, connected: times.connected?.nanoseconds, firstByte: times.firstByte?.nanoseconds,
          bytes: asked[event.request])
      }
    }
    var steps = shown.indices.map { (shown[$0].start, 1, $0) }
    steps += shown.indices.filter { shown[$0].isCancelled }.map { (max(shown[$0].end, shown[$0].start + 1), 0, $0) }
    steps.sort { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
    for (time, isStart, index) in steps {
      play(until: time)
      if isStart == 1 {
        probe.start(index, bytes: asked[index], host: hosts[index])
      } else if played[index].end == nil {
        played[index] = Played(end: time, bytes: probe.cancel(index))
      }
    }
    let limit = (shown.map(\.end).max() ?? 0) + 60 * Self.second
    play(until: limit)
    return (played, limit)
  }

  /// The end of a request that was played.
  private struct Played {
    var end: Int64?, connected: Int64?, firstByte: Int64?
    var bytes: Int64 = 0
  }

  /// Returns the difference of the ends of complete requests as a share of their durations. Which of several transfers ends first hangs on
  /// microseconds, so that the ends are compared in their order.
  private func endsError(_ played: [Played], _ limit: Int64) -> Double {
    let complete = shown.indices.filter { !shown[$0].isCancelled && shown[$0].bytes > 0 }
    let whole = complete.reduce(1.0) { $0 + Double(shown[$1].duration) }
    let pairs = zip(complete.map { shown[$0].end }.sorted(), complete.map { played[$0].end ?? limit }.sorted())
    return pairs.reduce(0.0) { $0 + abs(Double($1.0 - $1.1)) } / whole
  }

  /// Returns the difference of all bytes that had come at each cancel, as a share of them.
  private func cancelsError(_ played: [Played], _ limit: Int64) -> Double {
    let times = shown.filter(\.isCancelled).map(\.end).distinct
    if times.isEmpty { return 0 }
    let recorded = shown.map { ($0.end, $0.bytes) }.sorted { $0.0 < $1.0 }
    let own = played.map { ($0.end ?? limit, $0.bytes) }.sorted { $0.0 < $1.0 }
    var (one, other, sums, difference, whole) = (0, 0, (Int64(0), Int64(0)), 0.0, 1.0)
    for time in times.sorted() {
      while one < recorded.count, recorded[one].0 <= time + 1 { (sums.0, one) = (sums.0 + recorded[one].1, one + 1) }
      while other < own.count, own[other].0 <= time + 1 { (sums.1, other) = (sums.1 + own[other].1, other + 1) }
      (difference, whole) = (difference + abs(Double(sums.0 - sums.1)), whole + Double(sums.0))
    }
    return difference / whole
  }

  /// Returns the mean relative difference of the times of connections.
  private func setUpError(_ played: [Played]) -> Double {
    mean(
      shown.indices.compactMap { index in
        shown[index].connecting.flatMap { time in
          played[index].connected.map { abs(Double($0 - shown[index].start - time)) / Double(time) }
        }
      })
  }

  /// Returns the mean relative difference of the waits for a first byte, of requests that start alone: others wait for each other.
  private func waitsError(_ played: [Played]) -> Double {
    var busy: Int64 = -1
    return mean(
      shown.indices.compactMap { index in
        let (request, isAlone) = (shown[index], shown[index].start > busy)
        busy = max(busy, request.end)
        let wait = request.firstByte - request.start
        guard isAlone, wait > 0, let firstByte = played[index].firstByte else { return nil }
        return abs(Double(firstByte - request.firstByte)) / Double(wait)
      })
  }

  private func mean(_ shares: [Double]) -> Double {
    shares.isEmpty ? 0 : shares.reduce(0) { $0 + min(1, $1) } / Double(shares.count)
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
