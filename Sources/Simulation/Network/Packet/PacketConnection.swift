// One TCP connection: the client's end, its handshakes, requests and close; the server's end is in PacketConnection+Server.
// It exists while either end is open or a packet of it is in flight. PacketNetwork assigns transfers to it.

struct PacketConnection: ~Copyable {
  enum Phase { case resolving, connecting, securing, open, finishing, gone }

  let index: Int
  let host: Int
  var phase = Phase.resolving
  var receiver = PacketReceiver()
  var server: PacketServer
  var rtt = RoundTripEstimator()

  /// The transfer on an HTTP/1.1 connection; negative while it is idle.
  var transfer = -1
  /// The stream offset at which the transfer has its first byte or its end.
  var milestoneAt = Int64.max
  var idleSince: Int64 = 0
  /// True if its index is free for another connection.
  var isReleased = false
  /// Streams in flight on an HTTP/2 connection.
  var streams = 0
  /// Requests so far, of which only the first has uncompressed headers.
  var requests = 0
  /// The bytes of DATA that no WINDOW_UPDATE of the connection has answered.
  var unannouncedBytes: Int64 = 0

  /// Messages that the client has sent and the server has not read.
  var messages = Queue<PacketMessage>()
  /// The stream offsets of the client's next byte and of its oldest unacknowledged byte.
  private var sndNxt = 0
  private var sndUna = 0
  /// The send time of the bytes that give the next round-trip sample.
  private var sentAt: Int64 = 0
  /// True if they were sent more than once: then they give no sample (Karn's rule).
  private var isRetransmitted = false
  /// Transmissions of the SYN, or retransmissions of the data or the FIN.
  private var attempts = 0
  /// The time of the first retransmission of the unacknowledged bytes.
  private var firstRetryAt: Int64 = 0
  /// True if either end has given the connection up. Its transfers are requested again on another.
  private(set) var isLost = false
  /// The expiry of the client's retry timer.
  var retryAt = Instant.never.nanoseconds
  /// The number of the next TLS flight, and the stream offset that ends the server's answer to the last one.
  private var handshakeFlight = 0
  private var flightEnd: Int64 = 0
  /// Messages that wait for the end of the handshakes or for `flush`.
  private var pending: [(message: PacketMessage, bytes: Int)] = []
  /// The bytes of HTTP/2's connection preface, which precedes the first request: magic, SETTINGS and WINDOW_UPDATE; 0 once sent.
  private var preface: Int
  /// The server's RCV.NXT: the bytes received from the client.
  var rcvNxt = 0

  init(index: Int, host: Int, http: HTTPConfiguration, congestion: NetworkConfiguration.Congestion) {
    self.index = index
    self.host = host
    preface = http.version == .http2 ? 24 + 21 + 13 : 0
    server = PacketServer(connection: index, http: http, congestion: congestion)
  }

  func deallocate() {
    receiver.deallocate()
    server.sender.deallocate()
  }

  @inline(__always) var isDead: Bool { phase == .gone && server.phase == .closed }

  /// Packets in flight in both directions; the count is kept beside the sender's other hot fields.
  @inline(__always) var packetsOnLink: Int {
    get { server.sender.packetsOnLink }
    set { server.sender.packetsOnLink = newValue }
  }

  @inline(__always) var timerAt: Int64 { min(clientTimerAt, server.timerAt) }

  @inline(__always) var clientTimerAt: Int64 { min(retryAt, receiver.timerAt) }

  // MARK: - The client's end

  /// Opens the connection after `wait` nanoseconds of name resolution.
  mutating func open(after wait: Int64, _ world: inout PacketWorld) {
    if wait > 0 {
      retryAt = world.now + wait
      world.wakeClient(index, at: retryAt)
    } else {
      sendSyn(&world)
    }
  }

