// Drives a probe through a pattern of requests and writes down what a client would see.

import Simulation

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

  /// Packets that full queues dropped so far.
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
    guard event.isFinished else { return }
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
