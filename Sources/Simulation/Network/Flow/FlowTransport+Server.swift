// Handshakes, requests and closes of the flow transport: messages up the link, and what the server answers.
// Messages are few: each is an event of its own. What the answers' data does on the link is the sender's.

extension FlowTransport {
  /// Sends a message to the server, again and again until it is not lost, and returns when it arrives. An idle radio comes up first.
  @inline(__always)
  mutating func sendUp(_ bytes: Int, _ place: Int, first: Int64 = 0) -> Int64 {
    radio.promotes || radio.sleeps || lossesUp.isPossible
      ? sendUpAgain(bytes, place, first: first) : up.message(bytes, at: clock, beside: down.schedule.period)
  }

  @inline(never)
  private mutating func sendUpAgain(_ bytes: Int, _ place: Int, first: Int64) -> Int64 {
    var start = clock
    if radio.promotes {
      if !down.runs.isEmpty { radio.noteReceived(at: clock) }
      start = radio.sendUp(at: clock)
    }
    let arrival = up.message(bytes, at: start, beside: down.schedule.period)
    if radio.sleeps { radio.noteSeen(at: arrival) }
    guard lossesUp.isPossible else { return arrival }
    // Lost messages: SYNs after 1, 2, 4 s; data after a probe's wait, then the time-out, doubling (RFC 6298, 8985).
    var wait: Int64 = 0
    var tries: Int64 = 0
    let timeout = connections[place].timeout
    let probe = min(timeout, connections[place].hasRoundTrip ? 2 * connections[place].smoothed + 200_000_000 : timeout)
    while lossesUp.isNextLost(), tries < 7 {
      wait += first > 0 ? first << tries : tries == 0 ? probe : timeout << (tries - 1)
      tries += 1
    }
    return arrival + wait
  }

  /// True if an answer waits for a sleeping radio; then it is handled again when the radio listens.
  @inline(never)
  mutating func isHeld(_ event: FlowEvent) -> Bool {
    if !down.runs.isEmpty { radio.noteSeen(at: clock) }
    let start = radio.sendDown(at: clock)
    guard start > clock else { return false }
    var later = event
    later.time = start
    agenda.insert(later)
    nextEvent = agenda.firstTime
    return true
  }

  // MARK: - Handshakes

  mutating func sendSyn(_ place: Int) {
    connections[place].phase = .connecting
    schedule(.synAtServer, place, at: sendUp(PacketSize.handshake, place, first: 1_000_000_000))
  }

  /// A SYN-ACK that is lost, or finds the queue full, is sent again after 1, 2, 4 s: the client's own SYN comes again by then.
  mutating func sendSynAck(_ place: Int) {
    guard !connections[place].isStopped else { return }
    let isDropped = down.overflow(1, from: clock, to: clock) > 0
    if isDropped { dropped += 1 }
    if isDropped || lossesDown.isNextLost() {
      let backoff = Int64(connections[place].backoff)
      if backoff > ConnectionPatience.synRetries { return replace(place) }
      connections[place].backoff += 1
      return schedule(.synAtServer, place, at: clock + 1_000_000_000 << backoff)
    }
    connections[place].backoff = 0
    schedule(.synAckAtClient, place, at: sendControl(place, packets: 1, wire: PacketSize.handshake, bytes: 0))
  }

  /// The SYN-ACK is here; the client acknowledges it and goes on.
  mutating func establish(_ place: Int) {
    guard connections[place].phase == .connecting else { return }
    connections[place].phase = .securing
    let arrival = up.message(PacketSize.header, at: clock, beside: down.schedule.period)
    // What the server measured, but for its own SYN-ACK's wait in the queue.
    let roundTrip = arrival - clock + delayDown
    connections[place].begin(roundTrip: roundTrip)
    continueHandshake(place)
  }

  /// The next flight of the TLS handshake, or the requests that wait for its end.
  mutating func continueHandshake(_ place: Int) {
    guard connections[place].phase == .securing else { return }
    if http.security != .none {
      let flights = http.security.flights
      while Int(connections[place].flight) < flights.count {
        let flight = Int(connections[place].flight)
        connections[place].flight += 1
        let arrival = sendUp(flights[flight].client + PacketSize.header, place)
        if flights[flight].server > 0 {
          schedule(.flightAtServer, place, at: arrival + http.handshakeTime.nanoseconds, transfer: flight)
          return
        }
      }
    }
    connections[place].phase = .open
    if http.version == .http2 {
      var transfer = 0
      while transfer < transfers.count {
        if transfers[transfer].isActive, transfers[transfer].isHeld, transfers[transfer].place == Int32(place) {
          transfers[transfer].isHeld = false
          transfers[transfer].connectedAt = clock
          sendRequest(transfer, place)
        }
        transfer += 1
      }
    } else if connections[place].transfer >= 0 {
      let transfer = Int(connections[place].transfer)
      transfers[transfer].connectedAt = clock
      sendRequest(transfer, place)
    }
  }

