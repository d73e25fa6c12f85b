// One end of a QUIC connection as ngtcp2 0.12 behaves: handshake, streams, timers, and what it does with received packets.
// Both ends share it; QUICEndpoint+Sending writes packets and QUICEndpoint+Recovery handles acknowledgements and losses.

struct QUICEndpoint {
  let isServer: Bool
  let handshakeTime: Int64
  /// The ack-eliciting packets that are acknowledged at once; nil for an end that always waits for `ackDelay`.
  let ackThreshold: Int?
  /// True if PINGs among its acknowledgements ask for acknowledgements.
  let addsPings: Bool
  /// The length of the client's connection ID.
  let clientID: Int
  /// True if the client's ticket allows 0-RTT data; true if the server refuses them.
  let isResuming: Bool, refusesEarlyData: Bool
  private let repeatsCancelledStreams: Bool

  var spaces = [QUICSpace(), QUICSpace(), QUICSpace()]
  var path = QUICRecovery()
  /// The congestion control: BBR if there is one, else CUBIC.
  var cubic = QUICCubic(), bbr: QUICBBR?
  var timeoutCount = 0
  /// `loss_detection_timer`.
  var lossTimerAt = QUICRecovery.never

  /// The next time at which the endpoint must run.
  var timerAt = QUICRecovery.never

  /// The start of the idle timer: the last arrival, or the first ack-eliciting packet sent since (RFC 9000, 10.1); `never` before both.
  private(set) var idleSince = QUICRecovery.never
  private var restartsIdleTimerOnWrite = true
  /// The last arrival or ack-eliciting packet.
  private(set) var activeAt = QUICRecovery.never

  // The handshake.
  private(set) var isComplete = false
  var isConfirmed = false
  /// True if packets of the application may be sent: for a server after the ClientHello.
  private(set) var hasKeys = false
  /// The end of the server's computation of its flight; `never` for none.
  private(set) var flightAt = QUICRecovery.never
  private var hasHello = false
  private var buffered: [QUICPacket] = []
  /// True if the address of the client is validated (RFC 9000, 8.1), and the amounts of the amplification limit.
  var isValidated = false, receivedBytes = 0, sentBytes = 0

  // Path MTU discovery (RFC 8899).
  var datagramSize = QUICSize.minimumDatagram
  var probeIndex = QUICSize.probes.count
  var probeCount = 0
  var probeExpiry = QUICRecovery.never

  // Pacing.
  var nextSendAt: Int64 = -1
  var pacedBytes: Int64 = 0
  /// Packets sent since the last ack-eliciting one.
  var nonElicitingCount = 0

  /// The streams with bytes to send or to be acknowledged, in order of their numbers.
  var streams: [QUICSendStream] = []
  /// The requests that are not complete, and the numbers of those that are; at the client, of acknowledged response headers.
  private var requests: [(stream: Int64, received: QUICRanges, size: Int64?)] = [], completeHeaders = QUICRanges()
  /// For the network: the streams of requests that a server has received whole, and the bytes of responses that a client has received.
  var newRequests: [Int64] = [], newData: [(stream: Int64, range: Range<Int64>)] = []
  /// The datagrams written, for the network.
  var outbox: [(packets: [QUICPacket], bytes: Int)] = []

  init(isServer: Bool, http: HTTPConfiguration, congestion: NetworkConfiguration.Congestion, seed: UInt64) {
    self.isServer = isServer
    (isResuming, refusesEarlyData) = (http.earlyData, http.refusesEarlyData)
    (handshakeTime, repeatsCancelledStreams) = (http.handshakeTime.nanoseconds, http.repeatsCancelledStreams)
    let isAioquic = http.quicClient == .aioquic
    ackThreshold = isAioquic && !isServer ? nil : 2
    addsPings = isServer || !isAioquic
    clientID = isAioquic ? 8 : 17
    isValidated = !isServer
    // The client of the measurements has CUBIC.
    if isServer, congestion == .bbr { bbr = QUICBBR(&path, random: RandomStream(runSeed: seed, name: "bbr"), at: 0) }
  }

