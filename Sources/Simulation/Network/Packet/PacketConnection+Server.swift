// The server's end of a connection: its handshake, the client's stream as it arrives there, and what the messages in it ask.
// What is written in answer, and how it is sent, is the server's and its sender's.

extension PacketConnection {
  mutating func takeUp(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    switch packet.pointee.kind {
    case .syn: takeSyn(packet.pointee, &world)
    case .reset: server.phase = .closed
    default:
      guard server.phase != .closed else { return }
      if server.phase != .open {
        establishServer(&world)
      }
      server.take(packet, &world)
      if packet.pointee.kind == .data { takeData(packet.pointee, &world) }
      if packet.pointee.kind == .finish { finishServer() }
    }
  }

  private mutating func finishServer() {
    server.finish()
    // With nothing left to send the server closes as well.
    if server.sender.outstanding == 0, server.sender.written == server.sender.sentBytes {
      server.phase = .closed
      phase = .gone
      retryAt = Instant.never.nanoseconds
    }
  }

  private mutating func takeSyn(_ packet: UpPacket, _ world: inout PacketWorld) {
    guard server.phase == .listening || server.phase == .answering else { return }
    if server.phase == .listening {
      server.phase = .answering
      server.synAckAt = world.now
    }
    // A repeated SYN is answered at once, and the server's own repetition waits anew.
    server.synAckTimer = world.timerTime(after: 1_000_000_000 << Int64(server.synAckTimeouts))
    world.wake(place, at: server.synAckTimer)
    server.sender.clientStamp = packet.sentAt
    sendSynAck(&world)
  }

  mutating func sendSynAck(_ world: inout PacketWorld) {
    server.synAcksSent += 1
    let packet = DownPacket(
      sentAt: world.now, echo: server.sender.clientStamp, connection: Int32(place), acknowledged: 0, kind: .synAck)
    sendDown(packet, bytes: PacketSize.handshake, &world)
  }

  private mutating func sendDown(_ packet: DownPacket, bytes: Int, _ world: inout PacketWorld) {
    guard let entry = world.down.append(bytes: bytes, at: world.now) else { return }
    entry.pointee.payload = packet
    packetsOnLink &+= 1
  }

  private mutating func establishServer(_ world: inout PacketWorld) {
    server.phase = .open
    server.synAckTimer = Instant.never.nanoseconds
    if server.synAcksSent == 1 {
      server.sender.roundTrip.noteLeast((world.now - server.synAckAt) / 1000)
      server.sender.roundTrip.add(sampleUs: (world.now - server.synAckAt) / 1000, unacknowledged: 0, next: 0)
    } else {
      server.sender.roundTrip.fallBack()
      // RFC 5681: a handshake that was lost twice starts from one segment.
      if server.synAcksSent > 2, server.synAckTimeouts > 0 { server.sender.cubic.size = 1 }
    }
  }

  private mutating func takeData(_ packet: UpPacket, _ world: inout PacketWorld) {
    let start = Int(packet.start, near: received)
    let end = start + Int(packet.length)
    if start > received || end <= received {
      sendServerAcknowledgement(&world)
      return
    }
    received = end
    server.sender.received = received
    server.sender.clientStamp = packet.sentAt
    if !server.hasAnswered {
      // A young connection acknowledges its first data at once; later ones ride on the response.
      server.hasAnswered = true
      sendServerAcknowledgement(&world)
    }
    while messageHead < messages.count, messages[messageHead].end <= received {
      var message = messages[messageHead]
      messageHead += 1
      let wait = message.kind == .flight ? world.http.handshakeTime : message.kind == .request ? world.http.serverTime : .zero
      message.readyAt = world.now + wait.nanoseconds
      if wait == .zero, server.tasks.isEmpty {
        handle(message, &world)
      } else {
        server.tasks.append(message)
        world.wake(place, at: message.readyAt)
      }
    }
    if messageHead == messages.count {
      messages.removeAll(keepingCapacity: true)
      messageHead = 0
    }
  }

  private mutating func sendServerAcknowledgement(_ world: inout PacketWorld) {
    let packet = DownPacket(
      sentAt: world.now, echo: server.sender.clientStamp, connection: Int32(place), acknowledged: Int32(truncatingIfNeeded: received),
      kind: .acknowledgement)
    sendDown(packet, bytes: PacketSize.header, &world)
  }

  mutating func handle(_ message: PacketMessage, _ world: inout PacketWorld) {
    if server.isFinished { return }
    switch message.kind {
    case .request: server.answer(message, headerBytes: Int64(world.http.responseHeaderBytes), &world)
    case .reset: server.reset(message.transfer, message.generation)
    case .flight: if message.bytes > 0 { server.writeFlight(message.bytes, &world) }
    }
  }
}
