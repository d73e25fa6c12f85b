// User scripts: flings, steps back, interruptions; and invariants of runs that combine all of them.

import Testing

@testable import Simulation

/// A prefetcher that plans on every trigger and fetches a few items around the target.
private struct EveryTrigger: Prefetcher {
  var cancelRule: DownloadSettings.CancelRule?
  var concurrency: Int?
  var trigger: PlanTrigger { [.activation, .dragEnd, .scrollTick, .transferFinished, .listGrown, .stateChange, .askedFor] }

  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    plan.fetch(view.visibleItems(at: view.targetOffset), bytes: Plan.toReady)
    plan.fetch(view.activeItem - 2..<view.activeItem + 5, bytes: Plan.toReady, priority: 3)
    if view.throughputSamples.count > 0, view.throughputSamples[0].bytes > 0 { plan.askAgain = view.now + .milliseconds(700) }
  }
}

@Suite struct ScriptTests {
  private func items(_ count: Int) -> ContiguousArray<Item> { ContiguousArray((0..<count).map { _ in Item(kind: .image, bytes: 20_000) }) }

  private func drawn(_ steps: [ScriptStep], items count: Int = 100, swipe: Interval = .zero) -> DrawnScript {
    var script = UserScript(scroll: 1, dwell: .constant(1_000_000_000))
    script.steps = steps
    script.swipe = swipe
    var random = RandomStream(seed: 1)
    return script.draw(items: items(count), geometry: FeedGeometry(), random: &random)
  }

  @Test func aFlingPassesEveryItemAndSlowsDown() {
    let script = drawn([.scroll(1, dwell: nil), .fling(20, dwell: nil)])
    #expect(script.visits.map(\.item) == Array(0...20))
    let passing = script.visits[1..<20].map(\.dwell)
    #expect(zip(passing, passing.dropFirst()).allSatisfy { $0 < $1 })
    let motion = script.motions[0]
    #expect(motion.to == 20 * 667)
    // Half of the first item's height is 1/40 of the way: 499.5 ms × ln(40/39).
    #expect(abs(Double(motion.lead) / 1e6 - 499.5 * 0.025_317_8) < 0.01)
    let total = script.visits[1...].reduce(into: Interval.zero) { $0 += $1.dwell }
    #expect(total.nanoseconds + motion.lead == motion.duration + 1_000_000_000)
  }

  @Test func stepsBackAndRepetitionsAreFollowed() {
    let script = drawn([.scroll(5, dwell: nil), .repeat(2, [.scroll(-2, dwell: nil), .scroll(3, dwell: nil)])])
    #expect(script.visits.map(\.item) == [0, 1, 2, 3, 4, 3, 2, 3, 4, 5, 4, 3, 4, 5, 6])
    #expect(ScriptReach([.scroll(5, dwell: nil), .scroll(-6, dwell: nil)], limit: 100).lowest == -2)
  }

  @Test func whoAbandonsSeesNothingMore() {
    let script = drawn([.scroll(5, dwell: nil), .abandon(1), .scroll(50, dwell: nil)])
    #expect(script.visits.count == 5)
  }

  @Test func timeInTheBackgroundIsNoWait() {
    var scenario = Scenario(
      feed: .fixed(items(4)),
      network: NetworkConfiguration(
        down: LinkRate(constant: 80_000), up: LinkRate(constant: 80_000), delayDown: .zero, delayUp: .zero), downloads: DownloadSettings(),
      user: UserScript(scroll: 4, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: 1))
    scenario.user.steps = [.scroll(2, dwell: nil), .memoryWarning, .background(.constant(30_000_000_000)), .scroll(2, dwell: nil)]
    let explanation = scenario.explain(seed: 1)
    #expect(explanation.end == Instant(nanoseconds: 34_000_000_000))
    #expect(explanation.metrics.waitMsMax == 1000)
    #expect(explanation.events.contains { $0.event == .background && $0.at == Instant(nanoseconds: 2_000_000_000) })
  }

