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

  private(set) var sent = 0
  private(set) var delivered = 0
  private(set) var lost = 0
  private(set) var dropped = 0
  /// When the next packet arrives; far away while none is on the way.
  private(set) var nextArrival = Instant.never.nanoseconds

  private var ring: UnsafeMutablePointer<Entry>
  private var mask: Int
  private var head = 0
  private var served = 0
  private var tail = 0
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
  #if DEBUG
    private var audit: LinkAudit
  #endif

  init(_ network: NetworkConfiguration, rate: LinkRate, delay: Interval, loss: Double, name: String) {
    mask = 255
    ring = UnsafeMutablePointer<Entry>.allocate(capacity: mask + 1)
    schedule = LinkSchedule(rate, offset: network.offset, outages: network.outages)
    random = RandomStream(runSeed: network.seed, name: name)
    queuePackets = network.queuePackets > 0 ? network.queuePackets : Int.max
    self.delay = delay.nanoseconds
    jitter = network.jitter.nanoseconds
    self.loss = loss
    burst = network.burstLoss
    isRandom = loss > 0 || burst != nil
    #if DEBUG
      audit = LinkAudit(rate, offset: network.offset)
    #endif
  }

  func deallocate() { ring.deallocate() }

  /// Packets that have been taken and not yet delivered.
  var inFlight: Int { tail - head }

  /// The packets that stand in the queue at `now`, the one being sent included.
  @inline(__always)
  mutating func queued(at now: Int64) -> Int {
    while served < tail, ring[served & mask].finish <= now { served += 1 }
    return tail - served
  }

  /// Hands over a packet of `bytes` (its IP length) at `now`; false where it was lost or dropped.
  mutating func send(_ payload: Payload, bytes: Int, at now: Int64) -> Bool {
    sent += 1
    if isRandom, isLost() {
      lost += 1
      noteLost(bytes)
      return false
    }
    if queued(at: now) >= queuePackets {
      dropped += 1
      noteLost(bytes)
      return false
    }
    if tail - head > mask { grow() }
    let finish = schedule.finish(bytes: bytes, at: now)
    var arrival = finish + delay
    if jitter > 0 {
      arrival = max(lastArrival, arrival + Int64(random.below(UInt64(jitter) + 1)))
      lastArrival = arrival
    }
    (ring + (tail & mask)).initialize(to: Entry(finish: finish, arrival: arrival, payload: payload))
    #if DEBUG
      ring[tail & mask].bytes = bytes
      audit.noteSent(bytes: bytes, at: now, finish: finish)
    #endif
    if tail == head { nextArrival = arrival }
    tail += 1
    return true
  }

  /// Takes the packet that arrives next; there is one.
  mutating func receive() -> Payload {
    let payload = ring[head & mask].payload
    #if DEBUG
      audit.noteDelivered(bytes: ring[head & mask].bytes)
    #endif
    head += 1
    if served < head { served = head }
    delivered += 1
    nextArrival = head == tail ? Instant.never.nanoseconds : ring[head & mask].arrival
    assert(sent == delivered + lost + dropped + inFlight, "a link made or lost packets")
    return payload
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
