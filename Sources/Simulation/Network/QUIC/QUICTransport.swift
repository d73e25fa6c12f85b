// The transport of HTTP/3, validated against ngtcp2: both links, the connections, and the transfers of one client.
// A host has one connection; a transfer is a stream. A cancel is STOP_SENDING.

final class QUICTransport: Transport {
  struct Transfer {
    var isActive = false
    var host = 0
    var stream: Int64 = 0
    var size: Int64 = 0
    var headerBytes: Int64 = 0
    /// The bytes of `size` that connections since lost have delivered.
    var receivedBefore: Int64 = 0
    var received = QUICRanges()
    var connectedAt: Int64 = -1
    var firstByteAt: Int64 = -1
  }

  private struct Connection {
    /// The number among all connections; -1 for none. A datagram of a closed connection finds another number.
    var number = -1
    var client: QUICEndpoint
    var server: QUICEndpoint
    /// The opening of the connection, after the name resolution.
    var opensAt: Int64 = 0
    var isConnecting = true
    /// True if the server's idle timeout has passed: it answers no more.
    var isServerClosed = false
    /// The next request's stream; the transfers of open ones.
    var nextStream: Int64 = 0, open: [(stream: Int64, transfer: Int)] = []
    var timerAt = QUICRecovery.never

    init(_ network: NetworkConfiguration, seed: UInt64) {
      client = QUICEndpoint(isServer: false, http: network.http, congestion: network.congestion, seed: seed)
      server = QUICEndpoint(isServer: true, http: network.http, congestion: network.congestion, seed: seed)
    }
  }

  /// The time without a packet after which a client that waits for a response sends a PING (RFC 9000, 10.1.2), as in Chromium.
  private static let keepAlive = 15 * QUICRecovery.second
  /// The longest pause before a new connection after lost ones without a complete handshake; it doubles from 1 s, as TCP's between SYNs.
  private static let longestPause = 120 * QUICRecovery.second

  private var clock: Int64 = 0
  private var down: PacketLink<QUICDatagram>
  private var up: PacketLink<QUICDatagram>
  private let network: NetworkConfiguration
  private let http: HTTPConfiguration
  private let watch: RunWatch?
  private var stepsUntilCount = RunWatch.transportStep

  private var connections: [Connection]
  private var connectionCount = 0
  private var isResolved: [Bool]
  /// The connections of each host that were lost before their handshake was complete, since the last complete one.
  private var failures: [Int]
  private var transfers: [Transfer] = []
  private var completed = Queue<Int>()
  /// Responses that servers are computing, by time.
  private var responses = Queue<(at: Int64, host: Int, stream: Int64)>()
  private var timerBound = QUICRecovery.never
  private var undeliveredBytes: Int64 = 0

  /// The packets of the datagrams on the links, and the free slots.
  private var datagrams: [[QUICPacket]] = [], freeSlots: [Int32] = []

  private var radio: RadioState

  init(_ network: NetworkConfiguration, watch: RunWatch? = nil) {
    precondition(network.http.version == .http3, "TCP has a transport of its own")
    (self.network, self.watch, http) = (network, watch, network.http)
    radio = RadioState(network)
    down = .down(network)
    up = .up(network)
    connections = Array(repeating: Connection(network, seed: 0), count: max(1, http.hosts))
    isResolved = Array(repeating: false, count: connections.count)
    failures = Array(repeating: 0, count: connections.count)
  }

  deinit {
    down.deallocate()
    up.deallocate()
  }

  var counters: TransportCounters {
    TransportCounters(
      newConnections: connectionCount, bytesDead: undeliveredBytes, packetsDropped: down.dropped + up.dropped, packetsSent: down.sent)
  }

  // MARK: - The loop

  private var nextEvent: Int64 { min(min(down.nextArrival, up.nextArrival), timerBound) }

  var now: Instant { Instant(nanoseconds: clock) }

  var nextChange: Instant { Instant(nanoseconds: nextEvent) }

