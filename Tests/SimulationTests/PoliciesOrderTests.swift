import Foundation
import TestSupport
import Testing

@testable import Simulation

/// Orders and triggers: Media3, RecyclerView, the tables of the articles.
@Suite struct PoliciesOrderTests {
  private func object(_ name: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Reference.data("policies/\(name).json")) as? [String: Any])
  }

  // MARK: Media3

  @Test func mediaSourcesPreloadTheNearestFirst() throws {
    for each in try #require(try object("media3_preload_order")["cases"] as? [[String: Any]]) {
      let name = try #require(each["test"] as? String)
      let ranks = try #require(each["ranks"] as? [Int])
      for step in each["steps"] as? [[String: Any]] ?? [each] {
        // Before any item plays, its index is −1, and the first item of a session is the nearest.
        let current = (step["setCurrentPlayingIndex"] ?? each["currentPlayingIndex"]) as? Int ?? 0
        var view = FeedView(items: ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: max(ranks.count, current + 1)))
        view.activeItem = current
        view.details.value.contentOffset = view.itemTop(current)
        var system = PrefetcherDefinition.media3.made()
        var plan = Plan()
        #expect(system.concurrency == 1)
        plan.removeAll(limit: view.items.count)
        system.plan(for: view, into: &plan)
        let planned = (0..<plan.count).map { plan[$0].item }.filter(ranks.contains)
        if let first = step["clearedFirst"] as? Int { #expect(planned.last == first, "\(name)") }
        // A source that cannot finish blocks the others: one at a time.
        let isOnlyFirstDone = step["only_source_0_can_finish"] as? Bool == true
        #expect(Array(planned.prefix(isOnlyFirstDone ? 2 : .max)) == step["queried"] as? [Int], "\(name)")
        #expect((isOnlyFirstDone ? [0] : planned) == step["completed"] as? [Int], "\(name)")
      }
    }
  }

  // MARK: RecyclerView

  @Test func aLayoutPreparesOneRowBeyondTheScreen() {
    func prepared(_ visible: ClosedRange<Int>, isForward: Bool, span: Int = 1) -> [Int] {
      var items = ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: 100)
      for item in items.indices { items[item].height = 10 }
      var view = FeedView(items: items)
      view.details.value.geometry = FeedGeometry(items: items, viewportHeight: Double(visible.count) * 10)
      view.details.value.viewportHeight = Double(visible.count) * 10
      view.details.value.contentOffset = Double(visible.lowerBound) * 10
      view.direction = isForward ? 1 : -1
      var plan = Plan()
      plan.removeAll(limit: items.count)
      FrameTaskWindow(span: span).fetch(view, amount: .whole, into: &plan)
      return (0..<plan.count).map { plan[$0].item }
    }
    #expect(prepared(3...6, isForward: true) == [7])
    #expect(prepared(3...6, isForward: false) == [2])
    #expect(prepared(3...8, isForward: true, span: 3) == [9, 10, 11])
    #expect(prepared(3...8, isForward: false, span: 3) == [2, 1, 0])
    #expect(prepared(0...8, isForward: false, span: 3) == [])
  }

  // MARK: The articles

  private func rows(_ table: String) throws -> [[Double]] {
    let table = try #require(try object("article_expected")[table] as? [String: Any])
    return try #require(table["rows"] as? [[Double]])
  }

  /// Returns the number of items of 44 points above the offset at which the trigger begins to hold.
  private func itemsAbove(_ trigger: PageTrigger, listed: Int, requests: Int) -> Double {
    let tenths = (1...listed * 10).first { tenth in
      trigger.holds(
        ListEnd(
          viewport: 44, edge: Double(tenth) * 4.4, target: 0, content: Double(listed) * 44, following: 0, requests: requests,
          itemsPerPage: 10,
          isForward: true, isVisible: true))
    }
    return Double(tenths ?? 0) / 10
  }

  @Test func aFixedShareFallsBehindTheNewestPage() throws {
    for row in try rows("threshold_table") {
      let items = itemsAbove(.ratio(0.7), listed: Int(row[1]), requests: 1)
      #expect(abs(items - row[2]) < 1e-9)
      #expect(abs(items - (row[1] - 10) - row[3]) < 1e-9)
    }
  }

  @Test func aShareOfTheNewestPageKeepsItsDistance() throws {
    for row in try rows("dynamic_threshold") {
      let (page, listed) = (Int(row[0]), Int(row[1]))
      let ratio = PageTrigger.dynamicRatio(0.7, page: page, itemsPerPage: 10)
      // The article prints two or three digits.
      #expect(abs(ratio - row[2]) < 0.0005 || abs((ratio * 100).rounded(.down) / 100 - row[2]) < 1e-9)
      let items = itemsAbove(.ratioOfNewestPage(0.7), listed: listed, requests: page + 1)
      #expect(abs(items - row[3]) < 1e-9)
      #expect(abs(Double(listed) - items - row[4]) < 1e-9)
    }
  }

  @Test func withoutALatchTheDynamicShareIsPassedAgainOverTheSamePage() {
    #expect((1...3).map { itemsAbove(.ratioOfNewestPage(0.7), listed: 10, requests: $0) } == [7, 8.5, 9])
    #expect(itemsAbove(.ratio(0.7), listed: 10, requests: 1) == 7)
  }

  @Test func lazyLoadingPlansTheArticlesRowsWhereTheScrollComesToRest() throws {
    for row in try rows("lazy_target") {
      var items = ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: 200)
      for item in items.indices { items[item].height = 44 }
      var view = FeedView(items: items)
      view.details.value.geometry = FeedGeometry(items: items, viewportHeight: row[1])
      view.details.value.viewportHeight = row[1]
      view.details.value.contentOffset = 0
      view.details.value.targetOffset = row[0]
      view.activeItem = 0
      var plan = Plan()
      plan.removeAll(limit: items.count)
      TargetWindow().fetch(view, amount: .whole, into: &plan)
      #expect((0..<plan.count).map { plan[$0].item } == Array(Int(row[2])...Int(row[3])))
    }
  }

  @Test func theBudgetWalksAsWorkedOutFromTheArticle() throws {
    let article = try #require(try object("article_expected")["ifunny"] as? [String: Any])
    for each in try #require(article["worked"] as? [[String: Any]]) {
      let ahead = try #require(each["ahead"] as? String)
      let kinds = ahead.map { $0 == "V" ? ItemKind.video : .image }
      for (overflow, key) in zip([CostBudget.Overflow.stop, .skip], ["stopAtOverflow", "skipOverflow"]) {
        let budget = CostBudget(maxCost: try #require(each["max"] as? Double), overflow: overflow)
        let items = ([.image] + kinds).map { Item(kind: $0, bytes: 1) }
        var plan = Plan()
        plan.removeAll(limit: items.count)
        budget.plan(for: FeedView(items: ContiguousArray(items)), into: &plan)
        #expect(plan[0].item == 0 && plan.count - 1 == each[key] as? Int, "\(ahead) \(key)")
      }
    }
  }
}
