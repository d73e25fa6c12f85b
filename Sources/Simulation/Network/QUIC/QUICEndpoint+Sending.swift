// The packets that an endpoint writes: acknowledgements, handshake, control frames, lost bytes, then new bytes of the streams in order.
// ngtcp2's programs write bursts of equal datagrams (GSO) and wait between them as the pacing rate asks.

extension QUICEndpoint {
  /// The event loop may send this much before the pacing time (`NGTCP2_PKT_PACING_OVERHEAD`).
  private static let pacingOverhead = QUICRecovery.millisecond
  /// Acknowledgements without other frames, after which a PING is added.
  private static let nonElicitingLimit = 3

  /// Writes all datagrams that window, pacing and amplification limit allow.
  mutating func write(at now: Int64) {
    if flightAt == QUICRecovery.never { while writeBurst(at: now) {} }
    setTimer(at: now)
  }

  /// Writes one burst; true if more may be sent at once. A server's burst ends with a datagram of another size than the first.
  private mutating func writeBurst(at now: Int64) -> Bool {
    defer { pace(at: now) }
    let limit = min(path.sendQuantum / QUICRecovery.maximumDatagram, 64)
    var count: Int64 = 0
    var first = 0
    while let bytes = writeDatagram(at: now) {
      count += 1
      if count == 1 { first = bytes }
      if count == limit || (isServer && bytes != first) { return true }
    }
    return false
  }

  /// Sets the time of the next datagram by the bytes of the burst (RFC 9002, 7.7).
  private mutating func pace(at now: Int64) {
    guard pacedBytes > 0 else { return }
    let rate = path.pacingRate > 0 ? path.pacingRate : Double(path.cwnd) / Double(path.smoothedRtt) * 1.25
    nextSendAt = now + Int64(Double(pacedBytes) / rate)
    pacedBytes = 0
  }

  /// Writes a datagram; returns its bytes, or nil if nothing can be sent now.
  private mutating func writeDatagram(at now: Int64) -> Int? {
    var limit = datagramSize
    if !isValidated { limit = min(limit, 3 * receivedBytes - sentBytes) }
    let isPaced = nextSendAt > now + Self.pacingOverhead
    let isBlocked = path.isBlocked && spaces.allSatisfy { $0.probesLeft == 0 }
    var packets: [QUICPacket] = []
    var bytes = 0
    for level in QUICLevel.allCases where !spaces[level.rawValue].isDiscarded && (level != .application || hasKeys) {
      if level == .application, packets.isEmpty, !isPaced, !isBlocked, let probe = writeMTUProbe(at: now) { return probe }
      let onlyAcks = isPaced || isBlocked
      guard var packet = makePacket(level, room: limit - bytes, onlyAcks: onlyAcks, at: now) else { continue }
      // An Initial must fill its datagram (RFC 9000, 14.1).
      let isPadded =
        isLast(level, onlyAcks: onlyAcks, at: now) && limit >= QUICSize.minimumDatagram
        && (packets + [packet]).contains { $0.level == .initial && (!isServer || $0.isAckEliciting) }
      if isPadded { packet.length = max(packet.length, QUICSize.minimumDatagram - bytes) }
      bytes += packet.length
      packets.append(packet)
      noteSent(packet, isPadded: isPadded, isOnlyAck: onlyAcks, at: now)
    }
    noteAppLimit(bytes)
    guard bytes > 0 else { return nil }
    sentBytes += bytes
    outbox.append((packets, bytes))
    return bytes
  }

  /// True if no packet of a higher level would follow in the same datagram.
  private func isLast(_ level: QUICLevel, onlyAcks: Bool, at now: Int64) -> Bool {
    if level == .application { return true }
    let handshake = spaces[1]
    if level == .initial, !handshake.isDiscarded, handshake.firstUnackedAt >= 0 || (!onlyAcks && handshake.hasCrypto) { return false }
    return !hasKeys || onlyAcks || !(hasStreamData || !spaces[2].frames.isEmpty || spaces[2].hasCrypto)
  }

  private var hasStreamData: Bool { streams.contains { $0.next < $0.size || !$0.lost.isEmpty } }

