// The HTTP/2 output of nginx 1.22 (`ngx_http_v2`): streams with two output buffers each, one queue of frames, and TLS records of 16 KB.
// PacketServer writes the records to the socket. Urgency stands in place of RFC 7540's weights; no server was measured with it.

struct NginxOutput {
  /// A response: `ngx_http_v2_stream_t` with the context of its `ngx_output_chain`.
  private struct Stream {
    let request: RequestID
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
    var queued = 0
    /// True while the stream itself sends the queue: then its frames do not post it.
    var isBlocked = false
    var isPosted = false
  }

  private struct Frame {
    let request: RequestID
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
  private var posted: [RequestID] = []
  /// The plaintext in the TLS buffer, and the parts of it.
  private var buffered: Int64 = 0
  private var parts: [PacketChunk] = []
  /// `buf->flush`: true if the TLS buffer is to be written though it is not full.
  private var flush = false
  /// False from a write that the socket did not take whole until it wakes nginx.
  var isReady = true

  init(_ http: HTTPConfiguration) { (streamWindow, window) = (http.streamWindow, http.connectionWindow) }

  mutating func removeRecord() -> (plain: Int64, parts: [PacketChunk]) {
    defer {
      buffered = 0
      parts.removeAll(keepingCapacity: true)
    }
    return (buffered, parts)
  }

  var isEmpty: Bool { frames.isEmpty && buffered == 0 }

  // MARK: - Streams

  /// Queues control frames of `bytes`. The client answers SETTINGS.
  mutating func control(_ bytes: Int64, isSettings: Bool = false) {
    if isSettings { parts.append(PacketChunk(request: .connection, bytes: 0)) }
    frames.append(Frame(request: .connection, urgency: 0, header: bytes, payload: 0, flushes: true))
  }

  /// Adds a stream and queues its HEADERS frame, ahead of all frames but a blocked one. The caller sends the queue and runs the stream.
  mutating func open(_ message: PacketMessage) {
    streams.append(
      Stream(
        request: message.request, urgency: message.urgency, window: streamWindow, size: message.bytes, unread: message.bytes, queued: 1))
    // HPACK needs the order of HEADERS, so they are blocked from the start (`ngx_http_v2_create_headers_frame`).
    let frame = Frame(
      request: message.request, urgency: message.urgency, header: 0, payload: message.headerBytes, flushes: false, isBlocked: true)
    frames.insert(frame, at: (frames.lastIndex { $0.isBlocked || $0.request == .connection } ?? -1) + 1)
  }

  /// Changes the urgency of a stream. Frames in the queue keep their order; new frames of any stream compare with the new urgency.
  mutating func prioritize(_ message: PacketMessage) {
    guard let index = index(message.request) else { return }
    streams[index].urgency = message.urgency
    for frame in frames.indices where frames[frame].request == message.request { frames[frame].urgency = message.urgency }
  }

  /// Drops a stream with its frames that are not blocked.
  mutating func reset(_ request: RequestID) {
    guard let index = index(request) else { return }
    streams.remove(at: index)
    posted.removeAll { $0 == request }
    frames.removeAll { $0.request == request && !$0.isBlocked }
  }

  mutating func nextPosted() -> RequestID? {
    guard !posted.isEmpty else { return nil }
    let request = posted.removeFirst()
    if let index = index(request) { streams[index].isPosted = false }
    return request
  }

  private func index(_ request: RequestID) -> Int? { streams.firstIndex { $0.request == request } }

  /// Marks a stream that sends the queue; true if it has frames there.
  mutating func beginSend(_ request: RequestID) -> Bool {
    guard let index = index(request), streams[index].queued > 0 else { return false }
    streams[index].isBlocked = true
    return true
  }

  /// Ends the send of a stream, and frees the output buffers that are sent (`ngx_chain_update_chains`).
  mutating func endSend(_ request: RequestID) {
    guard let index = index(request) else { return }
    streams[index].isBlocked = false
    streams[index].free += streams[index].consumed
    streams[index].consumed = 0
  }

  /// Reads the file into free output buffers, or a new one, and queues frames; false if nothing was read (`ngx_output_chain`).
  mutating func read(_ request: RequestID) -> Bool {
    guard let index = index(request) else { return false }
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
          request: stream.request, urgency: stream.urgency, header: PacketServer.Sizes.frameHeader, payload: bytes, flushes: true,
          endedBuffers: Int(ended)))
      streams[index].framed = end
      streams[index].queued += 1
      streams[index].window -= bytes
      window -= bytes
    }
  }

  /// Adds to the window of a stream, or of the connection, and returns the streams that waited for it (`ngx_http_v2_state_window_update`).
  mutating func widen(_ message: PacketMessage) -> [RequestID] {
    let isOfConnection = message.request == .connection
    let waiting = streams.filter { stream in
      guard stream.framed < stream.size - stream.unread else { return false }
      return isOfConnection ? stream.window > 0 && window <= 0 : stream.request == message.request && stream.window <= 0
    }
    if isOfConnection {
      window += message.bytes
    } else if let index = index(message.request) {
      streams[index].window += message.bytes
    }
    return waiting.map(\.request)
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
        if frames[index].request == .connection { flush = true }
      }
      let bytes = min(frames[index].payload, PacketServer.Sizes.record - buffered)
      if bytes > 0 {
        if frames[index].flushes { flush = true }
        frames[index].payload -= bytes
        buffered += bytes
        parts.append(PacketChunk(request: frames[index].request, isData: frames[index].flushes, bytes: bytes))
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
      guard let index = index(frame.request) else { continue }
      streams[index].queued -= 1
      streams[index].consumed += frame.endedBuffers
      if !streams[index].isBlocked, !streams[index].isPosted {
        streams[index].isPosted = true
        posted.append(frame.request)
      }
      if streams[index].queued == 0, streams[index].framed == streams[index].size {
        streams.remove(at: index)
        posted.removeAll { $0 == frame.request }
      }
    }
    frames.removeFirst(count)
    if let first = frames.first, !first.isBlocked { frames[0].isBlocked = true }
  }
}
