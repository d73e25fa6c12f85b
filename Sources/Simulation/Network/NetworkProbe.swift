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

  /// What lies under the requests.
  private enum Link {
    case fluid(FluidProbe)
    case packet(PacketTransport)
  }

  private var link: Link

  /// A network that has carried nothing yet, over the transport that it names.
  package init(_ configuration: NetworkConfiguration) {
    link =
      switch configuration.transport {
      case .fluid: .fluid(FluidProbe(configuration))
      case .packet: .packet(PacketTransport(configuration))
      }
  }

  /// Where the network's time stands.
  package var now: Instant {
    switch link {
    case .fluid(let fluid): fluid.now
    case .packet(let transport): transport.now
    }
  }

  /// Goes on to the first event at or before `limit`, or to `limit`.
  package mutating func advance(until limit: Instant) -> Event? {
    switch link {
    case .fluid(let fluid):
      guard let (request, event) = fluid.advance(until: limit) else { return nil }
      return Event(request: request, isFinished: event == .finished, at: fluid.now)
    case .packet(var transport):
      guard let arrival = transport.advance(until: limit) else { return nil }
      return Event(request: arrival.transfer, isFinished: arrival.event == .finished, at: transport.now)
    }
  }

  /// Asks a host for so many bytes now.
  package mutating func start(_ request: Int, bytes: Int64, host: Int = 0, priority: Int = 0) {
    switch link {
    case .fluid(let fluid): fluid.start(request, bytes: bytes, host: host, priority: priority)
    case .packet(var transport): transport.start(request, volume: .bytes(bytes), host: host, priority: priority)
    }
  }

  /// Cuts a request and returns the payload bytes received.
  @discardableResult
  package mutating func cancel(_ request: Int) -> Int64 {
    switch link {
    case .fluid(let fluid): fluid.cancel(request)
    case .packet(var transport): transport.cancel(request).bytes
    }
  }

  /// The payload bytes of a request on the way that the client can read.
  package func received(_ request: Int) -> Int64 {
    switch link {
    case .fluid(let fluid): fluid.received(request)
    case .packet(let transport): transport.received(request).bytes
    }
  }

  /// Asks for an event when so many payload bytes are readable; the fluid has no such events.
  package mutating func watch(_ request: Int, bytes: Int64) {
    guard case .packet(var transport) = link else { preconditionFailure("the fluid watches nothing") }
    transport.watch(request, volume: .bytes(bytes))
  }

  /// When a request's connection was ready and when its first byte came.
  package func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) {
    switch link {
    case .fluid(let fluid): fluid.milestones(request)
    case .packet(let transport): transport.milestones(request)
    }
  }

  /// Packets handed to the link towards the client; 0 where there are no packets.
  package var packetsSent: Int {
    switch link {
    case .fluid: 0
    case .packet(let transport): transport.packetsSentDown
    }
  }

  private var counters: TransportCounters {
    switch link {
    case .fluid: TransportCounters()
    case .packet(let transport): transport.counters
    }
  }

  /// Packets that full queues have dropped.
  package var packetsDropped: Int { counters.packetsDropped }
  /// Connections opened; 0 where there are none.
  package var newConnections: Int { counters.newConnections }
  /// Payload that crossed the link for nobody.
  package var bytesDead: Int64 { counters.bytesDead }
}
