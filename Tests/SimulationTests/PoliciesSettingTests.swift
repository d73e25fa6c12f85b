import TestSupport
import Testing

@testable import Simulation

/// Settings of the built-in kinds that have no canonical line while they are absent, and the kinds that combine traits.
@Suite struct PoliciesSettingTests {
  /// Returns the plan of a prefetcher at the first item of a feed of images and videos, as (item, bytes), after `prepare`.
  private func planned(
    _ prefetcher: inout any Prefetcher, items: ContiguousArray<Item>, _ prepare: (inout FeedView) -> Void = { _ in }
  ) -> [Int] {
    var view = FeedView(items: items)
    prepare(&view)
    var plan = Plan()
    plan.removeAll(limit: items.count)
    prefetcher.plan(for: view, into: &plan)
    return (0..<plan.count).map { plan[$0].item }
  }

  private static let images = ContiguousArray(repeating: Item(kind: .image, bytes: 1000), count: 40)

  private func prefetcher(_ name: String, _ settings: [String: Parameter.Value] = [:]) throws -> any Prefetcher {
    try #require(PrefetcherDefinition.standard.first { $0.name == name }).make { settings[$0.key] }
  }

  /// Makes an item the active one.
  private func activate(_ item: Int, _ view: inout FeedView) {
    view.activeItem = item
    view.details.value.contentOffset = view.itemTop(item)
  }

  // MARK: Image libraries

  @Test func aKeptConnectionIsLeftToTheActiveItem() throws {
    #expect(try prefetcher("nuke").keptConnections == 0)
    #expect(try prefetcher("nuke", ["keptConnections": .integer(3)]).keptConnections == 3)
    #expect(try prefetcher("kingfisher", ["concurrency": .integer(2)]).concurrency == 2)
  }

  @Test func withLowPriorityAVisibleItemGoesBeforePrefetches() throws {
    var library = try prefetcher("sdwebimage", ["ahead": .integer(3)])
    #expect(planned(&library, items: Self.images) == [0, 1, 2, 3])
    #expect(planned(&library, items: Self.images) { activate(5, &$0) } == [5, 6, 7, 8])
  }

  @Test func withoutLowPriorityItWaitsForEarlierOnes() throws {
    var library = try prefetcher("kingfisher", ["ahead": .integer(3), "lowPriority": .boolean(false)])
    #expect(planned(&library, items: Self.images) == [0, 1, 2, 3])
    #expect(planned(&library, items: Self.images) { activate(5, &$0) } == [1, 2, 3, 5, 6, 7, 8])
  }

  @Test func withoutPromotionAPrefetchKeepsItsPosition() throws {
    for promotes in [true, false] {
      var library = try prefetcher(
        "kingfisher", ["ahead": .integer(4), "promotion": .boolean(promotes), "concurrency": .integer(2)])
      #expect(planned(&library, items: Self.images) == (promotes ? [0, 1, 2, 3, 4] : [0, 1, 2]))
      // Item 3 becomes active before its turn: two places are taken by 1 and 2.
      let later = planned(&library, items: Self.images) { activate(3, &$0) }
      #expect(later == (promotes ? [3, 1, 2, 3, 4, 4, 5, 6, 7] : [1, 2]))
      #expect(library.trigger.contains(.transferFinished) == !promotes)
    }
  }

  @Test func aPassedPrefetchIsCancelledOrNot() throws {
    for (name, cancels) in [("nuke", true), ("kingfisher", false), ("sdwebimage", true)] {
      for setting in ["leftWindow", "never"] + [nil] {
        var library = try prefetcher(name, setting.map { ["cancel": .text($0)] } ?? [:])
        _ = planned(&library, items: Self.images)
        let later = planned(&library, items: Self.images) { activate(10, &$0) }
        #expect(later.contains(1) == (setting.map { $0 == "never" } ?? !cancels), "\(name) \(setting ?? "")")
      }
    }
  }

  // MARK: Texture, Glide, media3, a logged app

  @Test func texturesRangesBeforeAndAfterTheFirstScrollAreSettings() throws {
    let settings: [String: Parameter.Value] = [
      "preloadAhead": .number(5), "preloadBehind": .number(3), "minimumPreloadAhead": .number(2), "minimumPreloadBehind": .number(0),
      "displayAhead": .number(0), "displayBehind": .number(0), "minimumDisplayAhead": .number(0), "minimumDisplayBehind": .number(0),
    ]
    for name in ["texture-full", "texture-minimum", "texture-article-2111"] {
      var texture = try prefetcher(name, settings)
      #expect(planned(&texture, items: Self.images) == [0, 1, 2])
      let later = planned(&texture, items: Self.images) {
        activate(10, &$0)
        $0.details.value.activeSince = .start + .seconds(1)
      }
      #expect(later == [10, 11, 12, 13, 14, 15, 9, 8, 7])
    }
  }

  @Test func glideKeepsItsRingOnATurnIfAsked() {
    for cancels in [true, false] {
      var preloader = ListPreloader(maxPreload: 4, cancelsOnTurn: cancels)
      preloader.scroll(firstVisible: 10, visibleCount: 1, itemCount: 40)
      let loaded = preloader.scroll(firstVisible: 9, visibleCount: 1, itemCount: 40)
      #expect(preloader.held == (cancels ? loaded : [14] + loaded))
    }
  }

