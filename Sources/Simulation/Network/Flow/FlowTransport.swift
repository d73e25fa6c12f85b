// The `tcp` transport's face: flows of TCP, far cheaper than packets and nearly as true without loss.

/// Moves transfers as HTTP over TCP flows.
struct FlowTransport: Transport {
  private var network: FlowNetwork

  init(_ configuration: NetworkConfiguration) { network = FlowNetwork(configuration) }

  var now: Instant { Instant(nanoseconds: network.now) }

  var counters: TransportCounters { network.counters }

  mutating func advance(until limit: Instant) -> Arrival? { network.advance(until: limit.nanoseconds) }

  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    network.start(transfer, bytes: (volume.nanobits + 7_999_999_999) / 8_000_000_000, host: host)
  }

  mutating func cancel(_ transfer: Int) -> Volume { .bytes(network.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(network.received(transfer)) }

  mutating func watch(_ transfer: Int, volume: Volume) {
    network.watch(transfer, bytes: (volume.nanobits + 7_999_999_999) / 8_000_000_000)
  }

  /// When the transfer's connection was ready and its first byte came, for reports; nil where they have not.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    let state = network.transfers[transfer]
    return (
      state.connectedAt < 0 ? nil : Instant(nanoseconds: state.connectedAt),
      state.firstByteAt < 0 ? nil : Instant(nanoseconds: state.firstByteAt)
    )
  }
}
