// HTTP/3 on the packet transport: both links, the connections, and the transfers of one client.
// A host has one connection; a transfer is a stream. A cancel is STOP_SENDING.

final class QUICNetwork {
  struct Transfer {
    var isActive = false
    var host = 0
    var connection = -1
    var stream: Int64 = 0
    var size: Int64 = 0
    /// The bytes of `size` that connections since lost have delivered.
    var receivedBefore: Int64 = 0
    var received = QUICRanges()
    var connectedAt: Int64 = -1
    var firstByteAt: Int64 = -1
  }

  private struct Connection {
    var client: QUICEndpoint
    var server: QUICEndpoint
    let host: Int
    /// The opening of the connection, after the name resolution.
    var opensAt: Int64
    var isConnecting = true
    /// The next request's stream; the transfers of open ones.
    var nextStream: Int64 = 0
    var open: [(stream: Int64, transfer: Int)] = []
    /// The last arrival at the client: an idle connection is closed.
    var activeAt: Int64
    var timerAt = QUICRecovery.never
    /// True after the idle timeout: nothing happens any more.
    var isClosed = false
  }

  /// The idle timeout that ngtcp2's programs negotiate (RFC 9000, 10.1).
  private static let idleTimeout = 30 * QUICRecovery.second

  private(set) var now: Int64 = 0
  private var down: PacketLink<QUICDatagram>
  private var up: PacketLink<QUICDatagram>
  private let network: NetworkConfiguration
  private let http: HTTPConfiguration
  private let watch: RunWatch?
  private var stepsUntilCount = RunWatch.transportStep

  private var connections: [Connection] = []
  /// The connection of each host; -1 for none.
  private var shared: [Int]
  private var isResolved: [Bool]
  private var transfers: [Transfer] = []
  private var completed: [Int] = []
  /// Responses that servers are computing, by time.
  private var responses: [(at: Int64, connection: Int, stream: Int64)] = []
  private var timerBound = QUICRecovery.never
  private var undeliveredBytes: Int64 = 0

  /// The packets of the datagrams on the links, and the free slots.
  private var datagrams: [[QUICPacket]] = []
  private var freeSlots: [Int32] = []

  private var radioActiveAt: Int64 = .min / 2
  private var radioReadyAt: Int64 = .min / 2

  init(_ network: NetworkConfiguration, _ watch: RunWatch?) {
    self.network = network
    self.watch = watch
    http = network.http
    down = PacketLink(
      network, rate: network.down, delay: network.delayDown, loss: network.lossDown, queue: network.queueDown, name: "packets down")
    up = PacketLink(
      network, rate: network.up, delay: network.delayUp, loss: network.lossUp, queue: network.queueUp, name: "packets up")
    shared = Array(repeating: -1, count: max(1, http.hosts))
    isResolved = Array(repeating: false, count: max(1, http.hosts))
  }

  deinit {
    down.deallocate()
    up.deallocate()
  }

  var counters: TransportCounters {
    var counters = TransportCounters()
    counters.packetsSent = down.sent
    counters.newConnections = connections.count
    counters.bytesDead = undeliveredBytes
    counters.packetsDropped = down.dropped + up.dropped
    return counters
  }

  // MARK: - The loop

  func advance(until limit: Int64) -> Int? {
    while completed.isEmpty {
      let time = min(min(down.nextArrival, up.nextArrival), timerBound)
      if time > limit {
        now = max(now, limit)
        return nil
      }
      assert(time >= now, "time decreased")
      stepsUntilCount &-= 1
      if stepsUntilCount == 0 {
        stepsUntilCount = RunWatch.transportStep
        if watch?.count(RunWatch.transportStep) ?? false { return nil }
      }
      now = time
      if down.nextArrival == time {
        deliver(down.removeFirst().pointee, toClient: true)
      } else if up.nextArrival == time {
        deliver(up.removeFirst().pointee, toClient: false)
      } else {
        fireTimers()
      }
    }
    return completed.removeFirst()
  }

  private func deliver(_ datagram: QUICDatagram, toClient: Bool) {
    let index = Int(datagram.connection)
    let packets = datagrams[Int(datagram.slot)]
    datagrams[Int(datagram.slot)] = []
    freeSlots.append(datagram.slot)
    guard !connections[index].isClosed else {
      if toClient { undeliveredBytes += packets.reduce(0) { $0 + streamBytes($1) } }
      return
    }
    if toClient {
      connections[index].activeAt = now
      connections[index].client.receive(packets, bytes: Int(datagram.bytes), at: now)
      handleEvents(index)
      connections[index].client.write(at: now)
    } else {
      connections[index].server.receive(packets, bytes: Int(datagram.bytes), at: now)
      handleEvents(index)
      connections[index].server.write(at: now)
    }
    flush(index)
  }

