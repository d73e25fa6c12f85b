// One connection: the client's end and the server's, for as long as either lives or a packet of theirs is on the way.
// The client's side of the handshake, its requests, and its close are here; which transfers it carries is the transport's.

/// A TCP connection between the client and one host.
struct PacketConnection: ~Copyable {
  enum Phase { case resolving, connecting, securing, open, finishing, gone }

  let place: Int
  let host: Int
  var phase = Phase.resolving
  var receiver = PacketReceiver()
  var server: PacketServer
  var roundTrip = RoundTripEstimator()

  /// The transfer that an HTTP/1.1 connection carries; negative while it is idle.
  var transfer = -1
  /// The stream offset at which a transfer's wish is met or its end reached.
  var noticeAt = Int64.max
  var idleSince: Int64 = 0
  /// Its place may be used by another.
  var isReleased = false
  /// Streams on the way on an HTTP/2 connection.
  var streams = 0

  /// What the client has asked and the server not yet read, from `messageHead` on.
  var messages: [PacketMessage] = []
  var messageHead = 0
  private var next = 0
  private var acknowledged = 0
  private var sentAt: Int64 = 0
  private var isRepeated = false
  private var tries = 0
  /// When the client first sent again what is not acknowledged.
  private var retriedSince: Int64 = 0
  /// True once either end has given the connection up; its transfers are then asked for again on another.
  private(set) var isLost = false
  var retryAt = Instant.never.nanoseconds
  private var flight = 0
  private var flightEnd: Int64 = 0
  /// Requests that wait for the end of the handshakes.
  private var pending: [(message: PacketMessage, bytes: Int)] = []
  /// The server's side of the client's stream.
  var received = 0

  init(place: Int, host: Int, http: HTTPConfiguration) {
    self.place = place
    self.host = host
    server = PacketServer(connection: place, http: http)
  }

  func deallocate() {
    receiver.deallocate()
    server.sender.deallocate()
  }

  @inline(__always)
  var isDead: Bool { phase == .gone && server.phase == .closed }

  /// Packets on the way in both directions; the sender, which sends the most, keeps the count.
  @inline(__always)
  var packetsOnLink: Int {
    get { server.sender.packetsOnLink }
    set { server.sender.packetsOnLink = newValue }
  }

  @inline(__always)
  var timerAt: Int64 { min(min(retryAt, receiver.timerAt), server.timerAt) }

  // MARK: - The client's end

  /// Opens the connection, after the name has been resolved.
  mutating func open(after wait: Int64, _ world: inout PacketWorld) {
    if wait > 0 {
      retryAt = world.now + wait
      world.wake(place, at: retryAt)
    } else {
      sendSyn(&world)
    }
  }

  private mutating func sendSyn(_ world: inout PacketWorld) {
    phase = .connecting
    if tries == 0 { sentAt = world.now }
    sendUp(UpPacket(connection: place, kind: .syn, sentAt: world.now), bytes: PacketSize.handshake, &world)
    retryAt = world.timerTime(after: 1_000_000_000 << Int64(min(tries, 6)))
    tries += 1
    world.wake(place, at: retryAt)
  }

  /// Puts a request, or a reset of a stream, into the client's stream; it leaves when the handshakes are done.
  mutating func send(_ message: PacketMessage, bytes: Int, _ world: inout PacketWorld) {
    var message = message
    message.bytes = max(message.bytes, 0)
    pending.append((message, bytes))
    if phase == .open { sendPending(&world) }
  }

