// The HTTP server at the end of one connection: it answers requests and writes as fast as its socket accepts bytes.
// Modelled on nginx on Linux: a send buffer that follows cwnd, TLS records of 16 KB and HTTP/2 frames of 8 KB.

/// A message from the client to the server, in the order of the stream.
struct PacketMessage {
  enum Kind { case request, reset, flight }
  var kind: Kind
  /// The stream offset after the message.
  var end: Int
  /// The number of the transfer or of the TLS flight.
  var transfer = 0
  var generation: UInt32 = 0
  var bytes: Int64 = 0
  var priority = 0
  /// The end of the server's thinking time.
  var readyAt: Int64 = 0
}

/// A part of the server's stream that the client can read once all bytes before `end` have arrived.
struct PacketChunk {
  var end: Int64
  var transfer: Int
  var generation: UInt32
  var bytes: Int64
}

/// The server's end of one connection: its sender and its responses.
struct PacketServer: ~Copyable {
  enum Phase { case listening, answering, open, closed }

  struct Response {
    var transfer: Int
    var generation: UInt32
    var left: Int64
    var priority: Int
    /// The bytes that it may write before other responses get a turn; 0 unless it found no others.
    var headStart: Int64
  }

  private enum Sizes {
    /// The send buffer for each segment of cwnd; measured.
    static let bufferForSegment: Int64 = 4608
    /// `bufferForSegment` with BBR: its `sndbuf_expand` is 3 in place of 2.
    static let bufferForSegmentOfBBR: Int64 = 6912
    /// The head start of a response that finds no others; measured.
    static let queue: Int64 = 65536
    static let record: Int64 = 16384
    static let recordOverhead: Int64 = 22
    static let frame: Int64 = 8192
    static let frameHeader: Int64 = 9
  }

  var phase = Phase.listening
  var sender: PacketSender
  /// Messages that wait for the server's thinking time, in order.
  var tasks: [PacketMessage] = []
  /// The parts of the stream as the client reads them; only with TLS or HTTP/2.
  var chunks: [PacketChunk] = []
  var chunkHead = 0
  var synAcksSent = 0
  var synAckTimeouts = 0
  var synAckAt: Int64 = 0
  /// The time of the next SYN-ACK; `never` once it is answered.
  var synAckTimer = Instant.never.nanoseconds
  var hasAnswered = false
  /// True if the client has closed: nothing more is written.
  var isFinished = false
  private var responses: [Response] = []
  private var nextTurn = 0
  private var sendBuffer = SendBuffer()
  private var buffer: Int64 = 46080
  private let isFramed: Bool
  private let isSecured: Bool

  init(connection: Int, http: HTTPConfiguration) {
    sender = PacketSender(connection: connection, slowStartAfterIdle: http.slowStartAfterIdle)
    isFramed = http.version == .http2
    isSecured = http.security != .none
  }

  /// True if the client reads the stream in parts (TLS records or HTTP/2 frames).
  @inline(__always)
  var isChunked: Bool { isFramed || isSecured }

  /// The next timer of the server.
  @inline(__always)
  var timerAt: Int64 {
    min(min(sender.timerAt, sender.pacingAt), min(synAckTimer, tasks.isEmpty ? Instant.never.nanoseconds : tasks[0].readyAt))
  }

  /// Adds the response to a request and starts to write it.
  mutating func answer(_ message: PacketMessage, headerBytes: Int64, _ world: inout PacketWorld) {
    let response = Response(
      transfer: message.transfer, generation: message.generation, left: message.bytes + headerBytes, priority: message.priority,
      headStart: responses.isEmpty ? Sizes.queue : 0)
    responses.append(response)
    if isChunked {
      if fill(world.now) { sender.push(&world) }
    } else {
      sender.restartAfterIdle(at: world.now)
      sendBuffer.begin(headerBytes: headerBytes)
      fillPlain(&world)
    }
  }

  /// Writes a flight of the TLS handshake.
  mutating func writeFlight(_ bytes: Int64, _ world: inout PacketWorld) {
    sender.write(bytes, at: world.now)
    sender.push(&world)
  }

  /// Drops the response to a reset stream. Bytes in the socket are sent nevertheless.
  mutating func reset(_ transfer: Int, _ generation: UInt32) {
    responses.removeAll { $0.transfer == transfer && $0.generation == generation }
    sender.isCorked = !responses.isEmpty
  }

  /// Drops all responses after the client has closed. Bytes in the socket are sent nevertheless.
  mutating func finish() {
    isFinished = true
    responses.removeAll()
    sender.isCorked = false
  }

  /// Processes an acknowledgement, lets the application write, and sends.
  @inline(__always)
  mutating func receiveAck(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    sender.receiveAck(packet, &world)
    guard !responses.isEmpty else { return }
    if isChunked {
      if fill(world.now) { sender.push(&world) }
    } else {
      let queued = sender.writtenBytes - sender.acknowledgedBytes
      let (inFlight, cwnd, isPaced) = (sender.packetsInFlight, sender.cubic.cwnd, sender.paced != nil)
      if sendBuffer.hasRoom(queued: queued, inFlight: inFlight, cwnd: cwnd, isPaced: isPaced), sendBuffer.isWritable(sender) {
        fillPlain(&world)
      }
    }
  }

  /// Writes the response as far as the socket accepts it, and sends.
  private mutating func fillPlain(_ world: inout PacketWorld) {
    let bytes = sendBuffer.accept(responses[0].left, sender)
    guard bytes > 0 else { return }
    responses[0].left -= bytes
    if responses[0].left == 0 { responses.removeFirst() }
    sender.isCorked = !responses.isEmpty
    sender.write(bytes, at: world.now)
    sender.push(&world)
  }

  /// Writes records as far as the socket accepts them; true if it did. A full socket wakes the application when a third is free.
  @inline(__always)
  private mutating func fill(_ now: Int64) -> Bool {
    guard !responses.isEmpty else { return false }
    buffer = max(
      buffer,
      (sender.paced == nil ? Sizes.bufferForSegment : Sizes.bufferForSegmentOfBBR)
        * Int64(max(CubicWindow.initialCwnd, sender.cubic.cwnd)))
    let sent = sender.sentBytes - sender.acknowledgedBytes
    if sender.isCorked, (sent + sender.writtenBytes - sender.sentBytes) * 3 > buffer * 2 { return false }
    let before = sender.writtenBytes
    let limit = sender.sentBytes + buffer - sent
    while !responses.isEmpty, sender.writtenBytes < limit {
      let bytes = writeRecord()
      sender.isCorked = !responses.isEmpty
      sender.write(bytes, at: now)
    }
    return sender.writtenBytes > before
  }

  /// Writes one record: frames of the most urgent responses, by turns. Returns its length with overhead.
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
        nextTurn = index + 1
      }
    }
    let total = plain + (isSecured ? Sizes.recordOverhead : 0)
    for index in first..<chunks.count { chunks[index].end = sender.writtenBytes + total }
    return total
  }

  /// Returns the index of the next response to write: by priority, then by turns.
  private mutating func nextResponse() -> Int {
    var mostUrgent = Int.max
    for response in responses { mostUrgent = min(mostUrgent, response.priority) }
    if responses[0].headStart > 0, responses[0].priority == mostUrgent { return 0 }
    let count = responses.count
    for step in 0..<count {
      let index = (nextTurn + step) % count
      if responses[index].priority == mostUrgent { return index }
    }
    return 0
  }

  /// Removes and returns the next chunk if it ends at or before `offset`.
  mutating func removeChunk(upTo offset: Int64) -> PacketChunk? {
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
