// The socket of a server for plain responses, as Linux fills it: `tcp_sendmsg_locked` by `sendfile`, `tcp_check_space` on acknowledgements.
// Memory limits the number of sk_buffs, not the bytes of the last one, so that a burst takes more than the buffer.

/// `sk_sndbuf` of one socket and the sk_buffs that take its memory. All are in bytes. Functions take the sender `inout` and do not change it:
/// a borrowed one would be copied.
struct SendBuffer {
  /// The pipe of `sendfile`: 16 pages.
  private static let pipe: Int64 = 65536
  private static let page: Int64 = 4096
  private static let segment = Int64(PacketSize.segment)

  /// `sk_sndbuf`.
  private var size: Int64
  /// The bytes of the buffer for a segment of cwnd: `sndbuf_expand` of the congestion control.
  private let bytesPerSegment: Int64
  /// `max_window`: the largest receive window seen.
  private var maxWindow = SocketMemory.firstWindow
  /// The stream offset at which the last sk_buff begins.
  private var lastStart: Int64 = 0
  /// `pushed_seq`: the stream offset of the last push.
  private var pushedSeq: Int64 = 0
  /// The offset in the file; negative in the header before it.
  private var position: Int64 = 0

  init(congestion: NetworkConfiguration.Congestion) {
    bytesPerSegment = (congestion == .bbr ? 3 : 2) * SocketMemory.segment
    size = bytesPerSegment * Int64(CubicWindow.initialCwnd)
  }

  mutating func begin(headerBytes: Int64) { position = -headerBytes }

  /// Raises the limit if cwnd has room (`tcp_check_space`), and returns true if the data alone leaves a third of the socket free.
  @inline(__always) mutating func hasRoom(queued: Int64, inFlight: Int, cwnd: Int) -> Bool {
    if inFlight < cwnd { size = max(size, min(SocketMemory.maximum, bytesPerSegment * Int64(max(CubicWindow.initialCwnd, cwnd)))) }
    return queued * 3 <= size * 2
  }

  /// True if a third of the socket is free, the sk_buffs included (`sk_stream_write_space`).
  func isWritable(_ sender: inout PacketSender) -> Bool {
    memory(written: sender.writtenBytes, sent: sender.sentBytes, buffers: buffersInFlight(&sender), &sender) * 3 <= size * 2
  }

  /// Returns the bytes of a response with `left` bytes that the socket takes now. The sender sends meanwhile, which needs no time.
  mutating func accept(_ left: Int64, _ sender: inout PacketSender) -> Int64 {
    maxWindow = max(maxWindow, sender.windowEdge - sender.acknowledgedBytes)
    let burst = Int64(sender.bufferSegments)
    let goal = sizeGoal
    var (written, sent, buffers) = (sender.writtenBytes, sender.sentBytes, buffersInFlight(&sender))
    let end = written + left
    var quota = min(Int64(sender.sendableNow), max(0, sender.windowEdge - sent) / SendBuffer.segment)
    /// Sends full segments within cwnd.
    func send(atMost limit: Int64) {
      let count = min(limit, quota, (written - sent) / SendBuffer.segment)
      sent += count * SendBuffer.segment
      quota -= count
      buffers += (count + burst - 1) / burst
    }
    while written < end {
      // One `sendmsg` of `sendfile`: the pages of its pipe, the first time behind the header.
      let part = min(end, written + SendBuffer.pipe - (position < 0 ? position : position % SendBuffer.page))
      while written < part {
        var last = written - max(lastStart, sent)
        if last <= 0 || last >= goal {
          guard memory(written: written, sent: sent, buffers: buffers, &sender) < size else {
            pushedSeq = written
            return written - sender.writtenBytes
          }
          (lastStart, last) = (written, 0)
        }
        let bytes = min(goal - last, part - written)
        written += bytes
        position += bytes
        if last + bytes < goal { break }
        if isPushForced(written) {
          pushedSeq = written
          send(atMost: quota)
        } else if lastStart <= sent {
          send(atMost: burst)
        }
      }
      if written == end || isPushForced(written) { pushedSeq = written }
      send(atMost: quota)
    }
    return left
  }

  /// `forced_push`: half of the largest window has been written since the last push.
  private func isPushForced(_ written: Int64) -> Bool { written - pushedSeq > maxWindow / 2 }

  /// The most bytes of one sk_buff (`tcp_xmit_size_goal`).
  private var sizeGoal: Int64 { min(maxWindow / 2, SocketMemory.maxSkb) / SendBuffer.segment * SendBuffer.segment }

  /// `sk_wmem_queued`: the bytes that are not acknowledged, and the sk_buffs that hold them.
  private func memory(written: Int64, sent: Int64, buffers: Int64, _ sender: inout PacketSender) -> Int64 {
    let unsent = written == sent ? 0 : 1 + (max(0, lastStart - sent) + sizeGoal - 1) / sizeGoal
    return written - sender.acknowledgedBytes + SocketMemory.skb * (buffers + unsent)
  }

  private func buffersInFlight(_ sender: inout PacketSender) -> Int64 {
    let burst = Int64(sender.bufferSegments)
    return (Int64(sender.packetsOut) + burst - 1) / burst
  }
}
