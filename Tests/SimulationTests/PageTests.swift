// Pages: their requests, items without their page, and the figures of the articles.

import Foundation
import TestSupport
import Testing

@testable import Simulation

@Suite struct PageTests {
  private static let second: Int64 = 1_000_000_000

  private func scenario(
    _ pages: PageSettings, items: Int = 60, megabytesPerSecond: Int64 = 1, latencyMs: Int64 = 0, swipe: Interval = .zero
  ) -> Scenario {
    let rate = LinkRate(constant: megabytesPerSecond * 8_000_000)
    var user = UserScript(scroll: items, dwell: .constant(PageTests.second))
    user.swipe = swipe
    var scenario = Scenario(
      feed: .fixed(ContiguousArray((0..<items).map { _ in Item(kind: .image, bytes: 10_000) })),
      network: NetworkConfiguration(down: rate, up: rate, delayDown: .milliseconds(latencyMs), delayUp: .zero),
      downloads: DownloadSettings(), user: user, prefetcher: ItemsAhead(ahead: 2))
    scenario.pages = pages
    return scenario
  }

  /// Returns the items that were active when pages were requested, without the first page.
  private func requestedAt(_ scenario: Scenario) -> [Int] {
    var active = -1
    var requested: [Int] = []
    for event in scenario.explain(seed: 1).events {
      switch event.event {
      case .activated(let item, _): active = item
      case .pageRequested where active >= 0: requested.append(active)
      default: break
      }
    }
    return requested
  }

  private struct Article: Decodable {
    struct Table: Decodable { var rows: [[Double]] }
    var threshold_table: Table
    var dynamic_threshold: Table
  }

  private func article() throws -> Article {
    try JSONDecoder().decode(Article.self, from: try Reference.data("policies/article_expected.json"))
  }

  @Test func theStaticThresholdFiresAtTheArticlesItems() throws {
    let expected = try article().threshold_table.rows.map { Int($0[2]) - 1 }
    let requested = requestedAt(scenario(PageSettings(size: 10, source: .local, trigger: .ratio(0.7))))
    // The viewport's lower edge is at the end of the active item, so item 7 has index 6.
    #expect(Array(requested.prefix(expected.count)) == expected)
  }

  @Test func theDynamicThresholdFiresAtTheArticlesItems() throws {
    let rows = try article().dynamic_threshold.rows
    let expected = rows.map { Int($0[3]) - 1 }
    let requested = requestedAt(scenario(PageSettings(size: 10, source: .local, trigger: .ratioOfNewestPage(0.7)), items: 80))
    #expect(Array(requested.prefix(expected.count)) == expected)
  }

  static func end(edge: Double = 0, content: Double = 0, following: Int = 0, requests: Int = 1) -> ListEnd {
    ListEnd(
      viewport: 1, edge: edge, target: 0, content: content, following: following, requests: requests, itemsPerPage: 10, isForward: true,
      isVisible: true)
  }

  @Test func theDynamicThresholdAsPrintedFiresAgainOverTheOldList() {
    // With ten items a page the shares are 0.7, 1.7/2, 2.7/3, 3.7/4 of the list.
    let trigger = PageTrigger.ratioOfNewestPage(0.7)
    var requests = 1
    var firedAt: [Double] = []
    for tenth in 0..<96 where firedAt.count < 4 {
      let edge = Double(tenth) / 10
      if trigger.holds(Self.end(edge: edge, content: 10, requests: requests)) {
        firedAt.append(edge)
        requests += 1
      }
    }
    #expect(firedAt == [7, 8.5, 9, 9.3])
  }

  @Test func theStaticThresholdWithoutALatchRequestsAtEveryTick() {
    // The page arrives after a minute: every tick of every swipe past 0.7 requests it again.
    let slow = PageSettings(size: 10, trigger: .ratio(0.7), latch: .asPrinted)
    var slowScenario = scenario(slow, items: 10, latencyMs: 60_000, swipe: .milliseconds(500))
    slowScenario.feed = .fixed(ContiguousArray((0..<20).map { _ in Item(kind: .image, bytes: 10_000) }))
    slowScenario.user.scroll = 10
    let metrics = slowScenario.run(seed: 1)
    // Four swipes of 30 ticks end past 0.7: that to item 7 only with its last tick, the other three whole, and each activation.
    #expect(metrics.pageRequests > 90)
    #expect(metrics.duplicatePageRequests == metrics.pageRequests - 2)
    slowScenario.pages?.latch = .inFlight
    #expect(slowScenario.run(seed: 1).pageRequests == 2)
  }

