// The event log of a run: all events in order, and each request from start to end.

package struct RequestRecord: Hashable, Sendable {
  /// The content of a request: one of the two parts of an item, or a page.
  package enum Part: String, Hashable, Sendable {
    case ready
    /// The bytes of a video after its prefix.
    case rest
    case page
  }

  package enum End: String, Hashable, Sendable {
    case finished
    case cancelled = "cut"
    /// In flight when the run ended.
    case unfinished
  }

  /// The number among all requests of the run, from 1.
  package let number: Int
  /// The index of the item in the feed, or the number of the page from 0.
  package let item: Int
  package let part: Part
  package let offset: Int64
  package let bytes: Int64
  package let requested: Instant
  package let activeItem: Int
  package let trigger: PlanTrigger
  /// The time at which its connection was ready, before the request if it was open; nil if that was not reached, or is not known.
  package internal(set) var connected: Instant?
  /// The arrival of its first byte; nil if none arrived.
  package internal(set) var firstByte: Instant?
  package internal(set) var ended: Instant
  package internal(set) var end = End.unfinished
  /// The bytes that the client read.
  package internal(set) var received: Int64 = 0
  /// The bit rate of a segment's rendition; nil for other requests.
  package internal(set) var bitsPerSecond: Int64?
}

/// An event of a run. Requests have records of their own.
package enum SessionEvent: Hashable, Sendable {
  /// An item became active, ready or not.
  case activated(Int, isReady: Bool)
  case ready(Int)
  /// The stored bytes of an item are decoded.
  case decoded(Int)
  /// An item left memory, or the disk after that.
  case evicted(Int)
  case readFromDisk(Int)
  case left(Int)
  case planned(PlanTrigger, fetches: Int)
  case requested(Int)
  case ended(Int)
  /// A page was requested; `isAgain` if it was loaded or in flight already.
  case pageRequested(Int, isAgain: Bool)
  /// A page arrived; `isAgain` if the client had no use for it.
  case pageArrived(Int, isAgain: Bool)
  /// The finger left the screen; the movement will end at this offset, in points.
  case moved(to: Double)
  case memoryWarning
  case background
  case foreground
}

package struct TimedEvent: Hashable, Sendable {
  package let at: Instant
  package let event: SessionEvent
}

/// The bytes that the client had read by an instant.
package struct ReadBytes: Hashable, Sendable {
  package let at: Instant
  /// The payload read of all requests, kept or not.
  package let bytes: Int64

  package static let none = ReadBytes(at: .start, bytes: 0)
}

struct EventLog {
  private(set) var events: [TimedEvent] = []
  private(set) var requests: [RequestRecord] = []
  /// The bytes read at each event, in ascending order of time.
  private(set) var reads: [ReadBytes] = []
  /// The payload of all requests that have ended.
  private var bytesOfEnded: Int64 = 0

  @inline(never) mutating func note(_ event: SessionEvent, at now: Int64) {
    events.append(TimedEvent(at: Instant(nanoseconds: now), event: event))
  }

  @inline(never) mutating func request(
    _ part: RequestedPart, _ kind: RequestRecord.Part, activeItem: Int, trigger: PlanTrigger, at now: Int64
  ) -> Int32 {
    let instant = Instant(nanoseconds: now)
    requests.append(
      RequestRecord(
        number: requests.count + 1, item: part.content.index, part: kind, offset: part.offset, bytes: part.bytes, requested: instant,
        activeItem: activeItem, trigger: trigger, ended: instant))
    note(.requested(requests.count), at: now)
    return Int32(requests.count)
  }

  /// Notes the bit rate of the segment that was requested last.
  mutating func noteRendition(_ bitsPerSecond: Int64) { requests[requests.count - 1].bitsPerSecond = bitsPerSecond }

  @inline(never) mutating func end(
    _ number: Int32, _ end: RequestRecord.End, received: Volume, milestones: (connected: Instant?, firstByte: Instant?), at now: Int64
  ) {
    let index = Int(number) - 1
    requests[index].end = end
    requests[index].ended = Instant(nanoseconds: now)
    requests[index].received = received.bytes
    (requests[index].connected, requests[index].firstByte) = milestones
    bytesOfEnded += received.bytes
    if end != .unfinished { note(.ended(Int(number)), at: now) }
  }

  /// Logs the bytes read, given those of requests in flight. A later call at the same instant replaces an earlier one.
  @inline(never) mutating func read(inFlight bytes: Int64, at now: Instant) {
    if reads.last?.at == now { reads.removeLast() }
    reads.append(ReadBytes(at: now, bytes: bytesOfEnded + bytes))
  }
}

extension RequestedPart.Content {
  /// The index of the item in the feed, or the number of the page from 0.
  fileprivate var index: Int {
    switch self {
    case .item(let index), .page(let index): index
    }
  }
}
