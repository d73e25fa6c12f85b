// TCP at flow level: windows, queue and losses as in the packet transport, but in runs of packets instead of single ones.
// This file has the state and the loop. What is modelled, what is left out and where the equations come from: see the type.

/// Transfers over TCP connections that share a link, each moved in runs of neighbouring packets.
///
/// **The idea.** A first-in-first-out link delivers the packets of a burst one after another, their acknowledgements come back as
/// they were spaced, and each clocks out the next packet (Jacobson 1988). So a burst stays a burst: a run of `n` packets that is
/// acknowledged from `a₀` to `a₁` becomes a run of `n` or `2n` packets that enters the queue from `a₀` to `a₁`, is served from
/// max(a₀, the link is free) on at the link's rate, and is acknowledged one round of delays later. One event a run is all that it
/// takes: about one a window, where the packet transport has two a packet. Other connections' runs stand between in the same
/// queue, which shares the link in proportion to windows and delays all alike. A run is split where a close, a reset or
/// a time-out falls between its acknowledgements, so that these keep their order.
///
/// **Equations.** With r the link's rate, S = 1500 bytes a full packet, f when the link is free: n packets that enter evenly from e₀ to e₁
/// depart until d₁ = max(max(f, e₀) + n·S/r, e₁ + S/r), the first at d₀ = max(f, e₀) + S/r; they are acknowledged from d₀ + D to d₁ + D,
/// D both delays and 52 bytes on the uplink. Their acknowledgement grows the window W by n in slow start, by n·max(C·(t − K)³ + W_max,
/// W_reno)/W − n after it (RFC 9438: C = 0.4, K = ∛((W_max − W)/C), β = 0.7; the slope is looked at every fourth window), and lets out
/// W − (packets in flight), entering from a₀ to a₁. HyStart (Ha & Rhee 2011) ends slow start by the train of acknowledgements or by delay.
/// The queue holds q packets, those in service included; of n packets max(0, waiting + n − left meanwhile − q) are dropped. A sender
/// learns of drops by the acknowledgements of what it sent after them: W falls to β·W at once, what was lost goes first, and W grows
/// again when all of it is acknowledged. Where nothing was sent after them, a probe follows after two round trips (RFC 8985), then
/// time-outs that double (RFC 6298: smoothed round trip + at least 200 ms) with W = 1.
///
/// **Modelled beside these.** DNS, SYN and SYN-ACK (60 bytes), TLS flights, requests on the uplink and their loss, server time, response
/// headers; 52 bytes of TCP/IP header on every 1448 of payload; initial window 10 (RFC 6928); the growth of the server's socket buffer;
/// independent and bursty losses; slow start after idle (RFC 2861); keep-alive, reuse of the connection that idled last, idle time-out;
/// a cancel that closes (HTTP/1.1: the server stops one uplink delay later, and what it has sent crosses the link for nobody) or resets
/// (HTTP/2); streams sharing a connection in frames, by priority; rates by trace and by opportunity, with outages; the radio's promotion and its
/// cycles before what a server sends first.
///
/// **Left out.** Delayed acknowledgements and the loss of acknowledgements, the uplink's queue limit, reordering and spurious
/// retransmissions with their undoing; the gradual fall of the window (RFC 6937, of which only the first repeats are kept); which packet
/// of a run is lost (only whether its last ones are); jitter is its mean. Within a run all times are linear.
struct FlowTransport: Transport, ~Copyable {

  /// The most packets of a run; longer ones would make the window's growth and its losses too coarse.
  let runMost: Int
  let http: HTTPConfiguration
  /// The bytes of a request on the link.
  let requestWire: Int
  let isChunked: Bool
  let delayDown: Int64
  let delayUp: Int64
  var radio: RadioState

  var clock: Int64 = 0
  var down: FlowDownlink
  var up: FlowUplink
  var lossesDown: FlowLosses
  var lossesUp: FlowLosses
  /// What happens apart from runs.
  var agenda = FlowRing<FlowEvent>(capacity: 32)
  /// What the client will be able to read, in the order of the link.
  var deliveries = FlowRing<FlowDelivery>(capacity: 32)
  /// When the first run, event and delivery are due; far away while there is none.
  var nextRun = Instant.never.nanoseconds
  var nextEvent = Instant.never.nanoseconds
  var nextDelivery = Instant.never.nanoseconds

