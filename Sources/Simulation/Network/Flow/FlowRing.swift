// A queue of plain values for the flow transport: runs on the way, what the client can read next, what happens next.
// It grows when it is full and never shrinks; a session's loop soon does not allocate any more.

/// A first-in-first-out queue whose values are also reached by their numbers, counted from the first one ever appended.
struct FlowRing<Element: BitwiseCopyable>: ~Copyable {
  /// The number of the oldest value, and the number that the next one gets.
  private(set) var head = 0
  private(set) var tail = 0
  private var mask: Int
  private var base: UnsafeMutablePointer<Element>

  /// An empty queue with room for `capacity` values, a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's room is a power of two")
    mask = capacity - 1
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  var isEmpty: Bool { @inline(__always) get { head == tail } }

  subscript(number: Int) -> Element {
    @inline(__always) unsafeAddress {
      assert(head <= number && number < tail, "number \(number) of \(head)..<\(tail)")
      return UnsafePointer(base + (number & mask))
    }
    @inline(__always) unsafeMutableAddress {
      assert(head <= number && number < tail, "number \(number) of \(head)..<\(tail)")
      return base + (number & mask)
    }
  }

  /// The address of the oldest value; there is one.
  var first: UnsafeMutablePointer<Element> { @inline(__always) get { base + (head & mask) } }

  @inline(__always)
  mutating func append(_ value: Element) {
    appendRoom().initialize(to: value)
  }

  /// Room for one more value at the end, which the caller sets before anything else happens.
  @inline(__always)
  mutating func appendRoom() -> UnsafeMutablePointer<Element> {
    if tail &- head > mask { grow() }
    let room = base + (tail & mask)
    tail &+= 1
    return room
  }

  /// The address of the newest value; there is one.
  var last: UnsafeMutablePointer<Element> { @inline(__always) get { base + ((tail &- 1) & mask) } }

  @inline(__always)
  mutating func removeFirst() {
    assert(head < tail, "nothing to remove")
    head &+= 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: (mask + 1) * 2)
    let largerMask = mask * 2 + 1
    for number in head..<tail { (larger + (number & largerMask)).initialize(to: base[number & mask]) }
    base.deallocate()
    base = larger
    mask = largerMask
  }
}

/// What happens at an instant, other than a run's acknowledgements or the end of a response.
struct FlowEvent: BitwiseCopyable {
  enum Kind: UInt8 {
    /// A host's name is known: the SYN leaves.
    case resolved
    /// A SYN reaches the server.
    case synAtServer
    /// A SYN-ACK reaches the client.
    case synAckAtClient
    /// A flight of the TLS handshake has reached the server, and it has computed its answer.
    case flightAtServer
    /// The server's flight has reached the client.
    case flightAtClient
    /// A request has reached the server, and it has thought it over.
    case requestAtServer
    /// The client's reset of a stream reaches the server.
    case resetAtServer
    /// The client's close reaches the server.
    case closeAtServer
    /// A sender's timer.
    case timer
  }

  var time: Int64
  var kind: Kind
  var place: Int32
  /// Which of the connections that used the place is meant.
  var connection: UInt32
  /// The transfer, or the flight's number.
  var transfer: Int32 = -1
  var generation: UInt32 = 0
}

/// What stands in a queue by its time.
protocol FlowTimed: BitwiseCopyable {
  var time: Int64 { get }
}

extension FlowEvent: FlowTimed {}
extension FlowDelivery: FlowTimed {}

extension FlowRing where Element: FlowTimed {
  /// The time of the oldest value; never while there is none.
  var firstTime: Int64 { @inline(__always) get { isEmpty ? Instant.never.nanoseconds : first.pointee.time } }

  /// Adds a value in the order of time, after those of the same instant. Nearly all come last; O(values that come later).
  @inline(__always)
  mutating func insert(_ value: Element) {
    let room = appendRoom()
    if tail &- head < 2 || self[tail &- 2].time <= value.time { room.initialize(to: value) } else { insertEarlier(value) }
  }

  @inline(never)
  private mutating func insertEarlier(_ value: Element) {
    var place = tail - 1
    while place > head, self[place - 1].time > value.time {
      self[place] = self[place - 1]
      place -= 1
    }
    self[place] = value
  }
}
