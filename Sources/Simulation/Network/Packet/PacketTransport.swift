// The packet transport: transfers over single segments of a Linux-like TCP, validated against the kernel, or over QUIC for HTTP/3.
// PacketNetwork has the loop and the rules; its memory is managed here.

/// Moves transfers as HTTP over packets. A copy shares its network with the original: use only one of them.
struct PacketTransport: Transport {
  /// Frees the network with the last copy of its transport.
  private final class Owner {
    let network: UnsafeMutablePointer<PacketNetwork>

    init(_ network: consuming PacketNetwork) {
      self.network = UnsafeMutablePointer<PacketNetwork>.allocate(capacity: 1)
      self.network.initialize(to: network)
    }

    deinit {
      network.pointee.deallocate()
      network.deinitialize(count: 1)
      network.deallocate()
    }
  }

  private let owner: Owner
  private let network: UnsafeMutablePointer<PacketNetwork>
  /// The network of HTTP/3, which carries all transfers if it is there.
  private let quic: QUICNetwork?
  private let coalesces: Bool

  /// Creates a network at time zero. `receivesAhead` is false for the plain loop that tests compare with.
  init(_ configuration: NetworkConfiguration, watch: RunWatch? = nil, receivesAhead: Bool = true) {
    owner = Owner(PacketNetwork(configuration, watch, receivesAhead: receivesAhead))
    network = owner.network
    coalesces = configuration.http.coalesces && configuration.http.version != .http1
    quic = configuration.http.version == .http3 ? QUICNetwork(configuration, watch) : nil
  }

  var now: Instant { Instant(nanoseconds: quic?.now ?? network.pointee.world.now) }

  var counters: TransportCounters { quic?.counters ?? network.pointee.counters }

  mutating func advance(until limit: Instant) -> Int? {
    if let quic { return quic.advance(until: limit.nanoseconds) }
    return network.pointee.advance(until: limit.nanoseconds)
  }

  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    let bytes = (volume.nanobits + 7_999_999_999) / 8_000_000_000
    let host = coalesces ? 0 : host
    if let quic { return quic.start(transfer, bytes: bytes, host: host) }
    network.pointee.start(transfer, bytes: bytes, host: host, priority: priority)
  }

  var hasPriorities: Bool { network.pointee.hasPriorities }

  mutating func prioritize(_ transfer: Int, priority: Int) { network.pointee.prioritize(transfer, priority: priority) }

  mutating func cancel(_ transfer: Int) -> Volume { .bytes(quic?.cancel(transfer) ?? network.pointee.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(quic?.received(transfer) ?? network.pointee.received(transfer)) }

  var nextChange: Instant { Instant(nanoseconds: quic?.nextEvent ?? network.pointee.nextChange) }

  func firstByte(_ transfer: Int) -> Instant? { milestones(transfer).firstByte }

  /// Returns the times of the established connection and of the first byte of a transfer, for reports; nil if still to come.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    quic?.milestones(transfer) ?? network.pointee.milestones(transfer)
  }
}
