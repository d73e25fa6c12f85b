// The client's side of the flow transport: which connection a request takes, the handshakes, what a cut does, what is readable.
// The same rules as the packet transport's: the connection that idled last first, and a cut closes it or resets a stream.

extension FlowTransport {
  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    transfers.makeRoom(for: transfer)
    let state = transfers.at(transfer)
    let generation = state.pointee.generation &+ 1
    state.initialize(to: FlowTransfer())
    state.pointee.isActive = true
    state.pointee.generation = generation
    state.pointee.host = Int32(truncatingIfNeeded: host)
    state.pointee.priority = Int32(clamping: priority)
    state.pointee.size = (volume.nanobits + 7_999_999_999) / 8_000_000_000
    if http.version == .http2 {
      if hosts[host].shared < 0 { hosts[host].shared = Int32(openConnection(host)) }
      bind(transfer, to: Int(hosts[host].shared))
      return
    }
    if http.idleTimeout > .zero { closeIdlers(host) }
    if let place = takeIdle(host) {
      bind(transfer, to: place)
    } else if hosts[host].open < http.connectionsPerHost {
      bind(transfer, to: openConnection(host))
    } else {
      wait(transfer, host)
    }
  }

  mutating func cancel(_ transfer: Int) -> Volume {
    let got = received(transfer: transfer)
    let place = Int(transfers[transfer].place)
    let host = Int(transfers[transfer].host)
    transfers[transfer].isActive = false
    transfers[transfer].place = -1
    if place < 0 {
      stopWaiting(transfer, host)
    } else if http.version == .http2 {
      if !transfers[transfer].isHeld { sendReset(transfer, place) }
    } else {
      hosts[host].open -= 1
      close(place)
      serveWaiting(host)
    }
    return .bytes(got)
  }

  func received(_ transfer: Int) -> Volume { .bytes(received(transfer: transfer)) }

  func received(transfer: Int) -> Int64 {
    let state = transfers[transfer]
    guard state.isActive, state.place >= 0, isChunked || state.start < .max else { return state.isActive ? state.kept : 0 }
    let bytes = (isChunked ? state.chunked : readable(Int(state.place)) - state.start) - Int64(http.responseHeaderBytes)
    return state.kept + min(max(bytes, 0), state.size - state.kept)
  }

  func firstByte(_ transfer: Int) -> Instant? { milestones(transfer).firstByte }

  /// When the transfer's connection was ready and its first byte came, for reports; nil where they have not.
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    let state = transfers[transfer]
    return (
      state.connectedAt < 0 ? nil : Instant(nanoseconds: state.connectedAt),
      state.firstByteAt < 0 || state.firstByteAt > clock ? nil : Instant(nanoseconds: state.firstByteAt)
    )
  }

  /// How much of a connection's payload the client can read: no further than the first gap.
  private func readable(_ place: Int) -> Int64 {
    // Without a run on the way all has arrived; the first one's start is what came before it.
    var bytes = connections[place].arriving
    var isFirst = true
    var number = down.runs.head
    while number < down.runs.tail {
      if down.runs[number].place == place {
        let run = down.runs[number]
        if isFirst { bytes = run.end - run.bytes }
        isFirst = false
        if run.departs0 + delayDown > clock { break }
        bytes = run.end - run.bytes + run.departed(by: clock - delayDown)
      }
      number += 1
    }
    return connections[place].gapFilledAt > clock ? min(bytes, connections[place].gapAt) : bytes
  }

  // MARK: - Connections

  private mutating func openConnection(_ host: Int) -> Int {
    hosts[host].open += 1
    newConnections += 1
    let place = connections.occupy(host: host)
    if isChunked {
      while streams.count <= place { streams.append(FlowStreams(http)) }
      streams[place] = FlowStreams(http)
    }
    let wait = hosts[host].isResolved ? 0 : http.dnsTime.nanoseconds
    hosts[host].isResolved = true
    if wait > 0 { schedule(.resolved, place, at: clock + wait) } else { sendSyn(place) }
    return place
  }

  @inline(__always)
  private mutating func bind(_ transfer: Int, to place: Int) {
    transfers[transfer].place = Int32(truncatingIfNeeded: place)
    if http.version == .http2 {
      transfers[transfer].isHeld = connections[place].phase != .open
    } else {
      connections[place].transfer = Int32(truncatingIfNeeded: transfer)
    }
    if connections[place].phase == .open {
      transfers[transfer].connectedAt = clock
      sendRequest(transfer, place)
    }
  }

  /// Finishes a transfer; its connection idles, or takes the next one that waits.
  mutating func finish(_ transfer: Int) {
    let place = Int(transfers[transfer].place)
    transfers[transfer].isActive = false
    transfers[transfer].place = -1
    if http.version == .http2 { return }
    let connection = connections.at(place)
    let host = Int(connection.pointee.host)
    connection.pointee.transfer = -1
    connection.pointee.completeAt = .max
    connection.pointee.idleSince = clock
    connection.pointee.idleBelow = hosts[host].idleTop
    hosts[host].idleTop = Int32(truncatingIfNeeded: place)
    if hosts[host].waitingFirst >= 0 { serveWaiting(host) }
  }

  @inline(__always)
  private mutating func takeIdle(_ host: Int) -> Int? {
    let top = hosts[host].idleTop
    guard top >= 0 else { return nil }
    hosts[host].idleTop = connections[Int(top)].idleBelow
    return Int(top)
  }

  /// Asks again, on other connections, for what one that is given up had still to bring: as a client does that asks for the rest by its range.
  @inline(never)
  mutating func replace(_ place: Int) {
    let host = Int(connections[place].host)
    let lost = (0..<transfers.count).filter { transfers[$0].isActive && transfers[$0].place == Int32(place) }
    for transfer in lost {
      transfers[transfer].kept = received(transfer: transfer)
      transfers[transfer].chunked = 0
      transfers[transfer].start = .max
      transfers[transfer].generation &+= 1
    }
    hosts[host].open -= 1
    if hosts[host].shared == Int32(place) { hosts[host].shared = -1 }
    connections[place].phase = .closed
    connections[place].hasNews = true
    connections[place].transfer = -1
    connections[place].completeAt = .max
    stop(place)
    for transfer in lost {
      if http.version == .http1 {
        bind(transfer, to: openConnection(host))
      } else {
        if hosts[host].shared < 0 { hosts[host].shared = Int32(openConnection(host)) }
        bind(transfer, to: Int(hosts[host].shared))
      }
    }
  }

  /// The servers have closed what idled too long: all from some place of the stack down.
  private mutating func closeIdlers(_ host: Int) {
    var above: Int32 = -1
    var place = hosts[host].idleTop
    while place >= 0, clock - connections[Int(place)].idleSince < http.idleTimeout.nanoseconds {
      above = place
      place = connections[Int(place)].idleBelow
    }
    if above < 0 { hosts[host].idleTop = -1 } else { connections[Int(above)].idleBelow = -1 }
    while place >= 0 {
      let below = connections[Int(place)].idleBelow
      hosts[host].open -= 1
      connections[Int(place)].phase = .closed
      connections[Int(place)].isStopped = true
      releaseIfGone(Int(place))
      place = below
    }
  }

  private mutating func wait(_ transfer: Int, _ host: Int) {
    let last = hosts[host].waitingLast
    if last < 0 { hosts[host].waitingFirst = Int32(transfer) } else { transfers[Int(last)].waitingNext = Int32(transfer) }
    hosts[host].waitingLast = Int32(transfer)
  }

  private mutating func stopWaiting(_ transfer: Int, _ host: Int) {
    let next = transfers[transfer].waitingNext
    var before: Int32 = -1
    var place = hosts[host].waitingFirst
    while place >= 0, place != Int32(transfer) {
      before = place
      place = transfers[Int(place)].waitingNext
    }
    if before < 0 { hosts[host].waitingFirst = next } else { transfers[Int(before)].waitingNext = next }
    if next < 0 { hosts[host].waitingLast = before }
  }

  private mutating func serveWaiting(_ host: Int) {
    while hosts[host].waitingFirst >= 0 {
      let canOpen = hosts[host].open < http.connectionsPerHost
      guard hosts[host].idleTop >= 0 || canOpen else { return }
      let transfer = Int(hosts[host].waitingFirst)
      hosts[host].waitingFirst = transfers[transfer].waitingNext
      if hosts[host].waitingFirst < 0 { hosts[host].waitingLast = -1 }
      transfers[transfer].waitingNext = -1
      if let place = takeIdle(host) { bind(transfer, to: place) } else { bind(transfer, to: openConnection(host)) }
    }
  }

  private mutating func close(_ place: Int) {
    let wasResolving = connections[place].phase == .resolving
    let readable = readable(place)
    connections[place].phase = .closed
    connections[place].hasNews = true
    connections[place].transfer = -1
    connections[place].completeAt = .max
    if wasResolving {
      connections[place].isStopped = true
      releaseIfGone(place)
      return
    }
    if !isChunked { deadBytes += connections[place].arriving - readable }
    schedule(.closeAtServer, place, at: sendUp(PacketSize.header, place))
  }

  /// The place is free once neither end nor the link knows of the connection.
  mutating func releaseIfGone(_ place: Int) {
    guard connections[place].phase == .closed, connections[place].isStopped, connections[place].runs == 0, !connections[place].isFree else {
      return
    }
    connections[place].isFree = true
    connections[place].generation &+= 1
  }

  @inline(__always)
  mutating func schedule(_ kind: FlowEvent.Kind, _ place: Int, at time: Int64, transfer: Int = -1) {
    var event = FlowEvent(
      time: later(time, clock), kind: kind, place: Int32(truncatingIfNeeded: place), connection: connections[place].generation)
    event.transfer = Int32(truncatingIfNeeded: transfer)
    if kind == .requestAtServer || kind == .resetAtServer { event.generation = transfers[transfer].generation }
    agenda.insert(event)
    nextEvent = agenda.firstTime
  }
}