  @Test func anItemWhosePageHasNotArrivedIsUnlisted() {
    // A page takes 2.5 s: infinite scroll requests it at item 9, and items 10 and 11 are not listed.
    let metrics = scenario(PageSettings(size: 10, bytes: 500_000), items: 20, latencyMs: 2000).run(seed: 1)
    #expect(metrics.loadersByReason[LoaderReason.unlisted.rawValue] == 2)
    #expect(metrics.pageRequests == 2)
    #expect(metrics.duplicatePageRequests == 0)
  }

  @Test func theFirstItemWaitsForTheFirstPage() {
    let explanation = scenario(PageSettings(size: 10, bytes: 500_000), items: 10, latencyMs: 1000).explain(seed: 1)
    let first = explanation.events.first { if case .activated = $0.event { true } else { false } }
    #expect(first?.at == Instant(nanoseconds: 1_500_000_000))
    #expect(explanation.end == Instant(nanoseconds: 11_500_000_000))
  }

  @Test func localPagesCostNothing() {
    let metrics = scenario(PageSettings(size: 10, source: .local), items: 30).run(seed: 1)
    #expect(metrics.pageRequests == 3)
    #expect(metrics.bytesReceived == 300_000)
    #expect(metrics.loadersByReason[LoaderReason.unlisted.rawValue] == 0)
  }

  @Test func whatIsNotListedIsNotPrefetched() {
    for trigger in [PageTrigger.endReached, .itemsFromEnd(3), .remainingScreens(2), .offsetAddressed] {
      let explanation = scenario(PageSettings(size: 10, trigger: trigger), items: 30, latencyMs: 300).explain(seed: 1)
      var listed: Set<Int> = []
      for event in explanation.events {
        switch event.event {
        case .pageArrived(let page, _): listed.insert(page)
        case .requested(let number) where explanation.requests[number - 1].part != .page:
          #expect(listed.contains(explanation.requests[number - 1].item / 10), "\(trigger)")
        default: break
        }
      }
      #expect(listed.count == 3, "\(trigger)")
    }
  }

  @Test func aPageThatIsMissingBetweenOthersIsRequestedAlone() {
    var pages = Pages(PageSettings(size: 10, trigger: .offsetAddressed), prefetcher: ItemsAhead(ahead: 2), items: 50)
    for page in [0, 2] { pages.isLoaded[page] = true }
    #expect(pages.missing(among: 0..<30) == [1])
    #expect(pages.missing(among: 9..<21) == [1])
    #expect(pages.missing(among: 20..<30) == [])
    #expect(pages.missing(among: 29..<50) == [3, 4])
  }

  @Test func pagingThreeRequestsAPageWhenTooFewItemsFollow() {
    // Paging's rule: prefetchDistance + index + 1 − itemsBeforeTrailingNulls > 0.
    for (distance, index, count, expected) in [(10, 9, 10, 10), (10, 9, 5, 15), (1, 8, 10, 0), (1, 9, 10, 1)] {
      let need = distance + index + 1 - count
      #expect(need == expected)
      let holds = PageTrigger.itemsFromEnd(distance).holds(Self.end(following: count - index - 1))
      #expect(holds == (expected > 0))
    }
  }

  // MARK: Paging's maxSize

  /// Returns a scenario with Paging 3: pages of 10, 10 items ahead, to item 59 and 40 back.
  private func paging(maxSize: Int?, source: PageSettings.Source = .local) -> Scenario {
    var scenario = scenario(PageSettings(size: 10, source: source))
    scenario.prefetcher = PrefetcherDefinition.paging3.made(["prefetchDistance": 10, "ahead": 1, "maxSize": maxSize])
    scenario.user.steps = [.scroll(60, dwell: nil), .scroll(-40, dwell: nil)]
    return scenario
  }

