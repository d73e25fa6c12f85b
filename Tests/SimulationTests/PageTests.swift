// Pages: when they are asked for, what an item without its page means, and the articles' figures.

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

  /// The items that were active when pages were asked for, the first page left out.
  private func askedAt(_ scenario: Scenario) -> [Int] {
    var active = -1
    var asked: [Int] = []
    for event in scenario.explain(seed: 1).events {
      switch event.event {
      case .activated(let item, _): active = item
      case .pageRequested where active >= 0: asked.append(active)
      default: break
      }
    }
    return asked
  }

  private struct Article: Decodable {
    struct Table: Decodable { var rows: [[Double]] }
    var threshold_table: Table
    var dynamic_threshold: Table
  }

  private func article() throws -> Article {
    try JSONDecoder().decode(Article.self, from: try Reference.data("policies/article_expected.json"))
  }

  @Test(.enabled(if: Reference.isPresent))
  func theStaticThresholdFiresAtTheArticlesItems() throws {
    let expected = try article().threshold_table.rows.map { Int($0[2]) - 1 }
    let asked = askedAt(scenario(PageSettings(size: 10, source: .local, trigger: .ratio(0.7))))
    // The viewport's lower edge is at the end of the active item, so that item 7 is the one at place 6.
    #expect(Array(asked.prefix(expected.count)) == expected)
  }

  @Test(.enabled(if: Reference.isPresent))
  func theDynamicThresholdFiresAtTheArticlesItems() throws {
    let rows = try article().dynamic_threshold.rows
    let expected = rows.map { Int($0[3]) - 1 }
    let asked = askedAt(scenario(PageSettings(size: 10, source: .local, trigger: .ratioOfNewestPage(0.7)), items: 80))
    #expect(Array(asked.prefix(expected.count)) == expected)
  }

  @Test func theDynamicThresholdAsPrintedFiresAgainOverTheOldList() {
    // Over ten items at 7, 8.5, 9 and then closer and closer: 0.7, 1.7/2, 2.7/3, 3.7/4 of the list.
    let trigger = PageTrigger.ratioOfNewestPage(0.7)
    var requests = 1
    var firedAt: [Double] = []
    for tenth in 0..<96 where firedAt.count < 4 {
      let edge = Double(tenth) / 10
      if trigger.holds(edge: edge, content: 10, remaining: 0, viewport: 1, following: 0, requests: requests) {
        firedAt.append(edge)
        requests += 1
      }
    }
    #expect(firedAt == [7, 8.5, 9, 9.3])
  }

  @Test func theStaticThresholdWithoutALatchAsksAtEveryTick() {
    // The page is a minute away: every tick of every swipe past seven tenths asks for it again.
    let slow = PageSettings(size: 10, trigger: .ratio(0.7), latch: .asPrinted)
    var slowScenario = scenario(slow, items: 10, latencyMs: 60_000, swipe: .milliseconds(500))
    slowScenario.feed = .fixed(ContiguousArray((0..<20).map { _ in Item(kind: .image, bytes: 10_000) }))
    slowScenario.user.scroll = 10
    let metrics = slowScenario.run(seed: 1)
    // Four swipes end past it, of 30 ticks each: the one to item 7 only with its last, the other three whole, and each activation.
    #expect(metrics.pageRequests > 90)
    #expect(metrics.duplicatePageRequests == metrics.pageRequests - 2)
    slowScenario.pages?.latch = .inFlight
    #expect(slowScenario.run(seed: 1).pageRequests == 2)
  }

  @Test func anItemWhosePageHasNotComeIsUnlisted() {
    // A page takes 2.5 s: infinite scroll asks at item 9, and items 10 and 11 are not there.
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

  @Test func pagingThreeAsksWhenTooFewItemsFollow() {
    // Its rule: prefetchDistance + index + 1 − itemsBeforeTrailingNulls > 0.
    for (distance, index, count, expected) in [(10, 9, 10, 10), (10, 9, 5, 15), (1, 8, 10, 0), (1, 9, 10, 1)] {
      let need = distance + index + 1 - count
      #expect(need == expected)
      let holds = PageTrigger.itemsFromEnd(distance).holds(
        edge: 0, content: 0, remaining: 0, viewport: 1, following: count - index - 1, requests: 1)
      #expect(holds == (expected > 0))
    }
  }
}
