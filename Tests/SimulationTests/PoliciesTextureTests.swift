import Foundation
import TestSupport
import Testing

@testable import Simulation

/// Texture's own tests, and rows that its own functions computed.
@Suite(.enabled(if: Reference.isPresent)) struct PoliciesTextureTests {
  private struct Cases: Decodable {
    var cases: [Case]
  }

  private struct Case: Decodable {
    var test: String
    var variable: String
    var contextIsFetching: Bool
    var scrollDirection: String
    var scrollableDirections: String
    var bounds: [Double]
    var contentSize: [Double]
    var targetOffset: [Double]
    var leadingScreens: Double
    var visible: Bool
    var rtl: Bool
    var velocity: [Double]
    var flipsHorizontallyInOppositeLayoutDirection: Bool
    var expected: Bool
  }

  private static func directions(_ name: String) -> ScrollDirections {
    switch name {
    case "Up": .up
    case "Down": .down
    case "Left": .left
    case "Right": .right
    case "Vertical": .vertical
    case "Horizontal": .horizontal
    default: []
    }
  }

  @Test func theNextPageIsAskedForAsInTexturesOwnTests() throws {
    let cases = try JSONDecoder().decode(Cases.self, from: Reference.data("policies/texture_batch_fetching_tests.json")).cases
    for each in cases {
      var fetch = BatchFetch(
        moving: Self.directions(each.scrollDirection), scrollable: Self.directions(each.scrollableDirections),
        screen: (each.bounds[2], each.bounds[3]), content: (each.contentSize[0], each.contentSize[1]),
        target: (each.targetOffset[0], each.targetOffset[1]), leadingScreens: each.leadingScreens)
      fetch.isFetching = each.contextIsFetching
      fetch.isVisible = each.visible
      fetch.isRightToLeft = each.rtl
      fetch.flipsItself = each.flipsHorizontallyInOppositeLayoutDirection
      fetch.velocity = (each.velocity[0], each.velocity[1])
      #expect(fetch.isDue() == each.expected, "\(each.test) \(each.variable)")
    }
    #expect(cases.count >= 21)
  }

  /// Batches of so many items of one height, from an empty list on, until none is asked for any more: their number, and the list's length.
  private static func filled(isVisible: Bool, itemHeight: Double, itemsPerBatch: Int = 1) -> (batches: Int, height: Double) {
    var (batches, height) = (0, 0.0)
    while batches < 1000 {
      var fetch = BatchFetch(moving: [], scrollable: .vertical, screen: (320, 480), content: (320, height), target: (0, 0))
      fetch.isVisible = isVisible
      guard fetch.isDue() else { break }
      batches += 1
      height += Double(itemsPerBatch) * itemHeight
    }
    return (batches, height)
  }

  /// Texture's _primitiveBatchFetchingFillTest: one item a batch fills what is required, and no more than three items beyond it.
  @Test(arguments: [40.0, 100, 300]) func aVisibleListFillsTwoScreensBeyondItsOwn(itemHeight: Double) {
    let (batches, height) = Self.filled(isVisible: true, itemHeight: itemHeight)
    #expect(batches > 2)
    #expect((480 * 3...480 * 3 + 3 * itemHeight).contains(height))
  }

  /// The same for a list that nobody sees: only its own screen.
  @Test(arguments: [40.0, 100, 300]) func aListThatNobodySeesFillsItsScreen(itemHeight: Double) {
    #expect((480...480 + 3 * itemHeight).contains(Self.filled(isVisible: false, itemHeight: itemHeight).height))
  }

  /// Texture's testThatBatchFetchHappensForEmptyCollection, and content that does not fill its bounds: one batch of a thousand is enough.
  @Test func oneLargeBatchIsAskedForOnce() {
    #expect(Self.filled(isVisible: true, itemHeight: 100, itemsPerBatch: 1000).batches == 1)
  }

  @Test func theNextPageIsAskedForAsByTexturesOwnFunction() throws {
    let rows = try Reference.rows("policies/texture_batch_fetching_oracle.csv", comments: true)
    for row in rows {
      func number(_ name: String) -> Double { row[name].flatMap(Double.init) ?? .nan }
      var fetch = BatchFetch(
        moving: Self.directions(row["scrollDirection"] ?? ""), scrollable: .vertical, screen: (375, number("viewHeight")),
        content: (375, number("contentHeight")), target: (0, number("targetOffsetY")), leadingScreens: number("leadingScreens"))
      fetch.isFetching = number("isFetching") == 1
      fetch.isVisible = number("visible") == 1
      fetch.velocity = (0, number("velocityY"))
      let threshold = number("delegateThreshold_s")
      let isDue = threshold < 0 ? fetch.isDue() : fetch.isDue { seconds, hint in seconds <= threshold || hint }
      #expect(isDue == (number("expected") == 1), "\(row)")
    }
    #expect(rows.count >= 1267)
  }

  @Test func aRangeReachesAsFarAsTexturesOwnFunction() throws {
    let rows = try Reference.rows("policies/texture_range_rect_oracle.csv", comments: true)
    for row in rows {
      func number(_ name: String) -> Double { row[name].flatMap(Double.init) ?? .nan }
      let range = ScreenWindow(leading: number("leading"), trailing: number("trailing"))
      let (scrollable, moving) = (Self.directions(row["scrollableDirections"] ?? ""), Self.directions(row["scrollDirection"] ?? ""))
      var found = [number("x"), number("y"), number("w"), number("h")]
      for (axis, forward) in [(0, ScrollDirections.right), (1, .down)]
      where !scrollable.isDisjoint(with: axis == 0 ? .horizontal : .vertical) {
        let reach = range.reach(screen: found[axis + 2], isForward: moving.contains(forward))
        found[axis] -= reach.before
        found[axis + 2] += reach.before + reach.after
      }
      let expected = [number("rx"), number("ry"), number("rw"), number("rh")]
      for (ours, theirs) in zip(found, expected) {
        #expect(abs(ours - theirs) < 1e-6, "\(row)")
      }
    }
    #expect(rows.count >= 64)
  }

  @Test func anEdgeIsNotAnOverlap() {
    let view = FeedView(items: ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: 3))
    let height = FeedGeometry.defaultViewportHeight
    #expect(view.items(from: 0, to: height) == 0..<1)
    #expect(view.items(from: 0, to: height + 0.5) == 0..<2)
    #expect(view.items(from: height, to: 2 * height) == 1..<2)
  }
}
