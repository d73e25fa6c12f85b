// The unit of the flow transport: neighbouring packets of one connection, and the link towards the client that carries them.
// A first-in-first-out link keeps such a run together, and so do the acknowledgements that clock out the next one.

/// Packets of one connection that follow each other on the link, with the times of its first and last one; between them the
/// times are taken to lie evenly.
struct FlowRun: BitwiseCopyable {
  var place: Int32
  /// Not the response's data: a SYN-ACK or a TLS flight, which clocks out nothing.
  var isControl = false
  /// Packets not yet acknowledged, those lost among them included.
  var packets: Int32
  /// Packets lost, of which the acknowledgements tell.
  var lost: Int32
  var lostBytes: Int32
  /// Packets that stood in the queue.
  var queued: Int32
  /// Payload that arrives.
  var bytes: Int64
  /// How much of the connection's payload has arrived with its last packet, repeated packets counted where they arrive.
  var end: Int64
  /// How many packets the connection has sent with it.
  var sequence: Int32
  var entered0: Int64
  var entered1: Int64
  var departs0: Int64 = 0
  var departs1: Int64 = 0
  var acked0: Int64 = 0
  var acked1: Int64 = 0

  /// Whether its acknowledgements tell of nothing but arrivals.
  var isOrdinary: Bool { @inline(__always) get { lost == 0 && !isControl } }

  /// Takes off the first `count` of its packets, which are fewer than all: their acknowledgements tell of nothing that is lost.
  @inline(never)
  mutating func takeFirst(_ count: Int32) -> FlowRun {
    let gaps = Int64(packets - 1)
    let ackGap = (acked1 - acked0) / gaps
    let entryGap = (entered1 - entered0) / gaps
    var part = self
    part.packets = count
    part.lost = 0
    part.lostBytes = 0
    part.sequence = sequence - (packets - count)
    part.acked1 = acked0 + ackGap * Int64(count - 1)
    part.entered1 = entered0 + entryGap * Int64(count - 1)
    packets -= count
    acked0 += ackGap * Int64(count)
    entered0 += entryGap * Int64(count)
    return part
  }

  /// The payload that has left the link at `time`, between none and all of it, in whole packets.
  func departed(by time: Int64) -> Int64 {
    if time >= departs1 { return bytes }
    if time < departs0 { return 0 }
    let count = 1 + Int64(queued - 1) * (time - departs0) / (departs1 - departs0)
    return min(bytes, count * Int64(PacketSize.segment))
  }
}

/// The link towards the client: one queue of runs, its service by rate, and its drop-tail limit in packets.
struct FlowDownlink: ~Copyable {
  var runs = FlowRing<FlowRun>(capacity: 64)
  var schedule: FlowSchedule
  /// Runs before this number have left the queue.
  private var served = 0
  /// Packets that have entered the queue, and those of the runs before `served`.
  private(set) var entered = 0
  private var passed = 0
  /// How long a packet of the last run took.
  private var packetTime: Int64 = 0
  /// The newest run: whose it is, when it departs, and the rate at which it ends.
  private var newestPlace: Int32 = -1
  private var newestDeparts: Int64 = 0
  private var newestRate: Int64 = 0
  private let limit: Int

  init(_ network: NetworkConfiguration) {
    schedule = FlowSchedule(network.down, network)
    limit = network.queuePackets > 0 ? network.queuePackets : Int.max
  }

  /// When the last acknowledgement of the oldest run reaches its sender; never while there is none.
  var nextAcknowledged: Int64 { @inline(__always) get { runs.isEmpty ? Instant.never.nanoseconds : runs.first.pointee.acked1 } }

  /// When the last packet taken has left.
  var free: Int64 { schedule.free }

  /// How many of `packets` that enter evenly from `first` to `last` find the queue full.
  ///
  /// Only the end is looked at: packets come at least as fast as they leave, or there is no queue to fill.
  @inline(__always)
  mutating func overflow(_ packets: Int, from first: Int64, to last: Int64) -> Int {
    // The queue may be emptier than this knows.
    if entered &- passed &+ packets <= limit { return 0 }
    return countOverflow(packets, from: first, to: last)
  }

