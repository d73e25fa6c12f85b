// What a client asks for in an experiment on a network, as a person would with curl; and a probe driven through it, which writes down what the
// client would see.

import Import
import Simulation
import Sweep

/// A pattern of requests: perhaps a warm-up, then requests at once or a prefix and its rest, then perhaps one after a cut.
struct RequestPattern {
  /// The payload of each measured response, in bytes.
  let get: Int64
  /// How many are asked for at once, and the connections there may be.
  let parallel: Int, over: Int
  /// The payload of a GET before, on the same connection; nil for a cold start.
  let warm: Int64?
  let idle: Interval
  /// When all that is on the way is cut, after the measured requests' start; nil for never.
  let cancelAfter: Interval?
  let then: Int64?
  /// The bytes asked for first, before the rest of `get`; nil for one request.
  let range: Int64?
  /// How often it is done on a network with chance in it, and what that chance comes from.
  let repeats: Int, seed: UInt64

  /// The most requests at once: a fluid has places for so many.
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
    if idle > .zero, warm == nil { reader.report("idle", problem: "has nothing before it", remedy: "add --warm SIZE") }
    if then != nil, cancelAfter == nil { reader.report("then", problem: "has no cut before it", remedy: "add --cancel-after TIME") }
    if let range {
      if range >= get, get > 0 { reader.report("range", problem: "is not less than --get", remedy: "name a prefix of the response") }
      if parallel > 1 { reader.report("range", problem: "does not go with --parallel", remedy: "take out one of the two") }
      if cancelAfter != nil { reader.report("range", problem: "does not go with --cancel-after", remedy: "take out one of the two") }
    }
  }
}

/// What became of one request. Times in nanoseconds from the request's own start.
struct RequestOutcome {
  /// Which connection it took: one opened for it, one that was there or that it shares; none where it was cut or never came to its turn.
  enum Connection: String { case new, reused, none }

  let name: String
  /// The payload asked for, in bytes.
  let size: Int64
  /// From the start of the experiment.
  let start: Interval
  /// When its connection was ready, handshakes included; when its first byte came; when its last came or it was cut.
  var connect: Interval?, firstByte: Interval?, end: Interval?
  /// The payload received, in bytes.
  var received: Int64 = 0
  var isCut = false
  var connection = Connection.none

  /// Start, connection ready, first byte and end in nanoseconds; the bytes received.
  var figures: [Int64?] { [start.nanoseconds, connect?.nanoseconds, firstByte?.nanoseconds, end?.nanoseconds, received] }
}

/// One run of a pattern. Requests are numbered in the order of their start.
struct PatternRun {
  /// How long a phase may take before what is left of it counts as unfinished.
  private static let phaseLimit = Interval.seconds(86_400)

  private var probe: NetworkProbe
  private(set) var outcomes: [RequestOutcome] = []
  private var inFlight: [Int] = []
  /// Requests whose connection is not known yet, in order.
  private var unbound: [Int] = []
  private var countedConnections = 0
  private let hasConnections: Bool, isShared: Bool

  init(_ network: NetworkConfiguration, limits: RunLimits) {
    probe = NetworkProbe(network, limits: limits)
    hasConnections = network.transport != .fluid
    isShared = hasConnections && network.http.version == .http2
  }

  var packetsDropped: Int { probe.packetsDropped }
  /// Payload sent and not delivered so far.
  var bytesDead: Int64 { probe.bytesDead }

  /// Does everything in the pattern.
  ///
  /// - Throws: why the run was stopped before its end.
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
      outcomes[request].isCut = true
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

  private mutating func advance(until limit: Instant) {
    while let event = probe.advance(until: limit) { note(event) }
  }

  private mutating func note(_ event: NetworkProbe.Event) {
    read(event.request)
    end(event.request, received: outcomes[event.request].size, at: event.at)
  }

  private mutating func end(_ request: Int, received: Int64, at now: Instant) {
    outcomes[request].received = received
    outcomes[request].end = now - .start - outcomes[request].start
    inFlight.removeAll { $0 == request }
    // What a cut lets another request open is no connection of this one.
    if outcomes[request].isCut { unbound.removeAll { $0 == request } }
    noteConnections()
  }

  /// Reads what the probe knows of a request before it forgets.
  private mutating func read(_ request: Int) {
    let (connected, firstByte) = probe.milestones(request)
    outcomes[request].connect = connected.map { $0 - .start - outcomes[request].start }
    outcomes[request].firstByte = firstByte.map { $0 - .start - outcomes[request].start }
    outcomes[request].received = probe.received(request)
  }

  /// Finds out which requests have got a connection: in order, each a new one or one that was ready at once.
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
