// The digest of a run: a hash of its events as they happen, which costs far less than keeping them.

/// A hash with one product of 64 × 64 bits an event, as in wyhash (Wang Yi 2019); equal logs have equal digests on every machine.
struct EventDigest: BitwiseCopyable {
  /// An event that `SessionEvent` does not have, or a step of a background run.
  enum Kind: UInt64 {
    case activated, readyAtOnce, ready, left, planned, pageRequested, pageArrived, moved, memoryWarning, background, foreground
    case requested, restRequested, finished, cancelled, unfinished
    case started, lifecycle, deadline, creation, end, decoded, evicted, readFromDisk
  }

  /// The bits of a digest: a whole number that `Double` holds exactly.
  static let width = 52
  /// 2^64 / φ (Knuth's multiplicative hash).
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64 = factor

  var value: UInt64 { state >> UInt64(UInt64.bitWidth - Self.width) }

  /// Adds an event with the number of what it concerns and an amount.
  @inline(__always) mutating func mix(_ kind: Kind, _ index: Int = 0, _ amount: Int64 = 0, at now: Int64) {
    let word = (UInt64(truncatingIfNeeded: index) << 5 | kind.rawValue) &* Self.factor &+ UInt64(bitPattern: amount)
    let product = (state ^ UInt64(bitPattern: now)).multipliedFullWidth(by: word)
    state = product.high ^ product.low
  }

  @inline(__always) mutating func add(_ event: SessionEvent, at now: Int64) {
    switch event {
    case .activated(let item, let isReady): mix(isReady ? .readyAtOnce : .activated, item, at: now)
    case .ready(let item): mix(.ready, item, at: now)
    case .decoded(let item): mix(.decoded, item, at: now)
    case .evicted(let item): mix(.evicted, item, at: now)
    case .readFromDisk(let item): mix(.readFromDisk, item, at: now)
    case .left(let item): mix(.left, item, at: now)
    case .planned(let trigger, let fetches): mix(.planned, fetches, Int64(trigger.rawValue), at: now)
    case .requested, .ended: break
    case .pageRequested(let page, let isAgain): mix(.pageRequested, page, isAgain ? 1 : 0, at: now)
    case .pageArrived(let page, let isAgain): mix(.pageArrived, page, isAgain ? 1 : 0, at: now)
    case .moved(let offset): mix(.moved, 0, Int64(bitPattern: offset.bitPattern), at: now)
    case .memoryWarning: mix(.memoryWarning, at: now)
    case .background: mix(.background, at: now)
    case .foreground: mix(.foreground, at: now)
    }
  }

  /// Adds the end of a run and what its transport counted.
  mutating func close(_ counters: TransportCounters, at now: Int64) {
    mix(.end, counters.newConnections, counters.bytesDead, at: now)
    mix(.end, counters.packetsSent, Int64(counters.packetsDropped), at: now)
  }
}