  private func streamBytes(_ packet: QUICPacket) -> Int64 {
    packet.frames.reduce(0) { $0 + ($1.kind == .stream ? Int64($1.length) : 0) }
  }

  private func fireTimers() {
    while let response = responses.first, response.at <= now {
      responses.removeFirst()
      if connections[response.connection].isClosed { continue }
      respond(response.stream, on: response.connection)
      connections[response.connection].server.write(at: now)
      flush(response.connection)
    }
    for index in connections.indices where connections[index].timerAt <= now {
      if connections[index].isConnecting {
        connections[index].isConnecting = false
        connections[index].client.connect(at: now)
      }
      if !connections[index].open.isEmpty, now - connections[index].activeAt >= Self.idleTimeout {
        replace(index)
        continue
      }
      if connections[index].client.timerAt <= now {
        connections[index].client.fire(at: now)
        connections[index].client.write(at: now)
      }
      if connections[index].server.timerAt <= now {
        connections[index].server.fire(at: now)
        handleEvents(index)
        connections[index].server.write(at: now)
      }
      flush(index)
    }
    updateTimerBound()
  }

  // MARK: - Events

  private func handleEvents(_ index: Int) {
    for event in connections[index].server.events {
      guard case .request(let stream) = event else { continue }
      if http.serverTime > .zero {
        responses.append((now + http.serverTime.nanoseconds, index, stream))
      } else {
        respond(stream, on: index)
      }
    }
    connections[index].server.events.removeAll(keepingCapacity: true)
    let events = connections[index].client.events
    connections[index].client.events.removeAll(keepingCapacity: true)
    for case .data(let stream, let range) in events { receive(range, stream: stream, on: index) }
    guard connections[index].client.isComplete else { return }
    for (_, transfer) in connections[index].open where transfers[transfer].connectedAt < 0 { transfers[transfer].connectedAt = now }
  }

  /// Starts the response to a request, unless the client has cancelled it.
  private func respond(_ stream: Int64, on index: Int) {
    guard let (_, transfer) = connections[index].open.first(where: { $0.stream == stream }) else { return }
    let bytes = Int64(http.responseHeaderBytes) + transfers[transfer].size - transfers[transfer].receivedBefore
    connections[index].server.send(stream: stream, bytes: bytes)
  }

  private func receive(_ range: Range<Int64>, stream: Int64, on index: Int) {
    guard let slot = connections[index].open.firstIndex(where: { $0.stream == stream }) else {
      undeliveredBytes += Int64(range.count)
      return
    }
    let transfer = connections[index].open[slot].transfer
    let fresh = transfers[transfer].received.insert(range)
    undeliveredBytes += Int64(range.count) - fresh
    if transfers[transfer].firstByteAt < 0, transfers[transfer].received.contiguousEnd > 0 { transfers[transfer].firstByteAt = now }
    if received(transfer) >= transfers[transfer].size {
      connections[index].open.remove(at: slot)
      transfers[transfer].isActive = false
      completed.append(transfer)
    }
  }

  // MARK: - The client

  func start(_ transfer: Int, bytes: Int64, host: Int) {
    while transfers.count <= transfer { transfers.append(Transfer()) }
    transfers[transfer] = Transfer(isActive: true, host: host, size: bytes)
    let limit = http.idleTimeout.nanoseconds
    if let index = shared[host] >= 0 ? shared[host] : nil, connections[index].open.isEmpty, limit > 0,
      now - connections[index].activeAt >= limit
    {
      close(index)
    }
    bind(transfer)
  }

  func cancel(_ transfer: Int) -> Int64 {
    let bytes = received(transfer)
    completed.removeAll { $0 == transfer }
    guard transfers[transfer].isActive else { return bytes }
    let index = transfers[transfer].connection
    // Bytes behind a hole were never read.
    undeliveredBytes += transfers[transfer].received.count - transfers[transfer].received.contiguousEnd
    transfers[transfer].isActive = false
    connections[index].open.removeAll { $0.transfer == transfer }
    connections[index].client.cancel(stream: transfers[transfer].stream)
    if !connections[index].isConnecting {
      connections[index].client.write(at: now)
      flush(index)
    }
    return bytes
  }

