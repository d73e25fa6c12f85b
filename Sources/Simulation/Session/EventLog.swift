// One run in writing: every request with its story, and every event in order. Off, it is one bit that nobody sets.

/// A request of a run, from its asking to its end.
package struct RequestRecord: Hashable, Sendable {
  /// What of an item a request brings, or that it brings a page.
  package enum Part: String, Hashable, Sendable {
    /// The bytes that make an item ready.
    case ready
    /// What follows a video's prefix.
    case rest
    /// A page of the feed.
    case page
  }

  /// How a request ended.
  package enum End: String, Hashable, Sendable {
    /// Its last byte came.
    case finished
    /// It was cut.
    case cut
    /// It was on the way when the run ended.
    case unfinished
  }

  /// Its number among all requests of the run, from 1.
  package let number: Int
  /// The item's place in the feed, or the page's number from 0.
  package let item: Int
  /// What it brings.
  package let part: Part
  /// The place of its first byte in the item.
  package let offset: Int64
  /// The bytes asked for.
  package let bytes: Int64
  /// When it was asked for.
  package let asked: Instant
  /// The item that was active then.
  package let activeItem: Int
  /// Why the prefetcher had been asked for the plan that wanted it.
  package let occasion: PlanTrigger
  /// When its first byte came; nil if none did.
  package internal(set) var began: Instant?
  /// When it ended.
  package internal(set) var ended: Instant
  /// How it ended.
  package internal(set) var end = End.unfinished
  /// The bytes that the client read.
  package internal(set) var received: Int64 = 0
}

/// What happens in a run besides requests.
package enum SessionEvent: Hashable, Sendable {
  /// An item became active; whether it was ready.
  case activated(Int, isReady: Bool)
  /// The active item became ready.
  case ready(Int)
  /// The user left an item.
  case left(Int)
  /// The prefetcher was asked, and had so many wishes.
  case planned(PlanTrigger, wishes: Int)
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
  /// Memory is short.
  case memoryWarning
  /// The app went to the background.
  case background
  /// The app came back.
  case foreground
}

/// An event and its instant.
package struct TimedEvent: Hashable, Sendable {
  /// When it happened.
  package let at: Instant
  /// What happened.
  package let event: SessionEvent
}

/// How much the client had read by an instant.
package struct ReadBytes: Hashable, Sendable {
  /// The instant.
  package let at: Instant
  /// The payload of all requests that had been read by then, kept or not.
  package let bytes: Int64

  /// Nothing, at the start.
  package static let none = ReadBytes(at: .start, bytes: 0)
}

/// The events and requests of a run.
struct EventLog {
  var isOn = false
  private(set) var events: [TimedEvent] = []
  private(set) var requests: [RequestRecord] = []
  /// What had been read whenever something happened, by rising time.
  private(set) var reads: [ReadBytes] = []
  /// The payload of the requests that have ended.
  private(set) var bytesOfEnded: Int64 = 0

  @inline(__always)
  mutating func note(_ event: SessionEvent, at now: Int64) {
    if isOn { events.append(TimedEvent(at: Instant(nanoseconds: now), event: event)) }
  }

  /// Writes down a request and returns its number.
  mutating func request(
    _ item: Int, _ part: RequestRecord.Part, offset: Int64, bytes: Int64, activeItem: Int, occasion: PlanTrigger, at now: Int64
  ) -> Int32 {
    let instant = Instant(nanoseconds: now)
    requests.append(
      RequestRecord(
        number: requests.count + 1, item: item, part: part, offset: offset, bytes: bytes, asked: instant, activeItem: activeItem,
        occasion: occasion, ended: instant))
    note(.requested(requests.count), at: now)
    return Int32(requests.count)
  }

  /// Writes down the request of a page.
  mutating func request(page: Int, bytes: Int64, at now: Int64) -> Int32 {
    request(page, .page, offset: 0, bytes: bytes, activeItem: 0, occasion: [], at: now)
  }

  /// Writes down how a request ended.
  mutating func end(_ number: Int32, _ end: RequestRecord.End, received: Volume, firstByte: Instant?, at now: Int64) {
    let place = Int(number) - 1
    requests[place].end = end
    requests[place].ended = Instant(nanoseconds: now)
    requests[place].received = received.bytes
    requests[place].began = firstByte
    bytesOfEnded += received.bytes
    if end != .unfinished { note(.ended(Int(number)), at: now) }
  }

  /// Writes down how much has been read; of one instant the last word holds.
  mutating func read(_ bytes: Int64, at now: Int64) {
    if reads.last?.at.nanoseconds == now { reads.removeLast() }
    reads.append(ReadBytes(at: Instant(nanoseconds: now), bytes: bytes))
  }
}

extension SessionLoop where Link: ~Copyable {
  mutating func noteActivation(_ item: Int, at now: Int64) {
    log.note(.activated(item, isReady: view.progress[item].isReady), at: now)
  }

  mutating func noteStart(_ number: Int, _ wish: Wish, at now: Int64) {
    stories[number].requestedAt = now
    guard log.isOn else { return }
    let part = part(of: wish)
    stories[number].serial = log.request(
      wish.item, wish.isRest ? .rest : .ready, offset: part.offset, bytes: part.bytes,
      activeItem: view.activeItem, occasion: view.occasion, at: now)
  }

  /// Takes note of an arrival; whether it was a page, with which nothing more is to be done.
  mutating func noteArrival(_ number: Int) -> Bool {
    let now = link.now.nanoseconds
    let volume = Volume(nanobits: transfers[number].volume)
    if log.isOn { log.end(stories[number].serial, .finished, received: volume, firstByte: link.firstByte(number), at: now) }
    if number >= onTheWay.capacity {
      finishPage(number)
      return true
    }
    occasions.pending.insert(.transferFinished)
    view.details.value.throughputSamples.value.add(
      ThroughputSample(
        volume: volume, requested: Instant(nanoseconds: stories[number].requestedAt), finished: link.now, concurrent: onTheWay.count))
    return false
  }

  mutating func noteCut(_ number: Int, received: Volume, at now: Int64) {
    guard log.isOn else { return }
    log.end(stories[number].serial, .cut, received: received, firstByte: link.firstByte(number), at: now)
  }

  /// Writes down how much has been read so far. O(transfers on the way).
  mutating func noteReads() {
    var bytes = log.bytesOfEnded
    var number = onTheWay.oldest
    while number != onTheWay.end {
      bytes += link.received(number).bytes
      number = onTheWay.next(after: number)
    }
    for number in onTheWay.capacity..<transfers.count where pages.isOnTheWay(number) { bytes += link.received(number).bytes }
    log.read(bytes, at: link.now.nanoseconds)
  }

  /// Writes down what is on the way when the run ends.
  mutating func noteUnfinished(at now: Int64) {
    guard log.isOn else { return }
    noteReads()
    var number = onTheWay.oldest
    while number != onTheWay.end {
      log.end(stories[number].serial, .unfinished, received: link.received(number), firstByte: link.firstByte(number), at: now)
      number = onTheWay.next(after: number)
    }
    for number in onTheWay.capacity..<transfers.count where pages.isOnTheWay(number) {
      log.end(stories[number].serial, .unfinished, received: link.received(number), firstByte: link.firstByte(number), at: now)
    }
  }
}