  mutating func connect(at now: Int64) {
    spaces[0].crypto.size = Int64(isResuming ? QUICSize.resumingHello : QUICSize.clientHello)
    if isResuming { openApplication() }
    write(at: now)
  }

  // MARK: - Idle timeout

  /// The `max_idle_timeout` of ngtcp2's programs and of Chromium.
  private static let idleTimeout = 30 * QUICRecovery.second

  var idleTimeoutAt: Int64 { idleSince == QUICRecovery.never ? idleSince : idleSince + max(Self.idleTimeout, 3 * path.pto) }

  /// Restarts the idle timer of an endpoint that has sent or received something.
  mutating func restartIdleTimer(at now: Int64) {
    if idleSince < QUICRecovery.never { (idleSince, activeAt, restartsIdleTimerOnWrite) = (now, now, true) }
  }

  mutating func noteElicitingSent(at now: Int64) {
    if restartsIdleTimerOnWrite { (idleSince, restartsIdleTimerOnWrite) = (now, false) }
    activeAt = now
  }

  mutating func ping(at now: Int64) {
    activeAt = now
    spaces[2].frames.append(QUICFrame(kind: .ping))
    write(at: now)
  }

  private mutating func openApplication() {
    guard !hasKeys else { return }
    hasKeys = true
    spaces[2].frames.append(QUICFrame(kind: .control, length: QUICSize.settings))
  }

  // MARK: - Streams

  /// Opens the sending half of a stream with all its bytes; `write` sends them.
  mutating func send(stream id: Int64, bytes: Int64) {
    let index = streams.firstIndex { $0.id > id } ?? streams.count
    streams.insert(QUICSendStream(id: id, size: bytes), at: index)
  }

  /// Ends a response at the client: STOP_SENDING, unless the request never left.
  mutating func cancel(stream id: Int64) {
    let index = streams.firstIndex { $0.id == id }
    let isUnsent = index.map { streams[$0].next == 0 } ?? false
    if let index { streams.remove(at: index) }
    if !isUnsent { spaces[2].frames.append(QUICFrame(kind: .stopSending, stream: id)) }
  }

  // MARK: - Receiving

  /// Receives a datagram; `write` must follow when the network has handled the events.
  mutating func receive(_ packets: [QUICPacket], bytes: Int, at now: Int64) {
    receivedBytes += bytes
    (idleSince, activeAt, restartsIdleTimerOnWrite) = (now, now, true)
    for packet in packets { receive(packet, at: now) }
  }

  private mutating func receive(_ packet: QUICPacket, at now: Int64) {
    let level = packet.level.rawValue
    guard !spaces[level].isDiscarded, !packet.isEarly || !refusesEarlyData else { return }
    // Packets that cannot be decrypted yet wait for their keys.
    guard level < 2 || isComplete || (packet.isEarly && hasKeys) else { return buffered.append(packet) }
    if isServer, level == 1 {
      isValidated = true
      discard(.initial, at: now)
    }
    guard spaces[level].receive(packet, ackThreshold: ackThreshold, at: now) else { return }
    if !packet.acknowledged.isEmpty { receiveAck(packet, at: now) }
    for frame in packet.frames { receive(frame, level: level, at: now) }
  }

  private mutating func receive(_ frame: QUICFrame, level: Int, at now: Int64) {
    switch frame.kind {
    case .crypto:
      spaces[level].cryptoReceived.insert(frame.range)
      advanceHandshake(at: now)
    case .stream:
      if isServer {
        receiveRequest(frame)
      } else {
        acknowledgeHeader(frame)
        newData.append((frame.stream, frame.range))
      }
    case .stopSending:
      if let index = streams.firstIndex(where: { $0.id == frame.stream }) {
        if repeatsCancelledStreams { streams[index].reset() } else { streams.remove(at: index) }
      }
      spaces[2].frames.append(QUICFrame(kind: .resetStream, stream: frame.stream, offset: 1 << 20))
    case .handshakeDone:
      isConfirmed = true
      discard(.handshake, at: now)
    case .control, .ping, .resetStream: break
    }
  }