  var hosts: FixedArray<FlowHost>
  var connections: FlowPlaces
  var transfers: FlowTransfers
  /// The responses of each connection that is read in parts; empty otherwise.
  var streams: [FlowStreams] = []

  /// Counts runs and events, and says when the session must stop; nil where nobody does.
  let watch: RunWatch?
  private var untilCount = RunWatch.transportStep

  var newConnections = 0
  var deadBytes: Int64 = 0
  var dropped = 0
  /// Packets that were handed to the link and lost by chance.
  var lostByChance = 0

  /// A network at the start of a run, for transfers numbered from 0; numbers beyond `transfers` make room for themselves.
  init(_ network: NetworkConfiguration, transfers: Int, watch: RunWatch? = nil) {
    self.watch = watch
    http = network.http
    requestWire = http.requestBytes + max(1, (http.requestBytes + PacketSize.segment - 1) / PacketSize.segment) * PacketSize.header
    runMost = network.lossDown > 0 || network.burstLoss != nil ? 32 : 64
    isChunked = network.http.version == .http2 || network.http.security != .none
    // Packets never overtake each other, which lets the slowest of a round trip set the pace.
    delayDown = network.delayDown.nanoseconds + network.jitter.nanoseconds * 3 / 4
    radio = RadioState(network)
    down = FlowDownlink(network)
    delayUp = network.delayUp.nanoseconds + network.jitter.nanoseconds * 3 / 4
    up = FlowUplink(network, delay: delayUp)
    lossesDown = FlowLosses(network.lossDown, network.burstLoss, seed: network.seed, name: "flow down")
    lossesUp = FlowLosses(network.lossUp, network.burstLoss, seed: network.seed, name: "flow up")
    hosts = FixedArray(repeating: FlowHost(), count: max(1, network.http.hosts))
    connections = FlowPlaces()
    self.transfers = FlowTransfers(count: transfers)
  }

  var now: Instant { Instant(nanoseconds: clock) }

  var counters: TransportCounters {
    var counters = TransportCounters()
    counters.newConnections = newConnections
    counters.bytesDead = deadBytes
    counters.packetsDropped = dropped
    counters.packetsSent = down.entered + dropped + lostByChance
    return counters
  }

  // MARK: - The loop

  @inline(__always)
  mutating func advance(until limit: Instant) -> Int? {
    assert(limit.nanoseconds >= clock, "time never goes back")
    if limit.nanoseconds >= min(nextRun, nextDelivery, nextEvent) { return nextArrival(until: limit.nanoseconds) }
    clock = limit.nanoseconds
    return nil
  }

  @inline(never)
  private mutating func nextArrival(until limit: Int64) -> Int? {
    while true {
      untilCount &-= 1
      if untilCount == 0, mustStop() { return nil }
      let other = min(nextDelivery, nextEvent)
      // One comparison for both: whether anything comes before the run, and whether it comes by the limit.
      if nextRun < min(other, limit &+ 1) {
        assert(nextRun >= clock, "time went back")
        assert(isConserving())
        clock = nextRun
        takeRun()
        nextRun = down.nextAcknowledged
        continue
      }
      if other > limit || other == Instant.never.nanoseconds { break }
      assert(other >= clock, "time went back")
      assert(isConserving())
      clock = other
      if nextDelivery > other {
        handleEvent()
      } else if let arrival = deliver() {
        return arrival
      }
    }
    clock = limit
    return nil
  }

  /// True if the session must stop: then nothing arrives any more.
  @inline(never)
  private mutating func mustStop() -> Bool {
    untilCount = RunWatch.transportStep
    return watch?.count(RunWatch.transportStep) ?? false
  }