  func advance(until limit: Instant) -> Int? {
    while completed.isEmpty {
      let time = nextEvent
      if time > limit.nanoseconds {
        clock = max(clock, limit.nanoseconds)
        return nil
      }
      assert(time >= clock, "time decreased")
      stepsUntilCount &-= 1
      if stepsUntilCount == 0 {
        stepsUntilCount = RunWatch.transportStep
        if watch?.count(RunWatch.transportStep) ?? false { return nil }
      }
      clock = time
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
    let host = Int(datagram.host)
    let packets = datagrams[Int(datagram.slot)]
    datagrams[Int(datagram.slot)] = []
    freeSlots.append(datagram.slot)
    if radio.sleeps {
      if toClient { radio.noteReceived(at: clock) } else { radio.noteSeen(at: clock) }
    }
    guard connections[host].number == datagram.connection, toClient || !connections[host].isServerClosed else {
      if toClient { undeliveredBytes += packets.flatMap(\.frames).reduce(0) { $0 + ($1.kind == .stream ? Int64($1.length) : 0) } }
      return
    }
    if toClient {
      connections[host].client.receive(packets, bytes: Int(datagram.bytes), at: clock)
      handleEvents(host)
      connections[host].client.write(at: clock)
    } else {
      connections[host].server.receive(packets, bytes: Int(datagram.bytes), at: clock)
      handleEvents(host)
      connections[host].server.write(at: clock)
    }
    flush(host)
  }

  private func fireTimers() {
    while let response = responses.first, response.at <= clock {
      responses.removeFirst()
      respond(response.stream, on: response.host)
      if !connections[response.host].isServerClosed { connections[response.host].server.write(at: clock) }
      flush(response.host)
    }
    for host in connections.indices where connections[host].timerAt <= clock { fireTimers(of: host) }
    updateTimerBound()
  }

  private func fireTimers(of host: Int) {
    if connections[host].isConnecting {
      connections[host].isConnecting = false
      connections[host].client.connect(at: clock)
    }
    if !connections[host].open.isEmpty {
      if connections[host].client.idleTimeoutAt <= clock { return replace(host) }
      connections[host].isServerClosed = connections[host].isServerClosed || connections[host].server.idleTimeoutAt <= clock
      if keepAliveAt(host) <= clock { connections[host].client.ping(at: clock) }
    }
    if connections[host].client.timerAt <= clock {
      connections[host].client.fire(at: clock)
      connections[host].client.write(at: clock)
    }
    if connections[host].server.timerAt <= clock, !connections[host].isServerClosed {
      connections[host].server.fire(at: clock)
      handleEvents(host)
      connections[host].server.write(at: clock)
    }
    flush(host)
  }

  private func keepAliveAt(_ host: Int) -> Int64 {
    connections[host].client.isConfirmed ? connections[host].client.activeAt + Self.keepAlive : QUICRecovery.never
  }

  // MARK: - Events

  private func handleEvents(_ host: Int) {
    for stream in connections[host].server.newRequests {
      if http.serverTime > .zero {
        responses.append((clock + http.serverTime.nanoseconds, host, stream))
      } else {
        respond(stream, on: host)
      }
    }
    connections[host].server.newRequests.removeAll(keepingCapacity: true)
    let data = connections[host].client.newData
    connections[host].client.newData.removeAll(keepingCapacity: true)
    for (stream, range) in data { receive(range, stream: stream, on: host) }
    guard connections[host].client.isComplete else { return }
    for (_, transfer) in connections[host].open where transfers[transfer].connectedAt < 0 { transfers[transfer].connectedAt = clock }
  }

  /// Starts the response to a request, unless the client has cancelled it.
  private func respond(_ stream: Int64, on host: Int) {
    guard !connections[host].isServerClosed, let (_, transfer) = connections[host].open.first(where: { $0.stream == stream }) else {
      return
    }
    let bytes = transfers[transfer].headerBytes + transfers[transfer].size - transfers[transfer].receivedBefore
    connections[host].server.send(stream: stream, bytes: bytes)
  }

  private func receive(_ range: Range<Int64>, stream: Int64, on host: Int) {
    guard let slot = connections[host].open.firstIndex(where: { $0.stream == stream }) else {
      undeliveredBytes += Int64(range.count)
      return
    }
    let transfer = connections[host].open[slot].transfer
    let fresh = transfers[transfer].received.insert(range)
    undeliveredBytes += Int64(range.count) - fresh
    if transfers[transfer].firstByteAt < 0, transfers[transfer].received.contiguousEnd > 0 { transfers[transfer].firstByteAt = clock }
    if receivedBytes(transfer) >= transfers[transfer].size {
      connections[host].open.remove(at: slot)
      transfers[transfer].isActive = false
      completed.append(transfer)
    }
  }

  // MARK: - The client

  func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    let host = http.coalesces ? 0 : host
    while transfers.count <= transfer { transfers.append(Transfer()) }
    transfers[transfer] = Transfer(isActive: true, host: host, size: volume.bytesRoundedUp)
    let limit = http.idleTimeout.nanoseconds
    if limit > 0, connections[host].number >= 0, connections[host].open.isEmpty, clock - connections[host].client.idleSince >= limit {
      close(host)
    }
    bind(transfer)
  }

  func cancel(_ transfer: Int) -> Volume {
    let volume = received(transfer)
    completed.removeAll { $0 == transfer }
    guard transfers[transfer].isActive else { return volume }
    let host = transfers[transfer].host
    // Bytes behind a hole were never read.
    undeliveredBytes += transfers[transfer].received.count - transfers[transfer].received.contiguousEnd
    transfers[transfer].isActive = false
    connections[host].open.removeAll { $0.transfer == transfer }
    connections[host].client.cancel(stream: transfers[transfer].stream)
    if !connections[host].isConnecting { writeRequests(host) }
    return volume
  }

  func received(_ transfer: Int) -> Volume { .bytes(receivedBytes(transfer)) }

