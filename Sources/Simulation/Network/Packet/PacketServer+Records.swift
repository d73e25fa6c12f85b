// The server's writes as TLS records or HTTP/2 frames: what the socket does not take waits, and nothing is written past it.
// nginx's order of streams is in NginxOutput, the memory of the socket in SocketMemory.

extension PacketServer {
  /// Writes a flight of the TLS handshake, or frames that no request has asked for.
  mutating func writeFlight(_ bytes: Int64, _ world: inout PacketWorld) {
    pendingBytes += bytes
    _ = writePending(&world)
  }

  /// Begins HTTP/2 after the TLS handshake: tickets for resumption, each written by itself, and the server's SETTINGS.
  mutating func beginHTTP2(_ security: HTTPConfiguration.Security, _ world: inout PacketWorld) {
    if security == .tls13 || security == .resumed { for _ in 0..<2 { writeFlight(Sizes.ticket, &world) } }
    if isNghttpd {
      nghttpd.control(Sizes.frameHeader + Sizes.setting, isSettings: true)
      writeBuffer(&world)
    } else {
      nginx.control(Sizes.settings, isSettings: true)
      sendQueue(&world)
    }
  }

  /// Answers the client's SETTINGS. The acknowledgement is in one record with the HEADERS of a request that was read and answered with them.
  mutating func acknowledgeSettings(readsOn: Bool, _ world: inout PacketWorld) {
    if isNghttpd {
      nghttpd.control(Sizes.frameHeader)
    } else {
      nginx.control(Sizes.frameHeader)
      if !readsOn { sendQueue(&world) }
    }
  }

  /// Lets the application write if an acknowledgement has freed a third of a full socket.
  mutating func wakeIfFree(_ world: inout PacketWorld) {
    guard socket.wakes(&sender) else { return }
    sender.isCorked = false
    nginx.isReady = true
    if isNghttpd {
      writeBuffer(&world)
    } else if isFramed {
      if !nginx.isEmpty || pendingBytes > 0 { sendQueue(&world) }
      runPosted(&world)
    } else {
      writeRecords(&world)
    }
  }

  /// Writes the rest of the last record (`SSL_write`); true if the socket takes all of it.
  private mutating func writePending(_ world: inout PacketWorld) -> Bool {
    let taken = socket.accept(pendingBytes, &sender)
    sender.isCorked = socket.isFull
    if taken > 0 {
      sender.write(taken, at: world.now)
      sender.push(&world)
      socket.update(&sender)
    }
    pendingBytes -= taken
    return pendingBytes == 0
  }

  /// Begins a record of `plain` bytes with its parts.
  private mutating func beginRecord(_ plain: Int64, _ parts: [PacketChunk]) {
    pendingBytes = plain + (isSecured ? Sizes.recordOverhead : 0)
    for var part in parts {
      part.end = sender.writtenBytes + pendingBytes
      chunks.append(part)
    }
  }

  // MARK: - nghttpd on HTTP/2

  /// Writes nghttpd's buffer as records, and fills it again, until the socket is full (`Http2Handler::write_tls`). It does so after each
  /// read, whether or not the socket has become writable.
  mutating func writeBuffer(_ world: inout PacketWorld) {
    while pendingBytes == 0 || writePending(&world) {
      guard nghttpd.fill() else { return }
      let record = nghttpd.removeRecord()
      beginRecord(record.plain, record.parts)
    }
  }

  // MARK: - nginx on HTTP/2

  /// Lets the streams run that waited for a window.
  mutating func widen(_ message: PacketMessage, _ world: inout PacketWorld) {
    if isNghttpd { return nghttpd.widen(message) }
    for request in nginx.widen(message) { run(request, &world) }
    runPosted(&world)
  }

  /// Opens a stream, and lets it and the streams that it posts run.
  mutating func answerStream(_ message: PacketMessage, _ world: inout PacketWorld) {
    if isNghttpd { return nghttpd.open(message) }
    nginx.open(message)
    send(message.request, &world)
    run(message.request, &world)
    if !nginx.isEmpty { sendQueue(&world) }
    runPosted(&world)
  }

  private mutating func runPosted(_ world: inout PacketWorld) { while let request = nginx.nextPosted() { run(request, &world) } }

  /// Lets a stream read its file and send until it has no free output buffer (`ngx_http_writer`).
  private mutating func run(_ request: RequestID, _ world: inout PacketWorld) {
    var isFirst = true
    while nginx.read(request) || isFirst {
      send(request, &world)
      isFirst = false
    }
  }

  private mutating func send(_ request: RequestID, _ world: inout PacketWorld) {
    if nginx.beginSend(request) { sendQueue(&world) }
    nginx.endSend(request)
  }

  /// Writes the queue of frames until the socket is full (`ngx_http_v2_send_output_queue`).
  private mutating func sendQueue(_ world: inout PacketWorld) {
    guard nginx.isReady else { return }
    nginx.beginQueue()
    if pendingBytes > 0 {
      nginx.isReady = writePending(&world)
      if nginx.isReady { _ = nginx.endRecord() }
    }
    while nginx.isReady, nginx.fillRecord() {
      let record = nginx.removeRecord()
      beginRecord(record.plain, record.parts)
      nginx.isReady = writePending(&world)
      if nginx.isReady, !nginx.endRecord() { break }
    }
    nginx.endQueue()
  }

  // MARK: - HTTP/1.1 over TLS

  /// Writes records of the response until the socket is full.
  mutating func writeRecords(_ world: inout PacketWorld) {
    if pendingBytes > 0, !writePending(&world) { return }
    while !responses.isEmpty {
      let bytes = min(Sizes.record, responses[0].left)
      beginRecord(bytes, [PacketChunk(request: responses[0].request, bytes: bytes)])
      responses[0].left -= bytes
      if responses[0].left == 0 { responses.removeFirst() }
      if !writePending(&world) { return }
    }
  }
}