  @Test(arguments: [DownloadSettings.MemoryRule.keep, .drop])
  func aMemoryWarningDropsStoredBytes(rule: DownloadSettings.MemoryRule) {
    // An item takes 2 s on its own, and nothing is prefetched, so each first visit of 3 s waits 2 s.
    var scenario = Scenario(
      feed: .fixed(items(3)),
      network: NetworkConfiguration(
        down: LinkRate(constant: 80_000), up: LinkRate(constant: 80_000), delayDown: .zero, delayUp: .zero), downloads: DownloadSettings(),
      user: UserScript(scroll: 3, dwell: .constant(3_000_000_000)), prefetcher: ItemsAhead(ahead: 0))
    scenario.user.steps = [.scroll(3, dwell: nil), .memoryWarning, .scroll(-2, dwell: nil)]
    scenario.downloads.onMemoryWarning = rule
    let metrics = scenario.run(seed: 1)
    #expect(metrics.loaders == (rule == .keep ? 3 : 5))
    #expect(metrics.bytesReceived == (rule == .keep ? 60_000 : 100_000))
    #expect(metrics.bytesUseful == metrics.bytesReceived)
  }

  @Test func dwellsFollowTheKind() {
    var script = UserScript(scroll: 3, dwell: .constant(1))
    script.dwellByKind = [.constant(100), .constant(200), .constant(300), .constant(400)]
    var random = RandomStream(seed: 1)
    let feed: ContiguousArray = [Item(kind: .image, bytes: 1), Item(kind: .video, bytes: 1), Item(kind: .webApp, bytes: 1)]
    let visits = script.draw(items: feed, geometry: FeedGeometry(), random: &random).visits
    #expect(visits.map(\.dwell.nanoseconds) == [100, 200, 300])
  }

  @Test func itemsAreFoundByTheirOffsets() {
    var feed = items(4)
    for (index, height) in [100, 0, 300, 50].enumerated() { feed[index].height = Int32(height) }
    let geometry = FeedGeometry(items: feed, viewportHeight: 600)
    #expect((0...4).map(geometry.top) == [0, 100, 700, 1000, 1050])
    let view = FeedView(items: feed)
    view.details.value.geometry = geometry
    view.details.value.viewportHeight = 600
    #expect(view.visibleItems(at: 0) == 0..<2)
    #expect(view.visibleItems(at: 100) == 1..<2)
    #expect(view.visibleItems(at: 650) == 1..<4)
    #expect(view.contentHeight == 1050)
  }
}

@Suite struct FullSessionInvariantTests {
  private func scenario(_ random: inout RandomStream) -> Scenario {
    let count = Int(random.below(40)) + 30
    let items = ContiguousArray(
      (0..<count).map { _ -> Item in
        let bytes = Int64(random.below(100_000)) + 1000
        var item =
          random.below(4) == 0
          ? Item(videoBytes: bytes * 8, prefixBytes: bytes, bitsPerSecond: 1_000_000) : Item(kind: .image, bytes: bytes)
        item.height = Int32(random.below(3)) * 200
        return item
      })
    let rate = LinkRate(constant: Int64(random.below(3_000_000)) + 200_000)
    let triggers: [PageTrigger] = [
      .endReached, .ratio(0.7), .ratioOfNewestPage(0.7), .remainingScreens(2), .itemsFromEnd(5), .offsetAddressed,
    ]
    let rules: [DownloadSettings.CancelRule?] = [nil, .drop, .resume, .keep, .never]
    var user = UserScript(scroll: 1, dwell: .uniform(200_000_000, 1_500_000_000), patience: random.below(3) == 0 ? .seconds(2) : nil)
    user.swipe = .milliseconds(Int64(random.below(2)) * 300)
    user.steps = [
      .scroll(Int(random.below(8)) + 1, dwell: nil), .fling(Int(random.below(15)) + 1, dwell: nil), .memoryWarning, .scroll(-2, dwell: nil),
      .background(.constant(Int64(random.below(5)) * 1_000_000_000 + 1)), .fling(3, dwell: nil), .abandon(0.2), .scroll(5, dwell: nil),
    ]
    var scenario = Scenario(
      feed: .fixed(items),
      network: NetworkConfiguration(down: rate, up: rate, delayDown: .milliseconds(Int64(random.below(3)) * 100), delayUp: .zero),
      downloads: DownloadSettings(
        connections: Int(random.below(5)) + 1, cancel: DownloadSettings.CancelRule.allCases[Int(random.below(4))],
        keepPartial: random.below(2) == 0, restFirst: random.below(2) == 0, preempt: random.below(2) == 0), user: user,
      prefetcher: EveryTrigger(cancelRule: rules[Int(random.below(5))], concurrency: random.below(2) == 0 ? nil : Int(random.below(3))))
    if random.below(2) == 0 { scenario.downloads.onMemoryWarning = .drop }
    if random.below(3) == 0 { scenario.hosts = FeedHosts(kinds: ["a", "b", "a", "a"], pages: random.below(2) == 0 ? "a" : "c") }
    if random.below(4) > 0 {
      scenario.pages = PageSettings(
        size: Int(random.below(10)) + 3, bytes: Int64(random.below(50_000)) + 1, source: random.below(4) == 0 ? .local : .network,
        trigger: triggers[Int(random.below(6))], latch: random.below(2) == 0 ? .asPrinted : .inFlight)
    }
    return scenario
  }