  mutating func answerFlight(_ place: Int, _ flight: Int) {
    guard !connections[place].isStopped else { return }
    let bytes = http.security.flights[flight].server
    let packets = (bytes + PacketSize.segment - 1) / PacketSize.segment
    var wire = bytes + packets * PacketSize.header
    if !connections[place].hasAnswered { wire += PacketSize.header }
    connections[place].hasAnswered = true
    let arrival = sendControl(place, packets: packets, wire: wire, bytes: Int64(bytes))
    schedule(.flightAtClient, place, at: arrival)
  }

  /// Puts packets on the link that clock out nothing; returns when the last one arrives.
  private mutating func sendControl(_ place: Int, packets: Int, wire: Int, bytes: Int64) -> Int64 {
    let connection = connections.at(place)
    connection.pointee.arriving += bytes
    connection.pointee.written += bytes
    var run = FlowRun(
      place: Int32(place), packets: Int32(packets), lost: 0, lostBytes: 0, queued: Int32(packets), bytes: bytes,
      end: connection.pointee.arriving, sequence: Int32(truncatingIfNeeded: connection.pointee.sent), entered0: clock, entered1: clock)
    run.isControl = true
    (run.departs0, run.departs1) = down.serve(packets, of: Int32(place), wire: wire, lastWire: wire / packets, from: clock, to: clock)
    land(&run, connection)
    return run.departs1 + delayDown
  }

  /// Works out when the acknowledgements of a served run arrive, and puts it on its way.
  @inline(__always)
  mutating func land(_ run: inout FlowRun, _ connection: UnsafeMutablePointer<FlowConnection>) {
    let acks = up.acknowledge(
      Int(run.queued), arrives0: run.departs0 + delayDown, arrives1: run.departs1 + delayDown, beside: down.schedule.period)
    // A run that entered early, because its data ended, may be through before what clocked it out was known.
    run.acked0 = acks.first
    run.acked1 = max(acks.last, clock)
    down.runs.append(run)
    connection.pointee.runs &+= 1
    nextRun = down.runs.first.pointee.acked1
  }

  // MARK: - Requests

  @inline(__always)
  mutating func sendRequest(_ transfer: Int, _ place: Int) {
    let arrival = sendUp(requestWire, place)
    schedule(.requestAtServer, place, at: arrival + http.serverTime.nanoseconds, transfer: transfer)
  }

  /// The server answers a request: header and payload go into the connection's stream.
  @inline(__always)
  mutating func answer(_ transfer: Int, _ generation: UInt32, _ place: Int) {
    let connection = connections.at(place)
    guard !connection.pointee.isStopped else { return }
    restartAfterIdle(connection)
    connection.pointee.hasNews = true
    // A cancelled one is answered too: its close or reset is still on the way.
    let bytes = transfers[transfer].size - transfers[transfer].kept + Int64(http.responseHeaderBytes)
    if isChunked {
      let response = FlowStreams.Response(
        transfer: Int32(truncatingIfNeeded: transfer), generation: generation, left: bytes, priority: Int(transfers[transfer].priority))
      streams[place].add(response)
      fill(place, isWoken: true)
    } else {
      connection.pointee.unsent += bytes
      connection.pointee.written += bytes
      if transfers[transfer].isActive, transfers[transfer].generation == generation {
        transfers[transfer].start = connection.pointee.arriving
        connection.pointee.completeAt = connection.pointee.arriving + bytes
      }
      if connection.pointee.isSteady { return begin(Int32(truncatingIfNeeded: place), connection) }
    }
    if isChunked { streams[place].begin(at: connection.pointee.arriving) }
    send(place, connection, from: clock, to: clock)
  }

  /// Lets the server write what its socket takes, of a stream that is read in parts.
  mutating func fill(_ place: Int, isWoken: Bool) {
    let outstanding = Int64(connections[place].inFlight) * Int64(PacketSize.segment)
    let bytes = streams[place].fill(
      used: connections[place].unsent + outstanding, isWoken: isWoken, window: connections[place].window.size,
      inFlight: connections[place].inFlight)
    connections[place].unsent += bytes
    connections[place].written += bytes
    connections[place].isCorked = streams[place].isCorked
  }

  mutating func sendReset(_ transfer: Int, _ place: Int) {
    let bytes = 13 + (http.security == .none ? 0 : 22) + PacketSize.header
    schedule(.resetAtServer, place, at: sendUp(bytes, place), transfer: transfer)
  }

  mutating func reset(_ event: FlowEvent) {
    streams[Int(event.place)].reset(event.transfer, event.generation)
    connections[Int(event.place)].isCorked = streams[Int(event.place)].isCorked
  }

  /// The client's close reaches the server.
  mutating func stop(_ place: Int) {
    connections[place].isStopped = true
    connections[place].unsent = 0
    connections[place].repeatBytes = 0
    releaseIfGone(place)
  }
}
