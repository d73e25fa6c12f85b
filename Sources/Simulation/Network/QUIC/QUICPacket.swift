// The packets and frames of QUIC version 1 (RFC 9000) with the sizes that ngtcp2 0.12 writes over IPv4.

/// Lengths in bytes. `datagram`s are UDP payloads; `header` is added to them on the link.
enum QUICSize {
  static let header = 28
  /// The datagram that every path carries (RFC 9000, 14): Initials are padded to it.
  static let minimumDatagram = 1200
  /// The datagrams that ngtcp2 probes for, in this order (RFC 8899).
  static let probes = [1406, 1342, 1232, 1444]
  /// The connection IDs of ngtcp2's server.
  static let serverID = 18
  /// The authentication tag of AES-GCM.
  static let tag = 16
  /// A ClientHello, without and with a session ticket, and the ServerHello.
  static let clientHello = 371, resumingHello = 636, serverHello = 90
  /// The client's Finished, and the session tickets that a server sends after the handshake.
  static let finished = 36, tickets = 243
  /// The control streams of HTTP/3 (RFC 9114), then NEW_CONNECTION_ID, HANDSHAKE_DONE, NEW_TOKEN; QPACK's Section Acknowledgment (RFC 9204).
  static let settings = 29, clientControl = 260, serverControl = 318, decoderAnswer = 6

  /// The length of a variable-length integer (RFC 9000, 16).
  static func varint(_ value: Int64) -> Int { value < 64 ? 1 : value < 16384 ? 2 : value < 1 << 30 ? 4 : 8 }
}

/// A packet number space with its level of encryption.
enum QUICLevel: Int, CaseIterable { case initial, handshake, application }

/// A frame other than ACK and PADDING.
struct QUICFrame {
  enum Kind { case crypto, stream, ping, handshakeDone, control, stopSending, resetStream }
  var kind: Kind
  var stream: Int64 = 0
  var offset: Int64 = 0
  var length: Int = 0
  var isLast = false

  /// The bytes of its stream, or of the handshake.
  var range: Range<Int64> { offset..<offset + Int64(length) }

  /// The encoded length; stream and crypto frames name their length in two bytes.
  var encodedLength: Int {
    switch kind {
    case .crypto: 1 + QUICSize.varint(offset) + (length < 64 ? 1 : 2) + length
    case .stream: 1 + QUICSize.varint(stream) + (offset > 0 ? QUICSize.varint(offset) : 0) + (length < 64 ? 1 : 2) + length
    case .ping, .handshakeDone: 1
    case .control: length
    case .stopSending, .resetStream: 1 + QUICSize.varint(stream) + 2 + (kind == .resetStream ? QUICSize.varint(offset) : 0)
    }
  }
}

/// A packet on the wire; several of them may share a datagram.
struct QUICPacket {
  var level: QUICLevel
  var number: Int64
  var length = 0
  var frames: [QUICFrame] = []
  /// The ACK frame: the packets received, and the delay since the newest of them; empty for none.
  var acknowledged = QUICRanges(), ackDelay: Int64 = 0
  /// True for 0-RTT data (RFC 9001, 4.6).
  var isEarly = false

  var isAckEliciting: Bool { !frames.isEmpty }
}

/// A datagram on the link: its packets are in the network's table.
struct QUICDatagram: PacketPayload {
  var tsVal: Int64
  var host: Int32
  var connection: Int
  var slot: Int32
  var bytes: Int32
}

/// A set of whole numbers as ranges, in ascending order.
struct QUICRanges {
  private(set) var ranges: [Range<Int64>] = []

  var isEmpty: Bool { ranges.isEmpty }
  /// The sum of the lengths.
  var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
  /// The end of the range that starts at 0; 0 if there is none.
  var contiguousEnd: Int64 { ranges.first?.lowerBound == 0 ? ranges[0].upperBound : 0 }

  func contains(_ value: Int64) -> Bool {
    let index = firstIndex(endingAfter: value)
    return index < ranges.count && ranges[index].lowerBound <= value
  }

  /// Returns the index of the first range with numbers above `value`. O(log n).
  private func firstIndex(endingAfter value: Int64) -> Int { ranges.partitioningIndex { $0.upperBound > value } }

  /// Returns the parts of the set in `bounds`.
  func clamped(to bounds: Range<Int64>) -> [Range<Int64>] {
    ranges[firstIndex(endingAfter: bounds.lowerBound)...].prefix { $0.lowerBound < bounds.upperBound }.map { $0.clamped(to: bounds) }
  }

  /// Inserts a range; returns how many numbers are new.
  @discardableResult mutating func insert(_ range: Range<Int64>) -> Int64 {
    guard !range.isEmpty else { return 0 }
    // A range that ends where this one begins is joined.
    let first = firstIndex(endingAfter: range.lowerBound - 1)
    var last = first
    var merged = range
    var known: Int64 = 0
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      known += Int64(ranges[last].clamped(to: range).count)
      merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
      last += 1
    }
    if last == first + 1 { ranges[first] = merged } else { ranges.replaceSubrange(first..<last, with: CollectionOfOne(merged)) }
    return Int64(range.count) - known
  }

  mutating func remove(_ range: Range<Int64>) {
    let first = firstIndex(endingAfter: range.lowerBound)
    let last = ranges[first...].firstIndex { $0.lowerBound >= range.upperBound } ?? ranges.count
    guard !range.isEmpty, first < last else { return }
    let (start, end) = (ranges[first].lowerBound, ranges[last - 1].upperBound)
    let rest = [start..<max(start, range.lowerBound), min(end, range.upperBound)..<end]
    ranges.replaceSubrange(first..<last, with: rest.filter { !$0.isEmpty })
  }

  mutating func keepLast(_ limit: Int) { if ranges.count > limit { ranges.removeFirst(ranges.count - limit) } }
}

/// The sending half of a stream, or of the handshake's CRYPTO frames on one level.
struct QUICSendStream {
  var id: Int64
  /// The bytes to send so far.
  var size: Int64
  /// The offset of the first byte that was never sent.
  var next: Int64 = 0
  var acked = QUICRanges()
  /// The bytes lost and not sent again, and the turns that the stream had in sending them.
  var lost = QUICRanges(), turns = 0

  var isAcked: Bool { acked.contiguousEnd == size }

  /// Ends the stream with the bytes sent so far, and forgets those known to be lost.
  mutating func reset() { (size, lost) = (next, QUICRanges()) }

  /// Marks the bytes of a lost frame for retransmission, but those that were acknowledged since.
  mutating func noteLost(_ frame: QUICFrame) {
    lost.insert(frame.range)
    for known in acked.clamped(to: frame.range) { lost.remove(known) }
  }

  mutating func noteAcked(_ frame: QUICFrame) {
    acked.insert(frame.range)
    if !lost.isEmpty { lost.remove(frame.range) }
  }
}
