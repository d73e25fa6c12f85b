// The requests of a client in a network experiment, and a probe that plays them and records what the client would see.

import Base
import Simulation

/// A pattern of requests: optionally a warm-up, then parallel requests or a prefix and its rest, optionally one more after a cancel.
struct RequestPattern {
  /// The payload of each measured response, in bytes.
  let get: Int64
  let parallel: Int, over: Int
  /// The payload of a GET before them, on the same connection; nil for a cold start.
  let warm: Int64?
  /// The pause after the warm-up.
  let idle: Interval
  /// The time from the start of the measured requests to the cancel of all requests in flight; nil for none.
  let cancelAfter: Interval?
  /// The payload of the request after the cancel.
  let then: Int64?
  /// The bytes of the first request, before one for the rest of `get`; nil for a single request.
  let range: Int64?
  let repeats: Int, seed: UInt64

  /// The most parallel requests: the fluid transport has this many slots.
  private static let parallelLimit = 256
  private static let repeatsLimit = 100_000

  init(_ reader: inout ObjectReader, isRandom: Bool) {
    get = reader.size("get", in: 1...Volume.limitBytes)
    parallel = reader.integer("parallel", default: 1, in: 1...Self.parallelLimit)
    over = reader.integer("over", default: 6, in: 1...Self.parallelLimit)
    warm = reader.optional("warm") { $0.size("warm", in: 1...Volume.limitBytes) }
    idle = Interval(nanoseconds: reader.duration("idle", default: 0, in: 0...Parameter.day))
    cancelAfter = reader.optional("cancel-after") { $0.duration("cancel-after", in: 0...Parameter.day) }.map(Interval.init(nanoseconds:))
    then = reader.optional("then") { $0.size("then", in: 1...Volume.limitBytes) }
    range = reader.optional("range") { $0.size("range", in: 1...Volume.limitBytes) }
    repeats = reader.integer("repeats", default: isRandom ? 15 : 1, in: 1...Self.repeatsLimit)
    seed = UInt64(reader.integer("seed", default: 1, in: 0...Int.max))
    if idle > .zero, warm == nil { reader.report("idle", problem: "has no request before it", remedy: "add --warm SIZE") }
    if then != nil, cancelAfter == nil { reader.report("then", problem: "has no cancel before it", remedy: "add --cancel-after TIME") }
    if let range {
      if range >= get, get > 0 { reader.report("range", problem: "is not less than --get", remedy: "name a prefix of the response") }
      if parallel > 1 { reader.report("range", problem: "does not go with --parallel", remedy: "remove one of the two") }
      if cancelAfter != nil { reader.report("range", problem: "does not go with --cancel-after", remedy: "remove one of the two") }
    }
  }
}

/// The outcome of one request. Times are in nanoseconds from the request's own start.
struct RequestOutcome {
  /// The request's connection: opened for it, or existing or shared; none if it never got one.
  enum Connection: String { case new, reused, none }

  let name: String
  /// The payload asked for, in bytes.
  let size: Int64
  /// The request's start, from the start of the experiment.
  let start: Interval
  /// The times of the ready connection (with handshakes), of the first byte, and of the last byte or the cancel.
  var connect: Interval?, firstByte: Interval?, end: Interval?
  /// The payload received, in bytes.
  var received: Int64 = 0
  var isCancelled = false
  var connection = Connection.none

  /// The start, the times of connection, first byte and end in nanoseconds, and the bytes received.
  var figures: [Int64?] { [start.nanoseconds, connect?.nanoseconds, firstByte?.nanoseconds, end?.nanoseconds, received] }
}

/// One run of a pattern. Requests are numbered in the order of their starts.
struct PatternRun {
  /// The longest duration of a phase. Requests that last longer count as unfinished.
  static let phaseLimit = Interval.seconds(86_400)

  private var probe: NetworkProbe
  private(set) var outcomes: [RequestOutcome] = []
  private var inFlight: [Int] = []
  /// The requests whose connection is not known yet, in order.
  private var unbound: [Int] = []
  private var countedConnections = 0
  private let hasConnections: Bool, isShared: Bool

  init(_ network: NetworkConfiguration, limits: RunLimits) {
    probe = NetworkProbe(network, limits: limits)
    hasConnections = network.transport != .fluid
    isShared = hasConnections && network.http.version != .http1
  }

  var packetsDropped: Int { probe.packetsDropped }
  /// The payload sent but not delivered so far, in bytes.
  var bytesDead: Int64 { probe.bytesDead }

  /// - Throws: `RunStop` if the run is stopped before its end.
  mutating func run(_ pattern: RequestPattern) throws(RunStop) {
    play(pattern)
    try probe.check()
  }

  private mutating func play(_ pattern: RequestPattern) {
    if let warm = pattern.warm {
      complete("warm", warm)
      advance(until: probe.now + pattern.idle)
    }
    if let range = pattern.range {
      complete("prefix", range)
      return complete("rest", pattern.get - range)
    }
    let began = probe.now
    for number in 1...pattern.parallel { start(pattern.parallel == 1 ? "get" : "get \(number)", pattern.get) }
    guard let cancelAfter = pattern.cancelAfter else { return completeAll() }
    advance(until: began + cancelAfter)
    for request in inFlight.reversed() {
      read(request)
      outcomes[request].isCancelled = true
      end(request, received: probe.cancel(request), at: probe.now)
    }
    if let then = pattern.then { complete("then", then) }
  }

  private mutating func start(_ name: String, _ bytes: Int64) {
    let request = outcomes.count
    outcomes.append(RequestOutcome(name: name, size: bytes, start: probe.now - .start))
    inFlight.append(request)
    unbound.append(request)
    probe.start(request, bytes: bytes)
    noteConnections()
  }

  private mutating func complete(_ name: String, _ bytes: Int64) {
    start(name, bytes)
    completeAll()
  }

  private mutating func completeAll() {
    let limit = probe.now + Self.phaseLimit
    while !inFlight.isEmpty, let event = probe.advance(until: limit) { note(event) }
    for request in inFlight { read(request) }
  }

  private mutating func advance(until limit: Instant) { while let event = probe.advance(until: limit) { note(event) } }

  private mutating func note(_ event: NetworkProbe.Event) {
    read(event.request)
    end(event.request, received: outcomes[event.request].size, at: event.at)
  }

  private mutating func end(_ request: Int, received: Int64, at now: Instant) {
    outcomes[request].received = received
    outcomes[request].end = now - .start - outcomes[request].start
    inFlight.removeAll { $0 == request }
    // A connection that is opened after a cancel belongs to another request.
    if outcomes[request].isCancelled { unbound.removeAll { $0 == request } }
    noteConnections()
  }

  /// Reads the times and bytes of a request before the probe forgets it.
  private mutating func read(_ request: Int) {
    let (connected, firstByte) = probe.milestones(request)
    outcomes[request].connect = connected.map { $0 - .start - outcomes[request].start }
    outcomes[request].firstByte = firstByte.map { $0 - .start - outcomes[request].start }
    outcomes[request].received = probe.received(request)
  }

  /// Assigns connections to requests in order: each gets a new one, or one that was ready at once.
  private mutating func noteConnections() {
    guard hasConnections else { return }
    while let request = unbound.first {
      if probe.newConnections > countedConnections {
        countedConnections += 1
        outcomes[request].connection = .new
      } else if isShared || probe.milestones(request).connected != nil {
        outcomes[request].connection = .reused
      } else {
        return
      }
      unbound.removeFirst()
    }
  }
}
