import Foundation
import TestSupport
import Testing

@testable import Simulation

/// Lists against their own tests and against rows computed by their own functions: Glide, IGListKit, Paging, React Native.
@Suite struct PoliciesListTests {
  private func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    try JSONDecoder().decode(type, from: Reference.data("policies/\(name).json"))
  }

  // MARK: Glide

  private struct Glide: Decodable {
    struct Test: Decodable {
      var test: String
      var maxPreload: Int
      var scrolls: [[Int]]
      var requested: [[Int]]
    }
    struct Step: Decodable {
      var requested: [Int]
      var cancelled: [Int]
      var evicted: [Int]
    }
    struct Oracle: Decodable {
      var maxPreload: Int
      var scrolls: [[Int]]
      var steps: [Step]
    }
    var tests: [Test]
    var oracle: [Oracle]
  }

  @Test func glidesOwnTestsHold() throws {
    for each in try read(Glide.self, "glide_listpreloader").tests {
      var preloader = ListPreloader(maxPreload: each.maxPreload)
      for (index, (scroll, expected)) in zip(each.scrolls, each.requested).enumerated() {
        let requested = preloader.scroll(firstVisible: scroll[0], visibleCount: scroll[1], itemCount: scroll[2])
        // Some of Glide's tests check only the later scrolls and leave the items of the first ones open.
        if !(expected.isEmpty && index < each.scrolls.count - 1) { #expect(requested == expected, "\(each.test)") }
      }
    }
  }

  @Test func glidesOwnClassRequestsCancelsAndEvictsTheSame() throws {
    var steps = 0
    for each in try read(Glide.self, "glide_listpreloader").oracle {
      var preloader = ListPreloader(maxPreload: each.maxPreload)
      for (scroll, expected) in zip(each.scrolls, each.steps) {
        let before = preloader.held
        let requested = preloader.scroll(firstVisible: scroll[0], visibleCount: scroll[1], itemCount: scroll[2])
        #expect(requested == expected.requested)
        // A step cancels all items, or evicts the oldest ones.
        let gone = expected.cancelled + expected.evicted
        #expect(preloader.held == before.filter { !gone.contains($0) } + requested)
        steps += 1
      }
    }
    #expect(steps >= 24 * 20)
  }

  // MARK: IGListKit

  private struct Working: Decodable {
    struct Step: Decodable {
      var display: Int?
      var endDisplay: Int?
      var enter: [Int]
      var exit: [Int]
    }
    struct Case: Decodable {
      var test: String
      var size: Int
      var count: Int
      var steps: [Step]
    }
    var cases: [Case]
  }

  @Test func aWorkingRangeIsSymmetric() throws {
    for each in try read(Working.self, "iglistkit_working_range").cases {
      var visible: [Int] = []
      var range = 0..<0
      for step in each.steps {
        if let item = step.display, !visible.contains(item) { visible.append(item) }
        visible.removeAll { $0 == step.endDisplay }
        let old = range
        range = 0..<0
        if let first = visible.min(), let last = visible.max() {
          range = WorkingRangeWindow.around(first...last, size: each.size, count: each.count)
        }
        #expect(range.filter { !old.contains($0) } == step.enter, "\(each.test)")
        #expect(old.filter { !range.contains($0) } == step.exit, "\(each.test)")
      }
    }
  }

  // MARK: Paging

  private struct Paging: Decodable {
    struct Prepend: Decodable {
      var prefetchDistance: Int
      var index: Int
      var leadingNulls: Int
      var expected: Int
    }
    struct Append: Decodable {
      var prefetchDistance: Int
      var index: Int
      var itemsBeforeTrailingNulls: Int
      var expected: Int
    }
    struct Step: Decodable {
      var loadAround: Int
      var range: [Int]
    }
    struct Sequence: Decodable {
      var test: String
      var initialPosition: Int
      var pageSize: Int
      var initLoadSize: Int
      var prefetchDistance: Int
      var start: [Int]
      var steps: [Step]
    }
    var getPrependItemsRequested: [Prepend]
    var getAppendItemsRequested: [Append]
    var sequences: [Sequence]
  }

  /// Returns the number of pages that the rule requests one after another, with `beyond` items presented past the last access.
  private func pages(beyond: Int, distance: Int, size: Int) -> Int {
    var count = 0
    while PageTrigger.itemsFromEnd(distance).holds(PageTests.end(following: beyond + count * size)) { count += 1 }
    return count
  }

  @Test func pagingRequestsAsManyItemsAtEitherEnd() throws {
    let paging = try read(Paging.self, "paging_contiguous")
    // In pages of one item their number equals that of the library's formulas.
    for each in paging.getPrependItemsRequested {
      let beyond = each.index - each.leadingNulls
      #expect(pages(beyond: beyond, distance: each.prefetchDistance, size: 1) == max(0, each.expected))
    }
    for each in paging.getAppendItemsRequested {
      let beyond = each.itemsBeforeTrailingNulls - each.index - 1
      #expect(pages(beyond: beyond, distance: each.prefetchDistance, size: 1) == max(0, each.expected))
    }
  }

  @Test func pagingLoadsThePagesOfItsOwnTests() throws {
    for each in try read(Paging.self, "paging_contiguous").sequences {
      var loaded = each.start[0]..<each.start[0] + each.start[1]
      for step in each.steps {
        let before = pages(beyond: step.loadAround - loaded.lowerBound, distance: each.prefetchDistance, size: each.pageSize)
        let after = pages(beyond: loaded.upperBound - 1 - step.loadAround, distance: each.prefetchDistance, size: each.pageSize)
        loaded = max(0, loaded.lowerBound - before * each.pageSize)..<min(100, loaded.upperBound + after * each.pageSize)
        #expect([loaded.lowerBound, loaded.count] == step.range, "\(each.test) at \(step.loadAround)")
      }
    }
  }

  // MARK: InfiniteLoader

  private struct Loader: Decodable {
    struct Row: Decodable {
      var loaded: [Int]
      var min: Int
      var rowCount: Int
      var start: Int
      var stop: Int
      var expected: [[Int]]
    }
    var tests: [Row]
    var oracle: [Row]
  }

  @Test func pagesByIndexAreTheRowsThatInfiniteLoaderMisses() throws {
    let loader = try read(Loader.self, "infinite_loader")
    // The rule here has no minimum batch; in pages of one item.
    let rows = (loader.tests + loader.oracle).filter { $0.min <= 1 }
    for each in rows {
      var pages = Pages(PageSettings(size: 1, trigger: .offsetAddressed), prefetcher: ItemsAhead(ahead: 0), items: each.rowCount)
      for row in 0..<each.rowCount { pages.isLoaded[row] = each.loaded[row] == 1 }
      #expect(pages.missing(among: each.start..<each.stop + 1) == each.expected.flatMap { Array($0[0]...$0[1]) })
    }
    #expect(rows.count >= 64)
  }

  // MARK: React Native

  private struct Native: Decodable {
    struct Count: Decodable {
      var prev: [Int]
      var next: [Int]
      var expected: Int
    }
    struct Overlap: Decodable {
      var offsets: [Double]
      var fixed: Double?
      var count: Int?
      var frames: [[Double]]?
      var expected: [Int?]
    }
    struct Limits: Decodable {
      var rows: [[Double]]
    }
    var newRangeCount: [Count]
    var elementsThatOverlapOffsets: [Overlap]
    var windowedRenderLimits: Limits
  }

  @Test func newCellsAreThoseNotRenderedBefore() throws {
    for each in try read(Native.self, "react_native_virtualize").newRangeCount {
      #expect(RenderWindow.newCells(each.next[0]...each.next[1], since: each.prev[0]...each.prev[1]) == each.expected)
    }
  }

  @Test func anOffsetBelongsToTheFirstCellThatTouchesIt() throws {
    // Only cells of equal length are built in.
    for each in try read(Native.self, "react_native_virtualize").elementsThatOverlapOffsets where each.frames == nil {
      let metrics = CellMetrics(count: each.count ?? 0, length: each.fixed ?? 0)
      let found = each.offsets.map(metrics.cell(at:))
      // Their list ends with the last offset within a cell.
      #expect(Array(found.prefix(each.expected.count)) == each.expected)
      #expect(found.dropFirst(each.expected.count).allSatisfy { $0 == nil })
    }
  }

  /// Results of `elementsThatOverlapOffsets` of React Native (packages/virtualized-lists at 0de6a152), run for cells of equal length.
  @Test(arguments: [
    (30, 667.3, 7340.3, 10), (100, 667.3, 7340.3, 11), (50, 812.7, 28444.500000000004, 35), (50, 812.7, 32508.000000000004, 40),
    (100, 1000.1, 77007.70000000001, 77),
  ])
  func anOffsetInTwoCellsByRoundingBelongsToTheOneMetFirst(count: Int, length: Double, offset: Double, expected: Int) {
    #expect(CellMetrics(count: count, length: length).cell(at: offset) == expected)
  }

  @Test func theRenderWindowGrowsAsInReactNative() throws {
    let rows = try read(Native.self, "react_native_virtualize").windowedRenderLimits.rows
    for row in rows {
      let window = RenderWindow(maxPerBatch: Int(row[5]), windowSize: row[4])
      let found = window.cells(
        CellMetrics(count: Int(row[1]), length: row[0]), offset: row[2], velocity: row[3], screen: 667,
        previous: Int(row[6])...Int(row[7]))
      #expect(found == Int(row[8])...Int(row[9]), "\(row)")
    }
    #expect(rows.count >= 1584)
  }
}
