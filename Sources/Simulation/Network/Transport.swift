// The seam between a session and whatever lies under its transfers: a fluid, TCP flows, or TCP segments.
// A transport owns no clock: the session tells it how far to go, and it stops at the first thing that the client would notice.

/// What a transport counts over a run, for the metrics.
struct TransportCounters: Equatable {
  /// Connections opened, including those closed by a cancel.
  var newConnections = 0
  /// Payload bytes that crossed the link for nobody: after a cancel, or sent again.
  var bytesDead: Int64 = 0
  /// Packets dropped by full queues, both directions; 0 where there are no packets.
  var packetsDropped = 0
  /// Packets handed to the link towards the client, lost ones included; 0 where there are none.
  var packetsSent = 0
}

/// Moves bytes over an emulated network, in virtual time.
///
/// The session never has more transfers on the way than its download manager allows; numbers are small and used again.
/// Progress is asked for and given as payload: what the client's `read` has returned, without headers.
protocol Transport: ~Copyable {
  /// Whether requests leave the program, so that each must be named before it starts.
  static var namesParts: Bool { get }

  /// Says what the next `start` asks for; called only where `namesParts`.
  mutating func name(_ part: RequestedPart)

  /// Where the transport's time stands; never goes back.
  var now: Instant { get }

  /// Goes on until the last byte of a transfer is readable, at or before `limit`, and returns its number, which is free again, with `now`
  /// at that instant; nil with `now` at `limit` if there is none. Several transfers of one instant are returned one a call.
  mutating func advance(until limit: Instant) -> Int?

  /// Asks for `volume` bytes from `host` at `now`. A lower `priority` is more urgent; only HTTP/2 uses it.
  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int)

  /// Cuts a transfer at `now` and returns the payload received. Its number is free again.
  mutating func cancel(_ transfer: Int) -> Volume

  /// The payload of a transfer on the way that the client can read at `now`.
  func received(_ transfer: Int) -> Volume

  /// When the first byte of a transfer on the way, or of the last one that had the number, came or could come; nil if it has not.
  func firstByte(_ transfer: Int) -> Instant?

  /// Counts so far; what is still crossing the link at the end of a run is not counted.
  var counters: TransportCounters { get }
}

extension Transport where Self: ~Copyable {
  // Emulated bytes have no names. A constant, so that the loop over such a transport has nothing of the other.
  @inline(__always) static var namesParts: Bool { false }
  mutating func name(_ part: RequestedPart) {}
}