  private mutating func sendSyn(_ world: inout PacketWorld) {
    phase = .connecting
    if attempts == 0 { sentAt = world.now }
    sendUp(UpPacket(connection: index, kind: .syn, tsVal: world.now), bytes: PacketSize.handshake, &world)
    retryAt = world.timerTime(after: 1_000_000_000 << Int64(max(0, attempts - ConnectionPatience.synLinearTimeouts)))
    attempts += 1
    world.wakeClient(index, at: retryAt)
  }

  /// Queues a request or a frame of `bytes` for the next `flush`.
  mutating func send(_ message: PacketMessage, bytes: Int) {
    if preface > 0 { pending.append((PacketMessage(kind: .preface), preface)) }
    preface = 0
    pending.append((message, bytes))
  }

  /// Sends the queued messages of an open connection. Under HTTP/2 they are one TLS record, but for a preface that is not joined.
  mutating func flush(_ world: inout PacketWorld) {
    guard phase == .open, !pending.isEmpty else { return }
    let batch = pending
    pending.removeAll(keepingCapacity: true)
    let isSplit = world.http.version == .http1 || (batch[0].message.kind == .preface && !world.http.joinsPreface)
    if isSplit { write(batch[..<1], &world) }
    if !isSplit || batch.count > 1 { write(batch[(isSplit ? 1 : 0)...], &world) }
  }

  /// Sends messages that the server can read once all of them have arrived.
  private mutating func write(_ batch: ArraySlice<(message: PacketMessage, bytes: Int)>, _ world: inout PacketWorld) {
    receiver.noteSent(at: world.now)
    let end = sndNxt + batch.reduce(world.http.recordOverhead) { $0 + $1.bytes }
    for var message in batch.lazy.map(\.message) {
      message.end = end
      messages.append(message)
    }
    if sndNxt == sndUna {
      sentAt = world.now
      isRetransmitted = false
      attempts = 0
    }
    sendBytes(from: sndNxt, to: end, &world)
    sndNxt = end
    armRetry(&world)
  }

  private mutating func sendBytes(from start: Int, to end: Int, _ world: inout PacketWorld) {
    var offset = start
    while offset < end {
      let length = min(PacketSize.segment, end - offset)
      var packet = UpPacket(connection: index, kind: .data, tsVal: world.now)
      packet.seq = Int32(truncatingIfNeeded: offset)
      packet.length = Int16(length)
      receiver.write(&packet)
      sendUp(packet, bytes: length + PacketSize.header, &world)
      offset += length
    }
  }

  /// Sets the retry timer: a probe after two round trips and 200 ms, then the RTO with backoff.
  private mutating func armRetry(_ world: inout PacketWorld) {
    var waitUs = rtt.rtoUs << Int64(min(max(attempts - 1, 0), 6))
    if attempts == 0, rtt.hasSample { waitUs = min(waitUs, 2 * rtt.srttUs + 200_000) }
    retryAt = world.timerTime(after: min(waitUs, RoundTripEstimator.maxRtoUs) * 1000)
    world.wakeClient(index, at: retryAt)
  }

  private mutating func sendAcknowledgement(_ world: inout PacketWorld) {
    guard let entry = world.appendUp(bytes: PacketSize.header + receiver.optionBytes) else {
      // A lost acknowledgement changes the receiver's state as well.
      var packet = UpPacket(connection: index, kind: .acknowledgement, tsVal: world.now)
      receiver.write(&packet)
      return
    }
    packetsOnLink &+= 1
    entry.pointee.payload.connection = Int32(truncatingIfNeeded: index)
    entry.pointee.payload.kind = .acknowledgement
    entry.pointee.payload.tsVal = world.now
    receiver.write(&entry.pointee.payload)
  }

  /// Closes the client's end. An open connection sends a FIN and answers later packets with resets.
  mutating func close(_ world: inout PacketWorld) {
    retryAt = Instant.never.nanoseconds
    receiver.stop()
    switch phase {
    case .resolving:
      phase = .gone
      server.phase = .closed
    case .connecting:
      phase = .gone
      // The server has received no SYN and has no state to free.
      if server.phase == .listening, packetsOnLink == 0 { server.phase = .closed }
    default:
      phase = .finishing
      attempts = 0
      sendFinish(&world)
    }
  }

