// The send buffer of a Linux socket under TLS or HTTP/2: memory is counted in skbs (`sk_wmem_queued`), and its limit (`sk_sndbuf`) follows cwnd.
// PacketServer asks it how much of a write the socket takes, and after acknowledgements if the application is woken.

/// The memory of the data that a socket has taken and the client has not acknowledged. As in SendBuffer, no function changes the sender.
struct SocketMemory {
  /// The bytes of an skb besides its data: `sk_buff`, `skb_shared_info` and the room for headers.
  static let skb: Int64 = 832
  /// Bytes of the buffer for a segment of cwnd (`tcp_sndbuf_expand`): an MSS with its overhead, rounded up to a power of two.
  static let segment: Int64 = 2304
  /// `tcp_wmem[2]`: the most that the kernel grows the buffer to.
  static let maximum: Int64 = 4 << 20
  /// `sk_gso_max_size`: the most bytes of an skb.
  static let maxSkb: Int64 = 65_215
  /// The window that the client offers first.
  static let firstWindow: Int64 = 64_512

  /// `SOCK_NOSPACE`: true from a write that was not taken whole until the application is woken.
  private(set) var isFull = false
  /// `sk_sndbuf`.
  private var limit: Int64
  /// Segments in the buffer for each one of cwnd: `sndbuf_expand` of the congestion control.
  private let factor: Int64
  /// The stream offsets of the ends of skbs that are sent and not acknowledged.
  private var sent = Queue<Int64>()
  /// The lengths of skbs that are not sent.
  private var unsent = Queue<Int64>()
  /// `PacketSender.sentBytes` as of the last `update`.
  private var sentBytes: Int64 = 0
  /// `max_window`: the largest receive window that the client has advertised.
  private var maxWindow = SocketMemory.firstWindow

  init(congestion: NetworkConfiguration.Congestion) {
    factor = congestion == .bbr ? 3 : 2
    limit = factor * SocketMemory.segment * Int64(CubicWindow.initialCwnd)
  }

  /// `sk_wmem_queued` after `written` bytes.
  private func memory(written: Int64, _ sender: inout PacketSender) -> Int64 {
    written - sender.acknowledgedBytes + SocketMemory.skb * Int64(sent.count + unsent.count)
  }

  /// Returns how many of `bytes` the socket takes (`tcp_sendmsg_locked`). An skb that has begun is filled beyond the limit.
  mutating func accept(_ bytes: Int64, _ sender: inout PacketSender) -> Int64 {
    // An skb holds whole segments and at most half of the largest window (`tcp_bound_to_half_wnd`).
    let goal = min(SocketMemory.maxSkb, maxWindow / 2) / Int64(PacketSize.segment) * Int64(PacketSize.segment)
    var left = bytes
    while left > 0 {
      var room = unsent.isEmpty ? 0 : goal - unsent[unsent.count - 1]
      if room <= 0 {
        guard memory(written: sender.writtenBytes + bytes - left, &sender) < limit else {
          isFull = true
          break
        }
        unsent.append(0)
        room = goal
      }
      let copied = min(room, left)
      unsent[unsent.count - 1] += copied
      left -= copied
    }
    return bytes - left
  }

  /// Splits what was sent since the last call into skbs (`tcp_tso_autosize`), frees acknowledged ones, and returns the skbs sent.
  @discardableResult mutating func update(_ sender: inout PacketSender) -> Int {
    maxWindow = max(maxWindow, sender.windowEdge - sender.acknowledgedBytes)
    let before = sent.count
    if sentBytes < sender.sentBytes {
      let most = Int64(PacketSize.segment) * Int64(min(sender.bufferSegments, max(1, sender.cubic.cwnd / 2)))
      while sentBytes < sender.sentBytes {
        // A short skb takes data of the next one (`tcp_grow_skb`).
        var left = min(most, sender.sentBytes - sentBytes)
        sentBytes += left
        sent.append(sentBytes)
        while left > 0 {
          let length = min(left, unsent[0])
          left -= length
          unsent[0] -= length
          if unsent[0] == 0 { unsent.removeFirst() }
        }
      }
    }
    let count = sent.count - before
    while let end = sent.first, end <= sender.acknowledgedBytes { sent.removeFirst() }
    return count
  }

  /// True if an acknowledgement wakes the application (`tcp_check_space`): a third of the buffer is free. The buffer follows cwnd if the
  /// acknowledgement leaves room in it: a second skb waits for the first to leave the host (`tcp_small_queue_check`).
  mutating func wakes(_ sender: inout PacketSender) -> Bool {
    let count = update(&sender)
    guard isFull else { return false }
    if count > 1 || sender.packetsInFlight < sender.cubic.cwnd { expand(&sender) }
    let queued = memory(written: sender.writtenBytes, &sender)
    guard limit - queued >= queued >> 1 else { return false }
    isFull = false
    return true
  }

  /// `tcp_sndbuf_expand`.
  private mutating func expand(_ sender: inout PacketSender) {
    limit = max(limit, min(SocketMemory.maximum, factor * SocketMemory.segment * Int64(max(CubicWindow.initialCwnd, sender.cubic.cwnd))))
  }
}
