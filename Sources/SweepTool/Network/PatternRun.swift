// Drives a probe through a pattern of requests and writes down what a client would see.

import Simulation

/// One run of a pattern. Requests are numbered in the order of their start.
struct PatternRun {
  /// How long a phase may take before what is left of it counts as unfinished.
  static let phaseLimit = Interval.seconds(86_400)

  private var probe: NetworkProbe
  private(set) var outcomes: [RequestOutcome] = []
  private var onTheWay: [Int] = []
  /// Requests whose connection is not known yet, in order.
  private var unbound: [Int] = []
  private var countedConnections = 0
  private let hasConnections: Bool
  private let isShared: Bool

  init(_ network: NetworkConfiguration, limits: RunLimits = RunLimits()) {
    probe = NetworkProbe(network, limits: limits)
    hasConnections = network.transport != .fluid
    isShared = network.transport != .fluid && network.http.version == .http2
  }

  /// Packets that full queues dropped so far.
  var packetsDropped: Int { probe.packetsDropped }
  /// Payload that crossed the link for nobody so far.
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
      start("warm", warm)
      finishAll()
      rest(for: pattern.idle)
    }
    if let range = pattern.range {
      start("prefix", range)
      finishAll()
      start("rest", pattern.get - range)
      finishAll()
      return
    }
    let began = probe.now
    for number in 1...pattern.parallel { start(pattern.parallel == 1 ? "get" : "get \(number)", pattern.get) }
    guard let cancelAfter = pattern.cancelAfter else { return finishAll() }
    advance(until: began + cancelAfter)
    for request in onTheWay.reversed() { cut(request) }
    if let then = pattern.then {
      start("then", then)
      finishAll()
    }
  }

  private mutating func start(_ name: String, _ bytes: Int64) {
    let request = outcomes.count
    outcomes.append(RequestOutcome(name: name, size: bytes, start: probe.now - .start))
    onTheWay.append(request)
    unbound.append(request)
    probe.start(request, bytes: bytes)
    noteConnections()
  }

  private mutating func finishAll() {
    let limit = probe.now + Self.phaseLimit
    while !onTheWay.isEmpty, let event = probe.advance(until: limit) { note(event) }
    for request in onTheWay { read(request) }
  }

  private mutating func advance(until limit: Instant) {
    while let event = probe.advance(until: limit) { note(event) }
  }

  private mutating func rest(for idle: Interval) { advance(until: probe.now + idle) }

  private mutating func note(_ event: NetworkProbe.Event) {
    read(event.request)
    outcomes[event.request].received = outcomes[event.request].size
    outcomes[event.request].end = event.at - .start - outcomes[event.request].start
    onTheWay.removeAll { $0 == event.request }
    noteConnections()
  }

  private mutating func cut(_ request: Int) {
    read(request)
    outcomes[request].received = probe.cancel(request)
    outcomes[request].end = probe.now - .start - outcomes[request].start
    outcomes[request].isCut = true
    onTheWay.removeAll { $0 == request }
    unbound.removeAll { $0 == request }
    // What a cut lets another request open is no connection of this one.
    noteConnections()
  }

  /// Reads what the probe knows of a request before it forgets.
  private mutating func read(_ request: Int) {
    let milestones = probe.milestones(request)
    outcomes[request].connect = milestones.connected.map { $0 - .start - outcomes[request].start }
    outcomes[request].firstByte = milestones.firstByte.map { $0 - .start - outcomes[request].start }
    outcomes[request].received = probe.received(request)
  }

  /// Finds out which requests have got a connection: in order, each a new one or one that was ready at once.
  private mutating func noteConnections() {
    guard hasConnections else { return }
    while let request = unbound.first {
      if probe.newConnections > countedConnections {
        countedConnections += 1
        outcomes[request].connection = .new
      } else if isBound(request) {
        outcomes[request].connection = .reused
      } else {
        return
      }
      unbound.removeFirst()
    }
  }

  /// Whether a request has a connection that was not opened for it: a ready one, or one that it shares.
  private func isBound(_ request: Int) -> Bool { isShared || probe.milestones(request).connected != nil }
}
