// A server's sender in the flow transport: what a run's acknowledgements clock out, and how it gets onto the link.
// This is the way that nearly all runs go; losses and timers are apart, so that it stays short.

extension FlowTransport {
  typealias Connection = UnsafeMutablePointer<FlowConnection>

  /// The acknowledgements of a run, or of a part of one, have reached the sender.
  @inline(__always)
  mutating func acknowledge(_ run: FlowRun, _ place: Int, _ connection: Connection) {
    connection.pointee.inFlight -= Int(run.packets)
    if connection.pointee.isStopped { return }
    connection.pointee.sample(run.acked1 - run.entered1, count: Int(run.packets))
    if run.lost > 0 || connection.pointee.isTroubled {
      repair(run, connection)
    } else if connection.pointee.window.listensForEnd {
      growListening(run, connection)
    } else {
      connection.pointee.window.note(leastDelay: run.acked0 - run.entered0)
      if connection.pointee.isWindowLimited { connection.pointee.window.grow(Int(run.packets), at: run.acked1) }
    }
    if isChunked { fill(place, isWoken: false) }
    send(place, connection, from: run.acked0, to: run.acked1)
  }

  /// Slow start goes packet by packet as long as HyStart listens for its end.
  @inline(never)
  private mutating func growListening(_ run: FlowRun, _ connection: Connection) {
    let isLimited = connection.pointee.isWindowLimited
    let count = Int(run.packets)
    let steps = Int64(max(1, count - 1))
    let gap = (run.acked1 - run.acked0) / steps
    let first = run.acked0 - run.entered0
    let rise = (run.acked1 - run.entered1 - first) / steps
    let next = connection.pointee.sent
    var index = 0
    while index < count, connection.pointee.window.listensForEnd {
      let time = run.acked0 + gap * Int64(index)
      connection.pointee.window.note(
        delay: first + rise * Int64(index), at: time, acknowledged: Int(run.sequence) - count + index + 1, next: next + 2 * index)
      if isLimited { connection.pointee.window.grow(1, at: time) }
      index += 1
    }
    if isLimited, index < count { connection.pointee.window.grow(count - index, at: run.acked1) }
    connection.pointee.widenSocket(acknowledged: count)
  }

  /// An idle sender's window may fall before it answers (RFC 2861).
  @inline(__always)
  mutating func restartAfterIdle(_ connection: Connection) {
    let idle = clock - connection.pointee.lastSent
    guard connection.pointee.inFlight == 0, connection.pointee.sent > 0 else { return }
    connection.pointee.window.resume(at: clock, idleSince: connection.pointee.lastSent)
    guard http.slowStartAfterIdle, idle > connection.pointee.timeout else { return }
    connection.pointee.window.restart(idle: idle, timeout: connection.pointee.timeout)
  }

  /// Sends what the window and the data allow, entering the queue evenly from `first` to `last`: what was lost, then what is new.
  @inline(__always)
  mutating func send(_ place: Int, _ connection: Connection, from first: Int64, to last: Int64) {
    let room =
      connection.pointee.most &- connection.pointee.inFlight
      &+ connection.pointee.extraRoom
    connection.pointee.extraRoom = 0
    let segment = Int64(PacketSize.segment)
    let unsent = connection.pointee.unsent
    let ready = Int((connection.pointee.isCorked ? unsent : unsent + segment - 1) / segment)
    let packets = min(room, ready)
    if packets > 0 {
      // What the data limits leaves by the first of the acknowledgements.
      let last = ready >= room ? last : first &+ (last &- first) / Int64(room) &* Int64(packets)
      if ready < 4 &* packets, splitsLast(connection, packets, rest: ready &- packets) {
        sendSplit(place, connection, packets, rest: ready - packets, from: first, to: last)
      } else if packets <= runMost {
        let bytes = min(unsent, segment * Int64(packets))
        connection.pointee.unsent = unsent - bytes
        enqueue(place, connection, packets: packets, bytes: bytes, from: first, to: last)
      } else {
        sendPieces(place, connection, packets, from: first, to: last)
      }
      connection.pointee.validate(isLimited: room <= packets)
    } else if room <= 0, unsent > 0 {
      connection.pointee.validate(isLimited: true)
    }
    if connection.pointee.isTroubled {
      connection.pointee.judgeTrouble()
      watchTail(place, connection)
    }
  }

