// The client's side of the packet transport: connections for requests, the effects of a cancel, and the bytes that can be read.
// HTTP/1.1 reuses the most recently used idle connection, and a cancel closes it; HTTP/2 shares one, and a cancel resets a stream.

extension PacketNetwork {
  mutating func start(_ transfer: Int, bytes: Int64, host: Int, priority: Int) {
    while transfers.count <= transfer { transfers.append(Transfer()) }
    let generation = transfers[transfer].generation &+ 1
    transfers[transfer] = Transfer(isActive: true, generation: generation, host: host, size: bytes, priority: priority)
    if world.http.version == .http2 { return bindToShared(transfer) }
    closeIdleConnections(host)
    if let index = hosts[host].idle.popLast() {
      bind(transfer, to: index)
    } else if hosts[host].openCount < world.http.connectionsPerHost {
      bind(transfer, to: openConnection(host))
    } else {
      hosts[host].waiting.append(transfer)
    }
  }

  // Functions that change nothing are inlined: they would be handed a copy of the whole network.

  @inline(__always)
  private func request(of transfer: Int) -> RequestID { RequestID(transfer: transfer, generation: transfers[transfer].generation) }

  /// True if a request is that of a transfer in flight.
  @inline(__always) private func isCurrent(_ request: RequestID) -> Bool {
    transfers[request.transfer].isActive && transfers[request.transfer].generation == request.generation
  }

  var hasPriorities: Bool { world.http.version == .http2 && world.http.priorities }

  /// Sends a PRIORITY_UPDATE frame (RFC 9218, 7.1) if the urgency of a transfer in flight changes.
  mutating func prioritize(_ transfer: Int, priority: Int) {
    let state = transfers[transfer]
    guard hasPriorities, state.isActive, urgency(priority) != urgency(state.priority) else { return }
    transfers[transfer].priority = priority
    let message = PacketMessage(kind: .priority, request: request(of: transfer), urgency: urgency(priority))
    send(message, bytes: 16, on: state.connection)
  }

  /// Returns RFC 9218's urgency of a priority: 0 to 7, or the same for all without priorities.
  @inline(__always) private func urgency(_ priority: Int) -> Int { hasPriorities ? min(max(priority, 0), 7) : 0 }

  mutating func cancel(_ transfer: Int) -> Int64 {
    let receivedBytes = received(transfer)
    let index = transfers[transfer].connection
    let host = transfers[transfer].host
    transfers[transfer].isActive = false
    transfers[transfer].connection = -1
    completed.removeAll { $0 == transfer }
    if index < 0 {
      hosts[host].waiting.removeAll { $0 == transfer }
    } else if world.http.version == .http2 {
      connections[index].streams -= 1
      // A handshake without a waiting stream is given up.
      if connections[index].phase != .open, connections[index].streams == 0 {
        hosts[host].shared = -1
        hosts[host].openCount -= 1
        connections[index].close(&world)
        releaseIfGone(index)
        return receivedBytes
      }
      connections[index].send(PacketMessage(kind: .reset, request: request(of: transfer)), bytes: 13)
      connections[index].flush(&world)
    } else {
      connections[index].transfer = -1
      connections[index].milestoneAt = .max
      undeliveredBytes += connections[index].receiver.outOfOrderBytes
      connections[index].close(&world)
      releaseIfGone(index)
      hosts[host].openCount -= 1
      serveWaiting(host)
    }
    return receivedBytes
  }

  @inline(__always) func received(_ transfer: Int) -> Int64 {
    let state = transfers[transfer]
    guard state.isActive, state.connection >= 0 else { return state.isActive ? state.receivedBefore : 0 }
    let header = state.headerBytes
    let bytes = isChunked ? state.chunkedBytes : connections[state.connection].receiver.deliveredBytes - state.responseStart
    return state.receivedBefore + min(max(bytes - header, 0), state.size - state.receivedBefore)
  }

