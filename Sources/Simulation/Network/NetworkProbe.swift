// A transport without a session, for the `network` command, benchmarks and validation.
// It only adds the limit of connections that the fluid transport lacks.

/// The network of one client. A copy shares its network with the original: use only one of them.
package struct NetworkProbe {
  /// The completion of a request: its last byte is readable.
  package struct Event {
    package let request: Int
    package let at: Instant
  }

  // Exactly one of the two is set.
  private var fluid: FluidProbe?
  private var packet: PacketTransport?

  private let watch: RunWatch

  /// Creates a network at time zero with the transport of its configuration.
  package init(_ configuration: NetworkConfiguration, limits: RunLimits = RunLimits()) {
    watch = RunWatch(limits)
    switch configuration.transport {
    case .fluid: fluid = FluidProbe(configuration)
    case .packet: packet = PacketTransport(configuration, watch: watch)
    }
  }

  /// Checks the limits of the run.
  /// - Throws: The reason why the run was stopped; then nothing happens any more.
  package func check() throws(RunStop) { try watch.check() }

  package var now: Instant { fluid?.now ?? packet?.now ?? .start }

  /// Goes on to the first event at or before `limit`, or to `limit`.
  package mutating func advance(until limit: Instant) -> Event? {
    let request = fluid?.advance(until: limit) ?? packet?.advance(until: limit)
    return request.map { Event(request: $0, at: now) }
  }

  /// Starts a request of `bytes` to a host now.
  package mutating func start(_ request: Int, bytes: Int64, host: Int = 0, priority: Int = 0) {
    fluid?.start(request, bytes: bytes, host: host, priority: priority)
    packet?.start(request, volume: .bytes(bytes), host: host, priority: priority)
  }

  /// Changes the priority of a request in flight, if the network has priorities.
  package mutating func prioritize(_ request: Int, priority: Int) { packet?.prioritize(request, priority: priority) }

  /// Cancels a request and returns the payload bytes received.
  @discardableResult
  package mutating func cancel(_ request: Int) -> Int64 {
    fluid?.cancel(request) ?? packet?.cancel(request).bytes ?? 0
  }

  /// Returns the payload bytes of a request in flight that the client can read.
  package func received(_ request: Int) -> Int64 {
    fluid?.received(request) ?? packet?.received(request).bytes ?? 0
  }

  /// Returns the times of the established connection and of the first byte of a request; nil if still to come.
  package func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) {
    fluid?.milestones(request) ?? packet?.milestones(request) ?? (nil, nil)
  }

  /// The packets dropped by full queues.
  package var packetsDropped: Int { counters.packetsDropped }
  /// The connections opened; 0 for the fluid transport.
  package var newConnections: Int { counters.newConnections }
  /// The payload bytes sent and not read: after a cancel, or retransmitted.
  package var bytesDead: Int64 { counters.bytesDead }

  private var counters: TransportCounters { packet?.counters ?? TransportCounters() }
}

/// A fluid transport whose requests wait for one of `connectionsPerHost` connections. A class, because the transport is not copyable.
private final class FluidProbe {
  private struct Request {
    var bytes: Int64 = 0
    var host = 0, priority = 0
    /// The time at which it got a connection.
    var startedAt: Instant?
    var isActive = false
  }

  /// The limit of request numbers.
  private static let requestLimit = 512

  private var fluid: FluidTransport
  private let connections: Int
  private var requests = [Request](repeating: Request(), count: requestLimit)
  private var waiting: [Int] = []

  init(_ network: NetworkConfiguration) {
    fluid = FluidTransport(network, transfers: Self.requestLimit)
    connections = network.http.version != .http1 ? Self.requestLimit : network.http.connectionsPerHost
  }

  var now: Instant { fluid.now }

  func advance(until limit: Instant) -> Int? {
    // An idle fluid transport has its next event at `never`, which is not a time to go to.
    guard let request = fluid.advance(until: min(limit, Instant(nanoseconds: Instant.never.nanoseconds - 1))) else { return nil }
    end(request)
    return request
  }

  func start(_ request: Int, bytes: Int64, host: Int, priority: Int) {
    precondition(request < Self.requestLimit, "a probe has \(Self.requestLimit) requests at most")
    requests[request] = Request(bytes: bytes, host: host, priority: priority)
    waiting.append(request)
    startWaiting()
  }

  func cancel(_ request: Int) -> Int64 {
    guard requests[request].isActive else {
      waiting.removeAll { $0 == request }
      return 0
    }
    let receivedBytes = fluid.cancel(request).bytes
    end(request)
    return receivedBytes
  }

  func received(_ request: Int) -> Int64 { requests[request].isActive ? fluid.received(request).bytes : 0 }

  func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) {
    let startedAt = requests[request].startedAt
    return (startedAt, startedAt == nil ? nil : fluid.firstByte(request))
  }

  private func end(_ request: Int) {
    requests[request].isActive = false
    startWaiting()
  }

  /// Starts the waiting requests, oldest first, for whose host a connection is free.
  private func startWaiting() {
    for number in waiting {
      let request = requests[number]
      guard requests.count(where: { $0.isActive && $0.host == request.host }) < connections else { continue }
      waiting.removeAll { $0 == number }
      requests[number].startedAt = now
      requests[number].isActive = true
      fluid.start(number, volume: .bytes(request.bytes), host: request.host, priority: request.priority)
    }
  }
}
