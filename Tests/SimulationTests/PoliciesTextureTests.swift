import Foundation
import TestSupport
import Testing

@testable import Simulation

/// Texture against its own tests and against rows computed by its own functions.
@Suite struct PoliciesTextureTests {
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
    var expected: Bool
  }

  private static func isDue(
    screens: Double, screen: Double, content: Double, target: Double = 0, isForward: Bool = true, isVisible: Bool = true
  ) -> Bool {
    PageTrigger.remainingScreens(screens).holds(
      ListEnd(
        viewport: screen, edge: target + screen, target: target, content: content, following: 0, requests: 0, itemsPerPage: 1,
        isForward: isForward, isVisible: isVisible))
  }

  /// Both axes are equivalent. Mirrored layouts and the state of the latch have no counterpart here and are left out.
  @Test func theNextPageIsRequestedAsInTexturesOwnTests() throws {
    let cases = try JSONDecoder().decode(Cases.self, from: Reference.data("policies/texture_batch_fetching_tests.json")).cases
    var held = 0
    for each in cases where !each.contextIsFetching {
      let axis = each.scrollableDirections == "Horizontal" ? 0 : 1
      if each.rtl, axis == 0 || each.scrollDirection == "Right" { continue }
      let isDue = Self.isDue(
        screens: each.leadingScreens, screen: each.bounds[axis + 2], content: each.contentSize[axis], target: each.targetOffset[axis],
        isForward: !["Up", "Left"].contains(each.scrollDirection), isVisible: each.visible)
      #expect(isDue == each.expected, "\(each.test) \(each.variable)")
      held += 1
    }
    #expect(held >= 15)
  }

  /// Returns the number of batches requested from an empty list on until none is due, and the length of the list.
  private static func filled(isVisible: Bool, itemHeight: Double, itemsPerBatch: Int = 1) -> (batches: Int, height: Double) {
    var (batches, height) = (0, 0.0)
    while batches < 1000, isDue(screens: 2, screen: 480, content: height, isVisible: isVisible) {
      batches += 1
      height += Double(itemsPerBatch) * itemHeight
    }
    return (batches, height)
  }

  /// Texture's _primitiveBatchFetchingFillTest: one item per batch fills what is required, and no more than three items beyond it.
  @Test(arguments: [40.0, 100, 300]) func aVisibleListFillsTwoScreensBeyondItsOwn(itemHeight: Double) {
    let (batches, height) = Self.filled(isVisible: true, itemHeight: itemHeight)
    #expect(batches > 2)
    #expect((480 * 3...480 * 3 + 3 * itemHeight).contains(height))
  }

  /// A list in the background fills only its own screen.
  @Test(arguments: [40.0, 100, 300]) func aListInTheBackgroundFillsItsScreen(itemHeight: Double) {
    #expect((480...480 + 3 * itemHeight).contains(Self.filled(isVisible: false, itemHeight: itemHeight).height))
  }

  /// Texture's testThatBatchFetchHappensForEmptyCollection, and content that does not fill its bounds: one batch of a thousand is enough.
  @Test func oneLargeBatchIsRequestedOnce() {
    #expect(Self.filled(isVisible: true, itemHeight: 100, itemsPerBatch: 1000).batches == 1)
  }

  /// Rows with a delegate that counts seconds, and rows with a page in flight, have no counterpart here.
  @Test func theNextPageIsRequestedAsByTexturesOwnFunction() throws {
    let rows = try Reference.rows("policies/texture_batch_fetching_oracle.csv", comments: true)
    var held = 0
    for row in rows {
      func number(_ name: String) -> Double { row[name].flatMap(Double.init) ?? .nan }
      guard number("isFetching") == 0, number("delegateThreshold_s") < 0 else { continue }
      let isDue = Self.isDue(
        screens: number("leadingScreens"), screen: number("viewHeight"), content: number("contentHeight"),
        target: number("targetOffsetY"), isForward: row["scrollDirection"] != "Up", isVisible: number("visible") == 1)
      #expect(isDue == (number("expected") == 1), "\(row)")
      held += 1
    }
    #expect(held >= 578)
  }

  @Test func aRangeReachesAsFarAsTexturesOwnFunction() throws {
    let rows = try Reference.rows("policies/texture_range_rect_oracle.csv", comments: true)
    for row in rows {
      func number(_ name: String) -> Double { row[name].flatMap(Double.init) ?? .nan }
      let range = ScreenWindow(leading: number("leading"), trailing: number("trailing"))
      let (scrollable, moving) = (row["scrollableDirections"] ?? "", row["scrollDirection"] ?? "")
      var found = [number("x"), number("y"), number("w"), number("h")]
      for (axis, name, forward) in [(0, "Horizontal", "Right"), (1, "Vertical", "Down")] where scrollable == name {
        let reach = range.reach(screen: found[axis + 2], isForward: moving == forward)
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
