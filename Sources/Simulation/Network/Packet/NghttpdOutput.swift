// The HTTP/2 output of nghttpd 1.52 (nghttp2): a stream's turn is one DATA frame, and a buffer of 64 KB goes out as TLS records.
// PacketServer writes the records to the socket.

struct NghttpdOutput {
  /// A response whose HEADERS frame is in the buffer (`nghttp2_stream`).
  private struct Stream {
    let request: RequestID
    var urgency: Int
    /// The flow-control window (RFC 9113, 6.9).
    var window: Int64
    var left: Int64
    /// The bytes that it had sent when it was last served, in the count of the queue: the least is served first.
    var cycle: Int64
    /// Decides between equal cycles.
    var sequence: Int
  }

  /// A frame, or the rest of it, in the buffer or in the queue of frames that go ahead of DATA.
  private struct Frame {
    let request: RequestID
    var header: Int64
    var payload: Int64
    var stream: Stream?
    var isData = true
    /// True for SETTINGS, which the client answers.
    var isSettings = false
  }

  private enum Sizes {
    /// `Http2Handler::WriteBuf`.
    static let buffer: Int64 = 65_536
    /// `NGHTTP2_DATA_PAYLOADLEN`.
    static let frame: Int64 = 16_384
  }

  private var streams: [Stream] = []
  /// HEADERS and control frames, which go ahead of all DATA (`ob_reg`).
  private var queue: [Frame] = []
  /// The DATA frame for which the buffer had no room: it is next whatever is queued meanwhile (`aob`).
  private var held: (request: RequestID, bytes: Int64)?
  private var buffer = Queue<Frame>()
  private var lastCycle: Int64 = 0
  private var nextSequence = 0
  private let hasPriorities: Bool
  private let streamWindow: Int64
  private var window: Int64

  /// Creates the output for a client's windows. With priorities it is nghttpd's under `--no-rfc7540-pri`.
  init(_ http: HTTPConfiguration) { (hasPriorities, streamWindow, window) = (http.priorities, http.streamWindow, http.connectionWindow) }

  /// Queues a control frame. The client answers SETTINGS.
  mutating func control(_ bytes: Int64, isSettings: Bool = false) {
    queue.append(Frame(request: .connection, header: bytes, payload: 0, isSettings: isSettings))
  }

  /// Queues the HEADERS frame of a response; its DATA can follow once that is in the buffer.
  mutating func open(_ message: PacketMessage) {
    let stream = Stream(
      request: message.request, urgency: message.urgency, window: streamWindow, left: message.bytes, cycle: 0, sequence: 0)
    queue.append(Frame(request: message.request, header: 0, payload: message.headerBytes, stream: stream, isData: false))
  }

  mutating func prioritize(_ message: PacketMessage) {
    guard let index = index(message.request) else { return }
    streams[index].urgency = message.urgency
  }

  /// Drops a stream. What is in the buffer is sent nevertheless.
  mutating func reset(_ request: RequestID) {
    if let frame = queue.firstIndex(where: { $0.request == request }) { queue[frame].stream = nil }
    guard let index = index(request) else { return }
    streams.remove(at: index)
    if held?.request == request { held = nil }
  }

  /// Adds to the window of a stream, or of the connection (WINDOW_UPDATE).
  mutating func widen(_ message: PacketMessage) {
    if message.request == .connection {
      window += message.bytes
    } else if let index = index(message.request) {
      // A stream without a window has left the queue (`NGHTTP2_STREAM_FLAG_DEFERRED_FLOW_CONTROL`).
      if streams[index].window == 0 { enqueue(index) }
      streams[index].window += message.bytes
    }
  }

  private func index(_ request: RequestID) -> Int? { streams.firstIndex { $0.request == request } }

  /// Puts a stream into the queue (`stream_obq_push`). RFC 9218's streams are served in their order, as nothing says `i`.
  private mutating func enqueue(_ index: Int) {
    if !hasPriorities { streams[index].cycle = lastCycle }
    streams[index].sequence = nextSequence
    nextSequence += 1
  }

  /// Returns the stream with the next turn and the bytes of its frame.
  private func nextTurn() -> (request: RequestID, bytes: Int64)? {
    guard window > 0 else { return nil }
    let next = streams.lazy.filter { $0.window > 0 }.min { ($0.urgency, $0.cycle, $0.sequence) < ($1.urgency, $1.cycle, $1.sequence) }
    return next.map { ($0.request, min(Sizes.frame, $0.left, $0.window, window)) }
  }

  /// Fills the buffer if it is empty; false if there is nothing to send (`Http2Handler::fill_wb`).
  mutating func fill() -> Bool {
    if !buffer.isEmpty { return true }
    var room = Sizes.buffer
    while room > 0 {
      if held == nil, !queue.isEmpty {
        moveControl(&room)
        continue
      }
      guard let turn = held ?? nextTurn() else { break }
      held = turn
      guard PacketServer.Sizes.frameHeader + turn.bytes <= room else { break }
      held = nil
      room -= PacketServer.Sizes.frameHeader + turn.bytes
      sendFrame(turn.request, turn.bytes)
    }
    return !buffer.isEmpty
  }

  /// Copies a control frame, or as much as there is room for.
  private mutating func moveControl(_ room: inout Int64) {
    var part = queue[0]
    part.header = min(part.header, room)
    part.payload = min(part.payload, room - part.header)
    room -= part.header + part.payload
    queue[0].header -= part.header
    queue[0].payload -= part.payload
    buffer.append(part)
    guard queue[0].header + queue[0].payload == 0 else { return }
    if let stream = queue.removeFirst().stream, stream.left > 0 {
      streams.append(stream)
      enqueue(streams.count - 1)
    }
  }

  private mutating func sendFrame(_ request: RequestID, _ bytes: Int64) {
    guard let index = index(request) else { return }
    lastCycle = streams[index].cycle
    streams[index].left -= bytes
    streams[index].window -= bytes
    window -= bytes
    if !hasPriorities {
      streams[index].cycle += bytes
      streams[index].sequence = nextSequence
      nextSequence += 1
    }
    buffer.append(Frame(request: request, header: PacketServer.Sizes.frameHeader, payload: bytes))
    if streams[index].left == 0 { streams.remove(at: index) }
  }

  /// Removes the bytes of the next record from the buffer, and returns them with their parts.
  mutating func removeRecord() -> (plain: Int64, parts: [PacketChunk]) {
    var plain: Int64 = 0
    var parts: [PacketChunk] = []
    while !buffer.isEmpty, plain < PacketServer.Sizes.record {
      let header = min(buffer[0].header, PacketServer.Sizes.record - plain)
      let payload = min(buffer[0].payload, PacketServer.Sizes.record - plain - header)
      buffer[0].header -= header
      buffer[0].payload -= payload
      plain += header + payload
      let frame = buffer[0]
      let isWhole = frame.header + frame.payload == 0
      if payload > 0 || (frame.isSettings && isWhole) {
        parts.append(PacketChunk(request: frame.request, isData: frame.isData, bytes: payload))
      }
      if isWhole { buffer.removeFirst() }
    }
    return (plain, parts)
  }
}