  private mutating func sendFinish(_ world: inout PacketWorld) {
    var packet = UpPacket(connection: index, kind: .finish, tsVal: world.now)
    receiver.write(&packet)
    packet.seq = Int32(truncatingIfNeeded: sndNxt)
    let arrives = sendUp(packet, bytes: PacketSize.header, &world)
    if !arrives {
      attempts += 1
      retryAt = world.timerTime(after: min(rtt.rtoUs << Int64(min(attempts, 6)), RoundTripEstimator.maxRtoUs) * 1000)
      world.wakeClient(index, at: retryAt)
    }
  }

  @discardableResult private mutating func sendUp(_ packet: UpPacket, bytes: Int, _ world: inout PacketWorld) -> Bool {
    guard let entry = world.appendUp(bytes: bytes) else { return false }
    entry.pointee.payload = packet
    packetsOnLink &+= 1
    return true
  }

  private mutating func sendReset(_ world: inout PacketWorld) {
    sendUp(UpPacket(connection: index, kind: .reset, tsVal: world.now), bytes: PacketSize.reset, &world)
  }

  /// True if the packet brings data to an open connection and acknowledges nothing new.
  @inline(__always) func isOpenData(_ packet: UnsafePointer<DownPacket>) -> Bool {
    packet.pointee.kind == .data && phase == .open && Int(packet.pointee.ackNumber, near: sndUna) <= sndUna
  }

  /// Receives the data of such a packet; false if it is a duplicate.
  mutating func receiveData(_ packet: UnsafePointer<DownPacket>, _ world: inout PacketWorld) -> Bool {
    let priorDuplicates = receiver.duplicates
    if receiver.hidesBlocks(packet.pointee.segment) { sendAcknowledgement(&world) }
    if receiver.receive(packet, at: world.now, rtt: &rtt) {
      sendAcknowledgement(&world)
    } else {
      world.wakeClient(index, at: receiver.timerAt)
    }
    return receiver.duplicates == priorDuplicates
  }

  /// Receives the data of such a packet if it is the next expected one. `nextAt` is the arrival of the next one if it follows at once.
  @inline(__always) mutating func receiveExpected(_ packet: UnsafePointer<DownPacket>, nextAt: Int64, _ world: inout PacketWorld) {
    if receiver.receiveExpected(packet, at: world.now, nextAt: nextAt, rtt: &rtt) {
      sendAcknowledgement(&world)
    } else if receiver.timerAt < Instant.never.nanoseconds {
      world.wakeClient(index, at: receiver.timerAt)
    }
  }

  /// Receives a packet at the client; true if the stream has grown.
  mutating func receiveAtClient(_ packet: UnsafePointer<DownPacket>, _ world: inout PacketWorld) -> Bool {
    if phase == .gone || phase == .finishing {
      if packet.pointee.kind == .acknowledgement { return false }
      phase = .gone
      retryAt = Instant.never.nanoseconds
      sendReset(&world)
      return false
    }
    let end = Int(packet.pointee.ackNumber, near: sndUna)
    if end > sndUna { advanceSndUna(end, world.now) }
    switch packet.pointee.kind {
    case .acknowledgement:
      return false
    case .reset:
      giveUp()
      return false
    case .synAck:
      if phase == .connecting {
        establish(tsEcr: packet.pointee.tsEcr, &world)
      } else {
        sendAcknowledgement(&world)
      }
      return false
    case .data:
      let before = receiver.deliveredBytes
      _ = receiveData(packet, &world)
      return receiver.deliveredBytes > before
    }
  }

