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
  var requestCount: Int { replay.requests.count }
  /// The median rate of the busy times in bits a second.
  let busyRate: Int64
  /// True if the rates of the link change.
  var isVarying: Bool { !network.down.isConstant }

  private let replay: RequestReplay

  /// The error of one rate above which a rate for each second is tried, and the share of it that these must reach. Below it, a rate for
  /// each second also explains the times of links with one rate better than the right one.
  private static let poorError = 0.2, betterShare = 0.8
  /// The error above which a rate is a guess. A trace has so many rates that it explains almost any times; without times of connections,
  /// some waits may have been handshakes.
  private var doubtful: Double { isVarying ? 0.02 : hasConnections ? 0.15 : 0.05 }
  private static let rates: ClosedRange<Double> = 10_000...10e9
  private static let second: Int64 = 1_000_000_000

  /// Fits a network. O(trials × packets).
  /// - Throws: `ImportCancelled` if the user ends the import.
  init(_ session: RecordedSession, check: @escaping () throws -> Void) throws {
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
      securities.map { NetworkCandidate.Assumptions(security: $0, beginsOpen: !connects.isEmpty) }
      + (connects.isEmpty ? [NetworkCandidate.Assumptions(security: securities[0], beginsOpen: true)] : [])
    let starts = assumptions.flatMap { assumptions in
      // A handshake costs a round trip for TCP, and one or two for TLS; waits hold other transfers too.
      let trips = http == .http3 ? 1 : Double(1 + (assumptions.security == .tls12 ? 2 : assumptions.security == .none ? 0 : 1))
      let trip = min(Double(roundTrip), connects.min().map { Double($0) / trips } ?? .infinity)
      return NetworkCandidate.around(rate: Double(busyRate), trip: trip, under: assumptions)
    }
    try fit(starts, check)
    // The requests that were played start after their lookups, of which this is the median.
    let lookups = session.requests.filter { $0.lookup > 0 }.map { Double($0.lookup) }
    network.http.dnsTime = Interval(nanoseconds: Int64(min(60e9, lookups.median)))
  }

  // MARK: Fit

  /// Takes the best of the candidates, and asks how far it can be trusted.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private mutating func fit(_ starts: [NetworkCandidate], _ check: @escaping () throws -> Void) throws {
    let search = NetworkSearch(replay: replay, base: network, check: check)
    var kept = try search.constant(from: starts)
    var best = try search.rated(kept[0], replay)
    if best.error > Self.poorError, let varying = try trace(search, from: [best] + starts), varying.error < best.error * Self.betterShare {
      // Its round trip can lead to one rate that explains the times well.
      let (rate, trip) = (varying.logs[NetworkCandidate.rate], varying.logs[NetworkCandidate.roundTrip])
      let near = NetworkCandidate.around(rate: StableMath.exp(rate), trip: StableMath.exp(trip), under: varying.assumptions)
      let constant = try search.rated(try search.constant(from: near)[0], replay)
      (best, kept) = constant.error < Self.poorError ? (constant, [constant] + kept) : (varying, [])
    }
    (network, error, beginsOpen) = (best.network(like: network), best.error, best.assumptions.beginsOpen)
    // Another rate may fit as well with another round trip and uplink, and another round trip with another rate and uplink.
    /// - Throws: `ImportCancelled` if the user ends the import.
    func otherError(_ parameter: Int, _ change: Double) throws -> Double {
      let (other, free) = (best.moved([(parameter, change)]), [0, 1, 2].filter { $0 != parameter })
      return min(try search.rated(other, replay).error, try search.leastSquares(from: other, replay, parameters: free).error)
    }
    rateDoubt = try doubt {
      isVarying
        ? try [-0.5, 0.5].allSatisfy { abs(try search.meanShare(of: best, changedBy: $0, limit: error + margin) - 1) < 0.05 }
        : try isShown { try otherError(NetworkCandidate.rate, 0.05 * $0) }
    }
    isDelayKnown = try error < min(doubtful, 0.05) && isShown { try otherError(NetworkCandidate.roundTrip, 0.1 * $0) }
    for assumptions in kept.map(\.assumptions).distinct where assumptions != best.assumptions {
      guard let first = kept.first(where: { $0.assumptions == assumptions }) else { continue }
      let other = try search.rated(first, replay)
      if other.error > error + margin { continue }
      if abs(other.logs[NetworkCandidate.roundTrip] - best.logs[NetworkCandidate.roundTrip]) > 0.1 { isDelayKnown = false }
      if abs(other.logs[NetworkCandidate.rate] - best.logs[NetworkCandidate.rate]) > 0.05 {
        rateDoubt = rateDoubt ?? "another one explains the times about as well"
      }
    }
  }

  /// Returns a network with a rate for each second; nil if the times show none. The first of `starts` is the best network with one rate.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func trace(_ search: NetworkSearch, from starts: [NetworkCandidate]) throws -> NetworkCandidate? {
    let rates = Self.ratesBySecond(replay.requests)
    if rates.isEmpty { return nil }
    // Starts that differ in their rate alone would be the same with these rates.
    let different =
      starts.prefix(1)
      + starts.filter { $0.logs[NetworkCandidate.rate] == starts[1].logs[NetworkCandidate.rate] }
    return try search.varying(
      from: different.flatMap { start in [0.7, 1, 1.4].map { factor in start.varying(rates.map { $0 * factor }) } })
  }

  /// Returns the reason why the rate is unknown; nil if rates 5 % lower and higher have clearly larger errors.
  /// - Throws: any error of `isShown`.
  private func doubt(_ isShown: () throws -> Bool) throws -> String? {
    let count = replay.requests.count { $0.bytes > 0 }
    if count == 0 { return "nothing was received" }
    if !hasConnections, count < 3 { return "too few requests show it" }
    if error >= doubtful { return "none explains the times well" }
    return try isShown() ? nil : "one 5 % lower or higher explains the times about as well"
  }

  /// Returns true if the networks in both directions have clearly larger errors.
  /// - Throws: any error of `otherError`.
  private func isShown(_ otherError: (_ direction: Double) throws -> Double) throws -> Bool {
    try [-1, 1].allSatisfy { try otherError($0) > error + margin }
  }

  /// The largest difference of errors at which two networks explain the times about as well.
  private var margin: Double { max(error * 0.15, min(0.006, error + 0.0005)) }

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

  /// Returns the rate of each second in bits a second: the bytes of transfers, spread evenly over their time, over the busy time. Returns
  /// none if fewer than three seconds show their rate, or for more than two hours.
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
