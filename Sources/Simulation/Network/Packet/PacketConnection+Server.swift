// The server's end of a connection: its handshake, and the messages that it reads from the client's stream.
// PacketServer writes the answers and PacketSender sends them.

extension PacketConnection {
  mutating func receiveAtServer(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    switch packet.pointee.kind {
    case .syn: receiveSyn(packet.pointee, &world)
    case .reset: server.phase = .closed
    default:
      guard server.phase != .closed else {
        // A socket that is no longer there answers with a reset.
        if phase == .open || phase == .securing { sendDown(.reset, ackNumber: 0, bytes: PacketSize.reset, &world) }
        return
      }
      if server.phase != .open { establishServer(&world) }
      // Data that acknowledges nothing new takes the kernel's fast path, which neither sends nor wakes the application.
      let isPlainData =
        packet.pointee.kind == .data && Int(packet.pointee.ackNumber) <= server.sender.sndUna
        && packet.pointee.windowEdge <= server.sender.windowEdge
      if !isPlainData { server.receiveAck(packet, &world) }
      if packet.pointee.kind == .data { receiveServerData(packet.pointee, &world) }
      if packet.pointee.kind == .finish { finishServer(world.http) }
    }
  }

  private mutating func finishServer(_ http: HTTPConfiguration) {
    server.finish(http)
    // A server with nothing left to send closes as well.
    if server.sender.packetsOut == 0, server.sender.writtenBytes == server.sender.sentBytes {
      server.phase = .closed
      phase = .gone
      retryAt = Instant.never.nanoseconds
    }
  }

  private mutating func receiveSyn(_ packet: UpPacket, _ world: inout PacketWorld) {
    guard server.phase == .listening || server.phase == .answering else { return }
    if server.phase == .listening {
      server.phase = .answering
      server.synAckAt = world.now
    }
    // A repeated SYN is answered at once and restarts the SYN-ACK timer.
    server.synAckTimer = world.timerTime(after: 1_000_000_000 << Int64(server.synAckTimeouts))
    world.wake(index, at: server.synAckTimer)
    server.sender.tsRecent = packet.tsVal
    sendSynAck(&world)
  }

  mutating func sendSynAck(_ world: inout PacketWorld) {
    server.synAcksSent += 1
    sendDown(.synAck, ackNumber: 0, bytes: PacketSize.handshake, &world)
  }

  /// Sends a packet without data.
  private mutating func sendDown(_ kind: DownPacket.Kind, ackNumber: Int, bytes: Int, _ world: inout PacketWorld) {
    guard let entry = world.appendDown(bytes: bytes) else { return }
    entry.pointee.payload = DownPacket(
      tsVal: world.now, tsEcr: server.sender.tsRecent, connection: Int32(index), ackNumber: Int32(truncatingIfNeeded: ackNumber), kind: kind
    )
    packetsOnLink &+= 1
  }

  private mutating func establishServer(_ world: inout PacketWorld) {
    server.phase = .open
    server.synAckTimer = Instant.never.nanoseconds
    if server.synAcksSent == 1 {
      server.sender.rtt.noteMinRtt((world.now - server.synAckAt) / 1000)
      server.sender.rtt.add(sampleUs: (world.now - server.synAckAt) / 1000, sndUna: 0, sndNxt: 0)
    } else {
      server.sender.rtt.reinitialize()
      // RFC 5681, 3.1, as in Linux: after a second retransmission of the SYN-ACK the initial window is one segment.
      if server.synAcksSent > 2, server.synAckTimeouts > 0 { server.sender.cubic.cwnd = 1 }
    }
    if world.congestion == .bbr { server.sender.startBBR(&world) }
  }

  private mutating func receiveServerData(_ packet: UpPacket, _ world: inout PacketWorld) {
    let start = Int(packet.seq, near: rcvNxt)
    let end = start + Int(packet.length)
    if start > rcvNxt || end <= rcvNxt {
      sendServerAcknowledgement(&world)
      return
    }
    rcvNxt = end
    server.sender.rcvNxt = rcvNxt
    server.sender.tsRecent = packet.tsVal
    if !server.hasAnswered {
      // The first data is acknowledged at once; later acknowledgements are piggybacked on responses, or delayed by `TCP_ATO_MIN`.
      server.hasAnswered = true
      sendServerAcknowledgement(&world)
    } else if server.acknowledgementAt == Instant.never.nanoseconds {
      server.acknowledgementAt = world.timerTime(after: 40_000_000)
      world.wake(index, at: server.acknowledgementAt)
    }
    server.receivedAt = world.now
    while var message = messages.first, message.end <= rcvNxt {
      messages.removeFirst()
      let wait =
        message.kind == .flight && message.bytes > 0 ? world.http.handshakeTime : message.kind == .request ? world.http.serverTime : .zero
      message.readyAt = world.now + wait.nanoseconds
      if wait == .zero, server.tasks.isEmpty {
        handle(message, &world)
      } else {
        server.tasks.append(message)
        world.wake(index, at: message.readyAt)
      }
    }
  }

  private mutating func sendServerAcknowledgement(_ world: inout PacketWorld) {
    server.acknowledgementAt = Instant.never.nanoseconds
    sendDown(.acknowledgement, ackNumber: rcvNxt, bytes: PacketSize.header, &world)
  }

  /// Fires the delayed acknowledgement, unless a packet with data has carried it.
  mutating func expireServerAcknowledgement(_ world: inout PacketWorld) {
    if server.sender.lastSentAt < server.receivedAt { sendServerAcknowledgement(&world) }
    server.acknowledgementAt = Instant.never.nanoseconds
  }

  mutating func handle(_ message: PacketMessage, _ world: inout PacketWorld) {
    if server.isFinished { return }
    switch message.kind {
    case .request: server.answer(message, &world)
    case .reset: server.reset(message.request)
    case .priority: if server.isNghttpd { server.nghttpd.prioritize(message) } else { server.nginx.prioritize(message) }
    case .window: server.widen(message, &world)
    case .settings: break
    case .flight:
      if message.bytes > 0 { server.writeFlight(message.bytes, &world) }
      let isLast = message.flight == world.http.security.flights.count - 1
      if isLast, server.isFramed { server.beginHTTP2(world.http.security, &world) }
    case .preface:
      if world.http.security == .none { server.beginHTTP2(.none, &world) }
      server.acknowledgeSettings(readsOn: readsOn(world), &world)
    }
    if server.isNghttpd, message.kind != .flight, !readsOn(world) { server.writeBuffer(&world) }
  }

  /// True if the server has a further message to read before it writes.
  private func readsOn(_ world: borrowing PacketWorld) -> Bool {
    if let next = server.tasks.first, next.readyAt <= world.now { return true }
    return world.http.serverTime == .zero && messages.first.map { $0.end <= rcvNxt } ?? false
  }
}
