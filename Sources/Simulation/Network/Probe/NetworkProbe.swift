// A transport without a session, for the `network` command, benchmarks and validation.

/// The network of one client. A copy shares its network with the original: use only one of them.
package struct NetworkProbe {
  /// The completion of a request: its last byte is readable.
  package struct Event {
    package let request: Int
    package let at: Instant
  }

  private var link: any Transport
  private let watch: RunWatch

  /// Creates a network at time zero with the transport of its configuration.
  package init(_ configuration: NetworkConfiguration, limits: RunLimits = RunLimits()) {
    watch = RunWatch(limits)
    link =
      switch (configuration.transport, configuration.http.version) {
      case (.fluid, _): FluidProbe(configuration)
      case (.packet, .http3): QUICTransport(configuration, watch: watch)
      case (.packet, _): PacketTransport(configuration, watch: watch)
      }
  }

  /// - Throws: The reason why the run was stopped; then nothing happens any more.
  package func check() throws(RunStop) { try watch.check() }

  package var now: Instant { link.now }

  /// Goes on to the first event at or before `limit`, or to `limit`.
  package mutating func advance(until limit: Instant) -> Event? { link.advance(until: limit).map { Event(request: $0, at: now) } }

  package mutating func start(_ request: Int, bytes: Int64, host: Int = 0, priority: Int = 0) {
    link.start(request, volume: .bytes(bytes), host: host, priority: priority)
  }

  /// Changes the priority of a request in flight, if the network has priorities.
  package mutating func prioritize(_ request: Int, priority: Int) { link.prioritize(request, priority: priority) }

  /// Cancels a request and returns the payload bytes received.
  @discardableResult package mutating func cancel(_ request: Int) -> Int64 { link.cancel(request).bytes }

  package func received(_ request: Int) -> Int64 { link.received(request).bytes }

  /// Returns the times of the established connection and of the first byte of a request; nil if still to come.
  package func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) { link.milestones(request) }

  package var packetsDropped: Int { link.counters.packetsDropped }
  /// The connections opened; 0 for the fluid transport.
  package var newConnections: Int { link.counters.newConnections }
  /// The payload bytes sent and not read: after a cancel, or retransmitted.
  package var bytesDead: Int64 { link.counters.bytesDead }
}
