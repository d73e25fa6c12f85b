// The HTTP/2 output of nginx 1.22 (`ngx_http_v2`): streams with two output buffers each, one queue of frames, and TLS records of 16 KB.
// PacketServer writes the records to the socket. Urgency stands in place of RFC 7540's weights; no server was measured with it.

struct NginxOutput {
  /// A response: `ngx_http_v2_stream_t` with the context of its `ngx_output_chain`.
  private struct Stream {
    let id: Int
    let transfer: Int
    let generation: UInt32
    var urgency: Int
    /// The flow-control window (RFC 9113, 6.9).
    var window: Int64
    /// The bytes of the file, those in no output buffer yet, and those that are in frames.
    let size: Int64
    var unread: Int64
    var framed: Int64 = 0
    /// Output buffers in all, those to read into, and those that were sent since the stream last ran.
    var buffers = 0
    var free = 0
    var consumed = 0
    /// Frames in the queue.
    var queued = 0
    /// True while the stream itself sends the queue: then its frames do not post it.
    var isBlocked = false
    var isPosted = false
  }

  private struct Frame {
    let stream: Int
    let transfer: Int
    let generation: UInt32
    /// RFC 9218's urgency of its stream, 0 to 7; lower is more urgent.
    var urgency: Int
    /// The bytes of frame header and payload that are not in the TLS buffer.
    var header: Int64
    var payload: Int64
    /// True for DATA and control frames: a TLS record ends with the last of them. A HEADERS frame waits for more.
    var flushes: Bool
    /// The output buffers whose last byte it has.
    var endedBuffers = 0
    /// True for HEADERS, and for a frame that was first in the queue after a write: no frame goes ahead of it.
    var isBlocked = false
  }

  private enum Sizes {
    /// `output_buffers 2 32k`.
    static let buffers = 2
    static let buffer: Int64 = 32_768
    /// `http2_chunk_size`.
    static let chunk: Int64 = 8192
  }

  private let streamWindow: Int64
  /// The connection's flow-control window.
  private var window: Int64
  private var streams: [Stream] = []
  private var frames: [Frame] = []
  /// Streams to run after the present event, in order (`ngx_posted_events`).
  private var posted: [Int] = []
  private var nextId = 0
  /// The plaintext in the TLS buffer, and the parts of it.
  private var buffered: Int64 = 0
  private var parts: [PacketChunk] = []
  /// `buf->flush`: true if the TLS buffer is to be written though it is not full.
  private var flush = false
  /// False from a write that the socket did not take whole until it wakes nginx.
  var isReady = true

  init(_ http: HTTPConfiguration) { (streamWindow, window) = (http.streamWindow, http.connectionWindow) }

  /// Removes and returns the record in the TLS buffer.
  mutating func removeRecord() -> (plain: Int64, parts: [PacketChunk]) {
    defer {
      buffered = 0
      parts.removeAll(keepingCapacity: true)
    }
    return (buffered, parts)
  }

  /// True if nothing waits to be written.
  var isEmpty: Bool { frames.isEmpty && buffered == 0 }

  // MARK: - Streams

  /// Queues control frames of `bytes`. The client answers SETTINGS.
  mutating func control(_ bytes: Int64, isSettings: Bool = false) {
    if isSettings { parts.append(PacketChunk(end: 0, transfer: -1, generation: 0, bytes: 0)) }
    frames.append(Frame(stream: -1, transfer: -1, generation: 0, urgency: 0, header: bytes, payload: 0, flushes: true))
  }

  /// Adds a stream and queues its HEADERS frame, ahead of all frames but a blocked one. The caller sends the queue and runs the stream.
  mutating func open(_ message: PacketMessage) -> Int {
    let id = nextId
    nextId += 1
    var stream = Stream(
      id: id, transfer: message.transfer, generation: message.generation, urgency: message.urgency, window: streamWindow,
      size: message.bytes, unread: message.bytes)
    stream.queued = 1
    streams.append(stream)
    // HPACK needs the order of HEADERS, so they are blocked from the start (`ngx_http_v2_create_headers_frame`).
    let frame = Frame(
      stream: id, transfer: message.transfer, generation: message.generation, urgency: message.urgency, header: 0,
      payload: message.headerBytes,
      flushes: false, isBlocked: true)
    frames.insert(frame, at: (frames.lastIndex { $0.isBlocked || $0.stream < 0 } ?? -1) + 1)
    return id
  }

  /// Changes the urgency of a stream. Frames in the queue keep their order; new frames of any stream compare with the new urgency.
  mutating func prioritize(_ message: PacketMessage) {
    guard let index = streams.firstIndex(where: { $0.transfer == message.transfer && $0.generation == message.generation }) else { return }
    streams[index].urgency = message.urgency
    for frame in frames.indices where frames[frame].stream == streams[index].id { frames[frame].urgency = message.urgency }
  }

  /// Drops a stream with its frames that are not blocked.
  mutating func reset(_ transfer: Int, _ generation: UInt32) {
    guard let index = streams.firstIndex(where: { $0.transfer == transfer && $0.generation == generation }) else { return }
    let id = streams[index].id
    streams.remove(at: index)
    posted.removeAll { $0 == id }
    frames.removeAll { $0.stream == id && !$0.isBlocked }
  }

  mutating func removeAll() {
    streams.removeAll()
    frames.removeAll()
    posted.removeAll()
    _ = removeRecord()
  }

  /// Removes and returns the next posted stream.
  mutating func nextPosted() -> Int? {
    guard !posted.isEmpty else { return nil }
    let id = posted.removeFirst()
    if let index = streams.firstIndex(where: { $0.id == id }) { streams[index].isPosted = false }
    return id
  }

