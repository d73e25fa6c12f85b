import Foundation
import TestSupport
import Testing

@testable import Simulation

/// Ranges around the screen against the originals' own code in 10 000 random scroll steps each: FlashList, LegendList, Compose, OpenHarmony.
@Suite struct PoliciesRangeTests {
  private static let count = 300

  /// Returns a view of a feed of `scroll_steps.csv`.
  private static func view(_ feed: Int) -> FeedView {
    var items = ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: count)
    for item in items.indices {
      let drawn: Int = (item * 7919 + feed * 104_729) % 61
      items[item].height = feed % 4 == 3 ? 667 : Int32(40 + drawn * 10)
    }
    return FeedView(items: items, geometry: FeedGeometry(items: items, viewportHeight: 667), viewportHeight: 667)
  }

  private static func rows(_ name: String) throws -> [[Int]] {
    String(decoding: try Reference.data("policies/\(name).csv"), as: UTF8.self).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: ",").map { Int($0) }
      return cells.count == 2 && cells.allSatisfy { $0 != nil } ? cells.compactMap(\.self) : nil
    }
  }

  /// Plays the steps, and compares the items of `range` after each with a row of `name`.
  private static func play<Window: PrefetchWindow>(
    _ name: String, _ window: Window, range: (inout Window, borrowing FeedView) -> Range<Int>
  ) throws {
    let (steps, expected) = (try rows("scroll_steps"), try rows(name))
    #expect(steps.count == 10_000 && expected.count == steps.count)
    var misses = 0
    for feed in 0..<20 {
      var window = window
      var view = view(feed)
      var now: Int64 = 0
      var asked: Instant?
      /// Plans at an instant and returns the range.
      func plan(_ view: inout FeedView, at now: Instant, _ trigger: PlanTrigger) -> Range<Int> {
        view.details.value.now = now
        view.details.value.trigger = trigger
        var plan = Plan()
        plan.removeAll(limit: count)
        let found = range(&window, view)
        // The second call at an instant changes nothing; it tells when the window wants to plan again.
        view.details.value.trigger = .activation
        window.fetch(view, amount: .ready, into: &plan)
        asked = plan.askAgain
        return found
      }
      var found = plan(&view, at: .start, .activation)
      for row in feed * 500..<feed * 500 + 500 {
        let (ms, move) = (Int64(steps[row][0]), steps[row][1])
        now += ms
        if let due = asked, due <= Instant(nanoseconds: now * 1_000_000) { found = plan(&view, at: due, .askedFor) }
        if move != 0 {
          view.details.value.contentOffset += Double(move)
          found = plan(&view, at: Instant(nanoseconds: now * 1_000_000), .scrollTick)
        } else {
          view.details.value.now = Instant(nanoseconds: now * 1_000_000)
          view.details.value.trigger = .activation
          found = range(&window, view)
        }
        if [found.lowerBound, found.upperBound - 1] != expected[row] {
          misses += 1
          if misses < 4 { Issue.record("\(name) row \(row): \(found) is not \(expected[row])") }
        }
      }
    }
    #expect(misses == 0)
  }

  @Test func flashListRendersTheSameItems() throws {
    try Self.play("flashlist_engaged", EngagedWindow()) { $0.engaged($1) }
  }

  @Test func legendListRendersTheSameItems() throws {
    try Self.play("legendlist_items_in_view", BufferedWindow()) { $0.buffered($1) }
  }

  @Test func composeCachesTheSameItems() throws {
    try Self.play("compose_cache_window", CacheWindow()) { $0.items($1) }
  }

  @Test func openHarmonyFetchesTheSameItems() throws {
    let (steps, expected) = (try Self.rows("scroll_steps"), try Self.rows("openharmony_basic_prefetcher"))
    var misses = 0
    for feed in 0..<20 {
      var window = FetchingRange()
      let view = Self.view(feed)
      var now: Int64 = 0
      var pending: [(item: Int, start: Int64, end: Int64)] = []
      func follow() {
        for fetch in window.fetching where !pending.contains(where: { $0.item == fetch.item && $0.start == fetch.start }) {
          let time: Int = [15, 60, 200, 700, 5000][feed % 5] + fetch.item * 7919 % 97
          pending.append((fetch.item, fetch.start, fetch.start + Int64(time)))
        }
      }
      window.list(Self.count)
      window.show(view.visibleItems, at: 0)
      follow()
      for row in feed * 500..<feed * 500 + 500 {
        now += Int64(steps[row][0])
        // The first of those that end earliest.
        while let index = pending.indices.filter({ pending[$0].end <= now }).min(by: { pending[$0].end < pending[$1].end }) {
          let done = pending.remove(at: index)
          if window.fetching.contains(where: { $0.item == done.item && $0.start == done.start }) { window.finish(done.item, at: done.end) }
          follow()
        }
        if steps[row][1] != 0 {
          view.details.value.contentOffset += Double(steps[row][1])
          window.show(view.visibleItems, at: now)
          follow()
        }
        if [window.range.lowerBound, window.range.upperBound - 1] != expected[row] {
          misses += 1
          if misses < 4 { Issue.record("row \(row): \(window.range) is not \(expected[row])") }
        }
      }
    }
    #expect(misses == 0)
  }
}
