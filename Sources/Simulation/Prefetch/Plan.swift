// The plan of a prefetcher: an ordered list of fetches that is empty at each call.

/// An ordered list of planned fetches, the most urgent first.
///
/// Fetches of neighbouring items are stored as one range, so the cost of a window does not depend on its width.
public struct Plan: ~Copyable {
  package struct Fetch: Hashable, Sendable, BitwiseCopyable {
    package var item: Int
    /// The number of bytes from its start; `Plan.toReady` stands for its ready bytes.
    package var bytes: Int64
    /// The priority; lower is more urgent. Servers learn it under HTTP/2 with `network.priorities`, as urgency 0 to 7.
    package var priority: Int
  }

  /// Fetches of neighbouring items: equal bytes of each, each one less urgent by 1 than the one before.
  struct FetchRange: BitwiseCopyable {
    var first: Int
    var end: Int
    var bytes: Int64
    /// The priority of an item, minus its index.
    var priorityBase: Int
    /// The index of a rendition; −1 if the download manager chooses.
    var rendition = -1
  }

  /// The amount that makes an item ready: all bytes, or a video's prefix.
  public static let toReady: Int64 = -1

  /// The instant at which the prefetcher wants to plan again; nil for none. Its triggers must contain `askedFor`.
  public var askAgain: Instant?
  /// The number of listed items; fetches of later ones are ignored.
  var limit = Int.max
  private(set) var rangeCount = 0
  private(set) var ranges = FixedArray(repeating: Plan.emptyRange, count: 16)

  package init() {}

  /// The number of planned fetches. O(ranges).
  package var count: Int { (0..<rangeCount).reduce(0) { $0 + ranges[$1].end - ranges[$1].first } }

  /// The planned fetch at an index, 0 ..< `count`. O(ranges).
  package subscript(index: Int) -> Fetch {
    var rest = index
    for number in 0..<rangeCount {
      let range = ranges[number]
      if rest < range.end - range.first {
        let item = range.first + rest
        return Fetch(item: item, bytes: range.bytes, priority: range.priorityBase + item)
      }
      rest -= range.end - range.first
    }
    preconditionFailure("fetch \(index) of \(count)")
  }

  /// Appends a fetch of the first `bytes` of `item`.
  @inline(__always) public mutating func fetch(_ item: Int, bytes: Int64 = .max, priority: Int = 0) {
    // One test for both bounds: the sign is set if either of them fails.
    if item | (limit &- 1 &- item) >= 0 { append(item, item &+ 1, bytes: bytes, priorityBase: priority &- item) }
  }

  /// Appends a fetch whose segments have one rendition, by its index; `bytes` count those of the lowest rendition.
  public mutating func fetch(_ item: Int, bytes: Int64 = .max, priority: Int = 0, rendition: Int) {
    if 0 <= item, item < limit { append(item, item &+ 1, bytes: bytes, priorityBase: priority &- item, rendition: rendition) }
  }

  package func forEachItem(_ body: (Int) -> Void) {
    for index in 0..<rangeCount { (ranges[index].first..<ranges[index].end).forEach(body) }
  }

  /// Appends fetches of the first `bytes` of each of `items`; the first has `priority`, each further one is less urgent by 1.
  @inline(__always) public mutating func fetch(_ items: Range<Int>, bytes: Int64 = .max, priority: Int = 0) {
    guard items.lowerBound | (limit &- items.upperBound) >= 0 else {
      return fetchListed(items, bytes: bytes, priority: priority)
    }
    if items.isEmpty { return }
    append(items.lowerBound, items.upperBound, bytes: bytes, priorityBase: priority &- items.lowerBound)
  }

  @inline(__always) private mutating func append(_ first: Int, _ end: Int, bytes: Int64, priorityBase: Int, rendition: Int = -1) {
    if rangeCount > 0 {
      let last = ranges[rangeCount &- 1]
      if last.end == first, last.bytes == bytes, last.priorityBase == priorityBase, last.rendition == rendition {
        ranges[rangeCount &- 1].end = end
        return
      }
    }
    if rangeCount == ranges.count { grow() }
    ranges[rangeCount] = FetchRange(first: first, end: end, bytes: bytes, priorityBase: priorityBase, rendition: rendition)
    rangeCount &+= 1
  }

  /// Appends fetches of those of `items` that are listed.
  @inline(never) private mutating func fetchListed(_ items: Range<Int>, bytes: Int64, priority: Int) {
    let listed = items.clamped(to: 0..<max(limit, 0))
    if !listed.isEmpty { fetch(listed, bytes: bytes, priority: priority + listed.lowerBound - items.lowerBound) }
  }

  /// Removes all fetches and sets the number of listed items.
  @inline(__always) mutating func removeAll(limit: Int) {
    rangeCount = 0
    askAgain = nil
    self.limit = limit
  }

  /// Returns the first range from `index` on that contains `item`; nil if there is none. O(ranges).
  func range(of item: Int, from index: Int = 0) -> Int? {
    var index = index
    while index < rangeCount {
      if ranges[index].first <= item && item < ranges[index].end { return index }
      index &+= 1
    }
    return nil
  }

  @inline(never) private mutating func grow() {
    var larger = FixedArray(repeating: Plan.emptyRange, count: 2 * ranges.count)
    for index in 0..<rangeCount { larger[index] = ranges[index] }
    ranges = larger
  }

  private static var emptyRange: FetchRange { FetchRange(first: 0, end: 0, bytes: 0, priorityBase: 0) }
}
