// The protocol between a session and its transport: fluid, packets of TCP, or a real network.
// A transport owns no clock: the session sets the limit, and the transport stops at the first completed transfer.

struct TransportCounters: Equatable {
  /// Connections opened, including those closed by a cancel.
  var newConnections = 0
  /// Payload bytes sent and not read: after a cancel, or retransmitted.
  var bytesDead: Int64 = 0
  /// Packets dropped by full queues, both directions; 0 without packets.
  var packetsDropped = 0
  /// Packets handed to the downlink, including lost ones; 0 without packets.
  var packetsSent = 0
}

/// Moves bytes over a network, in virtual time.
/// Transfers have small numbers that are reused; the download manager limits them. All volumes are payload without headers.
protocol Transport: ~Copyable {
  /// True if requests leave the program, so that each must be named before it starts.
  static var namesParts: Bool { get }

  /// Names the bytes that the next `start` requests; called only if `namesParts`.
  mutating func name(_ part: RequestedPart)

  /// The time of the transport; never decreases.
  var now: Instant { get }

  /// Goes on to the first completed transfer at or before `limit`; returns its number, which is free again. `now` is then its end.
  /// Returns nil, with `now` at `limit`, if there is none. Transfers completed at one instant are returned one per call.
  mutating func advance(until limit: Instant) -> Int?

  /// Requests `volume` bytes from `host` at `now`. A lower `priority` is more urgent; only HTTP/2 uses it, `packet` with `http.priorities`.
  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int)

  /// True if a change of priority reaches the server while the transfer is in flight.
  var hasPriorities: Bool { get }

  /// Tells the server another priority of a transfer in flight.
  mutating func prioritize(_ transfer: Int, priority: Int)

  /// Cancels a transfer at `now` and returns the payload received. Its number is free again.
  mutating func cancel(_ transfer: Int) -> Volume

  /// Returns the payload of a transfer in flight that the client can read at `now`.
  func received(_ transfer: Int) -> Volume

  /// The time before which no `received` changes, unless transfers are started or cancelled.
  var nextChange: Instant { get }

  /// Returns the times of the established connection and of the first byte of a transfer in flight, or of the last one with that number;
  /// nil if still to come, or not known.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?)

  /// The counts so far; bytes still in flight at the end of a run are not counted.
  var counters: TransportCounters { get }
}

extension Transport where Self: ~Copyable {
  // Constants, so that the code for names and priorities is removed from transports without them.
  @inline(__always) static var namesParts: Bool { false }
  mutating func name(_ part: RequestedPart) {}
  @inline(__always) var hasPriorities: Bool { false }
  mutating func prioritize(_ transfer: Int, priority: Int) {}
  @inline(__always) var nextChange: Instant { now }

  func firstByte(_ transfer: Int) -> Instant? { milestones(transfer).firstByte }
}
