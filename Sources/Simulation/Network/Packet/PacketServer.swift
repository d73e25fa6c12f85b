// A server as one connection sees it: it answers requests in turn, and writes as fast as its socket takes the bytes.
// Shaped after nginx on Linux: a socket buffer that follows the window, 16 KB TLS records, 8 KB HTTP/2 frames.

/// What a client asks of a server, in the order of its stream.
struct PacketMessage {
  enum Kind { case request, reset, flight }
  var kind: Kind
  /// The end of the message in the client's stream.
  var end: Int
  /// The transfer's number, or the flight's.
  var transfer = 0
  var generation: UInt32 = 0
  var bytes: Int64 = 0
  var priority = 0
  /// When the server has thought it over.
  var readyAt: Int64 = 0
}

/// A part of the server's stream that the client can read once it has arrived up to `end`.
struct PacketChunk {
  var end: Int64
  var transfer: Int
  var generation: UInt32
  var bytes: Int64
}

/// The server's end of one connection: its sender and what it has to write.
struct PacketServer: ~Copyable {
  enum Phase { case listening, answering, open, closed }

  struct Response {
    var transfer: Int
    var generation: UInt32
    var left: Int64
    var priority: Int
    /// What it may still write before others get their turn: the first one finds the server's buffers empty.
    var headStart: Int64
  }

  private enum Sizes {
    static let bufferForSegment: Int64 = 4608
    /// What a segment on the way occupies: measured, like the next.
    static let bufferForSent: Int64 = 2184
    /// What fits into a new socket's 46080 bytes: 29 segments.
    static let bufferFirst: Int64 = 41992
    /// What a stream alone puts into the server's own queue before others get their turn.
    static let queue: Int64 = 65536
    static let record: Int64 = 16384
    static let recordOverhead: Int64 = 22
    static let frame: Int64 = 8192
    static let frameHeader: Int64 = 9
  }

  var phase = Phase.listening
  var sender: PacketSender
  /// Messages that have arrived and wait for the server's thought, in order.
  var tasks: [PacketMessage] = []
  /// The end of the stream's parts that a client reads at once; only with TLS or HTTP/2.
  var chunks: [PacketChunk] = []
  var chunkHead = 0
  var synAcksSent = 0
  var synAckTimeouts = 0
  var synAckAt: Int64 = 0
  /// When the SYN-ACK is sent again, while it is unanswered.
  var synAckTimer = Instant.never.nanoseconds
  var hasAnswered = false
  /// The application has closed: nothing more is written.
  var isFinished = false
  private var responses: [Response] = []
  private var turn = 0
  private var buffer: Int64 = 46080
  private let isFramed: Bool
  private let isSecured: Bool

  init(connection: Int, http: HTTPConfiguration) {
    sender = PacketSender(connection: connection, slowStartAfterIdle: http.slowStartAfterIdle)
    isFramed = http.version == .http2
    isSecured = http.security != .none
  }

  /// Whether the client reads the stream in parts.
  @inline(__always)
  var isChunked: Bool { isFramed || isSecured }

  /// The next instant at which the server does something by itself.
  @inline(__always)
  var timerAt: Int64 { min(sender.timerAt, min(synAckTimer, tasks.isEmpty ? Instant.never.nanoseconds : tasks[0].readyAt)) }

  /// Answers a request: its response joins those being written.
  mutating func answer(_ message: PacketMessage, headerBytes: Int64, _ world: inout PacketWorld) {
    let response = Response(
      transfer: message.transfer, generation: message.generation, left: message.bytes + headerBytes, priority: message.priority,
      headStart: responses.isEmpty ? Sizes.queue : 0)
    responses.append(response)
    if fill(isWoken: true, world.now) { sender.push(&world) }
  }

  /// Writes bytes that no transfer counts: a handshake's flight.
  mutating func writeFlight(_ bytes: Int64, _ world: inout PacketWorld) {
    sender.write(bytes, at: world.now)
    sender.push(&world)
  }

  /// A stream that its client no longer wants; what the socket holds goes out all the same.
  mutating func reset(_ transfer: Int, _ generation: UInt32) {
    responses.removeAll { $0.transfer == transfer && $0.generation == generation }
    sender.isCorked = !responses.isEmpty
  }

