// The tables of the flow transport: connections by place, transfers by number, hosts. They grow on demand, outside of the loop.

/// One host: its idle connections and the transfers that wait for one.
struct FlowHost: BitwiseCopyable {
  /// The connection that idled last; negative for none. Each knows the one below.
  var idleTop: Int32 = -1
  var open = 0
  var isResolved = false
  /// The connection of HTTP/2; negative before there is one.
  var shared: Int32 = -1
  /// The first and last transfer that wait for a connection; negative for none.
  var waitingFirst: Int32 = -1
  var waitingLast: Int32 = -1
}

/// A transfer on the way.
struct FlowTransfer: BitwiseCopyable {
  var isActive = false
  var generation: UInt32 = 0
  /// Its connection; negative while it waits for one.
  var place: Int32 = -1
  var host: Int32 = 0
  /// The transfer that waits behind it; negative for none.
  var waitingNext: Int32 = -1
  /// HTTP/2: asked for, not yet sent because the connection is not open.
  var isHeld = false
  var priority: Int32 = 0
  var size: Int64 = 0
  /// The part of `size` that lost connections brought.
  var kept: Int64 = 0
  /// What of its connection's payload came before its response; `max` until the server answers.
  var start = Int64.max
  /// Bytes of header and payload that have come in parts.
  var chunked: Int64 = 0
  var connectedAt: Int64 = -1
  var firstByteAt: Int64 = -1
}

/// Transfers by their numbers.
struct FlowTransfers: ~Copyable {
  private(set) var count: Int
  private var base: UnsafeMutablePointer<FlowTransfer>

  init(count: Int) {
    self.count = max(1, count)
    base = .allocate(capacity: self.count)
    base.initialize(repeating: FlowTransfer(), count: self.count)
  }

  deinit { base.deallocate() }

  subscript(index: Int) -> FlowTransfer {
    @inline(__always) unsafeAddress {
      assert(0 <= index && index < count, "transfer \(index) of \(count)")
      return UnsafePointer(base + index)
    }
    @inline(__always) unsafeMutableAddress {
      assert(0 <= index && index < count, "transfer \(index) of \(count)")
      return base + index
    }
  }

  /// The address of a transfer, as long as no number beyond the room is asked for.
  @inline(__always)
  func at(_ index: Int) -> UnsafeMutablePointer<FlowTransfer> {
    assert(0 <= index && index < count, "transfer \(index) of \(count)")
    return base + index
  }

  @inline(__always)
  mutating func makeRoom(for number: Int) { if number >= count { grow(for: number) } }

  @inline(never)
  private mutating func grow(for number: Int) {
    let larger = UnsafeMutablePointer<FlowTransfer>.allocate(capacity: number * 2)
    larger.initialize(repeating: FlowTransfer(), count: number * 2)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    count = number * 2
  }
}

/// Connections by their places, which are used again.
struct FlowPlaces: ~Copyable {
  private(set) var count = 0
  private var capacity = 16
  private var base: UnsafeMutablePointer<FlowConnection>

  init() {
    base = .allocate(capacity: 16)
    base.initialize(repeating: FlowConnection(), count: 16)
  }

  deinit { base.deallocate() }

  subscript(index: Int) -> FlowConnection {
    @inline(__always) unsafeAddress {
      assert(0 <= index && index < count, "place \(index) of \(count)")
      return UnsafePointer(base + index)
    }
    @inline(__always) unsafeMutableAddress {
      assert(0 <= index && index < count, "place \(index) of \(count)")
      return base + index
    }
  }

  /// The address of a connection, for what touches many of its fields; it holds until the next connection is opened.
  @inline(__always)
  func at(_ place: Int) -> UnsafeMutablePointer<FlowConnection> {
    assert(0 <= place && place < count, "place \(place) of \(count)")
    return base + place
  }

  /// A new connection's place. O(places).
  mutating func occupy(host: Int) -> Int {
    var place = 0
    while place < count, !base[place].isFree { place += 1 }
    if place == capacity { grow() }
    if place == count { count += 1 }
    let generation = base[place].generation &+ 1
    base[place] = FlowConnection()
    base[place].generation = generation
    base[place].host = Int32(truncatingIfNeeded: host)
    base[place].phase = .resolving
    base[place].isFree = false
    return place
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<FlowConnection>.allocate(capacity: capacity * 2)
    larger.initialize(repeating: FlowConnection(), count: capacity * 2)
    larger.update(from: base, count: capacity)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
