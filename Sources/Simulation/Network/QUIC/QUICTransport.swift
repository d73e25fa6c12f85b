// The transport of HTTP/3: transfers as streams over QUIC, validated against ngtcp2. QUICNetwork has the loop and the rules.

/// Moves transfers as HTTP/3 over packets. A copy shares its network with the original: use only one of them.
struct QUICTransport: Transport {
  private let network: QUICNetwork
  private let coalesces: Bool

  /// Creates a network at time zero.
  init(_ configuration: NetworkConfiguration, watch: RunWatch? = nil) {
    precondition(configuration.http.version == .http3, "TCP has a transport of its own")
    network = QUICNetwork(configuration, watch)
    coalesces = configuration.http.coalesces
  }

  var now: Instant { Instant(nanoseconds: network.now) }

  var counters: TransportCounters { network.counters }

  func advance(until limit: Instant) -> Int? { network.advance(until: limit.nanoseconds) }

  func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    network.start(transfer, bytes: volume.bytesRoundedUp, host: coalesces ? 0 : host)
  }

  func cancel(_ transfer: Int) -> Volume { .bytes(network.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(network.received(transfer)) }

  var nextChange: Instant { Instant(nanoseconds: network.nextEvent) }

  func firstByte(_ transfer: Int) -> Instant? { milestones(transfer).firstByte }

  /// Returns the times of the established connection and of the first byte of a transfer, for reports; nil if still to come.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) { network.milestones(transfer) }
}