  private func receivedBytes(_ transfer: Int) -> Int64 {
    let state = transfers[transfer]
    guard state.isActive else { return 0 }
    let bytes = state.received.contiguousEnd - state.headerBytes
    return state.receivedBefore + min(max(bytes, 0), state.size - state.receivedBefore)
  }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    let (connected, first) = (transfers[transfer].connectedAt, transfers[transfer].firstByteAt)
    return (connected < 0 ? nil : Instant(nanoseconds: connected), first < 0 ? nil : Instant(nanoseconds: first))
  }

  /// Sends a transfer's request on the connection of its host, which is opened if there is none.
  private func bind(_ transfer: Int) {
    let host = transfers[transfer].host
    if connections[host].number < 0 { openConnection(host) }
    let stream = connections[host].nextStream
    connections[host].nextStream += 4
    let (requestBytes, headerBytes) = http.headerBytes(after: Int(stream / 4))
    transfers[transfer].headerBytes = Int64(headerBytes)
    transfers[transfer].stream = stream
    // A connection without requests is kept alive.
    if connections[host].open.isEmpty, !connections[host].isConnecting {
      connections[host].client.restartIdleTimer(at: clock)
      connections[host].server.restartIdleTimer(at: clock)
    }
    connections[host].open.append((stream, transfer))
    if connections[host].client.isComplete { transfers[transfer].connectedAt = clock }
    connections[host].client.send(stream: stream, bytes: Int64(requestBytes))
    if !connections[host].isConnecting { writeRequests(host) }
  }

  private func writeRequests(_ host: Int) {
    connections[host].client.write(at: clock)
    flush(host)
  }

  private func openConnection(_ host: Int) {
    connections[host] = Connection(network, seed: network.seed &+ UInt64(connectionCount))
    connections[host].number = connectionCount
    let pause = failures[host] == 0 ? 0 : min(Self.longestPause, QUICRecovery.second << min(failures[host] - 1, 7))
    connections[host].opensAt = clock + pause + (isResolved[host] ? 0 : http.dnsTime.nanoseconds)
    isResolved[host] = true
    connectionCount += 1
    // The handshake starts when all requests of this instant are known.
    setTimer(host)
  }

  /// Requests the rest of a lost connection's transfers on another one.
  private func replace(_ host: Int) {
    let lost = connections[host].open.map(\.transfer)
    failures[host] = connections[host].client.isComplete ? 0 : failures[host] + 1
    close(host)
    for transfer in lost {
      undeliveredBytes += transfers[transfer].received.count - transfers[transfer].received.contiguousEnd
      transfers[transfer].receivedBefore = receivedBytes(transfer)
      transfers[transfer].received = QUICRanges()
      bind(transfer)
    }
  }

  private func close(_ host: Int) {
    connections[host] = Connection(network, seed: 0)
    responses.removeAll { $0.host == host }
  }

  // MARK: - The links

  /// Puts the datagrams that both ends have written on the links, and sets the connection's timer.
  private func flush(_ host: Int) {
    for (packets, bytes) in connections[host].client.outbox {
      let entry = up.append(bytes: bytes + QUICSize.header, at: radio.promotes ? radio.sendUp(at: clock) : clock)
      entry?.pointee.payload = datagram(packets, bytes, host)
    }
    connections[host].client.outbox.removeAll(keepingCapacity: true)
    for (packets, bytes) in connections[host].server.outbox {
      let entry = down.append(bytes: bytes + QUICSize.header, at: radio.sleeps ? radio.sendDown(at: clock) : clock)
      entry?.pointee.payload = datagram(packets, bytes, host)
    }
    connections[host].server.outbox.removeAll(keepingCapacity: true)
    setTimer(host)
  }

  private func datagram(_ packets: [QUICPacket], _ bytes: Int, _ host: Int) -> QUICDatagram {
    if freeSlots.isEmpty {
      freeSlots.append(Int32(datagrams.count))
      datagrams.append([])
    }
    let slot = freeSlots.removeLast()
    datagrams[Int(slot)] = packets
    return QUICDatagram(tsVal: clock, host: Int32(host), connection: connections[host].number, slot: slot, bytes: Int32(bytes))
  }

  private func setTimer(_ host: Int) {
    if connections[host].isConnecting {
      connections[host].timerAt = connections[host].opensAt
    } else {
      let isWaiting = !connections[host].open.isEmpty
      var time = connections[host].client.timerAt
      if isWaiting { time = min(time, connections[host].client.idleTimeoutAt, keepAliveAt(host)) }
      if !connections[host].isServerClosed {
        time = min(time, connections[host].server.timerAt)
        if isWaiting { time = min(time, connections[host].server.idleTimeoutAt) }
      }
      connections[host].timerAt = time
    }
    updateTimerBound()
  }

  private func updateTimerBound() {
    timerBound = responses.first?.at ?? QUICRecovery.never
    for host in connections.indices { timerBound = min(timerBound, connections[host].timerAt) }
  }
}
