// The HTTP server at the end of one connection: it answers requests and writes as fast as its socket accepts bytes.
// Modelled on nginx on Linux. TLS and HTTP/2 are written as records, in PacketServer+Records.

/// A request of a client: the number of its transfer, and a generation, because numbers are used again.
struct RequestID: Equatable, BitwiseCopyable {
  var transfer: Int
  var generation: UInt32 = 0

  /// Stands for the connection itself.
  static let connection = RequestID(transfer: -1)
}

/// A message from the client to the server, in the order of the stream.
struct PacketMessage {
  enum Kind { case request, reset, priority, window, flight, preface, settings }
  var kind: Kind
  /// The stream offset after the message.
  var end = 0
  var request = RequestID.connection
  var flight = 0
  var bytes: Int64 = 0
  /// The header of the response to a request.
  var headerBytes: Int64 = 0
  /// RFC 9218's urgency of a request, 0 to 7; lower is more urgent.
  var urgency = 0
  /// The end of the server's thinking time.
  var readyAt: Int64 = 0
}

/// A part of the server's stream that the client can read once all bytes before `end` have arrived; SETTINGS are of no request.
struct PacketChunk {
  var end: Int64 = 0
  var request: RequestID
  /// True for DATA, which counts in flow control.
  var isData = true
  var bytes: Int64
}

/// The server's end of one connection: its sender and its responses.
struct PacketServer: ~Copyable {
  enum Phase { case listening, answering, open, closed }

  enum Sizes {
    /// The plaintext of a full TLS record (`ssl_buffer_size`).
    static let record: Int64 = 16_384
    static let recordOverhead: Int64 = 22
    static let frameHeader: Int64 = 9
    /// nginx's SETTINGS with three parameters, and a WINDOW_UPDATE.
    static let settings: Int64 = 40
    static let setting: Int64 = 6
    /// A NewSessionTicket of a server with a session cache, as a record.
    static let ticket: Int64 = 79
  }

  var phase = Phase.listening
  var sender: PacketSender
  /// Messages that wait for the server's thinking time, in order.
  var tasks: [PacketMessage] = []
  /// The parts of the stream as the client reads them; only with TLS or HTTP/2.
  var chunks = Queue<PacketChunk>()
  var synAcksSent = 0
  var synAckTimeouts = 0
  var synAckAt: Int64 = 0
  /// The time of the next SYN-ACK; `never` once it is answered.
  var synAckTimer = Instant.never.nanoseconds
  var hasAnswered = false
  /// The last arrival of data, and the time of the delayed acknowledgement; `never` for none.
  var receivedAt: Int64 = 0
  var acknowledgementAt = Instant.never.nanoseconds
  /// True if the client has closed: nothing more is written.
  var isFinished = false
  var responses: [(request: RequestID, left: Int64)] = []
  private var sendBuffer: SendBuffer
  let isFramed: Bool
  let isSecured: Bool
  /// The socket under records, the bytes of the last record that it has not taken, and the HTTP/2 streams of either server.
  var socket: SocketMemory
  var pendingBytes: Int64 = 0
  let isNghttpd: Bool
  var nginx: NginxOutput
  var nghttpd: NghttpdOutput

  init(connection: Int, http: HTTPConfiguration, congestion: NetworkConfiguration.Congestion) {
    sender = PacketSender(connection: connection, slowStartAfterIdle: http.slowStartAfterIdle)
    isFramed = http.version == .http2
    isSecured = http.security != .none
    isNghttpd = isFramed && http.server == .nghttpd
    nginx = NginxOutput(http)
    nghttpd = NghttpdOutput(http)
    sendBuffer = SendBuffer(congestion: congestion)
    socket = SocketMemory(congestion: congestion)
  }

  /// True if the client reads the stream in parts (TLS records or HTTP/2 frames).
  @inline(__always) var isChunked: Bool { isFramed || isSecured }

  @inline(__always) var timerAt: Int64 {
    let taskAt = tasks.isEmpty ? Instant.never.nanoseconds : tasks[0].readyAt
    return min(min(sender.timerAt, sender.pacingAt), min(min(synAckTimer, acknowledgementAt), taskAt))
  }

  /// Clears the timers of a closed connection.
  mutating func stopTimers() {
    sender.stopTimers()
    synAckTimer = Instant.never.nanoseconds
    acknowledgementAt = Instant.never.nanoseconds
    tasks.removeAll()
  }

  /// Adds the response to a request and starts to write it.
  mutating func answer(_ message: PacketMessage, _ world: inout PacketWorld) {
    if isFramed { return answerStream(message, &world) }
    responses.append((message.request, message.bytes + message.headerBytes))
    if isSecured { return writeRecords(&world) }
    sender.restartAfterIdle(at: world.now)
    sendBuffer.begin(headerBytes: message.headerBytes)
    fillPlain(&world)
  }

  /// Drops the response to a reset stream. Bytes in the socket are sent nevertheless.
  mutating func reset(_ request: RequestID) {
    if isNghttpd { nghttpd.reset(request) } else { nginx.reset(request) }
    responses.removeAll { $0.request == request }
  }

  /// Drops all responses after the client has closed. Bytes in the socket are sent nevertheless.
  mutating func finish(_ http: HTTPConfiguration) {
    isFinished = true
    responses.removeAll()
    nginx = NginxOutput(http)
    nghttpd = NghttpdOutput(http)
    pendingBytes = 0
    sender.isCorked = false
  }

  /// Processes an acknowledgement, lets the application write, and sends.
  @inline(__always) mutating func receiveAck(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    sender.receiveAck(packet, &world)
    if isChunked {
      wakeIfFree(&world)
    } else if !responses.isEmpty {
      let queued = sender.writtenBytes - sender.acknowledgedBytes
      if sendBuffer.hasRoom(queued: queued, inFlight: sender.packetsInFlight, cwnd: sender.cubic.cwnd), sendBuffer.isWritable(&sender) {
        fillPlain(&world)
      }
    }
  }

  /// Writes the response as far as the socket accepts it, and sends.
  private mutating func fillPlain(_ world: inout PacketWorld) {
    let bytes = sendBuffer.accept(responses[0].left, &sender)
    guard bytes > 0 else { return }
    responses[0].left -= bytes
    if responses[0].left == 0 { responses.removeFirst() }
    sender.isCorked = !responses.isEmpty
    sender.write(bytes, at: world.now)
    sender.push(&world)
  }

  /// Removes and returns the next chunk if it ends at or before `offset`.
  mutating func removeChunk(upTo offset: Int64) -> PacketChunk? {
    guard let chunk = chunks.first, chunk.end <= offset else { return nil }
    return chunks.removeFirst()
  }
}
