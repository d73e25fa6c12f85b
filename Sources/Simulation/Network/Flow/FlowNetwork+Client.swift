// The client's side of the flow transport: the same rules as the packet transport's, with responses instead of streams of packets.

extension FlowNetwork {
  /// Where HyStart ends slow start on this link: the train of acknowledgements outlasts half a round trip, or the queue adds to it.
  static func slowStartEnd(_ segmentTime: Int64, _ baseTime: Int64) -> Double {
    var window: Int64 = 10
    while window < 100_000 {
      if segmentTime <= 2_000_000, window * segmentTime > baseTime / 2 { return Double(window + baseTime / (2 * segmentTime)) }
      if window / 2 * segmentTime > baseTime + 16_000_000 { return Double(window + 18) }
      window *= 2
    }
    return Double(window)
  }

  mutating func start(_ transfer: Int, bytes: Int64, host: Int) {
    while transfers.count <= transfer { transfers.append(Transfer()) }
    transfers[transfer] = Transfer(size: bytes)
    closeIdlers(host)
    if let place = hosts[host].idle.popLast() {
      bind(transfer, to: place, isNew: false)
    } else if hosts[host].open < http.connectionsPerHost {
      bind(transfer, to: openConnection(host), isNew: true)
    } else {
      hosts[host].waiting.append(transfer)
    }
  }

  mutating func cancel(_ transfer: Int, host: Int? = nil) -> Int64 {
    forgetBlocks()
    let got = received(transfer)
    let place = transfers[transfer].connection
    transfers[transfer].connection = -1
    pending.removeAll { $0.transfer == transfer }
    guard place >= 0 else {
      for index in hosts.indices { hosts[index].waiting.removeAll { $0 == transfer } }
      return got
    }
    counters.bytesDead += connections[place].sent - connections[place].responseStart - got
    kill(place)
    connections[place].transfer = -1
    connections[place].isCut = true
    let host = connections[place].host
    connections[place].generation &+= 1
    hosts[host].open -= 1
    freeConnections.append(place)
    serveWaiting(host)
    return got
  }

  func received(_ transfer: Int) -> Int64 {
    let place = transfers[transfer].connection
    guard place >= 0 else { return 0 }
    let bytes = arrivedBytes(place) - connections[place].responseStart - Int64(http.responseHeaderBytes)
    return min(max(bytes, 0), transfers[transfer].size)
  }

  mutating func watch(_ transfer: Int, bytes: Int64) {
    transfers[transfer].watched = bytes
    let place = transfers[transfer].connection
    guard place >= 0 else { return }
    if received(transfer) >= bytes {
      transfers[transfer].watched = .max
      pending.append(Arrival(transfer: transfer, event: .watched))
    } else {
      noteWatch(place)
    }
  }

  private mutating func openConnection(_ host: Int) -> Int {
    hosts[host].open += 1
    counters.newConnections += 1
    var wait: Int64 = 0
    if !hosts[host].isResolved {
      hosts[host].isResolved = true
      wait = http.dnsTime.nanoseconds
    }
    let place: Int
    if let free = freeConnections.popLast() {
      place = free
      let generation = connections[place].generation
      connections[place] = FlowConnection()
      connections[place].generation = generation
    } else {
      place = connections.count
      connections.append(FlowConnection())
    }
    connections[place].host = host
    post(.syn, at: now + wait + upTime(PacketSize.handshake), place)
    return place
  }

  private mutating func bind(_ transfer: Int, to place: Int, isNew: Bool) {
    forgetBlocks()
    transfers[transfer].connection = place
    connections[place].transfer = transfer
    defer { connections[place].requests += 1 }
    connections[place].left = transfers[transfer].size + Int64(http.responseHeaderBytes)
    connections[place].responseStart = connections[place].sent
    connections[place].base = max(connections[place].base, connections[place].sent)
    if !isNew {
      transfers[transfer].connectedAt = now
      // The first answer on a connection is acknowledged before the next request, later ones by it.
      let header = connections[place].requests == 1 && connections[place].idleSince == now ? 2 * PacketSize.header : PacketSize.header
      post(.request, at: now + upTime(http.requestBytes + header) + http.serverTime.nanoseconds, place)
    }
  }

  private mutating func closeIdlers(_ host: Int) {
    let limit = http.idleTimeout.nanoseconds
    guard limit > 0 else { return }
    while let place = hosts[host].idle.first, now - connections[place].idleSince >= limit {
      hosts[host].idle.removeFirst()
      hosts[host].open -= 1
      connections[place].generation &+= 1
      freeConnections.append(place)
    }
  }

  private mutating func serveWaiting(_ host: Int) {
    while !hosts[host].waiting.isEmpty {
      if let place = hosts[host].idle.popLast() {
        bind(hosts[host].waiting.removeFirst(), to: place, isNew: false)
      } else if hosts[host].open < http.connectionsPerHost {
        bind(hosts[host].waiting.removeFirst(), to: openConnection(host), isNew: true)
      } else {
        return
      }
    }
  }

  /// Posts the moment at which a wish will be met, once the bytes are on their way.
  mutating func noteWatch(_ place: Int) {
    let transfer = connections[place].transfer
    guard transfer >= 0, transfers[transfer].watched < .max else { return }
    let wish = transfers[transfer].watched
    guard wish < transfers[transfer].size else { return }
    let offset = connections[place].responseStart + Int64(http.responseHeaderBytes) + wish
    guard let time = arrivalTime(place, of: offset) else { return }
    post(.watch, at: max(now, time), place)
  }

  /// Notes when the first byte of a response can be read, if the block just sent carries it: with TLS a whole record must have come.
  mutating func noteFirstByte(_ place: Int, from: Int64, until: Int64, bytes: Int64) {
    let transfer = connections[place].transfer
    guard transfer >= 0, transfers[transfer].firstByteAt < 0, bytes > 0 else { return }
    let total = transfers[transfer].size + Int64(http.responseHeaderBytes)
    let needed = http.security == .none ? min(total, Int64(PacketSize.segment)) : min(total, 16406)
    let before = connections[place].sent - bytes - connections[place].responseStart
    guard before + bytes >= needed else { return }
    let share = Double(needed - before) / Double(bytes)
    transfers[transfer].firstByteAt = from + Int64(Double(until - from) * share) + network.delayDown.nanoseconds
  }

  mutating func noticeWatch(_ place: Int) {
    let transfer = connections[place].transfer
    guard transfer >= 0, transfers[transfer].watched < .max else { return }
    transfers[transfer].watched = .max
    pending.append(Arrival(transfer: transfer, event: .watched))
  }

  mutating func finish(_ place: Int) {
    let transfer = connections[place].transfer
    guard transfer >= 0 else { return }
    forgetBlocks()
    if transfers[transfer].watched < .max { pending.append(Arrival(transfer: transfer, event: .watched)) }
    transfers[transfer].watched = .max
    pending.append(Arrival(transfer: transfer, event: .finished))
    transfers[transfer].connection = -1
    connections[place].transfer = -1
    connections[place].idleSince = now
    let host = connections[place].host
    hosts[host].idle.append(place)
    serveWaiting(host)
  }
}
