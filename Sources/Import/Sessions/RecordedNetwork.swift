// The network as the recording shows it: each request ends after the time that it took there. A policy that is right then makes the same
// requests at the same times, whatever the link was like.

import Simulation

/// A network with a virtual clock whose transfers take the recorded times.
final class RecordedNetwork: RealNetwork {
  private struct Transfer {
    let start: Int64, firstByte: Int64, end: Int64
    let bytes: Int64
    /// The item or page and the recorded request, if the transfer is one that was complete.
    var complete: (RequestedPart.Content, Int)?
    /// The payload that the client has read at `time`, in a straight line from the first byte to the end.
    func read(at time: Int64) -> Int64 {
      if time >= end { return bytes }
      if time <= firstByte || end <= firstByte { return 0 }
      return Int64(Double(bytes) * Double(time - firstByte) / Double(end - firstByte))
    }
  }

  /// Starts that differ by at most this long are one: archives have whole milliseconds.
  private static let precision: Int64 = 2_000_000
  /// The longest that a transfer may last: an hour, in nanoseconds.
  private static let longest: Int64 = 3_600_000_000_000

  private(set) var now = Instant.start
  private let session: RecordedSession
  /// The unused requests of each item and page, in order.
  private var recorded: [RequestedPart.Content: [Int]] = [:]
  private var lastUsed: [RequestedPart.Content: Int] = [:]
  /// The round trip in nanoseconds and the rate in bytes a nanosecond, for requests that the recording does not have.
  private let roundTrip: Int64, rate: Double
  private var transfers: [Transfer?] = []
  private var firstBytes: [Instant?] = []

  init(_ session: RecordedSession, roundTrip: Int64, bitsPerSecond: Int64) {
    (self.session, self.roundTrip, rate) = (session, roundTrip, max(1000, Double(bitsPerSecond)) / 8e9)
    for (index, request) in session.requests.enumerated() {
      recorded[request.isPage ? .page(request.number) : .item(request.number), default: []].append(index)
    }
  }

  func advance(until limit: Instant) -> Int? {
    let ends = transfers.indices.compactMap { index in transfers[index].map { ($0.end, index) } }
    guard let next = ends.min(by: { $0 < $1 }), next.0 <= limit.nanoseconds else {
      now = max(now, limit)
      return nil
    }
    now = max(now, Instant(nanoseconds: next.0))
    transfers[next.1] = nil
    return next.1
  }

  func start(_ transfer: Int, _ part: RequestedPart, host: Int, priority: Int) {
    while transfers.count <= transfer {
      transfers.append(nil)
      firstBytes.append(nil)
    }
    let started = times(part)
    transfers[transfer] = started
    firstBytes[transfer] = Instant(nanoseconds: started.firstByte)
  }

  /// Returns the times of a request that starts now: those of the recorded one of the same bytes, or of the same item.
  private func times(_ part: RequestedPart) -> Transfer {
    let start = now.nanoseconds
    func modelled() -> Transfer {
      let end = start + roundTrip + Int64(min(Double(part.bytes) / rate, Double(Self.longest)))
      return Transfer(start: start, firstByte: start + roundTrip, end: end, bytes: part.bytes)
    }
    var indices = recorded[part.content] ?? []
    let last = lastUsed[part.content].map { session.requests[$0] }
    var skipped: Int64 = 0
    let request: RecordedRequest
    var complete: (RequestedPart.Content, Int)?
    if let found = indices.firstIndex(where: { session.requests[$0].offset == part.offset }) ?? (last == nil ? indices.indices.first : nil)
    {
      lastUsed[part.content] = indices[found]
      request = session.requests[indices.remove(at: found)]
      recorded[part.content] = indices
      if !request.isCancelled, let used = lastUsed[part.content] { complete = (part.content, used) }
    } else if let last, last.offset < part.offset, part.offset < last.offset + last.bytes {
      // The recording has the part within a larger one.
      (request, skipped) = (last, part.offset - last.offset)
    } else {
      return modelled()
    }
    let shift = abs(start - request.start) <= Self.precision ? 0 : start - request.start
    let firstByte = max(start, request.firstByte + shift)
    var end = max(firstByte, request.end + shift)
    // As fast as recorded; what was cancelled goes on at its rate, and ends after the cancel.
    if request.bytes > 0, request.bytes != part.bytes {
      let share = Double(skipped + part.bytes) / Double(request.bytes)
      end = firstByte + Int64(min(Double(end - firstByte) * share, Double(Self.longest)))
    }
    if request.isCancelled {
      end = max(end, request.end + shift + Self.precision, request.bytes > 0 ? 0 : modelled().end + request.duration)
    }
    return Transfer(start: start, firstByte: firstByte, end: end, bytes: part.bytes, complete: complete)
  }

  func cancel(_ transfer: Int) -> Int64 {
    let read = received(transfer)
    // Another request may be the one that the recording has.
    if let (content, index) = transfers[transfer]?.complete { recorded[content, default: []].insert(index, at: 0) }
    transfers[transfer] = nil
    return read
  }

  func received(_ transfer: Int) -> Int64 { transfers[transfer]?.read(at: now.nanoseconds) ?? 0 }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    (nil, firstBytes[transfer].flatMap { $0 <= now ? $0 : nil })
  }
}
