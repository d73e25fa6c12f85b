// One direction of the link: loss, then a drop-tail queue, then serialisation, then a delay that keeps the order.
// First in, first out: packets on the way are a ring, and the next event of a link is the head of it.

/// A link for packets that carry `Payload`, which is trivial: no references.
struct PacketLink<Payload> {
  struct Entry {
    var finish: Int64
    var arrival: Int64
    var payload: Payload
    #if DEBUG
      var bytes = 0
    #endif
  }

  /// Packets handed over, whatever became of them.
  var sent: Int { tail + lost + dropped }
  private(set) var lost = 0
  private(set) var dropped = 0
  /// When the next packet arrives; far away while none is on the way.
  private(set) var nextArrival = Instant.never.nanoseconds

  private var ring: UnsafeMutablePointer<Entry>
  private var mask: Int
  private var head = 0
  /// Packets before it have left the queue; more may have since it was last counted.
  private var served = 0
  private var tail = 0
  /// Before so many packets have come neither the queue nor the ring is full, whatever has left since; 0 where losses or delays
  /// are drawn, so that every packet takes the long way.
  private var spaceUntil: Int
  private var schedule: LinkSchedule
  private var lastArrival: Int64 = 0
  private var random: RandomStream
  private var isBad = false
  private let queuePackets: Int
  private let delay: Int64
  private let jitter: Int64
  private let loss: Double
  private let burst: NetworkConfiguration.BurstLoss?
  private let isRandom: Bool
  /// Neither losses nor delays are drawn.
  private let isPlain: Bool
  #if DEBUG
    private var audit: LinkAudit
  #endif

  init(_ network: NetworkConfiguration, rate: LinkRate, delay: Interval, loss: Double, name: String) {
    // Room for a queue of the usual length and what is on the way behind it; a larger ring would be walked through the cache in vain.
    mask = 63
    ring = UnsafeMutablePointer<Entry>.allocate(capacity: mask + 1)
    schedule = LinkSchedule(rate, offset: network.offset, outages: network.outages)
    random = RandomStream(runSeed: network.seed, name: name)
    queuePackets = network.queuePackets > 0 ? network.queuePackets : Int.max / 2
    spaceUntil = 0
    self.delay = delay.nanoseconds
    jitter = network.jitter.nanoseconds
    self.loss = loss
    burst = network.burstLoss
    isRandom = loss > 0 || burst != nil
    isPlain = !isRandom && jitter == 0
    #if DEBUG
      audit = LinkAudit(rate, offset: network.offset)
    #endif
  }

  func deallocate() { ring.deallocate() }

  /// Hands over a packet of `bytes` (its IP length) at `now`, and returns where its payload is to be written: all of it that
  /// its receiver reads. Nil where it was lost or dropped.
  @inline(__always)
  mutating func append(bytes: Int, at now: Int64) -> UnsafeMutablePointer<Entry>? {
    if tail >= spaceUntil { return appendRarely(bytes: bytes, at: now) }
    let finish = schedule.finish(bytes: bytes, at: now)
    return enter(bytes: bytes, at: now, finish: finish, arrival: finish + delay)
  }

  /// Takes the packet that arrives next; there is one. It stays where it is until the link is handed another.
  @inline(__always)
  mutating func removeFirst() -> UnsafePointer<Payload> {
    let entry = ring + (head & mask)
    #if DEBUG
      audit.noteDelivered(bytes: entry.pointee.bytes)
    #endif
    head += 1
    nextArrival = head == tail ? Instant.never.nanoseconds : ring[head & mask].arrival
    return UnsafePointer(entry.pointer(to: \.payload)!)
  }

  @inline(__always)
  private mutating func enter(bytes: Int, at now: Int64, finish: Int64, arrival: Int64) -> UnsafeMutablePointer<Entry> {
    let entry = ring + (tail & mask)
    entry.pointee.finish = finish
    entry.pointee.arrival = arrival
    #if DEBUG
      entry.pointee.bytes = bytes
      audit.noteSent(bytes: bytes, at: now, finish: finish)
    #endif
    if tail == head { nextArrival = arrival }
    tail += 1
    return entry
  }

  /// Losses, jitter, and a queue or a ring that may be full.
  @inline(never)
  private mutating func appendRarely(bytes: Int, at now: Int64) -> UnsafeMutablePointer<Entry>? {
    if isRandom, isLost() {
      lost += 1
      noteLost(bytes)
      return nil
    }
    if queued(at: now) >= queuePackets {
      dropped += 1
      noteLost(bytes)
      return nil
    }
    if tail - head > mask { grow() }
    if isPlain { spaceUntil = min(head + mask + 1, served + queuePackets) }
    let finish = schedule.finish(bytes: bytes, at: now)
    var arrival = finish + delay
    if jitter > 0 {
      arrival = max(lastArrival, arrival + Int64(random.below(UInt64(jitter) + 1)))
      lastArrival = arrival
    }
    return enter(bytes: bytes, at: now, finish: finish, arrival: arrival)
  }

  /// The packets that stand in the queue at `now`, the one being sent included.
  private mutating func queued(at now: Int64) -> Int {
    served = max(served, head)
    while served < tail, ring[served & mask].finish <= now { served += 1 }
    return tail - served
  }

  private mutating func noteLost(_ bytes: Int) {
    #if DEBUG
      audit.noteLost(bytes: bytes)
    #endif
  }

  private mutating func isLost() -> Bool {
    if let burst {
      isBad = isBad ? random.unit() >= burst.leave : random.unit() < burst.enter
      if isBad { return random.unit() < burst.loss }
    }
    return loss > 0 && random.unit() < loss
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: (mask + 1) * 2)
    let largerMask = mask * 2 + 1
    for index in head..<tail { (larger + (index & largerMask)).initialize(to: ring[index & mask]) }
    ring.deallocate()
    ring = larger
    mask = largerMask
  }
}