  @inline(never)
  private mutating func handleEvent() {
    let event = agenda[agenda.head]
    agenda.removeFirst()
    nextEvent = agenda.firstTime
    let place = Int(event.place)
    guard connections[place].generation == event.connection else { return }
    if event.kind != .requestAtServer { splitOldest() }
    if radio.sleeps, event.kind == .requestAtServer || event.kind == .flightAtServer, isHeld(event) { return }
    switch event.kind {
    case .requestAtServer: answer(Int(event.transfer), event.generation, place)
    case .closeAtServer: stop(place)
    case .resetAtServer: reset(event)
    case .timer: fire(place, setFor: event.time)
    case .resolved: sendSyn(place)
    case .synAtServer: sendSynAck(place)
    case .synAckAtClient: establish(place)
    case .flightAtServer: answerFlight(place, Int(event.transfer))
    case .flightAtClient: continueHandshake(place)
    }
  }

  /// The oldest run's last acknowledgement reaches its sender. Nearly all runs tell of nothing but room for the next one.
  @inline(__always)
  private mutating func takeRun() {
    let run = down.runs.first
    let connection = connections.at(Int(run.pointee.place))
    guard run.pointee.isOrdinary, connection.pointee.isSteady, !isChunked else { return takeUnsteadyRun() }
    let entered1 = run.pointee.entered1
    let sequence = run.pointee.sequence
    let (acked0, acked1) = (run.pointee.acked0, run.pointee.acked1)
    let packets = Int(run.pointee.packets)
    let place = run.pointee.place
    connection.pointee.runs &-= 1
    down.removeFirst()
    connection.pointee.inFlight &-= packets
    connection.pointee.sample(acked1 &- entered1, count: packets)
    connection.pointee.growWindow(packets, sequence: sequence, at: acked1)
    if connection.pointee.socketMost < connection.pointee.window.size &+ connection.pointee.window.size >> 1 {
      connection.pointee.widenSocket(acknowledged: packets)
    }
    if connection.pointee.unsent > 0 { clockOut(place, connection, from: acked0, to: acked1) }
  }

  /// Sends what a steady connection's window lets out; the usual case at once, all others by `send`.
  @inline(__always)
  private mutating func clockOut(_ place: Int32, _ connection: Connection, from first: Int64, to acked: Int64) {
    let unsent = connection.pointee.unsent
    let inFlight = connection.pointee.inFlight
    let room = connection.pointee.most &- inFlight
    let segment = Int64(PacketSize.segment)
    guard room > 0, room <= runMost, connection.pointee.hasAnswered, !lossesDown.isPossible else {
      return send(Int(place), connection, from: first, to: acked)
    }
    let rest = unsent &- segment &* Int64(room)
    var packets = room
    var last = acked
    let bytes: Int64
    if rest > 0 {
      // On a busy link it waits in the queue instead.
      if (rest &* down.schedule.period.timePerByte) >> 20 < delayUp, down.free < acked,
        splitsLast(connection, room, rest: Int((rest &+ segment &- 1) / segment))
      {
        return send(Int(place), connection, from: first, to: acked)
      }
      bytes = segment &* Int64(room)
    } else {
      // What the data limits leaves by the first of the acknowledgements.
      packets = Int((unsent &+ segment &- 1) / segment)
      if packets < room { last = first &+ (acked &- first) / Int64(room) &* Int64(packets) }
      bytes = unsent
    }
    guard down.overflow(packets, from: first, to: last) == 0 else {
      return send(Int(place), connection, from: first, to: acked)
    }
    connection.pointee.unsent = unsent &- bytes
    let sent = connection.pointee.sent &+ packets
    connection.pointee.sent = sent
    connection.pointee.inFlight = inFlight &+ packets
    connection.pointee.lastSent = last
    let end = connection.pointee.arriving &+ bytes
    connection.pointee.arriving = end
    if packets == room {
      connection.pointee.mostOut = inFlight &+ packets
      connection.pointee.mostOutEnd = sent
      connection.pointee.isLimited = true
    } else {
      connection.pointee.validate(isLimited: false)
    }
    let wire = Int(bytes) &+ packets &* PacketSize.header
    let departs0: Int64
    let departs1: Int64
    if down.continues(place, packets: packets, at: last, upTo: runMost) {
      let newest = down.runs.last
      departs1 = down.extend(newest, packets: packets, bytes: bytes, wire: wire, entered: last)
      up.acknowledgeMore(newest, arrives1: departs1 &+ delayDown, beside: down.schedule.period)
      departs0 = departs1 &- down.schedule.packetTime &* Int64(packets &- 1)
    } else {
      let lastWire = wire &- (packets &- 1) &* (PacketSize.segment + PacketSize.header)
      (departs0, departs1) = down.serve(packets, of: place, wire: wire, lastWire: lastWire, from: first, to: last)
      let acks = up.acknowledge(packets, arrives0: departs0 &+ delayDown, arrives1: departs1 &+ delayDown, beside: down.schedule.period)
      let count = Int32(truncatingIfNeeded: packets)
      down.runs.appendRoom().initialize(
        to: FlowRun(
          place: place, packets: count, lost: 0, lostBytes: 0, queued: count, bytes: bytes, end: end,
          sequence: Int32(truncatingIfNeeded: sent), entered0: first, entered1: last, departs0: departs0, departs1: departs1,
          acked0: acks.first, acked1: max(acks.last, clock)))
      connection.pointee.runs &+= 1
    }
    if connection.pointee.hasNews { announceApart(Int(place), connection, bytes: bytes, packets: packets, departs0, departs1) }
    if end >= connection.pointee.completeAt { announceEnd(connection, departs1) }
  }

