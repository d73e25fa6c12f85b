import Testing

@testable import Simulation

/// Sessions with a store, computed by hand: a link of 8 Mbit/s carries 1 MB/s, items have 100 KB, and the user stays 1 s.
@Suite struct StoreTests {
  private static let item: Int64 = 100_000

  private func scenario(
    _ count: Int, store: StoreSettings, prefetcher: any Prefetcher = ItemsAhead(ahead: 0), steps: [ScriptStep] = []
  ) -> Scenario {
    let rate = LinkRate(constant: 8_000_000)
    var downloads = DownloadSettings(connections: 1)
    downloads.store = store
    var scenario = Scenario(
      feed: .fixed(ContiguousArray((0..<count).map { _ in Item(kind: .image, bytes: Self.item) })),
      network: NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero, transport: .fluid), downloads: downloads,
      user: UserScript(scroll: count, dwell: .constant(1_000_000_000)), prefetcher: prefetcher)
    scenario.user.steps = steps
    return scenario
  }

  private func store(items: Int64, disk: Int64? = nil, _ rule: StoreSettings.EvictionRule = .lru) -> StoreSettings {
    var store = StoreSettings()
    (store.memory, store.disk, store.evict) = (items * Self.item, disk.map { $0 * Self.item }, rule)
    return store
  }

  private func evicted(_ metrics: SessionMetrics) -> Int { metrics.loadersByReason[LoaderReason.evicted.rawValue] }

  private func counts(_ metrics: SessionMetrics) -> [Int64] {
    [metrics.bytesReceived, metrics.bytesUseful, metrics.bytesCancelled, metrics.bytesUnseen, metrics.bytesDuplicate].map { $0 / Self.item }
  }

  // MARK: One place

  @Test func withoutRoomEachReturnFetchesTheItemAgain() {
    let metrics = scenario(3, store: store(items: 0), steps: [.scroll(3, dwell: nil), .scroll(-2, dwell: nil)]).run(seed: 1)
    #expect(metrics.viewed == 5 && metrics.loaders == 5 && evicted(metrics) == 2)
    #expect(counts(metrics) == [5, 3, 0, 0, 2])
  }

  @Test func aReturnHitsWhatFitsAndMissesWhatWasUsedTheLongestAgo() {
    let metrics = scenario(4, store: store(items: 2), steps: [.scroll(4, dwell: nil), .scroll(-3, dwell: nil)]).run(seed: 1)
    // At item 3 memory has items 2 and 3. Items 1 and 0 are fetched again.
    #expect(metrics.loaders == 6 && evicted(metrics) == 2)
    #expect(counts(metrics) == [6, 4, 0, 0, 2])
  }

  @Test func whatIsEvictedUnseenIsFetchedTwiceAndCountsOnceAsUseful() {
    // Item 1 is evicted when item 2 arrives, and fetched again when it is active.
    let metrics = scenario(3, store: store(items: 2), prefetcher: ItemsAhead(ahead: 2)).run(seed: 1)
    #expect(metrics.loaders == 2 && evicted(metrics) == 1 && metrics.waitMsMax == 100)
    #expect(counts(metrics) == [4, 3, 0, 0, 1])
  }

  @Test func anItemThatIsNeverViewedCountsOnceAsUnseen() {
    var scenario = scenario(3, store: store(items: 2), prefetcher: ItemsAhead(ahead: 2))
    scenario.user.scroll = 1
    #expect(counts(scenario.run(seed: 1)) == [3, 1, 0, 2, 0])
    // Item 1 is fetched again when it is active; item 2 is never viewed.
    scenario.user.steps = [.scroll(2, dwell: nil)]
    #expect(counts(scenario.run(seed: 1)) == [4, 2, 0, 1, 1])
  }

  @Test func onePlanFetchesAnEvictedItemOnce() {
    // Five items do not fit beside the active one. In the 10 s of its only plan each is fetched once.
    var scenario = scenario(6, store: store(items: 3), prefetcher: ItemsAhead(ahead: 5))
    (scenario.user.scroll, scenario.user.dwell) = (1, .constant(10_000_000_000))
    let trace = scenario.explain(seed: 1)
    #expect(trace.metrics.requests == 6 && trace.events.count { if case .evicted = $0.event { true } else { false } } == 3)
  }

  @Test func anItemLargerThanMemoryStaysWhileItIsActive() {
    var scenario = scenario(2, store: store(items: 1), steps: [.scroll(2, dwell: nil), .scroll(-1, dwell: nil)])
    scenario.feed = .fixed([Item(kind: .image, bytes: 5 * Self.item), Item(kind: .image, bytes: Self.item)])
    let trace = scenario.explain(seed: 1)
    #expect(trace.metrics.waitMsMax == 500 && trace.metrics.loaders == 3)
    #expect(trace.events.first { $0.event == .evicted(0) }?.at == Instant(nanoseconds: 1_000_000_000), "when the user leaves it")
  }

  @Test func aVideoIsEvictedWithItsRest() {
    // The prefix of 100 KB and the rest of 300 KB arrive in the first second; 400 KB do not fit when item 1 has arrived.
    var scenario = scenario(2, store: store(items: 4), steps: [.scroll(2, dwell: nil), .scroll(-1, dwell: nil)])
    scenario.feed = .fixed([
      Item(videoBytes: 4 * Self.item, prefixBytes: Self.item, bitsPerSecond: 400_000), Item(kind: .image, bytes: Self.item),
    ])
    let metrics = scenario.run(seed: 1)
    #expect(metrics.loaders == 3 && evicted(metrics) == 1 && counts(metrics) == [9, 5, 0, 0, 4])
  }

  // MARK: Memory and disk

  @Test func whatMemoryEvictsIsReadFromTheDisk() {
    let steps: [ScriptStep] = [.scroll(3, dwell: nil), .scroll(-2, dwell: nil)]
    var store = store(items: 0, disk: 10)
    store.diskRead = .milliseconds(30)
    let trace = scenario(3, store: store, steps: steps).explain(seed: 1)
    #expect(trace.metrics.loaders == 5 && evicted(trace.metrics) == 2)
    #expect(trace.metrics.waitMsMean == 72, "three waits of 100 ms and two of 30 ms")
    #expect(counts(trace.metrics) == [3, 3, 0, 0, 0])
    #expect(trace.events.filter { $0.event == .readFromDisk(1) }.map(\.at.nanoseconds) == [3_030_000_000])
  }

  @Test func whatThePlanContainsIsReadAheadOneAtATime() {
    // Before the user turns back, items 0 and 1 are on the disk only. Item 0 is read while item 1 is active.
    var store = store(items: 2, disk: 10)
    store.diskRead = .milliseconds(400)
    let steps: [ScriptStep] = [.scroll(4, dwell: nil), .scroll(-3, dwell: nil)]
    let trace = scenario(4, store: store, prefetcher: Backwards(), steps: steps).explain(seed: 1)
    // Item 2 is in memory, and item 1 is read while it is active; 0 follows.
    let reads = trace.events.map(\.event).filter { if case .readFromDisk = $0 { true } else { false } }
    #expect(reads == [.readFromDisk(1), .readFromDisk(0)])
    #expect(trace.metrics.loaders == 4 && evicted(trace.metrics) == 0)
  }

  @Test func anItemOnTheDiskIsDecodedAgain() {
    var scenario = scenario(2, store: store(items: 0, disk: 10), steps: [.scroll(2, dwell: nil), .scroll(-1, dwell: nil)])
    scenario.decodeTimes = DecodeTimes(ItemKind.allCases.map { _ in DecodeTime(fixed: .milliseconds(50), perMegabyte: .zero) })
    #expect(scenario.run(seed: 1).waitMsMean == 120, "150 ms twice, and 10 ms to read and 50 ms to decode")
  }

  @Test(arguments: [nil, 10] as [Int64?])
  func aMemoryWarningEmptiesMemoryAndNotTheDisk(disk: Int64?) {
    var scenario = scenario(
      3, store: store(items: 10, disk: disk), steps: [.scroll(3, dwell: nil), .memoryWarning, .scroll(-2, dwell: nil)])
    scenario.downloads.onMemoryWarning = .drop
    let metrics = scenario.run(seed: 1)
    #expect(metrics.loaders == 5 && evicted(metrics) == 2)
    #expect(counts(metrics) == (disk == nil ? [5, 3, 0, 0, 2] : [3, 3, 0, 0, 0]))
  }

  @Test func thePrefetcherSeesThatAnItemIsOnTheDiskOnlyOrLost() {
    for (disk, bytes) in [(10, Self.item), (nil, 0)] as [(Int64?, Int64)] {
      let seen = Seen()
      _ = scenario(2, store: store(items: 0, disk: disk), prefetcher: Looking(seen: seen)).run(seed: 1)
      #expect(seen.ready == [false, false] && seen.stored == [0, bytes], "of item 0, at each activation")
    }
  }

  // MARK: Public threads

  /// hydrusnetwork/hydrus#1915: a prefetch that is larger than the image cache drops the very next image first, because that was
  /// prefetched first. The thread asks that images leave in the order of their distance.
  @Test func hydrus1915PrefetchingMoreThanFitsDropsTheNextItemUnlessTheFarthestLeaves() {
    let (lru, farthest) = (
      scenario(40, store: store(items: 4), prefetcher: ItemsAhead(ahead: 5)).explain(seed: 1),
      scenario(40, store: store(items: 4, .farthest), prefetcher: ItemsAhead(ahead: 5)).run(seed: 1)
    )
    #expect(lru.events.first { if case .evicted = $0.event { true } else { false } }?.event == .evicted(1))
    #expect(evicted(lru.metrics) > 0)
    #expect(evicted(farthest) == 0 && farthest.loaders == 1)
  }

  /// kean/Nuke#211: more than 200 images are prefetched at once for later, and are gone from the disk when they are shown. The answers
  /// were a larger disk cache, smaller images, and prefetching to the disk only.
  @Test func nuke211ImagesPrefetchedAtOnceAreFetchedTwiceUnlessTheDiskHoldsAll() {
    func run(items: Int64, disk: Int64) -> SessionMetrics {
      var scenario = scenario(200, store: store(items: items, disk: disk), prefetcher: AtOnce(), steps: [])
      scenario.user.steps = [.scroll(1, dwell: .constant(60_000_000_000)), .scroll(199, dwell: nil)]
      return scenario.run(seed: 1)
    }
    // Each item is evicted before its turn: one that is fetched again evicts one that is still to come.
    let small = run(items: 10, disk: 100)
    #expect(small.loaders == 200 && evicted(small) == 199 && counts(small) == [399, 200, 0, 0, 199])
    let large = run(items: 10, disk: 200)
    #expect(counts(large) == [200, 200, 0, 0, 0])
    // In memory it is the same, and each image is read in 10 ms.
    #expect(evicted(large) == 199 && large.waitMsP90 == 10)
    // Images of half the size are images with twice the room.
    #expect(counts(run(items: 20, disk: 200)) == counts(large))
  }
}

/// Plans the item before the active one, and reads back.
private struct Backwards: Prefetcher {
  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    if view.direction < 0 { plan.fetch(view.activeItem - 1, bytes: Plan.toReady) }
  }
}

/// Plans all items at the first activation, and then the active one only.
private struct AtOnce: Prefetcher {
  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    if view.activeItem == 0 { plan.fetch(1..<view.items.count, bytes: Plan.toReady) }
  }
}

/// The state of item 0 at each activation.
private final class Seen: @unchecked Sendable {
  var ready: [Bool] = []
  var stored: [Int64] = []
}

private struct Looking: Prefetcher {
  let seen: Seen

  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    seen.ready.append(view.isReady(0))
    seen.stored.append(view.storedBytes(0))
    plan.fetch(view.activeItem)
  }
}