  /// The client has closed: what is written stays in the socket.
  mutating func finish() {
    isFinished = true
    responses.removeAll()
    sender.isCorked = false
  }

  /// Takes in an acknowledgement, lets the application write, and sends.
  @inline(__always)
  mutating func take(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    sender.take(packet, &world)
    if !responses.isEmpty, fill(isWoken: false, world.now) { sender.push(&world) }
  }

  /// The application writes what the socket takes; a full socket wakes it only when a third is free. True where it wrote.
  @inline(__always)
  private mutating func fill(isWoken: Bool, _ now: Int64) -> Bool {
    guard !responses.isEmpty else { return false }
    // Linux enlarges a socket's buffer when it is full and the window is not; copied data leaves a little of it open at all times.
    if isChunked || (!isWoken && sender.isCorked && sender.inFlight < sender.cubic.size) {
      buffer = max(buffer, Sizes.bufferForSegment * Int64(max(CubicWindow.initial, sender.cubic.size)))
    }
    let sent = isChunked ? sender.sentBytes - sender.acknowledgedBytes : Int64(sender.outstanding) * Sizes.bufferForSent
    if sender.isCorked, (sent + sender.written - sender.sentBytes) * 3 > buffer * 2 { return false }
    let room = isChunked ? buffer - sent : writable(sent)
    let before = sender.written
    let limit = sender.sentBytes + room
    while !responses.isEmpty, sender.written < limit {
      let bytes = isChunked ? writeRecord() : writePlain(limit - sender.written)
      sender.isCorked = !responses.isEmpty
      sender.write(bytes, at: now)
    }
    return sender.written > before
  }

  /// How many bytes more the buffer takes: what is sent at once occupies more of it than what waits.
  private func writable(_ sent: Int64) -> Int64 {
    let window = Int64(max(0, sender.cubic.size - sender.inFlight))
    let burst = min(window, max(0, buffer - sent) / Sizes.bufferForSent)
    let rest = (buffer - sent - burst * Sizes.bufferForSent) * 93 / 100
    return max(burst * Int64(PacketSize.segment) + rest, sender.outstanding == 0 ? Sizes.bufferFirst : 0)
  }

  private mutating func writePlain(_ room: Int64) -> Int64 {
    let bytes = min(room, responses[0].left)
    responses[0].left -= bytes
    if responses[0].left == 0 { responses.removeFirst() }
    return bytes
  }

  /// One TLS record, or what would be one: frames of the responses in turn, the most urgent ones first.
  private mutating func writeRecord() -> Int64 {
    var plain: Int64 = 0
    let first = chunks.count
    while !responses.isEmpty, plain < Sizes.record {
      let index = nextResponse()
      let overhead = isFramed ? Sizes.frameHeader : 0
      let bytes = min(responses[index].left, isFramed ? min(Sizes.frame, Sizes.record - plain) : Sizes.record - plain)
      plain += bytes + overhead
      responses[index].left -= bytes
      responses[index].headStart -= bytes
      chunks.append(
        PacketChunk(end: 0, transfer: responses[index].transfer, generation: responses[index].generation, bytes: bytes))
      if responses[index].left == 0 {
        responses.remove(at: index)
      } else {
        turn = index + 1
      }
    }
    let total = plain + (isSecured ? Sizes.recordOverhead : 0)
    for index in first..<chunks.count { chunks[index].end = sender.written + total }
    return total
  }

  private mutating func nextResponse() -> Int {
    var most = Int.max
    for response in responses { most = min(most, response.priority) }
    if responses[0].headStart > 0, responses[0].priority == most { return 0 }
    let count = responses.count
    for step in 0..<count {
      let index = (turn + step) % count
      if responses[index].priority == most { return index }
    }
    return 0
  }

  /// Takes off the chunks that end at or before `offset`, one a call.
  mutating func takeChunk(upTo offset: Int64) -> PacketChunk? {
    guard chunkHead < chunks.count, chunks[chunkHead].end <= offset else { return nil }
    let chunk = chunks[chunkHead]
    chunkHead += 1
    if chunkHead == chunks.count {
      chunks.removeAll(keepingCapacity: true)
      chunkHead = 0
    } else if chunkHead >= 256 {
      chunks.removeFirst(chunkHead)
      chunkHead = 0
    }
    return chunk
  }
}
