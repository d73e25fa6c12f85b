// One direction of the link: random loss, a drop-tail queue, serialisation, then a delay that keeps the order.
// Packets in flight are first in, first out, so the next event of a link is the head of the ring.

protocol PacketPayload: BitwiseCopyable {
  /// The time at which its host has sent it.
  var tsVal: Int64 { get }
}

struct PacketLink<Payload: PacketPayload> {
  /// The time that a host takes to send one packet of a burst, in nanoseconds: measured on the beds of the reference, with segmentation.
  private static var hostTime: Int64 { 2500 }

  struct Entry: BitwiseCopyable {
    /// The end of serialisation.
    var finish: Int64
    var arrival: Int64
    var payload: Payload
    #if DEBUG
      var bytes = 0
    #endif
  }

  /// Packets handed over, including lost and dropped ones.
  var sent: Int { tail + lost + dropped }
  private(set) var lost = 0
  private(set) var dropped = 0
  /// The next arrival; `never` if no packet is in flight.
  private(set) var nextArrival = Instant.never.nanoseconds

  // Room for a usual queue and the packets in flight behind it; a larger ring would only use more cache.
  private var ring = Ring<Entry>(capacity: 64)
  private var head = 0
  /// A lower bound of the ring index of the first packet in the queue. The receiver may be ahead of it: the ring keeps both.
  private var served = 0
  private var tail = 0
  /// The tail index up to which neither queue nor ring can be full. 0 if losses or delays are random: then `append` takes the slow path.
  private var spaceUntil = 0
  private var schedule: LinkSchedule
  private var lastArrival: Int64 = 0
  /// The time of the last burst that met a full queue, and its packets so far, whose last was the one before `burstTail`.
  private var burstAt: Int64 = .min, burstPackets = 0, burstTail = 0
  private var random: RandomStream
  private var isBad = false
  private let queuePackets: Int
  private let delay: Int64
  private let jitter: Int64
  private let loss: Double
  private let burst: NetworkConfiguration.BurstLoss?
  #if DEBUG
    private var audit: LinkAudit
  #endif

  static func down(_ network: NetworkConfiguration) -> PacketLink {
    PacketLink(
      network, rate: network.down, delay: network.delayDown, loss: network.lossDown, queue: network.queueDown, name: "packets down")
  }

  static func up(_ network: NetworkConfiguration) -> PacketLink {
    PacketLink(network, rate: network.up, delay: network.delayUp, loss: network.lossUp, queue: network.queueUp, name: "packets up")
  }

  private init(_ network: NetworkConfiguration, rate: LinkRate, delay: Interval, loss: Double, queue: Int, name: String) {
    schedule = LinkSchedule(rate, offset: network.offset, outages: network.outages)
    random = RandomStream(runSeed: network.seed, name: name)
    queuePackets = queue > 0 ? queue : Int.max / 2
    (self.delay, jitter) = (delay.nanoseconds, network.jitter.nanoseconds)
    (self.loss, burst) = (loss, network.burstLoss)
    #if DEBUG
      audit = LinkAudit(rate, offset: network.offset)
    #endif
  }

  func deallocate() { ring.deallocate() }

  /// Appends a packet of `bytes` (its IP length); returns the entry for the caller to fill, or nil if it is lost or dropped.
  @inline(__always) mutating func append(bytes: Int, at now: Int64) -> UnsafeMutablePointer<Entry>? {
    if tail >= spaceUntil { return appendOnSlowPath(bytes: bytes, at: now) }
    let finish = schedule.finish(bytes: bytes, at: now)
    return enter(bytes: bytes, at: now, finish: finish, arrival: finish + delay)
  }

  /// The next packet to arrive; there is one.
  @inline(__always) var first: UnsafePointer<Payload> { UnsafePointer(ring.address(of: head).pointer(to: \.payload)!) }

  /// Removes the next packet to arrive; there is one. Its memory is valid until the next `append`.
  @inline(__always) mutating func removeFirst() -> UnsafePointer<Payload> {
    let entry = ring.address(of: head)
    #if DEBUG
      audit.noteDelivered(bytes: entry.pointee.bytes)
    #endif
    head += 1
    nextArrival = head == tail ? Instant.never.nanoseconds : ring[head].arrival
    return UnsafePointer(entry.pointer(to: \.payload)!)
  }

  @inline(__always) private mutating func enter(bytes: Int, at now: Int64, finish: Int64, arrival: Int64) -> UnsafeMutablePointer<Entry> {
    let entry = ring.address(of: tail)
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

  /// Appends a packet with random loss, jitter, or a queue or ring that may be full.
  @inline(never) private mutating func appendOnSlowPath(bytes: Int, at now: Int64) -> UnsafeMutablePointer<Entry>? {
    let isRandom = loss > 0 || burst != nil
    if isRandom, isLost() {
      lost += 1
      return nil
    }
    if queued(at: now) >= queuePackets, queued(at: burstTime(now)) >= queuePackets {
      dropped += 1
      burstPackets += 1
      return nil
    }
    if ring.isFull(tail - min(head, served)) { ring.grow(keeping: min(head, served)..<tail) }
    if !isRandom, jitter == 0 { spaceUntil = min(min(head, served) + ring.capacity, served + queuePackets) }
    let finish = schedule.finish(bytes: bytes, at: now)
    var arrival = finish + delay
    if jitter > 0 {
      arrival = max(lastArrival, arrival + Int64(random.below(UInt64(jitter) + 1)))
      lastArrival = arrival
    }
    return enter(bytes: bytes, at: now, finish: finish, arrival: arrival)
  }

  /// Returns the time at which the host hands over the next packet of a burst that began at `now`.
  private mutating func burstTime(_ now: Int64) -> Int64 {
    if burstAt < now {
      burstAt = now
      burstPackets = 0
      burstTail = tail
      while burstTail > head, ring[burstTail - 1].payload.tsVal == now { burstTail -= 1 }
    }
    burstPackets += tail - burstTail
    burstTail = tail
    return now + Int64(burstPackets) * Self.hostTime
  }

  /// Returns the packets in the queue at `now`, including the one being sent.
  private mutating func queued(at now: Int64) -> Int {
    while served < tail, ring[served].finish <= now { served += 1 }
    return tail - served
  }

  /// Draws the loss of one packet: bursts (Gilbert–Elliott), then independent loss.
  private mutating func isLost() -> Bool {
    if let burst {
      isBad = isBad ? random.unit() >= burst.leave : random.unit() < burst.enter
      if isBad { return random.unit() < burst.loss }
    }
    return loss > 0 && random.unit() < loss
  }
}
