// A server's writing on a connection that the client reads in parts: TLS records, and HTTP/2 frames of several streams in turn.
// Shaped like the packet transport's server: what is written stays written, which is what a reset stream still costs.

/// The responses of one connection and the parts of them that are written and not yet on the link.
struct FlowStreams {
  struct Response: BitwiseCopyable {
    var transfer: Int32
    var generation: UInt32
    var left: Int64
    var priority: Int
  }

  /// A part of the stream that the client can read once it has arrived up to `end`.
  struct Part: BitwiseCopyable {
    var end: Int64
    var transfer: Int32
    var generation: UInt32
    var bytes: Int64
    var isLast: Bool
  }

  private enum Sizes {
    static let bufferFirst: Int64 = 46080
    static let bufferForSegment: Int64 = 4608
    static let payloadForSegment: Int64 = 4200
    static let record: Int64 = 16384
    static let recordOverhead: Int64 = 22
    static let frame: Int64 = 8192
    static let frameHeader: Int64 = 9
  }

  private var responses: [Response] = []
  private var parts: [Part] = []
  private var partHead = 0
  private var turn = 0
  /// The bytes written so far, and the connection's payload before the first of them.
  private var written: Int64 = 0
  private var origin: Int64 = -1
  private var buffer = Sizes.bufferFirst
  private let isFramed: Bool
  private let isSecured: Bool

  init(_ http: HTTPConfiguration) {
    isFramed = http.version == .http2
    isSecured = http.security != .none
  }

  /// Whether there is more than the socket takes.
  var isCorked: Bool { !responses.isEmpty }

  mutating func add(_ response: Response) { responses.append(response) }

  mutating func reset(_ transfer: Int32, _ generation: UInt32) {
    responses.removeAll { $0.transfer == transfer && $0.generation == generation }
  }

  /// Writes while the socket has room; a full one is written to again when a third of it is free. Returns the bytes written.
  mutating func fill(used: Int64, isWoken: Bool, window: Int, inFlight: Int) -> Int64 {
    guard !responses.isEmpty else { return 0 }
    if !isWoken, inFlight < window { buffer = max(buffer, Sizes.bufferForSegment * Int64(max(FlowWindow.initial, window))) }
    var used = used
    if !isWoken, used * 3 > buffer * 2 { return 0 }
    let room = buffer / Sizes.bufferForSegment * Sizes.payloadForSegment
    let before = written
    while !responses.isEmpty, used < room {
      let bytes = writeRecord()
      written += bytes
      used += bytes
    }
    return written - before
  }

  /// One TLS record, or what would be one: frames of the responses in turn, the most urgent ones first.
  private mutating func writeRecord() -> Int64 {
    var plain: Int64 = 0
    let first = parts.count
    while !responses.isEmpty, plain < Sizes.record {
      let index = nextResponse()
      let bytes = min(responses[index].left, isFramed ? min(Sizes.frame, Sizes.record - plain) : Sizes.record - plain)
      plain += bytes + (isFramed ? Sizes.frameHeader : 0)
      responses[index].left -= bytes
      let response = responses[index]
      let part = Part(
        end: 0, transfer: response.transfer, generation: response.generation, bytes: bytes, isLast: response.left == 0)
      parts.append(part)
      if response.left == 0 { responses.remove(at: index) } else { turn = index + 1 }
    }
    let total = plain + (isSecured ? Sizes.recordOverhead : 0)
    for index in first..<parts.count { parts[index].end = written + total }
    return total
  }

  private func nextResponse() -> Int {
    var most = Int.max
    for response in responses { most = min(most, response.priority) }
    for step in responses.indices {
      let index = (turn + step) % responses.count
      if responses[index].priority == most { return index }
    }
    return 0
  }

  /// Notes where in the connection's payload the stream begins; handshakes came before.
  mutating func begin(at offset: Int64) { if origin < 0 { origin = offset } }

  /// Takes off a part that has arrived when so much of the connection's payload has, with where it ends there.
  mutating func takePart(upTo arrived: Int64) -> (part: Part, end: Int64)? {
    guard partHead < parts.count, parts[partHead].end + origin <= arrived else { return nil }
    let part = parts[partHead]
    partHead += 1
    if partHead == parts.count || partHead >= 256 {
      parts.removeFirst(partHead)
      partHead = 0
    }
    return (part, part.end + origin)
  }
}
