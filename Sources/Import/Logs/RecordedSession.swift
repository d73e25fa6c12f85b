// A session as an HTTP archive shows it: items, requests with their times, and what can be derived from these without a model.

import Base
import Simulation

/// A request of a recorded session. Times are in nanoseconds from the first one.
struct RecordedRequest: Sendable {
  /// The index of the item, or the number of the page from 0.
  let number: Int
  let isPage: Bool
  /// The offset of its first byte in the item, and the payload read.
  let offset: Int64, bytes: Int64
  /// The payload asked for; nil if a cancelled request does not say it.
  let asked: Int64?
  /// The start of the request, the arrival of its first byte and the end.
  private(set) var start: Int64, firstByte: Int64, end: Int64
  /// The time from the end of the lookup until its new connection was ready; nil for an open connection, or if the archive does not say it.
  let connecting: Int64?
  /// The time of looking up the name of the host, after the start.
  private(set) var lookup: Int64
  let isCancelled: Bool
  let host: String, version: String
  let isSecure: Bool

  /// Reads an entry; `first` is the start of the session in microseconds.
  init(_ entry: HAREntry, _ details: HAREntry.Details, number: Int, since first: Int64) {
    (self.number, isPage, bytes, isCancelled) = (number, entry.role == .page, entry.bytes, details.isCancelled)
    (offset, host, version, isSecure) = (entry.range?.lowerBound ?? 0, String(details.host), details.version, details.isSecure)
    asked = details.asked ?? (details.isCancelled ? nil : entry.bytes)
    // Times beyond a day are nobody's session; the bound keeps sums within 64 bits.
    func time(_ index: Int) -> Int64 { min(86_400_000_000, max(0, details.times[index] ?? 0)) }
    // blocked, dns, connect, ssl (a part of connect), send, wait, receive.
    let (setUp, wait) = (time(2), time(1) + time(2) + time(4) + time(5))
    let start = min(max(0, entry.start - first), 1_000 * 86_400_000_000) + time(0)
    self.start = start * 1000
    firstByte = (start + wait) * 1000
    end = (start + wait + time(6)) * 1000
    (connecting, lookup) = (setUp > 0 ? setUp * 1000 : nil, time(1) * 1000)
  }

  var duration: Int64 { end - start }

  /// The request as if it had started when the name of its host was known.
  var afterLookup: RecordedRequest {
    var request = self
    (request.start, request.lookup) = (start + lookup, 0)
    return request
  }

  private mutating func shift(by time: Int64) { (start, firstByte, end) = (start + time, firstByte + time, end + time) }

  /// Returns the requests with the fractions of a millisecond that archives omit: a request that begins in the same millisecond as a
  /// transfer ends begins at that end, and a transfer that is cancelled about when a request begins ends then. Times are from the first start,
  /// which a wait for a connection may have delayed, and in this order. O(n log n).
  static func aligned(_ requests: [RecordedRequest]) -> [RecordedRequest] {
    var (requests, ends) = (requests.sorted { $0.start < $1.start }, [Int64]())
    let first = requests.first?.start ?? 0
    for index in requests.indices { requests[index].shift(by: -first) }
    for index in requests.indices {
      let start = requests[index].start
      if start % 1_000_000 == 0, let end = ends.last(where: { $0 >= start && $0 < start + 1_000_000 }) {
        requests[index].shift(by: end - start)
      }
      // Ascending, so that the search ends after the few that are still in flight.
      let end = requests[index].end
      ends.insert(end, at: (ends.lastIndex { $0 <= end } ?? -1) + 1)
      if ends.count > 256 { ends.removeFirst() }
    }
    let starts = requests.map(\.start).sorted()
    for index in requests.indices where requests[index].isCancelled {
      let end = requests[index].end
      if let start = starts.first(where: { $0 >= end - 10_000 }), start <= end + 10_000 {
        requests[index].end = max(start, requests[index].firstByte)
      }
    }
    return requests
  }
}

struct RecordedSession: Sendable {
  let source: String
  let items: ContiguousArray<Item>
  /// The requests in the order of their starts.
  let requests: [RecordedRequest]
  /// The number of requests for manifests and playlists of videos, which are not among the others.
  let manifests: Int

