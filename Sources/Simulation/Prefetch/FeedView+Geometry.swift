// Where the items stand on the screen, as an app's layout tells it.

extension FeedView {
  /// The height of an item, in points.
  package func height(_ item: Int) -> Double { told.pointee.geometry.top(item + 1) - told.pointee.geometry.top(item) }

  /// The upper edge of an item in the content, in points; that of the item after the last is the content's end.
  package func itemTop(_ item: Int) -> Double { told.pointee.geometry.top(item) }

  /// The height of all that is listed, or of all there is where that is known; in points.
  package var contentHeight: Double { told.pointee.geometry.top(totalItems ?? items.count) }

  /// The items between two offsets, the one that ends at `top` and the one that begins at `bottom` left out. O(log items).
  package func items(from top: Double, to bottom: Double) -> Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(told.pointee.geometry.item(at: top), 0), end)
    var last = first
    if bottom > top { last = min(told.pointee.geometry.item(at: bottom), end - 1) + 1 }
    // The item that begins at the lower offset is not between them.
    if last > first, told.pointee.geometry.top(last - 1) >= bottom { last -= 1 }
    return first..<max(first, last)
  }

  /// The items that a viewport at an offset shows.
  package func visibleItems(at offset: Double) -> Range<Int> { items(from: offset, to: offset + viewportHeight) }

  /// The items that the article's formula counts where the movement ends: from the one at the upper edge to the one at the lower edge,
  /// also where that only begins there. O(log items).
  package var targetItems: Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(told.pointee.geometry.item(at: targetOffset), 0), end)
    return first..<max(first, min(told.pointee.geometry.item(at: targetOffset + viewportHeight) + 1, end))
  }

  /// The items in the viewport.
  package var visibleItems: Range<Int> { visibleItems(at: contentOffset) }
}