  private mutating func receiveRequest(_ frame: QUICFrame) {
    guard !completeHeaders.contains(frame.stream / 4) else { return }
    let known = requests.firstIndex { $0.stream == frame.stream }
    let index = known ?? requests.count
    if known == nil { requests.append((frame.stream, QUICRanges(), nil)) }
    requests[index].received.insert(frame.range)
    // The last frame names the length of the request.
    if frame.isLast { requests[index].size = frame.range.upperBound }
    guard requests[index].received.contiguousEnd == requests[index].size else { return }
    requests.remove(at: index)
    completeHeaders.insert(frame.stream / 4..<frame.stream / 4 + 1)
    newRequests.append(frame.stream)
  }

  /// Acknowledges the header of a response, which uses QPACK's dynamic table (RFC 9204, 4.4.1).
  private mutating func acknowledgeHeader(_ frame: QUICFrame) {
    let number = frame.stream / 4
    guard frame.offset == 0, completeHeaders.insert(number..<number + 1) > 0 else { return }
    spaces[2].frames.append(QUICFrame(kind: .control, length: QUICSize.decoderAnswer))
  }

  private mutating func advanceHandshake(at now: Int64) {
    if isServer {
      if !hasHello, spaces[0].cryptoReceived.contiguousEnd >= Int64(isResuming ? QUICSize.resumingHello : QUICSize.clientHello) {
        hasHello = true
        flightAt = now + handshakeTime
        if handshakeTime == 0 { sendFlight(at: now) }
      }
      if !isComplete, spaces[1].cryptoReceived.contiguousEnd >= Int64(QUICSize.finished) { complete(at: now) }
    } else if !isComplete, spaces[0].cryptoReceived.contiguousEnd >= Int64(QUICSize.serverHello),
      spaces[1].cryptoReceived.contiguousEnd >= flightBytes
    {
      spaces[1].crypto.size = Int64(QUICSize.finished)
      complete(at: now)
    }
  }

  /// The bytes of the server's flight on the handshake level: its certificate, unless the session is resumed.
  private var flightBytes: Int64 {
    let security: HTTPConfiguration.Security = isResuming ? .resumed : .tls13
    return Int64(security.flights[0].server - QUICSize.serverHello)
  }

  /// Sends the server's flight when it is computed.
  mutating func sendFlight(at now: Int64) {
    flightAt = QUICRecovery.never
    spaces[0].crypto.size = Int64(QUICSize.serverHello)
    spaces[1].crypto.size = flightBytes
    openApplication()
    readBuffered(at: now)
  }

  private mutating func complete(at now: Int64) {
    isComplete = true
    openApplication()
    probeIndex = 0
    if isServer {
      isConfirmed = true
      spaces[2].frames.append(QUICFrame(kind: .handshakeDone))
      spaces[2].frames.append(QUICFrame(kind: .control, length: QUICSize.serverControl))
      spaces[2].crypto.size = Int64(QUICSize.tickets)
      discard(.handshake, at: now)
    } else {
      if isResuming, refusesEarlyData { repeatEarlyData(at: now) }
      spaces[2].frames.append(QUICFrame(kind: .control, length: QUICSize.clientControl))
    }
    readBuffered(at: now)
  }

  /// Sends refused 0-RTT data again (`ngtcp2_conn_early_data_rejected`).
  private mutating func repeatEarlyData(at now: Int64) {
    for packet in spaces[2].removeFirst(spaces[2].inFlight.count) {
      path.removeFromFlight(packet)
      retransmit(packet.frames, level: 2)
    }
    setLossTimer(at: now)
  }

  private mutating func readBuffered(at now: Int64) {
    let packets = buffered
    buffered = []
    for packet in packets { receive(packet, at: now) }
  }

  /// Drops a space whose keys are no longer needed (RFC 9001, 4.9).
  mutating func discard(_ level: QUICLevel, at now: Int64) {
    guard !spaces[level.rawValue].isDiscarded else { return }
    for packet in spaces[level.rawValue].inFlight { path.removeFromFlight(packet) }
    spaces[level.rawValue].discard()
    timeoutCount = 0
    setLossTimer(at: now)
  }
}
