// Heights of items and the places that follow from them.

/// Where each item begins in the content, in points.
struct FeedGeometry {
  /// The height of an iPhone 7's screen, the original test's phone.
  static let defaultViewportHeight = 667.0

  /// The height of every item where all are alike.
  private var uniformHeight = FeedGeometry.defaultViewportHeight
  /// The upper edge of each item and the content's end; empty where all are alike.
  private var tops: ContiguousArray<Double> = []

  /// Items as high as the viewport.
  init(viewportHeight: Double = FeedGeometry.defaultViewportHeight) { uniformHeight = viewportHeight }

  /// The heights of `items`; those that have none are as high as the viewport. O(items) if any has one.
  init(items: ContiguousArray<Item>, viewportHeight: Double) {
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

  @inline(__always)
  func top(_ item: Int) -> Double {
    if tops.isEmpty { return Double(item) * uniformHeight }
    return tops[item]
  }

  /// The item at an offset, the lower one of two that meet there; the one after the last beyond the end. O(log items).
  func item(at offset: Double) -> Int {
    if offset <= 0 { return 0 }
    if tops.isEmpty { return Int(min(offset / uniformHeight, 1e15)) }
    var low = 0
    var high = tops.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if tops[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}