  /// The most transfers of items in flight at once.
  var concurrency: Int { max(1, Self.concurrency(requests.filter { !$0.isPage })) }

  /// Returns the most requests in flight at once, up to 256.
  static func concurrency(_ own: [RecordedRequest]) -> Int {
    // Archives have starts in whole milliseconds, so that a transfer seems to start before the end that freed its connection.
    let edges = (own.map { ($0.start, 1) } + own.map { (max($0.start, $0.end - 2_000_000), -1) }).sorted { $0 < $1 }
    var (count, most) = (0, 0)
    for edge in edges {
      count += edge.1
      most = max(most, count)
    }
    return min(most, 256)
  }

  /// The ends of complete transfers, in ascending order.
  var ends: [Int64] { requests.filter { !$0.isCancelled }.map(\.end).sorted() }

  /// Returns true if one of `ends` is just before a time, so that a waiting request may have started for that reason. O(log n).
  static func follows(_ time: Int64, _ ends: [Int64]) -> Bool {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] < time - 2_000_000 { low = middle + 1 } else { high = middle }
    }
    return low < ends.count && ends[low] <= time + 1_000_000
  }

  /// The times that only an activation explains: cancels, and starts that follow no end; in ascending order, each once.
  var activationTimes: [Int64] {
    let ends = ends
    let starts = requests.filter { !$0.isPage && !Self.follows($0.start, ends) }.map(\.start)
    // The last cancels are those of the session's end.
    let last = requests.map(\.end).max() ?? 0
    let cancels = requests.filter { $0.isCancelled && $0.end < last - 3_000_000 }.map(\.end)
    return (starts + cancels).sorted().reduce(into: []) { times, time in
      if times.last.map({ time - $0 > 3_000_000 }) ?? true { times.append(time) }
    }
  }

  /// The number of items up to the last one that was requested.
  var itemCount: Int { (requests.map { $0.isPage ? 0 : $0.number }.max() ?? 0) + 1 }

  /// Returns the payload that a request asked for; of a cancelled one that does not say it, the rest of its item.
  func asked(_ request: RecordedRequest) -> Int64 {
    let rest = request.isPage ? request.bytes : items[request.number].bytes - request.offset
    return max(1, request.bytes, request.asked ?? rest)
  }

  /// The session up to a number of requests, with a window of items after those that they name.
  func prefix(_ count: Int) -> RecordedSession {
    let part = RecordedSession(source: source, items: items, requests: Array(requests.prefix(count)), manifests: manifests)
    let window = ContiguousArray(items.prefix(part.itemCount + 64))
    return RecordedSession(source: source, items: window, requests: part.requests, manifests: manifests)
  }

  /// The servers by kind of item and of the pages, each the most frequent one.
  var hosts: FeedHosts {
    func most(_ names: [String]) -> String? {
      let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
      return names.distinct.max { counts[$0, default: 0] < counts[$1, default: 0] }
    }
    let ofItems = requests.filter { !$0.isPage && $0.number < items.count }
    let usual = most(ofItems.map(\.host)) ?? ""
    func valid(_ name: String?) -> String {
      let letters = (name ?? usual).lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }
      return letters.isEmpty ? "media" : String(letters.prefix(200))
    }
    return FeedHosts(
      kinds: ItemKind.allCases.map { kind in valid(most(ofItems.filter { items[$0.number].kind == kind }.map(\.host))) },
      pages: valid(most(requests.filter(\.isPage).map(\.host))))
  }

  /// The pages of the feed; nil if the archive has no requests for them.
  var pages: PageSettings? {
    let pages = requests.filter(\.isPage)
    guard !pages.isEmpty else { return nil }
    let bytes = pages.map(\.bytes).sorted()[pages.count / 2]
    return PageSettings(size: max(1, (items.count + pages.count - 1) / pages.count), bytes: max(1, min(bytes, Volume.limitBytes)))
  }
}

extension Sequence<Double> {
  /// The median; 0 of no values.
  var median: Double {
    let sorted = sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
