// The packet transport: transfers over single segments of a Linux-like TCP, validated against the kernel.
// PacketNetwork has the loop and the rules; its memory is managed here.

/// Moves transfers as HTTP over packets. A copy shares its network with the original: use only one of them.
struct PacketTransport: Transport {
  /// Frees the network with the last copy of its transport.
  private final class Owner {
    let network: UnsafeMutablePointer<PacketNetwork>

    init(_ configuration: NetworkConfiguration, _ watch: RunWatch?) {
      network = UnsafeMutablePointer<PacketNetwork>.allocate(capacity: 1)
      network.initialize(to: PacketNetwork(configuration, watch))
    }

    deinit {
      network.pointee.deallocate()
      network.deinitialize(count: 1)
      network.deallocate()
    }
  }

  private let owner: Owner
  private let network: UnsafeMutablePointer<PacketNetwork>

  init(_ configuration: NetworkConfiguration, watch: RunWatch? = nil) {
    owner = Owner(configuration, watch)
    network = owner.network
  }

  var now: Instant { Instant(nanoseconds: network.pointee.world.now) }

  var counters: TransportCounters { network.pointee.counters }

  mutating func advance(until limit: Instant) -> Int? { network.pointee.advance(until: limit.nanoseconds) }

  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    network.pointee.start(transfer, bytes: (volume.nanobits + 7_999_999_999) / 8_000_000_000, host: host, priority: priority)
  }

  mutating func cancel(_ transfer: Int) -> Volume { .bytes(network.pointee.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(network.pointee.received(transfer)) }

  func firstByte(_ transfer: Int) -> Instant? { milestones(transfer).firstByte }

  /// Returns the times of the established connection and of the first byte of a transfer, for reports; nil if still to come.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) { network.pointee.milestones(transfer) }
}