  private mutating func advanceSndUna(_ count: Int, _ now: Int64) {
    sndUna = count
    firstRetryAt = now
    if !isRetransmitted { rtt.add(sampleUs: (now - sentAt) / 1000, sndUna: sndUna, sndNxt: sndNxt) }
    if sndUna == sndNxt { retryAt = Instant.never.nanoseconds }
  }

  private mutating func establish(tsEcr: Int64, _ world: inout PacketWorld) {
    // Timestamps give the round trip even if the SYN was repeated.
    rtt.add(sampleUs: max(1, (world.now - tsEcr) / 1000), sndUna: 0, sndNxt: 0)
    retryAt = Instant.never.nanoseconds
    attempts = 0
    receiver.open(at: world.now)
    sendAcknowledgement(&world)
    continueHandshake(&world)
  }

  /// Sends the next flight of the TLS handshake, or after the last one the waiting requests.
  private mutating func continueHandshake(_ world: inout PacketWorld) {
    let flights = world.http.security.flights
    while handshakeFlight < flights.count {
      phase = .securing
      let (bytes, answer) = flights[handshakeFlight]
      let flight = PacketMessage(kind: .flight, flight: handshakeFlight, bytes: Int64(answer))
      write([(flight, bytes - world.http.recordOverhead)], &world)
      handshakeFlight += 1
      if answer > 0 {
        flightEnd = receiver.deliveredBytes + Int64(answer)
        return
      }
    }
    phase = .open
    flush(&world)
  }

  /// Goes on with the TLS handshake if the server's flight is complete.
  mutating func checkHandshake(_ world: inout PacketWorld) {
    if phase == .securing, receiver.deliveredBytes >= flightEnd { continueHandshake(&world) }
  }

  // MARK: - Timers

  /// Fires the timers that are due at `world.now`.
  mutating func fire(_ world: inout PacketWorld) {
    if retryAt <= world.now { retry(&world) }
    if receiver.timerAt <= world.now {
      receiver.expire(at: world.now, rtt: &rtt)
      sendAcknowledgement(&world)
    }
    guard server.phase != .closed else {
      server.stopTimers()
      return
    }
    while let task = server.tasks.first, task.readyAt <= world.now {
      server.tasks.removeFirst()
      handle(task, &world)
    }
    if server.synAckTimer <= world.now {
      if server.synAckTimeouts >= ConnectionPatience.synAckRetries {
        server.phase = .closed
      } else {
        server.synAckTimeouts += 1
        server.synAckTimer = world.timerTime(after: 1_000_000_000 << Int64(server.synAckTimeouts))
        sendSynAck(&world)
      }
    }
    if server.acknowledgementAt <= world.now { expireServerAcknowledgement(&world) }
    if server.sender.timerAt <= world.now { server.sender.fire(&world) }
    if server.sender.pacingAt <= world.now { server.sender.firePacing(&world) }
    if server.sender.hasGivenUp { giveUp() }
  }

  /// Ends a connection after its last retry. Both ends end at once: further retries of the other would change nothing.
  private mutating func giveUp() {
    isLost = phase != .finishing && phase != .gone
    phase = .gone
    server.phase = .closed
    receiver.stop()
    retryAt = Instant.never.nanoseconds
    server.stopTimers()
  }

  private mutating func retry(_ world: inout PacketWorld) {
    retryAt = Instant.never.nanoseconds
    switch phase {
    case .resolving: sendSyn(&world)
    case .connecting: if attempts > ConnectionPatience.synRetries { giveUp() } else { sendSyn(&world) }
    case .finishing: if attempts > ConnectionPatience.finishRetries { giveUp() } else { sendFinish(&world) }
    case .gone: return
    case .securing, .open:
      guard sndUna < sndNxt else { return }
      if attempts == 0 { firstRetryAt = world.now }
      if world.now - firstRetryAt >= ConnectionPatience.dataNanoseconds { return giveUp() }
      attempts += 1
      isRetransmitted = true
      sendBytes(from: sndUna, to: sndNxt, &world)
      armRetry(&world)
    }
  }
}
