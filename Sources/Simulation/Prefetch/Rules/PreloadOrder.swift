// Media3's order of preloading: the nearest first, one at a time.

/// The queue of Media3's preload manager: sources by their distance from the one that plays, one of them at a time.
public struct PreloadOrder: Sendable {
  /// The sources' places in the feed, in the order in which they were added.
  public let ranks: [Int]
  /// The one that plays; −1 before any does.
  public private(set) var current = -1
  /// The queue; the first `position` of it are done or skipped.
  public private(set) var queue: [Int]
  private var position = 0

  /// A queue of sources before any plays.
  public init(ranks: [Int]) {
    self.ranks = ranks
    queue = Self.sorted(ranks, around: -1)
  }

  /// Sources by distance, those equally far in the order in which they were added. O(n log n).
  public static func sorted(_ ranks: [Int], around current: Int) -> [Int] {
    ranks.enumerated().sorted { left, right in
      let (a, b) = (abs(left.element - current), abs(right.element - current))
      return a == b ? left.offset < right.offset : a < b
    }.map(\.element)
  }

  /// The source that loads now; nil when all are done.
  public var loading: Int? { position < queue.count ? queue[position] : nil }

  /// The source that is thrown out first when memory runs short: the farthest.
  public var firstToClear: Int? { queue.last }

  /// The one that loads is complete, was skipped or has failed: the next one's turn.
  public mutating func advance() { position = min(queue.count, position + 1) }

  /// Another one plays: the queue is sorted anew and starts from its head. Nothing happens if it is the same.
  public mutating func play(_ rank: Int?) {
    let next = rank ?? -1
    guard next != current else { return }
    current = next
    queue = Self.sorted(ranks, around: current)
    position = 0
  }
}