  private func requestedPages(_ scenario: Scenario) -> [Int] {
    scenario.explain(seed: 1).events.compactMap { if case .pageRequested(let page, _) = $0.event { page } else { nil } }
  }

  @Test func droppedPagesAreRequestedAgainWhenTheUserReturns() {
    #expect(requestedPages(paging(maxSize: nil)) == [0, 1, 2, 3, 4, 5])
    // With 40 items page 0 is dropped when page 4 arrives, page 1 with page 5; back at item 29 page 1 is due again, at item 19 page 0.
    #expect(requestedPages(paging(maxSize: 40)) == [0, 1, 2, 3, 4, 5, 1, 0])
    #expect(requestedPages(paging(maxSize: 30)) == [0, 1, 2, 3, 4, 5, 2, 1, 0])
  }

  @Test func aPageThatIsRequestedAgainIsADuplicate() {
    for (maxSize, again) in [(40, [1, 0]), (30, [2, 1, 0])] {
      let scenario = paging(maxSize: maxSize, source: .network)
      let events = scenario.explain(seed: 1).events
      #expect(events.compactMap { if case .pageRequested(let page, true) = $0.event { page } else { nil } } == again)
      #expect(events.compactMap { if case .pageArrived(let page, true) = $0.event { page } else { nil } } == again)
      let metrics = scenario.run(seed: 1)
      #expect(metrics.pageRequests == 6 + again.count && metrics.duplicatePageRequests == again.count)
      #expect(metrics.bytesDuplicate == Int64(again.count) * PageSettings().bytes)
    }
  }

  @Test(arguments: [30, 40, 50, 60]) func noItemIsUnlistedWhereTheLimitHoldsTheDistanceTwice(maxSize: Int) {
    let limited = paging(maxSize: maxSize).run(seed: 1)
    let free = paging(maxSize: nil).run(seed: 1)
    #expect(limited.loaders == free.loaders && limited.requests == free.requests)
    #expect(limited.loadersByReason[LoaderReason.unlisted.rawValue] == 0)
    #expect(paging(maxSize: maxSize, source: .network).run(seed: 1).bytesReceived >= free.bytesReceived)
  }

  @Test func contiguousPagingDropsFromTheFarSideButNeverIntoTheDistance() {
    #expect(PageTrigger.droppedCount(of: [10, 10, 10], loaded: 40, maxSize: 30, presentedBeyond: 25, distance: 10) == 1)
    // The distance takes precedence over a limit that is too small for it.
    #expect(PageTrigger.droppedCount(of: [10, 10], loaded: 60, maxSize: 30, presentedBeyond: 25, distance: 10) == 1)
  }

  /// Replays Paging's own sequences that begin at the first item in a session, and compares the listed items.
  @Test func theSessionListsThePagesOfPagingsOwnTests() {
    for (pageSize, first, distance, looks) in [
      (20, 40, 20, [(0, 40)]), (10, 10, 30, [(5, 40), (6, 40)]), (20, 40, 20, [(35, 60), (55, 80)]),
    ] {
      for (index, listed) in looks {
        var scenario = scenario(PageSettings(size: pageSize, firstSize: first, source: .local), items: 100)
        scenario.prefetcher = PrefetcherDefinition.paging3.made(["prefetchDistance": distance])
        scenario.user.steps = [.scroll(index + 1, dwell: nil)]
        // The sequence "construct" has no access: item 0 of the first load has 39 items after it.
        let pages = Set(requestedPages(scenario)).count
        #expect(first + (pages - 1) * pageSize == listed, "\(pageSize), \(index)")
      }
    }
  }
}

extension PrefetcherDefinition {
  /// Returns the prefetcher with these integer settings and defaults for all others.
  func made(_ integers: [String: Int?] = [:]) -> any Prefetcher {
    make { setting in (integers[setting.key] ?? nil).map { .integer(Int64($0)) } }
  }
}

extension Scenario {
  /// Runs once with an event log, within limits that the run is known not to reach.
  func explain(seed: UInt64) -> SessionExplanation {
    do { return try explain(seed: seed, limits: RunLimits()) } catch { preconditionFailure("\(error)") }
  }
}
