// The event log of a run: every event in order, every request from its sending to its end.

/// A request of a run, from its asking to its end.
package struct RequestRecord: Hashable, Sendable {
  /// What of an item a request brings, or that it brings a page.
  package enum Part: String, Hashable, Sendable {
    case ready
    /// What follows a video's prefix.
    case rest
    case page
  }

  package enum End: String, Hashable, Sendable {
    case finished
    case cut
    /// It was on the way when the run ended.
    case unfinished
  }

  /// Its number among all requests of the run, from 1.
  package let number: Int
  /// The item's place in the feed, or the page's number from 0.
  package let item: Int
  package let part: Part
  /// The place of its first byte in the item.
  package let offset: Int64
  package let bytes: Int64
  package let asked: Instant
  package let activeItem: Int
  /// Why the prefetcher had been asked for the plan that wanted it.
  package let occasion: PlanTrigger
  /// When its first byte came; nil if none did.
  package internal(set) var began: Instant?
  package internal(set) var ended: Instant
  package internal(set) var end = End.unfinished
  /// The bytes that the client read.
  package internal(set) var received: Int64 = 0
}

/// What happens in a run besides requests.
package enum SessionEvent: Hashable, Sendable {
  /// An item became active; whether it was ready.
  case activated(Int, isReady: Bool)
  case ready(Int)
  case left(Int)
  /// The prefetcher was asked and planned so many fetches.
  case planned(PlanTrigger, fetches: Int)
  /// A request was sent; its number.
  case requested(Int)
  /// A request ended; its number.
  case ended(Int)
  /// A page was asked for; whether that had been done before.
  case pageRequested(Int, isAgain: Bool)
  /// A page came; whether it was there already.
  case pageArrived(Int, isAgain: Bool)
  /// The finger left the screen; where the movement will end, in points.
  case moved(to: Double)
  case memoryWarning
  case background
  case foreground
}

package struct TimedEvent: Hashable, Sendable {
  package let at: Instant
  package let event: SessionEvent
}

/// How much the client had read by an instant.
package struct ReadBytes: Hashable, Sendable {
  package let at: Instant
  /// The payload of all requests that had been read by then, kept or not.
  package let bytes: Int64

  package static let none = ReadBytes(at: .start, bytes: 0)
}

struct EventLog {
  private(set) var events: [TimedEvent] = []
  private(set) var requests: [RequestRecord] = []
  /// How much had been read whenever something happened, by rising time.
  private(set) var reads: [ReadBytes] = []
  /// The payload of the requests that have ended.
  private var bytesOfEnded: Int64 = 0

  @inline(never)
  mutating func note(_ event: SessionEvent, at now: Int64) {
    events.append(TimedEvent(at: Instant(nanoseconds: now), event: event))
  }

  /// Writes down a request and returns its number.
  @inline(never)
  mutating func request(
    _ part: RequestedPart, _ kind: RequestRecord.Part, activeItem: Int, occasion: PlanTrigger, at now: Int64
  ) -> Int32 {
    let instant = Instant(nanoseconds: now)
    requests.append(
      RequestRecord(
        number: requests.count + 1, item: part.content.index, part: kind, offset: part.offset, bytes: part.bytes, asked: instant,
        activeItem: activeItem, occasion: occasion, ended: instant))
    note(.requested(requests.count), at: now)
    return Int32(requests.count)
  }

  @inline(never)
  mutating func end(_ number: Int32, _ end: RequestRecord.End, received: Volume, firstByte: Instant?, at now: Int64) {
    let index = Int(number) - 1
    requests[index].end = end
    requests[index].ended = Instant(nanoseconds: now)
    requests[index].received = received.bytes
    requests[index].began = firstByte
    bytesOfEnded += received.bytes
    if end != .unfinished { note(.ended(Int(number)), at: now) }
  }

  /// Writes down how much has been read, with so many bytes of requests in flight; of one instant the last word holds.
  @inline(never)
  mutating func read(inFlight bytes: Int64, at now: Instant) {
    if reads.last?.at == now { reads.removeLast() }
    reads.append(ReadBytes(at: now, bytes: bytesOfEnded + bytes))
  }
}

extension RequestedPart.Content {
  /// The item's place in the feed, or the page's number from 0.
  fileprivate var index: Int {
    switch self {
    case .item(let index), .page(let index): index
    }
  }
}