  /// Returns the seconds planned of each item of a feed of videos of 20 s, by distance from item 20.
  private func seconds(_ prefetcher: any Prefetcher) -> [Int: Double] {
    let items = ContiguousArray(repeating: Item(videoBytes: 2_000_000, prefixBytes: 1000, bitsPerSecond: 800_000), count: 41)
    var prefetcher = prefetcher
    var view = FeedView(items: items)
    var plan = Plan()
    var found: [Int: Double] = [:]
    activate(20, &view)
    plan.removeAll(limit: items.count)
    prefetcher.plan(for: view, into: &plan)
    for index in 0..<plan.count where plan[index].item != 20 { found[plan[index].item - 20] = Double(plan[index].bytes) / 100_000 }
    return found
  }

  @Test func media3LoadsADurationByDistance() throws {
    let settings: [String: Parameter.Value] = [
      "nextSeconds": .number(5), "distance": .integer(2), "seconds": .number(2), "farDistance": .integer(3), "farSeconds": .number(1),
    ]
    #expect(seconds(try prefetcher("media3", settings)) == [-3: 1, -2: 2, -1: 5, 1: 5, 2: 2, 3: 1])
    #expect(seconds(try prefetcher("media3"))[1] == 1)
    #expect(seconds(try prefetcher("media3"))[10] == 5)
    let paused = try prefetcher("media3", ["pauseWhileBuffering": .boolean(true), "concurrency": .integer(3)])
    #expect(seconds(paused) == [:])
    #expect(paused.concurrency == 3)
  }

  @Test func media3sDemoLoadsWhatItsStatusControlSays() throws {
    let found = seconds(try prefetcher("media3-compose-demo"))
    let rows = try Reference.rows("policies/media3_status_control.csv", comments: true)
    for row in rows {
      let distance = try #require(row["distance"].flatMap(Int.init))
      if distance == 0 { continue }
      let expected = -3...6 ~= distance ? row["ms"].flatMap(Double.init).map { $0 / 1000 } : nil
      #expect(found[distance] == expected, "\(distance)")
    }
    #expect(rows.count == 41)
  }

  // MARK: Rules of apps

  @Test func aPlaylistBuffersItsNextItemsAndTheStartOfOneMore() throws {
    let items = ContiguousArray(repeating: Item(videoBytes: 2_000_000, prefixBytes: 1000, bitsPerSecond: 800_000), count: 10)
    var view = FeedView(items: items)
    func planned(_ view: borrowing FeedView) -> [[Int64]] {
      let window = PlaylistWindow(preload: .seconds(5))
      var plan = Plan()
      plan.removeAll(limit: items.count)
      window.fetch(view, amount: .whole, into: &plan)
      return (0..<plan.count).map { [Int64(plan[$0].item), plan[$0].bytes / 100_000] }
    }
    // The active item loads: nothing else does.
    #expect(planned(view) == [])
    view.progress[0].head = Volume.bytes(1000).nanobits
    view.progress[0].rest = Volume.bytes(1_999_000).nanobits
    view.progress[0].isReady = true
    view.details.value.bufferedVolume = 15 * 800_000 * 1_000_000_000
    // 15 s are left of it: 20 s, then 15 s more fill 50 s, and 5 s are preloaded.
    #expect(planned(view) == [[1, 20], [2, 15], [3, 5]])
    view.details.value.bufferedVolume = 60 * 800_000 * 1_000_000_000
    #expect(planned(view) == [[1, 5]])
  }

  @Test(arguments: [(0.99, 2), (1, 4), (5, 4), (5.01, 6)]) func aRateHasItsTier(rate: Double, ahead: Int) {
    #expect(RateWindow().ahead(atMbps: rate) == ahead)
  }

  @Test func nothingIsPrefetchedBeforeTheFirstPlayback() throws {
    var prefetcher = try prefetcher("after-first-playback")
    #expect(planned(&prefetcher, items: Self.images) == [0])
    #expect(planned(&prefetcher, items: Self.images) { $0.progress[0].isReady = true } == [0, 1, 2, 3, 4, 5])
    #expect(planned(&prefetcher, items: Self.images) { activate(1, &$0) } == [1, 2, 3, 4, 5, 6])
  }

  @Test func aLinkIsPrefetchedAfterATenthOfASecondOnScreen() {
    var items = Self.images
    for item in items.indices { items[item].height = 200 }
    let geometry = FeedGeometry(items: items, viewportHeight: 667)
    var links = EagerLinks()
    func planned(_ active: Int, ms: Int64) -> ([Int], Instant?) {
      var view = FeedView(items: items, geometry: geometry)
      var plan = Plan()
      activate(active, &view)
      view.details.value.now = .start + .milliseconds(ms)
      plan.removeAll(limit: items.count)
      links.plan(for: view, into: &plan)
      return ((0..<plan.count).map { plan[$0].item }, plan.askAgain)
    }
    #expect(planned(0, ms: 0) == ([0], .start + .milliseconds(100)))
    // 1, 2 and 3 are on screen; two prefetches are kept, the latest ones.
    #expect(planned(0, ms: 100) == ([0, 2, 3], nil))
    #expect(planned(2, ms: 150) == ([2, 3], .start + .milliseconds(250)))
    #expect(planned(2, ms: 250) == ([2, 4, 5], nil))
  }
}
