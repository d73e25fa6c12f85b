// The packet transport: transfers over single segments of a Linux-like TCP, validated against the kernel. HTTP/3 has QUICTransport.
// PacketNetwork has the loop and the rules; its memory is managed here.

/// Moves transfers as HTTP/1.1 or HTTP/2 over packets. A copy shares its network with the original: use only one of them.
struct PacketTransport: Transport {
  /// Frees the network with the last copy of its transport.
  private final class Owner {
    let network: Box<PacketNetwork>

    init(_ network: consuming PacketNetwork) { self.network = Box(network) }

    deinit { network.value.deallocate() }
  }

  private let owner: Owner
  private let network: UnsafeMutablePointer<PacketNetwork>
  private let coalesces: Bool

  /// Creates a network at time zero. `receivesAhead` is false for the plain loop that tests compare with.
  init(_ configuration: NetworkConfiguration, watch: RunWatch? = nil, receivesAhead: Bool = true) {
    precondition(configuration.http.version != .http3, "HTTP/3 has a transport of its own")
    owner = Owner(PacketNetwork(configuration, watch, receivesAhead: receivesAhead))
    network = owner.network.address
    coalesces = configuration.http.coalesces && configuration.http.version != .http1
  }

  var now: Instant { Instant(nanoseconds: network.pointee.world.now) }

  var counters: TransportCounters { network.pointee.counters }

  func advance(until limit: Instant) -> Int? { network.pointee.advance(until: limit.nanoseconds) }

  func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    network.pointee.start(transfer, bytes: volume.bytesRoundedUp, host: coalesces ? 0 : host, priority: priority)
  }

  var hasPriorities: Bool { network.pointee.hasPriorities }

  func prioritize(_ transfer: Int, priority: Int) { network.pointee.prioritize(transfer, priority: priority) }

  func cancel(_ transfer: Int) -> Volume { .bytes(network.pointee.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(network.pointee.received(transfer)) }

  var nextChange: Instant { Instant(nanoseconds: network.pointee.nextChange) }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) { network.pointee.milestones(transfer) }
}
