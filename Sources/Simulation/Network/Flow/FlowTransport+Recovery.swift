// Losses in the flow transport: how a sender learns of them, what its window does, and its timer.
// Runs tell how many packets were lost, not which; the last ones of a run are known, because nothing after them tells of them.

extension FlowTransport {
  /// Puts packets into the queue of which `over` find it full and chance may take others.
  @inline(never)
  mutating func enqueueLossy(
    _ place: Int, _ connection: Connection, packets: Int, bytes: Int64, over: Int, from first: Int64, to last: Int64
  ) {
    connection.pointee.sent += packets
    connection.pointee.inFlight += packets
    connection.pointee.lastSent = last
    dropped += over
    let chance = lossesDown.isPossible ? lossesDown.next(packets - over) : (lost: 0, last: 0)
    let lost = over + chance.lost
    let queued = packets - lost
    // Of a burst the queue takes the first packets. Of the pairs that slow start sends it takes the first ones; a window that grows
    // by one loses one in the middle.
    let isPaired = over > 0 && packets & 1 == 0 && connection.pointee.window.isSlowStart
    let hidden = queued == 0 ? packets : over > 0 && first == last ? over : max(chance.last, isPaired ? 1 : 0)
    let lostBytes = queued == 0 ? bytes : min(Int64(lost * PacketSize.segment), bytes - Int64(queued))
    let hiddenBytes = hidden == lost ? lostBytes : lostBytes * Int64(hidden) / Int64(lost)
    lostByChance += chance.lost
    if lost > 0 {
      connection.pointee.lostOut += lost
      noteGap(connection, at: connection.pointee.arriving + bytes - lostBytes)
    }
    // What was lost before is told of by this run, what is lost at its end by the next one.
    let told = queued > 0 ? connection.pointee.takeHidden() : FlowHidden()
    if hidden > 0 { connection.pointee.hide(hidden, bytes: hiddenBytes) }
    guard queued > 0 else { return repeated(connection, bytes, by: last) }
    connection.pointee.arriving += bytes - lostBytes
    var run = FlowRun(
      place: Int32(truncatingIfNeeded: place), packets: Int32(truncatingIfNeeded: packets - hidden + told.packets),
      lost: Int32(truncatingIfNeeded: lost - hidden + told.packets),
      lostBytes: Int32(truncatingIfNeeded: lostBytes - hiddenBytes + told.bytes), queued: Int32(truncatingIfNeeded: queued),
      bytes: bytes - lostBytes, end: connection.pointee.arriving, sequence: Int32(truncatingIfNeeded: connection.pointee.sent),
      entered0: first, entered1: last)
    serve(&run, connection)
    land(&run, connection)
    repeated(connection, bytes, by: run.departs1)
    announce(place, connection, bytes: run.bytes, packets: queued, run.departs0, run.departs1)
  }

  /// Counts bytes that leave the link at an instant against those that are sent again; the last of them fill the gap.
  @inline(__always)
  mutating func repeated(_ connection: Connection, _ bytes: Int64, by departure: Int64) {
    guard connection.pointee.repeatBytes > 0 else { return }
    connection.pointee.repeatBytes -= min(bytes, connection.pointee.repeatBytes)
    guard connection.pointee.repeatBytes == 0 else { return }
    connection.pointee.mendEnd = Int32(truncatingIfNeeded: connection.pointee.sent)
    if connection.pointee.lostOut == 0 { connection.pointee.gapFilledAt = departure + delayDown }
  }

  /// Nothing beyond `offset` is readable until what is missing has come.
  private mutating func noteGap(_ connection: Connection, at offset: Int64) {
    if connection.pointee.gapFilledAt <= clock { connection.pointee.gapAt = offset }
    connection.pointee.gapFilledAt = Instant.never.nanoseconds
  }

  /// The part of a run before its first gap, whose acknowledgements tell of nothing yet: chance spreads gaps evenly, and a full queue
  /// drops every other packet at the run's end. What is left of the run begins with the gap.
  @inline(never)
  mutating func splitAtGap(_ run: inout FlowRun) -> FlowRun? {
    let delivered = run.packets - run.lost
    let count = lossesDown.isPossible || run.lost < 3 ? delivered / (run.lost + 1) : delivered - run.lost
    return count > 0 && count < run.packets ? run.takeFirst(count) : nil
  }