  @Test func theBooksBalanceWithFlingsAtRandom() {
    for seed in 0..<500 {
      var random = RandomStream(seed: UInt64(seed) + 6_000_000)
      var scenario = scenario(&random)
      scenario.user.steps = []
      (scenario.user.scroll, scenario.user.back, scenario.user.leave) = (40, Double(random.below(3)) / 5, 0.02)
      scenario.user.flings = Flings(probability: 0.4, items: .uniform(2, 9))
      let metrics = scenario.run(seed: UInt64(seed))
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders, "seed \(seed)")
      #expect(metrics == scenario.run(seed: UInt64(seed)), "seed \(seed)")
    }
  }

  @Test func theBooksBalanceWhateverARunUses() {
    for seed in 0..<1500 {
      var random = RandomStream(seed: UInt64(seed) + 5_000_000)
      let scenario = scenario(&random)
      let metrics = scenario.run(seed: UInt64(seed))
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders, "seed \(seed)")
      #expect(metrics.loadersByKind.reduce(0, +) == metrics.loaders, "seed \(seed)")
      #expect(metrics.cancels <= metrics.requests, "seed \(seed)")
      #expect(metrics.duplicatePageRequests <= metrics.pageRequests, "seed \(seed)")
      #expect(metrics.bound.map { $0 <= metrics.loaders } ?? true, "seed \(seed)")
      let explanation = scenario.explain(seed: UInt64(seed))
      #expect(explanation.metrics == metrics, "seed \(seed): writing down changes nothing")
      checkTrace(explanation, seed: seed)
    }
  }

  private func checkTrace(_ trace: SessionExplanation, seed: Int) {
    #expect(zip(trace.events, trace.events.dropFirst()).allSatisfy { $0.at <= $1.at }, "seed \(seed): time never goes back")
    #expect(trace.loaders.count == trace.metrics.loaders, "seed \(seed)")
    #expect(trace.requests.filter { $0.part != .page }.count == trace.metrics.requests, "seed \(seed)")
    #expect(trace.requests.filter { $0.end == .cancelled }.count == trace.metrics.cancels, "seed \(seed)")
    let received = trace.requests.reduce(0) { $0 + $1.received }
    let allowance = Int64(trace.requests.count)
    #expect(abs(received - trace.metrics.bytesReceived) <= allowance, "seed \(seed): \(received) of \(trace.metrics.bytesReceived)")
    // No part of an item is in flight twice.
    for (index, request) in trace.requests.enumerated() where request.part != .page {
      let overlaps = trace.requests[(index + 1)...].contains {
        $0.item == request.item && $0.part == request.part && $0.requested < request.ended
      }
      #expect(!overlaps, "seed \(seed), request \(request.number)")
    }
  }
}