  @inline(__always) func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    let state = transfers[transfer]
    return (
      state.connectedAt < 0 ? nil : Instant(nanoseconds: state.connectedAt),
      state.firstByteAt < 0 ? nil : Instant(nanoseconds: state.firstByteAt)
    )
  }

  // MARK: - Connections

  private mutating func openConnection(_ host: Int) -> Int {
    hosts[host].openCount += 1
    let index = allocateConnection(host: host)
    let wait = hosts[host].isResolved ? 0 : world.http.dnsTime.nanoseconds
    hosts[host].isResolved = true
    connections[index].open(after: wait, &world)
    return index
  }

  /// Assigns a transfer to the HTTP/2 connection of its host, which is opened if there is none.
  private mutating func bindToShared(_ transfer: Int) {
    let host = transfers[transfer].host
    if hosts[host].shared < 0 { hosts[host].shared = openConnection(host) }
    connections[hosts[host].shared].streams += 1
    bind(transfer, to: hosts[host].shared)
  }

  /// Assigns a transfer to a connection and sends its request.
  private mutating func bind(_ transfer: Int, to index: Int) {
    transfers[transfer].connection = index
    transfers[transfer].responseStart = connections[index].receiver.deliveredBytes
    let (requestBytes, headerBytes) = world.http.headerBytes(after: connections[index].requests)
    connections[index].requests += 1
    transfers[transfer].headerBytes = Int64(headerBytes)
    transfers[transfer].unannouncedBytes = 0
    connections[index].transfer = transfer
    if connections[index].phase == .open { transfers[transfer].connectedAt = world.now }
    if !isChunked { connections[index].milestoneAt = milestoneOffset(transfer) }
    let state = transfers[transfer]
    let message = PacketMessage(
      kind: .request, request: request(of: transfer), bytes: state.size - state.receivedBefore, headerBytes: state.headerBytes,
      urgency: urgency(state.priority))
    send(message, bytes: requestBytes, on: index)
  }

  /// Sends a message: under HTTP/2 together with others of the client's turn.
  private mutating func send(_ message: PacketMessage, bytes: Int, on index: Int) {
    connections[index].send(message, bytes: bytes)
    if world.http.version == .http2 { unflushed.append(index) } else { connections[index].flush(&world) }
  }

  /// Requests the rest of a lost connection's transfers on other connections, as a client does with range requests.
  mutating func replace(_ index: Int) {
    let host = connections[index].host
    hosts[host].openCount -= 1
    if hosts[host].shared == index { hosts[host].shared = -1 }
    hosts[host].idle.removeAll { $0 == index }
    connections[index].transfer = -1
    connections[index].milestoneAt = .max
    undeliveredBytes += connections[index].receiver.outOfOrderBytes
    for transfer in transfers.indices where transfers[transfer].isActive && transfers[transfer].connection == index {
      transfers[transfer].receivedBefore = received(transfer)
      transfers[transfer].chunkedBytes = 0
      transfers[transfer].generation &+= 1
      transfers[transfer].connection = -1
      if world.http.version == .http2 { bindToShared(transfer) } else { bind(transfer, to: openConnection(host)) }
    }
    if world.http.version == .http1 { serveWaiting(host) }
  }

  /// Closes connections that have been idle for longer than the servers allow.
  private mutating func closeIdleConnections(_ host: Int) {
    let limit = world.http.idleTimeout.nanoseconds
    guard limit > 0 else { return }
    while let index = hosts[host].idle.first, world.now - connections[index].idleSince >= limit {
      hosts[host].idle.removeFirst()
      hosts[host].openCount -= 1
      connections[index].phase = .gone
      connections[index].server.phase = .closed
      connections[index].receiver.stop()
      releaseIfGone(index)
    }
  }

  /// Assigns waiting transfers to idle or new connections.
  private mutating func serveWaiting(_ host: Int) {
    while !hosts[host].waiting.isEmpty {
      if let index = hosts[host].idle.popLast() {
        bind(hosts[host].waiting.removeFirst(), to: index)
      } else if hosts[host].openCount < world.http.connectionsPerHost {
        bind(hosts[host].waiting.removeFirst(), to: openConnection(host))
      } else {
        return
      }
    }
  }

  // MARK: - Readable bytes

  /// Notes the time for the transfers that waited for the connection to open.
  mutating func noteConnected(_ index: Int) {
    guard connections[index].phase == .open else { return }
    for transfer in transfers.indices where transfers[transfer].connection == index && transfers[transfer].connectedAt < 0 {
      transfers[transfer].connectedAt = world.now
      if !isChunked { transfers[transfer].responseStart = connections[index].receiver.deliveredBytes }
    }
  }

  /// Returns the stream offset of the transfer's next milestone: its first byte or its end.
  @inline(__always) private func milestoneOffset(_ transfer: Int) -> Int64 {
    let state = transfers[transfer]
    if state.firstByteAt < 0 { return state.responseStart + 1 }
    return state.responseStart + state.responseBytes
  }

  /// Handles a milestone on an HTTP/1.1 connection without TLS.
  mutating func reachMilestone(_ index: Int) {
    let transfer = connections[index].transfer
    guard transfer >= 0 else { return }
    if transfers[transfer].firstByteAt < 0 {
      transfers[transfer].firstByteAt = world.now
      connections[index].milestoneAt = milestoneOffset(transfer)
      if connections[index].receiver.deliveredBytes < connections[index].milestoneAt { return }
    }
    connections[index].milestoneAt = milestoneOffset(transfer)
    if received(transfer) >= transfers[transfer].size { finish(transfer, on: index) }
  }

  /// Reads the chunks that have arrived whole.
  mutating func readChunks(_ index: Int) {
    let offset = connections[index].receiver.deliveredBytes
    while let chunk = connections[index].server.removeChunk(upTo: offset) {
      let transfer = chunk.request.transfer
      if chunk.request == .connection {
        // RFC 9113, 6.5.3.
        connections[index].send(PacketMessage(kind: .settings), bytes: 9)
        connections[index].flush(&world)
        continue
      }
      if chunk.isData, world.http.limitsWindows { announce(chunk, on: index) }
      guard isCurrent(chunk.request) else {
        undeliveredBytes += chunk.bytes
        continue
      }
      if transfers[transfer].firstByteAt < 0 { transfers[transfer].firstByteAt = world.now }
      transfers[transfer].chunkedBytes += chunk.bytes
      if transfers[transfer].chunkedBytes >= transfers[transfer].responseBytes { finish(transfer, on: index) }
    }
  }

  /// Answers DATA with WINDOW_UPDATE frames once half of a window is used (`nghttp2_should_send_window_update`).
  private mutating func announce(_ chunk: PacketChunk, on index: Int) {
    connections[index].unannouncedBytes += chunk.bytes
    var message = PacketMessage(kind: .window, bytes: connections[index].unannouncedBytes)
    if message.bytes >= world.http.connectionWindow / 2 {
      connections[index].unannouncedBytes = 0
      connections[index].send(message, bytes: 13)
    }
    if isCurrent(chunk.request) {
      let transfer = chunk.request.transfer
      transfers[transfer].unannouncedBytes += chunk.bytes
      let isLast = transfers[transfer].chunkedBytes + chunk.bytes >= transfers[transfer].responseBytes
      message.bytes = transfers[transfer].unannouncedBytes
      if message.bytes >= world.http.streamWindow / 2, !isLast {
        message.request = chunk.request
        transfers[transfer].unannouncedBytes = 0
        connections[index].send(message, bytes: 13)
      }
    }
    connections[index].flush(&world)
  }

  /// Completes a transfer; its connection serves the next one.
  private mutating func finish(_ transfer: Int, on index: Int) {
    completed.append(transfer)
    transfers[transfer].isActive = false
    transfers[transfer].connection = -1
    if world.http.version == .http2 {
      connections[index].streams -= 1
      return
    }
    let host = connections[index].host
    connections[index].transfer = -1
    connections[index].milestoneAt = .max
    connections[index].idleSince = world.now
    hosts[host].idle.append(index)
    serveWaiting(host)
  }
}