  func received(_ transfer: Int) -> Int64 {
    let state = transfers[transfer]
    guard state.isActive else { return 0 }
    let bytes = state.received.contiguousEnd - Int64(http.responseHeaderBytes)
    return state.receivedBefore + min(max(bytes, 0), state.size - state.receivedBefore)
  }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    let (connected, first) = (transfers[transfer].connectedAt, transfers[transfer].firstByteAt)
    return (connected < 0 ? nil : Instant(nanoseconds: connected), first < 0 ? nil : Instant(nanoseconds: first))
  }

  /// Sends a transfer's request on the connection of its host, which is opened if there is none.
  private func bind(_ transfer: Int) {
    let host = transfers[transfer].host
    if shared[host] < 0 { openConnection(host) }
    let index = shared[host]
    let stream = connections[index].nextStream
    connections[index].nextStream += 4
    (transfers[transfer].connection, transfers[transfer].stream) = (index, stream)
    if connections[index].open.isEmpty { connections[index].activeAt = max(connections[index].activeAt, now) }
    connections[index].open.append((stream, transfer))
    if connections[index].client.isComplete { transfers[transfer].connectedAt = now }
    connections[index].client.send(stream: stream, bytes: Int64(http.requestBytes))
    guard !connections[index].isConnecting else { return }
    connections[index].client.write(at: now)
    flush(index)
  }

  private func openConnection(_ host: Int) {
    let opensAt = now + (isResolved[host] ? 0 : http.dnsTime.nanoseconds)
    isResolved[host] = true
    let seed = network.seed &+ UInt64(connections.count)
    let client = QUICEndpoint(
      isServer: false, isResuming: http.earlyData, http: http, congestion: network.congestion, seed: seed)
    let server = QUICEndpoint(isServer: true, isResuming: http.earlyData, http: http, congestion: network.congestion, seed: seed)
    shared[host] = connections.count
    connections.append(Connection(client: client, server: server, host: host, opensAt: opensAt, activeAt: opensAt))
    // The handshake starts when all requests of this instant are known.
    setTimer(connections.count - 1)
  }

  /// Requests the rest of a lost connection's transfers on another one.
  private func replace(_ index: Int) {
    let lost = connections[index].open.map(\.transfer)
    close(index)
    for transfer in lost {
      undeliveredBytes += transfers[transfer].received.count - transfers[transfer].received.contiguousEnd
      transfers[transfer].receivedBefore = received(transfer)
      transfers[transfer].received = QUICRanges()
      bind(transfer)
    }
  }

  private func close(_ index: Int) {
    connections[index].isClosed = true
    connections[index].open = []
    connections[index].timerAt = QUICRecovery.never
    if shared[connections[index].host] == index { shared[connections[index].host] = -1 }
  }

  // MARK: - The links

  /// Puts the datagrams that both ends have written on the links, and sets the connection's timer.
  private func flush(_ index: Int) {
    for (packets, bytes) in connections[index].client.outbox {
      let datagram = QUICDatagram(tsVal: now, connection: Int32(index), slot: store(packets), bytes: Int32(bytes))
      let entry = up.append(bytes: bytes + QUICSize.header, at: network.radioPromotion > .zero ? radioStart() : now)
      if let entry { entry.pointee.payload = datagram } else { free(datagram.slot) }
    }
    connections[index].client.outbox.removeAll(keepingCapacity: true)
    for (packets, bytes) in connections[index].server.outbox {
      let datagram = QUICDatagram(tsVal: now, connection: Int32(index), slot: store(packets), bytes: Int32(bytes))
      let entry = down.append(bytes: bytes + QUICSize.header, at: now)
      if let entry { entry.pointee.payload = datagram } else { free(datagram.slot) }
    }
    connections[index].server.outbox.removeAll(keepingCapacity: true)
    setTimer(index)
  }

  private func store(_ packets: [QUICPacket]) -> Int32 {
    if let slot = freeSlots.popLast() {
      datagrams[Int(slot)] = packets
      return slot
    }
    datagrams.append(packets)
    return Int32(datagrams.count - 1)
  }

  private func free(_ slot: Int32) {
    datagrams[Int(slot)] = []
    freeSlots.append(slot)
  }

  /// Returns the time at which an idle radio can send.
  private func radioStart() -> Int64 {
    if now - radioActiveAt > network.radioTail.nanoseconds { radioReadyAt = now + network.radioPromotion.nanoseconds }
    radioActiveAt = now
    return max(now, radioReadyAt)
  }

  private func setTimer(_ index: Int) {
    if connections[index].isClosed { return }
    if connections[index].isConnecting {
      connections[index].timerAt = connections[index].opensAt
    } else {
      connections[index].timerAt = min(connections[index].client.timerAt, connections[index].server.timerAt)
      if !connections[index].open.isEmpty {
        connections[index].timerAt = min(connections[index].timerAt, connections[index].activeAt + Self.idleTimeout)
      }
    }
    updateTimerBound()
  }

  private func updateTimerBound() {
    timerBound = responses.first?.at ?? QUICRecovery.never
    for index in connections.indices { timerBound = min(timerBound, connections[index].timerAt) }
  }
}