  @inline(never)
  private mutating func countOverflow(_ packets: Int, from first: Int64, to last: Int64) -> Int {
    while served < runs.tail, runs[served].departs1 <= last { pass() }
    let excess = entered &- passed &+ packets &- limit
    if excess <= 0 || hasDeparted(excess, by: last) { return 0 }
    let over = excess &- departedOfServed(by: last)
    let start = later(schedule.free, first)
    if over <= 0 || start >= last || packetTime <= 0 { return min(packets, max(0, over)) }
    let own = Int(min(Int64(packets), (last - start) / packetTime))
    return min(packets, max(0, over - own))
  }

  /// Whether at least `count` packets of the run that is being served, one or more, have left the queue at `time`: the same by a product,
  /// because divisions cost as much as all the rest here.
  @inline(__always)
  private func hasDeparted(_ count: Int, by time: Int64) -> Bool {
    guard served < runs.tail, runs[served].queued > 1, time >= runs[served].departs0 else { return false }
    let (first, last) = (runs[served].departs0, runs[served].departs1)
    return (Int64(runs[served].queued) &- 1) &* (time &- first) >= Int64(count &- 1) &* (last &- first)
  }

  /// Packets of the run that is being served which have left the queue at `time`.
  @inline(__always)
  private func departedOfServed(by time: Int64) -> Int {
    guard served < runs.tail, runs[served].queued > 1, time >= runs[served].departs0 else { return 0 }
    let (first, last) = (runs[served].departs0, runs[served].departs1)
    return 1 &+ Int((Int64(runs[served].queued) &- 1) &* (time &- first) / (last &- first))
  }

  @inline(__always)
  private mutating func pass() {
    passed &+= Int(runs[served].queued)
    served &+= 1
  }

  /// Serves `packets` of a connection that enter evenly from `first` to `last`, with `wire` bytes in all and the last packet of
  /// `lastWire`; returns when the first and the last one depart.
  @inline(__always)
  mutating func serve(
    _ packets: Int, of place: Int32, wire: Int, lastWire: Int, from first: Int64, to last: Int64
  ) -> (first: Int64, last: Int64) {
    let start = later(schedule.free, first)
    let departs1 = schedule.finish(bytes: wire, last: lastWire, from: first, to: last)
    packetTime = schedule.packetTime
    entered &+= packets
    newestPlace = place
    newestDeparts = departs1
    newestRate = schedule.period.timePerByte
    return (min(departs1, start &+ packetTime), departs1)
  }

  /// Whether packets that enter now follow the newest run without a gap and at its rate, so that they may be a part of it; not where
  /// there is no run.
  @inline(__always)
  func continues(_ place: Int32, packets: Int, at entered: Int64, upTo most: Int) -> Bool {
    // The first two by themselves may each go either way; both together are rare, and so is the branch.
    guard Int(newestPlace ^ place) | (isLess(Int(entered), Int(newestDeparts)) &+ 1) == 0, !runs.isEmpty else { return false }
    let newest = runs.last
    return newest.pointee.isOrdinary && Int(newest.pointee.queued) &+ packets <= most && schedule.period.timePerByte == newestRate
  }

  /// Makes the newest run longer by packets that continue it; returns when the last one departs.
  @inline(__always)
  mutating func extend(_ newest: UnsafeMutablePointer<FlowRun>, packets: Int, bytes: Int64, wire: Int, entered: Int64) -> Int64 {
    let departs1 = schedule.finish(bytes: wire, at: entered)
    newestDeparts = departs1
    newest.pointee.departs1 = departs1
    newest.pointee.entered1 = entered
    newest.pointee.bytes &+= bytes
    newest.pointee.end &+= bytes
    newest.pointee.sequence &+= Int32(truncatingIfNeeded: packets)
    newest.pointee.packets &+= Int32(truncatingIfNeeded: packets)
    newest.pointee.queued &+= Int32(truncatingIfNeeded: packets)
    self.entered &+= packets
    return departs1
  }