  /// What the acknowledgements of a run do to a sender that has losses to mend, or learns of some.
  mutating func repair(_ run: FlowRun, _ connection: Connection) {
    connection.pointee.backoff = 0
    let lost = Int(run.lost)
    let delivered = Int(run.packets) - lost
    let isLater = Int(run.sequence) > connection.pointee.recoveryEnd
    if lost > 0 {
      connection.pointee.sendAgain(lost, bytes: Int64(run.lostBytes))
      // The window is cut once a round trip.
      if isLater, !connection.pointee.isTimedOut { reduce(connection) }
      // What is lost goes first, while the rest waits for the window: about as proportional rate reduction does it (RFC 6937).
      let extra = connection.pointee.inFlight + min(lost, max(1, delivered / 2)) - connection.pointee.most
      connection.pointee.extraRoom = max(0, extra)
    } else if isLater, connection.pointee.isTimedOut, connection.pointee.repeatBytes == 0 {
      connection.pointee.isTimedOut = false
    }
    let isMended = lost == 0 && run.sequence > connection.pointee.mendEnd
    if delivered > 0, connection.pointee.isTimedOut || (isMended && connection.pointee.isWindowLimited) {
      connection.pointee.window.grow(delivered, at: run.acked1)
    }
    connection.pointee.isTroubled = true
  }

  private mutating func reduce(_ connection: Connection) {
    connection.pointee.recoveryEnd = connection.pointee.sent
    connection.pointee.mendEnd = Int32(truncatingIfNeeded: connection.pointee.sent)
    let threshold = connection.pointee.window.thresholdAfterLoss()
    connection.pointee.window.threshold = threshold
    connection.pointee.window.size = threshold
  }

  // MARK: - The timer

  /// Where nothing is on the way that could tell of what is lost, only the timer is left: a probe, then time-outs.
  @inline(never)
  mutating func watchTail(_ place: Int, _ connection: Connection) {
    guard connection.pointee.hidden.packets > 0, connection.pointee.runs == 0, !connection.pointee.isStopped else { return }
    var wait = connection.pointee.timeout << Int64(min(connection.pointee.backoff, 6))
    if connection.pointee.mayProbe {
      wait = min(wait, 2 * connection.pointee.smoothed + (connection.pointee.inFlight == 1 ? 200_000_000 : 8_000_000))
    }
    let time = max(clock, KernelTimer.expiry(at: max(connection.pointee.lastSent, 0), after: wait))
    connection.pointee.timerAt = time
    schedule(.timer, place, at: time)
  }

  mutating func fire(_ place: Int, setFor time: Int64) {
    let connection = connections.at(place)
    guard connection.pointee.timerAt == time, connection.pointee.hidden.packets > 0, connection.pointee.runs == 0,
      !connection.pointee.isStopped
    else { return }
    if connection.pointee.backoff == 0 { connection.pointee.timedOutSince = clock }
    if clock - connection.pointee.timedOutSince >= ConnectionPatience.dataNanoseconds { return replace(place) }
    let isProbe = connection.pointee.mayProbe
    let hidden = connection.pointee.takeHidden()
    connection.pointee.inFlight -= hidden.packets
    connection.pointee.sendAgain(hidden.packets, bytes: hidden.bytes)
    if isProbe {
      // A probe: the last packet again. Its acknowledgement tells of the others.
      reduce(connection)
      connection.pointee.extraRoom = connection.pointee.inFlight + 1 - connection.pointee.most
    } else {
      if !connection.pointee.isTimedOut { connection.pointee.window.threshold = connection.pointee.window.thresholdAfterLoss() }
      connection.pointee.window.forget(at: clock, next: connection.pointee.sent)
      connection.pointee.isTimedOut = true
      connection.pointee.recoveryEnd = connection.pointee.sent
      connection.pointee.window.size = connection.pointee.inFlight + 1
    }
    connection.pointee.backoff += 1
    connection.pointee.isTroubled = true
    send(place, connection, from: clock, to: clock)
  }
}