  /// Notes that the application limits the rate (`conn_write_vmsg_wrapper`).
  private mutating func noteAppLimit(_ bytes: Int) {
    guard !path.isBlocked, bytes < datagramSize, !hasStreamData else { return }
    let sent = path.delivered + path.bytesInFlight
    path.appLimitedUntil = sent > 0 ? sent : QUICRecovery.maximumDatagram
  }

  /// Writes a probe for a larger datagram (RFC 8899); nil if none is due.
  private mutating func writeMTUProbe(at now: Int64) -> Int? {
    guard isComplete, isValidated, probeIndex < QUICSize.probes.count, probeExpiry == QUICRecovery.never, !spaces[1].hasCrypto else {
      return nil
    }
    var packet = QUICPacket(level: .application, number: spaces[2].nextNumber)
    packet.frames = [QUICFrame(kind: .ping)]
    packet.length = QUICSize.probes[probeIndex]
    probeCount += 1
    probeExpiry = now + (path.pto + QUICRecovery.maxAckDelay) * (probeCount < 3 ? 1 : 3)
    noteSent(packet, isPadded: false, isMTUProbe: true, at: now)
    sentBytes += packet.length
    outbox.append(([packet], packet.length))
    return packet.length
  }

  // MARK: - Packets

  /// Returns a packet with the frames that fit into `room` bytes of datagram; nil if there is nothing to send.
  private mutating func makePacket(_ level: QUICLevel, room: Int, onlyAcks: Bool, at now: Int64) -> QUICPacket? {
    let space = level.rawValue
    var packet = QUICPacket(level: level, number: spaces[space].nextNumber)
    packet.isEarly = level == .application && !isServer && !isComplete
    let overhead = headerLength(packet)
    guard room > overhead + 8 else { return nil }
    var left = room - overhead
    let delay = level == .application ? ackDelay : 0
    if spaces[space].ackTime(delay: delay) <= now, !packet.isEarly {
      packet.acknowledged = spaces[space].received
      packet.ackDelay = now - spaces[space].largestReceivedAt
      left -= ackLength(packet)
      // aioquic asks for an acknowledgement now and then, so that it can forget ranges.
      if !addsPings, packet.number % 8 == 0, packet.acknowledged.ranges.count > 1 {
        packet.frames = [QUICFrame(kind: .ping)]
        left -= 1
      }
    }
    if !onlyAcks { fill(&packet, &left) }
    if packet.frames.isEmpty {
      let isProbe = spaces[space].probesLeft > 0 && !onlyAcks
      guard isProbe || !packet.acknowledged.isEmpty else { return nil }
      // The frames of the oldest packet are sent again after a timeout, if there is nothing new.
      if isProbe, let frames = spaces[space].reclaimOldest() {
        retransmit(frames, level: space)
        fill(&packet, &left)
      }
      if packet.frames.isEmpty, isProbe || (!onlyAcks && addsPings && level == .application && nonElicitingCount >= Self.nonElicitingLimit)
      {
        packet.frames = [QUICFrame(kind: .ping)]
        left -= 1
      }
    }
    packet.length = left < 10 && !packet.frames.isEmpty ? room : room - left
    return packet
  }

  /// The header with the packet number, and the authentication tag.
  private func headerLength(_ packet: QUICPacket) -> Int {
    let ids = clientID + QUICSize.serverID
    switch packet.level {
    case .initial: return 13 + ids + QUICSize.tag
    case .handshake: return 12 + ids + QUICSize.tag
    case .application where packet.isEarly: return 12 + ids + QUICSize.tag
    case .application:
      let distance = packet.number - spaces[2].largestAcked
      return 1 + (isServer ? clientID : QUICSize.serverID) + (distance <= 128 ? 1 : distance <= 32768 ? 2 : 3) + QUICSize.tag
    }
  }

  /// The length of an ACK frame with its counts for ECN (RFC 9000, 19.3).
  private func ackLength(_ packet: QUICPacket) -> Int {
    let ranges = packet.acknowledged.ranges
    guard let last = ranges.last else { return 0 }
    var length = 5 + QUICSize.varint(last.upperBound - 1) + QUICSize.varint(packet.ackDelay / 8000) + QUICSize.varint(Int64(last.count - 1))
    for index in ranges.indices.dropLast() {
      length += QUICSize.varint(Int64(ranges[index].count)) + QUICSize.varint(ranges[index + 1].lowerBound - ranges[index].upperBound)
    }
    return length
  }

