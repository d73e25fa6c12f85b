// A transport without a session, for what stands outside of one: the `network` command, benchmarks and the fidelity tables.
// It adds nothing to what the transport does.

/// One client's network, driven by hand.
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

  private var transport: PacketTransport

  /// A network that has carried nothing yet.
  package init(_ configuration: NetworkConfiguration) { transport = PacketTransport(configuration) }

  /// Where the network's time stands.
  package var now: Instant { transport.now }

  /// Goes on to the first event at or before `limit`, or to `limit`.
  package mutating func advance(until limit: Instant) -> Event? {
    guard let arrival = transport.advance(until: limit) else { return nil }
    return Event(request: arrival.transfer, isFinished: arrival.event == .finished, at: transport.now)
  }

  /// Asks a host for so many bytes now.
  package mutating func start(_ request: Int, bytes: Int64, host: Int = 0, priority: Int = 0) {
    transport.start(request, volume: .bytes(bytes), host: host, priority: priority)
  }

  /// Cuts a request and returns the payload bytes received.
  @discardableResult
  package mutating func cancel(_ request: Int) -> Int64 { transport.cancel(request).bytes }

  /// The payload bytes of a request on the way that the client can read.
  package func received(_ request: Int) -> Int64 { transport.received(request).bytes }

  /// Asks for an event when so many payload bytes are readable.
  package mutating func watch(_ request: Int, bytes: Int64) { transport.watch(request, volume: .bytes(bytes)) }

  /// When a request's connection was ready and when its first byte came.
  package func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) { transport.milestones(request) }

  /// Packets that full queues have dropped.
  package var packetsDropped: Int { transport.counters.packetsDropped }
  /// Packets handed to the link towards the client.
  package var packetsSent: Int { transport.packetsSentDown }
  /// Connections opened.
  package var newConnections: Int { transport.counters.newConnections }
  /// Payload that crossed the link for nobody.
  package var bytesDead: Int64 { transport.counters.bytesDead }
}
