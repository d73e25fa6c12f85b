// The client's side of the packet transport: which connection a request takes, what a cut does, and what can be read.
// HTTP/1.1 reuses the connection that idled last, and a cut closes it; HTTP/2 shares one, and a cut resets a stream.

extension PacketNetwork {
  mutating func start(_ transfer: Int, bytes: Int64, host: Int, priority: Int) {
    while transfers.count <= transfer { transfers.append(Transfer()) }
    let generation = transfers[transfer].generation &+ 1
    transfers[transfer] = Transfer(isActive: true, generation: generation, host: host, size: bytes, priority: priority)
    if world.http.version == .http2 {
      if hosts[host].shared < 0 { hosts[host].shared = openConnection(host) }
      let place = hosts[host].shared
      connections[place].streams += 1
      bind(transfer, to: place)
      return
    }
    closeIdlers(host)
    if let place = hosts[host].idle.popLast() {
      bind(transfer, to: place)
    } else if hosts[host].open < world.http.connectionsPerHost {
      bind(transfer, to: openConnection(host))
    } else {
      hosts[host].waiting.append(transfer)
    }
  }

  mutating func cancel(_ transfer: Int) -> Int64 {
    let got = received(transfer)
    let place = transfers[transfer].connection
    let host = transfers[transfer].host
    let generation = transfers[transfer].generation
    transfers[transfer].isActive = false
    transfers[transfer].connection = -1
    pending.removeFirst(pendingHead)
    pendingHead = 0
    pending.removeAll { $0 == transfer }
    if place < 0 {
      hosts[host].waiting.removeAll { $0 == transfer }
    } else if world.http.version == .http2 {
      connections[place].streams -= 1
      // A handshake that nobody waits for any more is given up.
      if connections[place].phase != .open, connections[place].streams == 0 {
        hosts[host].shared = -1
        hosts[host].open -= 1
        connections[place].close(&world)
        if connections[place].isDead, connections[place].packetsOnLink == 0 { release(place) }
        return got
      }
      let message = PacketMessage(kind: .reset, end: 0, transfer: transfer, generation: generation)
      connections[place].send(message, bytes: 13 + (world.http.security == .none ? 0 : 22), &world)
    } else {
      connections[place].transfer = -1
      connections[place].noticeAt = .max
      connections[place].close(&world)
      if connections[place].isDead, connections[place].packetsOnLink == 0 { release(place) }
      hosts[host].open -= 1
      serveWaiting(host)
    }
    return got
  }

