// The door for a network that is not emulated: a session over it is the same session, and only its clock is another.
// No real network is in here; who has one conforms to `RealNetwork`, and `RealTransport` puts it under the session.

/// What a request asks for, by name: an emulated network moves bytes whatever they are, a real one must know which.
package struct RequestedPart: Hashable, Sendable {
  /// What holds the bytes.
  package enum Content: Hashable, Sendable {
    /// An item, by its place in the feed.
    case item(Int)
    /// A page of the feed, by its number from 0.
    case page(Int)
  }

  /// What holds the bytes.
  package let content: Content
  /// The place of the first byte in it.
  package let offset: Int64
  /// How many bytes are asked for.
  package let bytes: Int64
  /// How many bytes all of it has.
  package let wholeBytes: Int64

  /// `bytes` bytes from `offset` on of something that has `wholeBytes`.
  package init(_ content: Content, offset: Int64, bytes: Int64, wholeBytes: Int64) {
    self.content = content
    self.offset = offset
    self.bytes = bytes
    self.wholeBytes = wholeBytes
  }
}

/// A network with real servers and a clock that runs by itself. One run uses one, from one thread.
///
/// Transfers have small numbers that are used again. Time is that of the run: it begins with the first call, and an instant is where
/// the session stands, which may lie a little behind the clock; it never goes back.
package protocol RealNetwork: AnyObject {
  /// Where the run's time stands.
  var now: Instant { get }

  /// Waits for the first transfer that ends at or before `limit` and returns its number, with `now` at its instant; nil with `now` at
  /// `limit` once the clock has reached it. One that cannot go on (a server is away, somebody wants the program to stop) must not
  /// wait any more: it ends all transfers at once and is asked afterwards what happened.
  func advance(until limit: Instant) -> Int?

  /// Asks a host for something. A lower `priority` is more urgent.
  func start(_ transfer: Int, _ part: RequestedPart, host: Int, priority: Int)

  /// Cuts a transfer and returns the bytes that the client has read.
  func cancel(_ transfer: Int) -> Int64

  /// The bytes that the client has read of a transfer on the way.
  func received(_ transfer: Int) -> Int64

  /// When the first byte of a transfer on the way, or of the last one that had the number, came; nil if none has.
  func firstByte(_ transfer: Int) -> Instant?
}

/// A real network under a session.
struct RealTransport: Transport, ~Copyable {
  static var namesParts: Bool { true }

  private let network: any RealNetwork
  private var named = RequestedPart(.page(0), offset: 0, bytes: 0, wholeBytes: 0)

  init(_ network: any RealNetwork) { self.network = network }

  var now: Instant { network.now }
  /// What a client cannot see of a real network is counted by nobody.
  var counters: TransportCounters { TransportCounters() }

  mutating func advance(until limit: Instant) -> Arrival? { network.advance(until: limit).map { Arrival(transfer: $0) } }

  mutating func name(_ part: RequestedPart) { named = part }

  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    assert(volume == .bytes(named.bytes), "a request asks for what was named")
    network.start(transfer, named, host: host, priority: priority)
  }

  mutating func cancel(_ transfer: Int) -> Volume { .bytes(network.cancel(transfer)) }

  func received(_ transfer: Int) -> Volume { .bytes(network.received(transfer)) }

  func firstByte(_ transfer: Int) -> Instant? { network.firstByte(transfer) }
}