  /// Marks a stream that sends the queue; true if it has frames there.
  mutating func beginSend(_ id: Int) -> Bool {
    guard let index = streams.firstIndex(where: { $0.id == id }), streams[index].queued > 0 else { return false }
    streams[index].isBlocked = true
    return true
  }

  /// Ends the send of a stream, and frees the output buffers that are sent (`ngx_chain_update_chains`).
  mutating func endSend(_ id: Int) {
    guard let index = streams.firstIndex(where: { $0.id == id }) else { return }
    streams[index].isBlocked = false
    streams[index].free += streams[index].consumed
    streams[index].consumed = 0
  }

  /// Reads the file into free output buffers, or a new one, and queues frames; false if nothing was read (`ngx_output_chain`).
  mutating func read(_ id: Int) -> Bool {
    guard let index = streams.firstIndex(where: { $0.id == id }) else { return false }
    var hasRead = false
    while streams[index].unread > 0 {
      if streams[index].free > 0 {
        streams[index].free -= 1
      } else if !hasRead, streams[index].buffers < Sizes.buffers {
        streams[index].buffers += 1
      } else {
        break
      }
      hasRead = true
      streams[index].unread -= min(Sizes.buffer, streams[index].unread)
    }
    queueFrames(index)
    return hasRead
  }

  /// Queues the frames of what was read, as far as the windows allow (`ngx_http_v2_send_chain`).
  private mutating func queueFrames(_ index: Int) {
    while true {
      let stream = streams[index]
      let waiting = stream.size - stream.unread - stream.framed
      let bytes = min(Sizes.chunk, waiting, stream.window, window)
      if bytes <= 0 { break }
      let end = stream.framed + bytes
      let ended = end / Sizes.buffer - stream.framed / Sizes.buffer + (end == stream.size && end % Sizes.buffer > 0 ? 1 : 0)
      queue(
        Frame(
          stream: stream.id, transfer: stream.transfer, generation: stream.generation, urgency: stream.urgency,
          header: PacketServer.Sizes.frameHeader, payload: bytes, flushes: true, endedBuffers: Int(ended)))
      streams[index].framed = end
      streams[index].queued += 1
      streams[index].window -= bytes
      window -= bytes
    }
  }

  /// Adds to the window of a stream, or of the connection, and returns the streams that waited for it (`ngx_http_v2_state_window_update`).
  mutating func widen(_ message: PacketMessage) -> [Int] {
    let waiting = streams.indices.filter { index in
      let stream = streams[index]
      guard stream.framed < stream.size - stream.unread else { return false }
      if message.transfer < 0 { return stream.window > 0 && window <= 0 }
      return stream.transfer == message.transfer && stream.generation == message.generation && stream.window <= 0
    }
    if message.transfer < 0 {
      window += message.bytes
    } else if let index = streams.firstIndex(where: { $0.transfer == message.transfer && $0.generation == message.generation }) {
      streams[index].window += message.bytes
    }
    return waiting.map { streams[$0].id }
  }

  /// Queues a DATA frame ahead of less urgent ones, but not of a blocked or control frame (`ngx_http_v2_queue_frame`).
  private mutating func queue(_ frame: Frame) {
    var index = frames.count
    while index > 0, frames[index - 1].urgency > frame.urgency, !frames[index - 1].isBlocked { index -= 1 }
    frames.insert(frame, at: index)
  }

  // MARK: - The TLS buffer

  /// Begins to send the queue. A call without frames writes what the TLS buffer holds.
  mutating func beginQueue() { if frames.isEmpty { flush = true } }

  /// Fills the TLS buffer from the queue; true if it is to be written (`ngx_ssl_send_chain`).
  mutating func fillRecord() -> Bool {
    var index = 0
    while index < frames.count, buffered < PacketServer.Sizes.record {
      if frames[index].header > 0 {
        let bytes = min(frames[index].header, PacketServer.Sizes.record - buffered)
        frames[index].header -= bytes
        buffered += bytes
        if frames[index].stream < 0 { flush = true }
      }
      let bytes = min(frames[index].payload, PacketServer.Sizes.record - buffered)
      if bytes > 0 {
        if frames[index].flushes { flush = true }
        frames[index].payload -= bytes
        buffered += bytes
        parts.append(
          PacketChunk(
            end: 0, transfer: frames[index].transfer, generation: frames[index].generation, isData: frames[index].flushes, bytes: bytes))
      }
      if frames[index].header + frames[index].payload == 0 { index += 1 }
    }
    return buffered > 0 && (flush || buffered == PacketServer.Sizes.record)
  }

  /// Notes that a record is written whole; true if frames wait for the next one.
  mutating func endRecord() -> Bool {
    flush = false
    return frames.contains { $0.header + $0.payload > 0 }
  }

  /// Removes the frames that are in the TLS buffer whole, and posts their streams (`ngx_http_v2_data_frame_handler`).
  mutating func endQueue() {
    var count = 0
    while count < frames.count, frames[count].header + frames[count].payload == 0 {
      let frame = frames[count]
      count += 1
      guard let index = streams.firstIndex(where: { $0.id == frame.stream }) else { continue }
      streams[index].queued -= 1
      streams[index].consumed += frame.endedBuffers
      if !streams[index].isBlocked, !streams[index].isPosted {
        streams[index].isPosted = true
        posted.append(frame.stream)
      }
      if streams[index].queued == 0, streams[index].framed == streams[index].size {
        streams.remove(at: index)
        posted.removeAll { $0 == frame.stream }
      }
    }
    frames.removeFirst(count)
    if let first = frames.first, !first.isBlocked { frames[0].isBlocked = true }
  }
}