  func received(_ transfer: Int) -> Int64 {
    let state = transfers[transfer]
    guard state.isActive, state.connection >= 0 else { return state.isActive ? state.kept : 0 }
    let header = Int64(world.http.responseHeaderBytes)
    let bytes = isChunked ? state.chunked : connections[state.connection].receiver.deliveredBytes - state.start
    return state.kept + min(max(bytes - header, 0), state.size - state.kept)
  }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    let state = transfers[transfer]
    return (
      state.connectedAt < 0 ? nil : Instant(nanoseconds: state.connectedAt),
      state.firstByteAt < 0 ? nil : Instant(nanoseconds: state.firstByteAt)
    )
  }

  // MARK: - Connections

  private mutating func openConnection(_ host: Int) -> Int {
    hosts[host].open += 1
    let place = occupy(host: host)
    let wait = hosts[host].isResolved ? 0 : world.http.dnsTime.nanoseconds
    hosts[host].isResolved = true
    connections[place].open(after: wait, &world)
    return place
  }

  /// Binds a transfer to its connection and asks for it.
  private mutating func bind(_ transfer: Int, to place: Int) {
    transfers[transfer].connection = place
    transfers[transfer].start = connections[place].receiver.deliveredBytes
    connections[place].transfer = transfer
    if connections[place].phase == .open { transfers[transfer].connectedAt = world.now }
    if !isChunked { connections[place].noticeAt = noticeOffset(transfer) }
    let state = transfers[transfer]
    let message = PacketMessage(
      kind: .request, end: 0, transfer: transfer, generation: state.generation, bytes: state.size - state.kept,
      priority: state.priority)
    connections[place].send(message, bytes: world.http.requestBytes, &world)
  }

  /// Asks again, on other connections, for what a lost one had still to bring: as a client does that asks for the rest by its range.
  mutating func replace(_ place: Int) {
    let host = connections[place].host
    hosts[host].open -= 1
    if hosts[host].shared == place { hosts[host].shared = -1 }
    hosts[host].idle.removeAll { $0 == place }
    connections[place].transfer = -1
    connections[place].noticeAt = .max
    for transfer in transfers.indices where transfers[transfer].isActive && transfers[transfer].connection == place {
      transfers[transfer].kept = received(transfer)
      transfers[transfer].chunked = 0
      transfers[transfer].generation &+= 1
      transfers[transfer].connection = -1
      if world.http.version == .http2 {
        if hosts[host].shared < 0 { hosts[host].shared = openConnection(host) }
        connections[hosts[host].shared].streams += 1
        bind(transfer, to: hosts[host].shared)
      } else {
        bind(transfer, to: openConnection(host))
      }
    }
    if world.http.version == .http1 { serveWaiting(host) }
  }

  /// The servers have closed what idled too long.
  private mutating func closeIdlers(_ host: Int) {
    let limit = world.http.idleTimeout.nanoseconds
    guard limit > 0 else { return }
    while let place = hosts[host].idle.first, world.now - connections[place].idleSince >= limit {
      hosts[host].idle.removeFirst()
      hosts[host].open -= 1
      connections[place].phase = .gone
      connections[place].server.phase = .closed
      connections[place].receiver.stop()
      if connections[place].packetsOnLink == 0 { release(place) }
    }
  }

  private mutating func serveWaiting(_ host: Int) {
    while !hosts[host].waiting.isEmpty {
      if let place = hosts[host].idle.popLast() {
        bind(hosts[host].waiting.removeFirst(), to: place)
      } else if hosts[host].open < world.http.connectionsPerHost {
        bind(hosts[host].waiting.removeFirst(), to: openConnection(host))
      } else {
        return
      }
    }
  }

  // MARK: - What can be read

  /// The connection has changed its phase: its transfers may have been waiting for that.
  mutating func noteConnected(_ place: Int) {
    guard connections[place].phase == .open else { return }
    for transfer in transfers.indices where transfers[transfer].connection == place && transfers[transfer].connectedAt < 0 {
      transfers[transfer].connectedAt = world.now
      if !isChunked { transfers[transfer].start = connections[place].receiver.deliveredBytes }
    }
  }

  /// The stream's offset at which the transfer has something to say next: its first byte, or its end.
  private func noticeOffset(_ transfer: Int) -> Int64 {
    let state = transfers[transfer]
    if state.firstByteAt < 0 { return state.start + 1 }
    return state.start + Int64(world.http.responseHeaderBytes) + state.size - state.kept
  }

  /// A plain HTTP/1.1 connection has reached the offset that was waited for.
  mutating func notice(_ place: Int) {
    let transfer = connections[place].transfer
    guard transfer >= 0 else { return }
    if transfers[transfer].firstByteAt < 0 {
      transfers[transfer].firstByteAt = world.now
      connections[place].noticeAt = noticeOffset(transfer)
      if connections[place].receiver.deliveredBytes < connections[place].noticeAt { return }
    }
    connections[place].noticeAt = noticeOffset(transfer)
    if received(transfer) >= transfers[transfer].size { finish(transfer, on: place) }
  }

  /// Counts the parts of a chunked stream that have arrived whole.
  mutating func readChunks(_ place: Int) {
    let offset = connections[place].receiver.deliveredBytes
    while let chunk = connections[place].server.takeChunk(upTo: offset) {
      let transfer = chunk.transfer
      guard transfers[transfer].isActive, transfers[transfer].generation == chunk.generation else {
        deadBytes += chunk.bytes
        continue
      }
      if transfers[transfer].firstByteAt < 0 { transfers[transfer].firstByteAt = world.now }
      transfers[transfer].chunked += chunk.bytes
      if transfers[transfer].chunked >= transfers[transfer].size - transfers[transfer].kept + Int64(world.http.responseHeaderBytes) {
        finish(transfer, on: place)
      }
    }
  }

  private mutating func finish(_ transfer: Int, on place: Int) {
    pending.append(transfer)
    transfers[transfer].isActive = false
    transfers[transfer].connection = -1
    if world.http.version == .http2 {
      connections[place].streams -= 1
      return
    }
    let host = connections[place].host
    connections[place].transfer = -1
    connections[place].noticeAt = .max
    connections[place].idleSince = world.now
    hosts[host].idle.append(place)
    serveWaiting(host)
  }
}