  private mutating func sendPending(_ world: inout PacketWorld) {
    for entry in pending { sendNow(entry.message, bytes: entry.bytes, &world) }
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func sendNow(_ message: PacketMessage, bytes: Int, _ world: inout PacketWorld) {
    var message = message
    receiver.noteSent(at: world.now)
    message.end = next + bytes
    messages.append(message)
    if next == acknowledged {
      sentAt = world.now
      isRepeated = false
      tries = 0
    }
    sendBytes(from: next, to: message.end, &world)
    next = message.end
    armRetry(&world)
  }

  private mutating func sendBytes(from start: Int, to end: Int, _ world: inout PacketWorld) {
    var offset = start
    while offset < end {
      let length = min(PacketSize.segment, end - offset)
      var packet = UpPacket(connection: place, kind: .data, sentAt: world.now)
      packet.start = Int32(truncatingIfNeeded: offset)
      packet.length = Int16(length)
      receiver.write(&packet)
      sendUp(packet, bytes: length + PacketSize.header, &world)
      offset += length
    }
  }

  /// First a probe after two round trips, then time-outs.
  private mutating func armRetry(_ world: inout PacketWorld) {
    var waitUs = roundTrip.timeoutUs << Int64(min(max(tries - 1, 0), 6))
    if tries == 0, roundTrip.hasSample { waitUs = min(waitUs, 2 * roundTrip.smoothedUs + 200_000) }
    retryAt = world.timerTime(after: min(waitUs, 120_000_000) * 1000)
    world.wake(place, at: retryAt)
  }

  private mutating func sendAcknowledgement(_ world: inout PacketWorld) {
    guard let entry = world.appendUp(bytes: PacketSize.header + receiver.optionBytes) else {
      // Lost or not, the client has said it.
      var packet = UpPacket(connection: place, kind: .acknowledgement, sentAt: world.now)
      receiver.write(&packet)
      return
    }
    packetsOnLink &+= 1
    entry.pointee.payload.connection = Int32(truncatingIfNeeded: place)
    entry.pointee.payload.kind = .acknowledgement
    entry.pointee.payload.sentAt = world.now
    receiver.write(&entry.pointee.payload)
  }

  /// The client closes: an open connection says so, and answers what still comes with resets.
  mutating func close(_ world: inout PacketWorld) {
    retryAt = Instant.never.nanoseconds
    receiver.stop()
    switch phase {
    case .resolving:
      phase = .gone
      server.phase = .closed
    case .connecting:
      phase = .gone
      // A server that never hears of it has nothing to forget.
      if server.phase == .listening, packetsOnLink == 0 { server.phase = .closed }
    default:
      phase = .finishing
      tries = 0
      sendFinish(&world)
    }
  }

  private mutating func sendFinish(_ world: inout PacketWorld) {
    var packet = UpPacket(connection: place, kind: .finish, sentAt: world.now)
    receiver.write(&packet)
    packet.start = Int32(truncatingIfNeeded: next)
    let arrives = sendUp(packet, bytes: PacketSize.header, &world)
    if !arrives {
      tries += 1
      retryAt = world.timerTime(after: min(roundTrip.timeoutUs << Int64(min(tries, 6)), 120_000_000) * 1000)
      world.wake(place, at: retryAt)
    }
  }

  @discardableResult
  private mutating func sendUp(_ packet: UpPacket, bytes: Int, _ world: inout PacketWorld) -> Bool {
    guard let entry = world.appendUp(bytes: bytes) else { return false }
    entry.pointee.payload = packet
    packetsOnLink &+= 1
    return true
  }

  private mutating func sendReset(_ world: inout PacketWorld) {
    sendUp(UpPacket(connection: place, kind: .reset, sentAt: world.now), bytes: PacketSize.reset, &world)
  }

  /// Whether a packet brings an open connection data and nothing else.
  @inline(__always)
  func isOpenData(_ packet: UnsafePointer<DownPacket>) -> Bool {
    packet.pointee.kind == .data && phase == .open && Int(packet.pointee.acknowledged, near: acknowledged) <= acknowledged
  }

  /// Such data reaches the client; false where it had come before.
  @inline(__always)
  mutating func takeData(_ packet: UnsafePointer<DownPacket>, _ world: inout PacketWorld) -> Bool {
    let repeated = receiver.duplicates
    let acknowledges =
      receiver.isExpected(packet.pointee.segment)
      ? receiver.takeExpected(packet, at: world.now, roundTrip: &roundTrip) : receiver.take(packet, at: world.now, roundTrip: &roundTrip)
    if acknowledges {
      sendAcknowledgement(&world)
    } else {
      world.wake(place, at: receiver.timerAt)
    }
    return receiver.duplicates == repeated
  }

  /// A packet reaches the client. True where the stream has grown.
  mutating func takeDown(_ packet: UnsafePointer<DownPacket>, _ world: inout PacketWorld) -> Bool {
    if phase == .gone || phase == .finishing {
      if packet.pointee.kind == .acknowledgement { return false }
      phase = .gone
      retryAt = Instant.never.nanoseconds
      sendReset(&world)
      return false
    }
    let end = Int(packet.pointee.acknowledged, near: acknowledged)
    if end > acknowledged { takeAcknowledged(end, world.now) }
    switch packet.pointee.kind {
    case .acknowledgement:
      return false
    case .synAck:
      if phase == .connecting {
        establish(echo: packet.pointee.echo, &world)
      } else {
        sendAcknowledgement(&world)
      }
      return false
    case .data:
      let before = receiver.deliveredBytes
      _ = takeData(packet, &world)
      return receiver.deliveredBytes > before
    }
  }

  private mutating func takeAcknowledged(_ count: Int, _ now: Int64) {
    acknowledged = count
    retriedSince = now
    if !isRepeated {
      roundTrip.add(sampleUs: (now - sentAt) / 1000, unacknowledged: acknowledged, next: next)
    }
    if acknowledged == next { retryAt = Instant.never.nanoseconds }
  }

  private mutating func establish(echo: Int64, _ world: inout PacketWorld) {
    // Timestamps tell the round trip even of a repeated SYN.
    roundTrip.add(sampleUs: max(1, (world.now - echo) / 1000), unacknowledged: 0, next: 0)
    retryAt = Instant.never.nanoseconds
    tries = 0
    receiver.open(at: world.now)
    sendAcknowledgement(&world)
    continueHandshake(&world)
  }

  /// The next flight of the TLS handshake, or the requests that wait for its end.
  private mutating func continueHandshake(_ world: inout PacketWorld) {
    let flights = world.http.security.flights
    while flight < flights.count {
      phase = .securing
      let (bytes, answer) = flights[flight]
      sendNow(PacketMessage(kind: .flight, end: 0, transfer: flight, bytes: Int64(answer)), bytes: bytes, &world)
      flight += 1
      if answer > 0 {
        flightEnd = receiver.deliveredBytes + Int64(answer)
        return
      }
    }
    phase = .open
    sendPending(&world)
  }

  /// The stream has grown during the TLS handshake. True where it is over.
  mutating func checkHandshake(_ world: inout PacketWorld) {
    if phase == .securing, receiver.deliveredBytes >= flightEnd { continueHandshake(&world) }
  }

  // MARK: - Timers

  /// Fires what is due at `world.now`.
  mutating func fire(_ world: inout PacketWorld) {
    if retryAt <= world.now { retry(&world) }
    if receiver.timerAt <= world.now {
      receiver.expire(at: world.now, roundTrip: &roundTrip)
      sendAcknowledgement(&world)
    }
    guard server.phase != .closed else {
      server.sender.timerAt = Instant.never.nanoseconds
      server.synAckTimer = Instant.never.nanoseconds
      server.tasks.removeAll()
      return
    }
    while let task = server.tasks.first, task.readyAt <= world.now {
      server.tasks.removeFirst()
      handle(task, &world)
    }
    if server.synAckTimer <= world.now {
      if server.synAcksSent > 6 {
        server.phase = .closed
      } else {
        server.synAckTimeouts += 1
        server.synAckTimer = world.timerTime(after: 1_000_000_000 << Int64(server.synAckTimeouts))
        sendSynAck(&world)
      }
    }
    if server.sender.timerAt <= world.now { server.sender.fire(&world) }
    if server.sender.hasGivenUp { giveUp() }
  }

  /// Ends a connection that is tried no longer. Both ends know at once: what the other would still try changes nothing.
  private mutating func giveUp() {
    isLost = phase != .finishing && phase != .gone
    phase = .gone
    server.phase = .closed
    receiver.stop()
    retryAt = Instant.never.nanoseconds
    server.sender.timerAt = Instant.never.nanoseconds
    server.synAckTimer = Instant.never.nanoseconds
    server.tasks.removeAll()
  }

  private mutating func retry(_ world: inout PacketWorld) {
    retryAt = Instant.never.nanoseconds
    switch phase {
    case .resolving: sendSyn(&world)
    case .connecting: if tries > ConnectionPatience.synRetries { giveUp() } else { sendSyn(&world) }
    case .finishing: if tries > ConnectionPatience.finishRetries { giveUp() } else { sendFinish(&world) }
    case .gone: return
    case .securing, .open:
      guard acknowledged < next else { return }
      if tries == 0 { retriedSince = world.now }
      if world.now - retriedSince >= ConnectionPatience.dataNanoseconds { return giveUp() }
      tries += 1
      isRepeated = true
      sendBytes(from: acknowledged, to: next, &world)
      armRetry(&world)
    }
  }
}