  /// Sends what a steady connection's window lets out now, where no run's acknowledgements clock it.
  @inline(never)
  mutating func begin(_ place: Int32, _ connection: Connection) {
    clockOut(place, connection, from: clock, to: clock)
    nextRun = down.nextAcknowledged
  }

  @inline(never)
  private mutating func takeUnsteadyRun() {
    var run = down.runs[down.runs.head]
    down.removeFirst()
    let place = Int(run.place)
    let connection = connections.at(place)
    connection.pointee.runs -= 1
    if run.lost > 0, lossesDown.isPossible || run.packets >= 48, let part = splitAtGap(&run) { acknowledge(part, place, connection) }
    if !run.isControl { acknowledge(run, place, connection) }
    if connection.pointee.isStopped { releaseIfGone(place) }
  }

  /// Lets the part of the oldest run that has been acknowledged by now act before whatever comes next.
  @inline(never)
  private mutating func splitOldest() {
    guard !down.runs.isEmpty else { return }
    let oldest = down.runs.head
    let run = down.runs[oldest]
    guard run.acked0 < clock, run.acked1 > clock, !run.isControl, run.packets > 1 else { return }
    let count = 1 + Int32(truncatingIfNeeded: (clock - run.acked0) / max(1, (run.acked1 - run.acked0) / Int64(run.packets - 1)))
    guard count < run.packets else { return }
    var part = down.runs[oldest].takeFirst(count)
    if down.runs[oldest].packets < run.lost {
      // All of the rest is lost.
      down.runs[oldest].packets += run.lost - down.runs[oldest].packets
      part.packets = run.packets - run.lost
      if part.packets <= 0 { return }
    }
    acknowledge(part, Int(run.place), connections.at(Int(run.place)))
  }

  // MARK: - What the client reads

  /// The oldest delivery becomes readable; nil where nobody waits for it.
  private mutating func deliver() -> Int? {
    let delivery = deliveries[deliveries.head]
    deliveries.removeFirst()
    nextDelivery = deliveries.firstTime
    let number = Int(delivery.transfer)
    let transfer = transfers.at(number)
    guard transfer.pointee.isActive, transfer.pointee.generation == delivery.generation else {
      deadBytes += delivery.bytes
      return nil
    }
    if transfer.pointee.firstByteAt < 0 { transfer.pointee.firstByteAt = clock }
    transfer.pointee.chunked += delivery.bytes
    guard delivery.isLast else { return nil }
    finish(number)
    return number
  }

  /// Adds a delivery in the order of time. Nearly all come last.
  @inline(__always)
  mutating func insert(_ delivery: FlowDelivery) {
    deliveries.insert(delivery)
    nextDelivery = deliveries.firstTime
  }
}