  /// Adds frames while they fit: control, handshake, lost bytes of streams, new bytes.
  private mutating func fill(_ packet: inout QUICPacket, _ left: inout Int) {
    let space = packet.level.rawValue
    while let frame = spaces[space].frames.first, frame.encodedLength <= left {
      spaces[space].frames.removeFirst()
      packet.frames.append(frame)
      left -= frame.encodedLength
    }
    while add(&spaces[space].crypto, kind: .crypto, &packet, &left) {}
    guard packet.level == .application else { return }
    // Streams with lost bytes take turns of a frame.
    while let index = nextLost, add(&streams[index], kind: .stream, &packet, &left) { streams[index].turns += 1 }
    guard nextLost == nil else { return }
    for index in streams.indices where streams[index].next < streams[index].size {
      add(&streams[index], kind: .stream, &packet, &left)
      if left < 10 { return }
    }
  }

  /// The stream whose lost bytes are the next to be sent; nil if there are none.
  private var nextLost: Int? {
    streams.indices.filter { !streams[$0].lost.isEmpty }.min { (streams[$0].turns, $0) < (streams[$1].turns, $1) }
  }

  /// Adds a frame with bytes of a stream, lost ones first; false if there are none or no room.
  @discardableResult
  private func add(_ stream: inout QUICSendStream, kind: QUICFrame.Kind, _ packet: inout QUICPacket, _ left: inout Int) -> Bool {
    let lost = stream.lost.ranges.first
    let offset = lost?.lowerBound ?? stream.next
    var frame = QUICFrame(kind: kind, stream: stream.id, offset: offset)
    frame.length = min(Int((lost?.upperBound ?? stream.size) - offset), left - frame.encodedLength - 1)
    guard frame.length > 0 else { return false }
    frame.isLast = frame.range.upperBound == stream.size
    if lost != nil { stream.lost.remove(frame.range) } else { stream.next = frame.range.upperBound }
    packet.frames.append(frame)
    left -= frame.encodedLength
    return true
  }

  // MARK: - Bookkeeping

  private mutating func noteSent(_ packet: QUICPacket, isPadded: Bool, isMTUProbe: Bool = false, isOnlyAck: Bool = false, at now: Int64) {
    let space = packet.level.rawValue
    spaces[space].nextNumber += 1
    // Acknowledgements that leave in spite of window or pacing are not paced.
    if !isOnlyAck { pacedBytes += Int64(packet.length) }
    if !packet.acknowledged.isEmpty { spaces[space].noteAckSent() }
    if packet.level == .application, !isOnlyAck { nonElicitingCount = packet.isAckEliciting ? 0 : nonElicitingCount + 1 }
    if packet.isAckEliciting || isPadded {
      var sent = QUICSentPacket(number: packet.number, sentAt: now, length: Int64(packet.length), frames: packet.frames)
      sent.ackedUpTo = packet.acknowledged.ranges.last.map { $0.upperBound - 1 } ?? -1
      sent.isMTUProbe = isMTUProbe
      sent.isProbe = spaces[space].probesLeft > 0 && packet.frames.allSatisfy { $0.kind == .ping }
      path.noteSent(&sent)
      if packet.level == .application, packet.isAckEliciting {
        if spaces[2].isEmpty { cubic.noteStart(at: now, lastSentAt: spaces[2].lastElicitingAt) }
        if !isMTUProbe { cubic.noteSent(packet.number) }
      }
      spaces[space].append(sent)
      if packet.isAckEliciting {
        noteElicitingSent(at: now)
        spaces[space].lastElicitingAt = now
        spaces[space].probesLeft = max(0, spaces[space].probesLeft - 1)
      }
      setLossTimer(at: now)
    }
    // A client drops its Initial keys with its first Handshake packet (RFC 9001, 4.9.1).
    if !isServer, packet.level == .handshake { discard(.initial, at: now) }
  }
}
