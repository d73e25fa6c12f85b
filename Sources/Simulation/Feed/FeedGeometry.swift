// The heights of items and their offsets in the content.

struct FeedGeometry {
  /// The height of an iPhone 7's screen, the phone of the original tests, in points.
  static let defaultViewportHeight = 667.0

  /// The height of every item if all are equal.
  private let uniformHeight: Double
  /// The upper edge of each item and the end of the content; empty if all heights are equal.
  private var tops: ContiguousArray<Double> = []

  /// Creates the geometry of `items`; those without a height fill the viewport. O(items).
  init(items: ContiguousArray<Item> = [], viewportHeight: Double = FeedGeometry.defaultViewportHeight) {
    uniformHeight = viewportHeight
    guard items.contains(where: { $0.height > 0 }) else { return }
    var top = 0.0
    tops.reserveCapacity(items.count + 1)
    for item in items {
      tops.append(top)
      top += item.height > 0 ? Double(item.height) : viewportHeight
    }
    tops.append(top)
  }

  @inline(__always) func top(_ item: Int) -> Double { tops.isEmpty ? Double(item) * uniformHeight : tops[item] }

  /// Returns the item at an offset, the later one at a shared edge; beyond the content, an index after the last item. O(log items).
  func item(at offset: Double) -> Int {
    if offset <= 0 { return 0 }
    if tops.isEmpty { return Int(min(offset / uniformHeight, 1e15)) }
    return max(0, tops.partitioningIndex { $0 > offset } - 1)
  }
}