  /// Whether the rest of the data would reach the client before the last of the next acknowledgements reaches the server: then its
  /// release must not wait for that one.
  @inline(__always)
  func splitsLast(_ connection: Connection, _ packets: Int, rest: Int) -> Bool {
    let before = connection.pointee.inFlight << (connection.pointee.window.isSlowStart ? 1 : 0)
    return rest > before && down.schedule.packetTime &* Int64(rest) < delayUp
  }

  /// Sends a run in two, the first of which clocks out the rest of the data.
  @inline(never)
  private mutating func sendSplit(
    _ place: Int, _ connection: Connection, _ packets: Int, rest: Int, from first: Int64, to last: Int64
  ) {
    let shift = connection.pointee.window.isSlowStart ? 1 : 0
    let needed = (rest - connection.pointee.inFlight << shift + shift) >> shift
    let lead = max(1, min(packets, needed))
    let middle = first + (last - first) * Int64(lead) / Int64(packets)
    connection.pointee.isSplit = true
    sendPieces(place, connection, lead, from: first, to: middle)
    if lead < packets { sendPieces(place, connection, packets - lead, from: middle, to: last) }
    connection.pointee.isSplit = false
  }

  @inline(never)
  private mutating func sendPieces(_ place: Int, _ connection: Connection, _ packets: Int, from first: Int64, to last: Int64) {
    // Half of what is left as long as that is too much for one run.
    let gap = packets > 1 ? (last - first) / Int64(packets) : 0
    var left = packets
    var from = first
    while left > 0 {
      var count = left
      while count > runMost { count = (count + 1) >> 1 }
      let bytes = min(connection.pointee.unsent, Int64(PacketSize.segment * count))
      connection.pointee.unsent -= bytes
      let to = count == left ? last : from + gap * Int64(count)
      enqueue(place, connection, packets: count, bytes: bytes, from: from, to: to)
      from = to
      left -= count
    }
  }

  /// Puts new packets into the queue; where some may be lost, that is worked out apart.
  @inline(__always)
  mutating func enqueue(_ place: Int, _ connection: Connection, packets: Int, bytes: Int64, from first: Int64, to last: Int64) {
    let over = down.overflow(packets, from: first, to: last)
    if over > 0 || connection.pointee.hidden.packets > 0 || lossesDown.isPossible {
      return enqueueLossy(place, connection, packets: packets, bytes: bytes, over: over, from: first, to: last)
    }
    connection.pointee.sent += packets
    connection.pointee.inFlight += packets
    connection.pointee.lastSent = last
    connection.pointee.arriving += bytes
    // A run that ends before recovery began tells of less than one that goes on.
    let mark = connection.pointee.isTroubled ? connection.pointee.recoveryEnd : 0
    if down.continues(Int32(truncatingIfNeeded: place), packets: packets, at: last, upTo: runMost), !connection.pointee.isSplit,
      Int(down.runs.last.pointee.sequence) > mark
    {
      let newest = down.runs.last
      let departs1 = down.extend(newest, packets: packets, bytes: bytes, wire: Int(bytes) + packets * PacketSize.header, entered: last)
      up.acknowledgeMore(newest, arrives1: departs1 + delayDown, beside: down.schedule.period)
      nextRun = down.runs.first.pointee.acked1
      let departs0 = departs1 &- down.schedule.packetTime &* Int64(packets &- 1)
      repeated(connection, bytes, by: departs1)
      return announce(place, connection, bytes: bytes, packets: packets, departs0, departs1)
    }
    var run = FlowRun(
      place: Int32(truncatingIfNeeded: place), packets: Int32(truncatingIfNeeded: packets), lost: 0, lostBytes: 0,
      queued: Int32(truncatingIfNeeded: packets), bytes: bytes, end: connection.pointee.arriving,
      sequence: Int32(truncatingIfNeeded: connection.pointee.sent), entered0: first, entered1: last)
    serve(&run, connection)
    land(&run, connection)
    repeated(connection, bytes, by: run.departs1)
    announce(place, connection, bytes: bytes, packets: packets, run.departs0, run.departs1)
  }

