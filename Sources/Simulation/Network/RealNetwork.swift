// The protocol for real networks: the session over it is the emulated one, only its clock differs.

/// A byte range of an item or of a page, as a real network requests it.
package struct RequestedPart: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// An item by its index in the feed, or a page of the feed by its number from 0.
    case item(Int), page(Int)
  }

  package let content: Content
  package let offset: Int64
  package let bytes: Int64
  /// The size of the whole item or page, in bytes.
  package let wholeBytes: Int64
}

/// A network with real servers and a real clock. One run uses one, from one thread.
/// Transfers have small numbers that are reused. The run's time begins with the first call; it may lag the clock and never goes back.
package protocol RealNetwork: AnyObject {
  var now: Instant { get }

  /// Waits for the first transfer that ends at or before `limit`; returns its number, or nil when the clock has reached `limit`.
  /// `now` is then the end of the transfer, or `limit`. A network that cannot go on ends all transfers at once.
  func advance(until limit: Instant) -> Int?

  /// Starts a request to a host; a lower `priority` is more urgent.
  func start(_ transfer: Int, _ part: RequestedPart, host: Int, priority: Int)

  /// Cancels a transfer and returns the bytes that the client has read.
  func cancel(_ transfer: Int) -> Int64

  /// Returns the bytes that the client has read of a transfer in flight.
  func received(_ transfer: Int) -> Int64

  /// Returns the times of the ready connection and of the first byte of a transfer, or of the last one with its number; nil if still to come,
  /// or not known.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?)
}

struct RealTransport: Transport, ~Copyable {
  static var namesParts: Bool { true }

  private let network: any RealNetwork
  private var named = RequestedPart(content: .page(0), offset: 0, bytes: 0, wholeBytes: 0)

  init(_ network: any RealNetwork) { self.network = network }

  var now: Instant { network.now }
  /// A client cannot count connections, drops or packets of a real network.
  var counters: TransportCounters { TransportCounters() }

  mutating func advance(until limit: Instant) -> Int? { network.advance(until: limit) }

  mutating func name(_ part: RequestedPart) { named = part }

  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    assert(volume == .bytes(named.bytes), "a request has the bytes that were named")
    network.start(transfer, named, host: host, priority: priority)
  }

  mutating func cancel(_ transfer: Int) -> Volume { .bytes(network.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(network.received(transfer)) }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) { network.milestones(transfer) }
}