  /// Takes the oldest run off; its last acknowledgement has come.
  @inline(__always)
  mutating func removeFirst() {
    if served == runs.head { pass() }
    runs.removeFirst()
  }
}

/// The link from the client. Messages and acknowledgements are served apart: an acknowledgement's time is needed ahead.
struct FlowUplink: ~Copyable {
  private var messages: FlowSchedule
  private var acknowledgements: FlowSchedule
  private let delay: Int64
  /// When the last message and the last acknowledgement have left.
  private var free: Int64 = .min / 2
  private var acknowledged: Int64 = .min / 2
  /// How much later than the last packet of a run its acknowledgement had left.
  private var lag: Int64 = 0
  /// Whether both directions have the same rates: then the other one's period, which is ahead, tells this one's.
  let isEven: Bool

  init(_ network: NetworkConfiguration, delay: Int64) {
    messages = FlowSchedule(network.up, network)
    acknowledgements = FlowSchedule(network.up, network)
    self.delay = delay
    isEven = network.up.periods == network.down.periods && network.up.opportunitiesMs.isEmpty && network.down.opportunitiesMs.isEmpty
  }

  /// When a message of `bytes` that leaves at `now` reaches the server.
  @inline(__always)
  mutating func message(_ bytes: Int, at now: Int64, beside down: FlowPeriod) -> Int64 {
    // A rate that is known already need not be looked up.
    if now >= free, isEven, down.contains(now) {
      free = now &+ down.time(of: bytes)
    } else {
      free = messages.finish(bytes: bytes, at: max(now, free))
    }
    return free &+ delay
  }

  /// When the first and the last acknowledgement of packets that arrive so reach the server.
  @inline(__always)
  mutating func acknowledge(
    _ packets: Int, arrives0: Int64, arrives1: Int64, beside down: FlowPeriod
  ) -> (first: Int64, last: Int64) {
    let crowd = packets &- 1
    let period = isEven ? down : acknowledgements.period
    let own = period.time(of: PacketSize.header)
    // Nearly always those of the run before have left, each leaves before the next packet comes, and the rate is known.
    guard acknowledged <= arrives0, lag &* Int64(crowd) <= arrives1 &- arrives0, period.contains(arrives1 &+ own) else {
      return acknowledgeCrowd(crowd, arrives0: arrives0, arrives1: arrives1, beside: down)
    }
    acknowledged = arrives1 &+ own
    lag = own
    let acked1 = acknowledged &+ delay
    return (crowd == 0 ? acked1 : arrives0 &+ own &+ delay, acked1)
  }

  /// The same where acknowledgements may wait for each other, or rates change.
  @inline(never)
  private mutating func acknowledgeCrowd(
    _ crowd: Int, arrives0: Int64, arrives1: Int64, beside down: FlowPeriod
  ) -> (first: Int64, last: Int64) {
    let before = acknowledged
    // Where all of them pass while the run arrives, only the last one's way counts.
    if crowd > 0, lag &* Int64(crowd) > arrives1 &- arrives0 {
      acknowledged = acknowledgements.finish(bytes: crowd &* PacketSize.header, at: later(acknowledged, arrives0))
    }
    let last = acknowledgement(at: arrives1, beside: down)
    lag = last &- later(before, arrives1)
    let acked1 = last &+ delay
    return (crowd == 0 ? acked1 : min(acked1, later(before, arrives0) &+ lag &+ delay), acked1)
  }

  /// When the acknowledgements of a run that has been made longer reach the server.
  @inline(__always)
  mutating func acknowledgeMore(_ run: UnsafeMutablePointer<FlowRun>, arrives1: Int64, beside down: FlowPeriod) {
    run.pointee.acked1 = acknowledgement(at: arrives1, beside: down) &+ delay
  }

  /// When an acknowledgement that is sent at `now` has left.
  @inline(__always)
  private mutating func acknowledgement(at now: Int64, beside down: FlowPeriod) -> Int64 {
    let start = later(now, acknowledged)
    let time = start &+ down.time(of: PacketSize.header)
    acknowledged = isEven && down.contains(time) ? time : acknowledgements.finish(bytes: PacketSize.header, at: start)
    return acknowledged
  }
}