  /// Serves a run on the link; the first of a connection follows the acknowledgement of the client's first data.
  @inline(__always)
  mutating func serve(_ run: inout FlowRun, _ connection: Connection) {
    var wire = Int(run.bytes) + Int(run.queued) * PacketSize.header
    if !connection.pointee.hasAnswered {
      wire += PacketSize.header
      connection.pointee.hasAnswered = true
    }
    let others = (Int(run.queued) - 1) * (PacketSize.segment + PacketSize.header)
    (run.departs0, run.departs1) = down.serve(
      Int(run.queued), of: run.place, wire: wire, lastWire: max(PacketSize.header + 1, wire - others), from: run.entered0, to: run.entered1)
  }

  /// Notes what the client will be able to read: the last `bytes` of what arrives, in packets that leave the link from one instant to
  /// another.
  @inline(__always)
  mutating func announce(_ place: Int, _ connection: Connection, bytes: Int64, packets: Int, _ departs0: Int64, _ departs1: Int64) {
    if connection.pointee.hasNews { announceApart(place, connection, bytes: bytes, packets: packets, departs0, departs1) }
    if connection.pointee.arriving >= connection.pointee.completeAt { announceEnd(connection, departs1) }
  }

  /// Notes when the last byte of a response will be readable.
  @inline(never)
  mutating func announceEnd(_ connection: Connection, _ departs1: Int64) {
    connection.pointee.completeAt = .max
    let transfer = Int(connection.pointee.transfer)
    var delivery = FlowDelivery(
      time: later(clock, departs1 &+ delayDown), transfer: Int32(truncatingIfNeeded: transfer),
      generation: transfers[transfer].generation)
    delivery.isLast = true
    insert(delivery)
  }

  /// What not every run has to tell: first bytes, parts of a stream, bytes for nobody.
  @inline(never)
  mutating func announceApart(
    _ place: Int, _ connection: Connection, bytes: Int64, packets: Int, _ departs0: Int64, _ departs1: Int64
  ) {
    if isChunked { return announceParts(place, connection, bytes: bytes, packets: packets, departs0, departs1) }
    let transfer = Int(connection.pointee.transfer)
    guard transfer >= 0 else {
      if connection.pointee.phase == .closed { deadBytes += bytes }
      return
    }
    if transfers[transfer].firstByteAt < 0 { transfers[transfer].firstByteAt = departs0 + delayDown }
    connection.pointee.hasNews = false
  }

  private mutating func announceParts(
    _ place: Int, _ connection: Connection, bytes: Int64, packets: Int, _ departs0: Int64, _ departs1: Int64
  ) {
    let start = connection.pointee.arriving - bytes
    while let (part, end) = streams[place].takePart(upTo: connection.pointee.arriving) {
      let before = max(0, (end - start - 1) / Int64(PacketSize.segment))
      let gap = packets > 1 ? (departs1 - departs0) / Int64(packets - 1) : 0
      let time = min(departs1, departs0 + gap * before) + delayDown
      var delivery = FlowDelivery(time: max(clock, time), transfer: part.transfer, generation: part.generation)
      delivery.bytes = part.bytes
      delivery.isLast = part.isLast
      insert(delivery)
    }
  }
}
