// A transport without a session, for what stands outside of one: the `network` command, benchmarks and the fidelity tables.
// It adds nothing to what the transport does.

/// One client's network, driven by hand. A copy shares its network with the original: use only one of them.
package struct NetworkProbe {
  /// Something that happened to a request.
  package struct Event {
    /// The request's number.
    package var request: Int
    /// Whether its last byte is readable, rather than as many as `watch` named.
    package var isFinished: Bool
    /// When.
    package var at: Instant
  }

  /// Holds what cannot be copied.
  private final class FlowBox {
    var link: FlowTransport
    init(_ configuration: NetworkConfiguration, _ watch: RunWatch) {
      link = FlowTransport(configuration, transfers: 64, watch: watch)
    }
  }

  // One of the three is there.
  private var fluid: FluidProbe?
  private var flow: FlowBox?
  private var packet: PacketTransport?

  private let watch: RunWatch

  /// A network that has carried nothing yet, over the transport that it names.
  package init(_ configuration: NetworkConfiguration, limits: RunLimits = RunLimits()) {
    watch = RunWatch(limits)
    switch configuration.transport {
    case .fluid: fluid = FluidProbe(configuration)
    case .tcp: flow = FlowBox(configuration, watch)
    case .packet: packet = PacketTransport(configuration, watch: watch)
    }
  }

  /// - Throws: why it was stopped, if it was; then nothing happens any more.
  package func check() throws(RunStop) { try watch.check() }

  /// Where the network's time stands.
  package var now: Instant { fluid?.now ?? flow?.link.now ?? packet?.now ?? .start }

  /// Goes on to the first event at or before `limit`, or to `limit`.
  package mutating func advance(until limit: Instant) -> Event? {
    guard let arrival = fluid?.advance(until: limit) ?? flow?.link.advance(until: limit) ?? packet?.advance(until: limit) else {
      return nil
    }
    return Event(request: arrival.transfer, isFinished: arrival.event == .finished, at: now)
  }

  /// Asks a host for so many bytes now.
  package mutating func start(_ request: Int, bytes: Int64, host: Int = 0, priority: Int = 0) {
    fluid?.start(request, bytes: bytes, host: host, priority: priority)
    flow?.link.start(request, volume: .bytes(bytes), host: host, priority: priority)
    packet?.start(request, volume: .bytes(bytes), host: host, priority: priority)
  }

  /// Cuts a request and returns the payload bytes received.
  @discardableResult
  package mutating func cancel(_ request: Int) -> Int64 {
    fluid?.cancel(request) ?? flow?.link.cancel(request).bytes ?? packet?.cancel(request).bytes ?? 0
  }

  /// The payload bytes of a request on the way that the client can read.
  package func received(_ request: Int) -> Int64 {
    fluid?.received(request) ?? flow?.link.received(request).bytes ?? packet?.received(request).bytes ?? 0
  }

  /// Asks for an event when so many payload bytes are readable; the fluid has no such events.
  package mutating func watch(_ request: Int, bytes: Int64) {
    precondition(fluid == nil, "the fluid watches nothing")
    flow?.link.watch(request, volume: .bytes(bytes))
    packet?.watch(request, volume: .bytes(bytes))
  }

  /// When a request's connection was ready and when its first byte came.
  package func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) {
    fluid?.milestones(request) ?? flow?.link.milestones(request) ?? packet?.milestones(request) ?? (nil, nil)
  }

  /// Packets that full queues have dropped.
  package var packetsDropped: Int { counters.packetsDropped }
  /// Connections opened; 0 where there are none.
  package var newConnections: Int { counters.newConnections }
  /// Payload that crossed the link for nobody.
  package var bytesDead: Int64 { counters.bytesDead }

  private var counters: TransportCounters { flow?.link.counters ?? packet?.counters ?? TransportCounters() }
}
