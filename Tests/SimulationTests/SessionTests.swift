import Testing

@testable import Simulation

/// Sessions with results computed by hand: a link of 8 Mbit/s carries 1 MB/s.
@Suite struct SessionTests {
  private func network(
    megabytesPerSecond: Int64 = 1, latencyMs: Int64 = 0, radioTail: Interval = .zero, transport: NetworkConfiguration.TransportKind = .fluid
  ) -> NetworkConfiguration {
    let rate = LinkRate(constant: megabytesPerSecond * 8_000_000)
    return NetworkConfiguration(
      down: rate, up: rate, delayDown: .milliseconds(latencyMs), delayUp: .zero, radioTail: radioTail, transport: transport)
  }

  private func images(_ kilobytes: Int64...) -> ContiguousArray<Item> {
    ContiguousArray(kilobytes.map { Item(kind: .image, bytes: $0 * 1000) })
  }

  private func run(
    _ items: ContiguousArray<Item>, ahead: Int, downloads: DownloadSettings = DownloadSettings(), network: NetworkConfiguration? = nil,
    dwellMs: Int64 = 1000, patience: Interval? = nil, prefixOnly: Bool = true, scroll: Int? = nil
  ) -> SessionMetrics {
    Scenario(
      feed: .fixed(items), network: network ?? self.network(), downloads: downloads,
      user: UserScript(scroll: scroll ?? items.count, dwell: .constant(dwellMs * 1_000_000), patience: patience),
      prefetcher: ItemsAhead(ahead: ahead, prefixOnly: prefixOnly)
    ).run(seed: 1)
  }

  @Test func withoutPrefetchEveryItemIsALoaderAndWaitsForItsBytes() {
    let metrics = run(images(100, 200, 300), ahead: 0)
    #expect(metrics.loaders == 3)
    #expect(metrics.loadersByReason[LoaderReason.impossible.rawValue] == 1)
    #expect(metrics.loadersByReason[LoaderReason.unrequested.rawValue] == 2)
    #expect(metrics.waitMsMean == 200)
    #expect(metrics.waitMsMax == 300)
    #expect(metrics.bytesUseful == 600_000)
    #expect(metrics.requests == 3)
  }

  @Test func anItemThatNeverArrivesWaitsItsWholeDwell() {
    let metrics = run(images(5000, 100), ahead: 0)
    #expect(metrics.waitMsMax == 1000)
    #expect(metrics.cancels == 1)
    #expect(metrics.bytesCancelled == 1_000_000)
  }

  @Test func oneAheadHidesWhatFitsTheDwell() {
    let metrics = run(images(100, 800, 800, 800), ahead: 1)
    #expect(metrics.loaders == 1)
    #expect(metrics.loadersByReason == [0, 1, 0, 0, 0, 0, 0])
  }

  @Test func aLateItemWouldBeLateEvenAloneOnTheLink() {
    // Requested at 1 s, due at 2 s, needs 1.5 s alone; requested at time 0 it would be ready.
    let metrics = run(images(100, 100, 1500), ahead: 1)
    #expect(metrics.loadersByReason[LoaderReason.late.rawValue] == 1)
  }

  @Test func aStarvedItemIsOneThatOthersKeptFromTheLink() {
    // Items 1 and 2 share the link from 0.1 s on: item 1, of 800 KB, would be ready alone.
    let metrics = run(images(100, 800, 800), ahead: 2, downloads: DownloadSettings(connections: 4))
    #expect(metrics.loadersByReason[LoaderReason.starved.rawValue] == 1)
  }

  @Test func dropLosesBytesResumeKeepsThem() {
    let items = images(100, 600, 2000, 100)
    let drop = run(items, ahead: 2, downloads: DownloadSettings(connections: 1, cancel: .drop))
    let resume = run(items, ahead: 2, downloads: DownloadSettings(connections: 1, cancel: .resume))
    // 0.3 s of item 2, 1 s of it as the next item, and the 1 s for which it is active.
    #expect(drop.bytesCancelled == 300_000 + 1_000_000 + 1_000_000)
    #expect(resume.bytesCancelled == 0)
    #expect(resume.waitMsMax < drop.waitMsMax)
    #expect(drop.overCancels == 2, "cancelled at 1 s before it is seen, and at 2 s as it is")
  }

  @Test func keepPartialKeepsTheBytesOfWhatHasLeftThePlan() {
    let items = images(100, 5000, 100)
    let lost = run(items, ahead: 0)
    let kept = run(items, ahead: 0, downloads: DownloadSettings(keepPartial: true))
    #expect(lost.bytesCancelled == 1_000_000)
    #expect(kept.bytesCancelled == 0)
    #expect(kept.bytesUseful == lost.bytesUseful + 1_000_000)
  }

  @Test func aVideosPrefixMakesItReadyAndItsRestGoesFirstIfAsked() {
    let video = Item(videoBytes: 1_000_000, prefixBytes: 200_000, bitsPerSecond: 0)
    let items: ContiguousArray = [video, Item(kind: .image, bytes: 300_000)]
    let first = run(items, ahead: 1, downloads: DownloadSettings(connections: 1, restFirst: true))
    let last = run(items, ahead: 1, downloads: DownloadSettings(connections: 1, restFirst: false))
    #expect(first.waitMsMean == 250, "0.2 s for the prefix, 0.3 s for the image")
    #expect(first.loaders == 2, "the rest takes the link until 1 s")
    #expect(last.loaders == 1, "the image goes before the rest")
    #expect(first.loadersByKind[Int(ItemKind.video.rawValue)] == 1)
  }

  @Test func aVideoThatPlaysFasterThanItArrivesStalls() {
    // The prefix arrives at 0.2 s and lasts 0.1 s; the rest arrives at half the rate at which it plays.
    let video = Item(videoBytes: 2_000_000, prefixBytes: 200_000, bitsPerSecond: 16_000_000)
    let metrics = run([video], ahead: 0, dwellMs: 3000)
    #expect(metrics.stalls >= 1)
    #expect(metrics.stallMs > 500 && metrics.stallMs < 1500)
    let slow = Item(videoBytes: 2_000_000, prefixBytes: 200_000, bitsPerSecond: 4_000_000)
    #expect(run([slow], ahead: 0, dwellMs: 3000).stalls == 0)
  }

  /// 10 s and 91 s of 100 Mbps are 10.1 · 10¹⁸ nanobits, more than 2⁶³; the whole video has 8 · 10¹⁸.
  @Test func aLargeVideoOfAHighBitRatePlaysToItsEnd() {
    let total = Volume.bytes(1_000_000_000).nanobits
    var playback = Playback()
    playback.start(Item(videoBytes: 1_000_000_000, prefixBytes: 1, bitsPerSecond: 100_000_000), at: 0, available: total / 2)
    playback.check(at: 10_000_000_000, available: total)
    #expect(playback.ahead(at: 11_000_000_000, available: total) == total - 1_100_000_000_000_000_000)
    #expect(playback.ahead(at: 101_000_000_000, available: total) == 0)
  }

  @Test func patienceStartsTheDwellWhenTheItemIsReady() {
    let metrics = run(images(2000, 500, 9000), ahead: 1, network: network(radioTail: .zero), patience: .seconds(8))
    #expect(metrics.waitMsMax == 8000)
    #expect(metrics.bound == nil)
    // 2 s of waiting, a dwell, the dwell of a ready item, and 8 s of patience: the radio is busy except for the gap.
    #expect(metrics.loaders == 2)
  }

  @Test func theRadioIsActiveWhileBusyAndForItsTail() {
    let metrics = run(images(100, 100), ahead: 0, network: network(radioTail: .milliseconds(300)))
    #expect(metrics.radioActiveMs == 800)
  }

  @Test func inversionIsTheTimeTheActiveItemSharesTheLink() {
    let metrics = run(images(400, 400), ahead: 1)
    // Both share the link from the start and end together at 0.8 s.
    #expect(metrics.inversionMs == 800)
    #expect(run(images(400, 400), ahead: 1, downloads: DownloadSettings(connections: 1)).inversionMs == 0)
  }

  @Test func preemptGivesTheActiveItemTheConnectionOfTheLastPrefetch() {
    // The budget skips the video, so at 1 s the only connection is busy with the large image after it.
    let video = Item(videoBytes: 100_000, prefixBytes: 100_000, bitsPerSecond: 0)
    let items: ContiguousArray = [Item(kind: .image, bytes: 100_000), video, Item(kind: .image, bytes: 3_000_000)]
    let runs = [false, true].map { preempt in
      Scenario(
        feed: .fixed(items), network: network(), downloads: DownloadSettings(connections: 1, preempt: preempt),
        user: UserScript(scroll: 2, dwell: .constant(1_000_000_000)),
        prefetcher: CostBudget(maxCost: 1, overflow: .skip)
      ).run(seed: 1)
    }
    #expect(runs[0].waitMsMax == 1000)
    #expect(runs[0].cancels == 0)
    #expect(runs[1].waitMsMax == 100)
    #expect(runs[1].cancels == 1)
  }

  @Test func transfersInFlightAtTheEndAreNotCancels() {
    let metrics = run(images(100, 5000), ahead: 1, scroll: 1)
    #expect(metrics.cancels == 0)
    #expect(metrics.bytesUnseen > 0)
    #expect(metrics.bytesReceived == 1_000_000)
  }

  @Test func latencyIsPaidByEveryRequest() {
    let metrics = run(images(100, 100), ahead: 0, network: network(latencyMs: 250))
    #expect(metrics.waitMsMean == 350)
  }

  @Test func theBoundIsMooresOnAnExampleByHand() {
    // Due at 1, 2, 3 s with 0.9, 0.9 and 1.5 MB: with item 0 and one other late, the remaining one fits.
    var bound = OnTimeSet()
    for (item, (volume, due)) in ([(900_000, 0), (900_000, 1), (900_000, 2), (1_500_000, 3)] as [(Int64, Int64)]).enumerated() {
      bound.add(item, volume: Volume.bytes(volume).nanobits, due: Int128(due * Volume.bytes(1_000_000).nanobits))
    }
    #expect(bound.givenUpCount == 2)
  }
}

/// Invariants of all scenarios, on thousands of drawn ones.
@Suite struct SessionInvariantTests {
  private func scenario(_ random: inout RandomStream, latencyMs: Int64) -> Scenario {
    let count = Int(random.below(60)) + 5
    let items = ContiguousArray(
      (0..<count).map { _ -> Item in
        let bytes = Int64(random.below(200_000)) + 1000
        return random.below(4) == 0
          ? Item(videoBytes: bytes * 8, prefixBytes: bytes, bitsPerSecond: 1_000_000)
          : Item(kind: ItemKind.allCases[Int(random.below(4))], bytes: bytes)
      })
    let link = LinkRate(
      periods: (0..<5).map { index in
        LinkRate.Period(
          duration: .milliseconds(Int64(random.below(2000)) + 100), bitsPerSecond: index == 0 ? 900_000 : Int64(random.below(4)) * 600_000)
      })
    let network = NetworkConfiguration(
      down: link, up: link, delayDown: .milliseconds(latencyMs), delayUp: .zero, offset: .milliseconds(Int64(random.below(5000))))
    let prefetcher: any Prefetcher =
      switch random.below(3) {
      case 0: ItemsAhead(ahead: 0)
      case 1: ItemsAhead(ahead: Int(random.below(8)), prefixOnly: random.below(2) == 0)
      default: CostBudget(maxCost: Double(random.below(9)), overflow: random.below(2) == 0 ? .stop : .skip)
      }
    return Scenario(
      feed: .fixed(items), network: network,
      downloads: DownloadSettings(
        connections: Int(random.below(6)) + 1, cancel: DownloadSettings.CancelRule.allCases[Int(random.below(3))],
        keepPartial: random.below(2) == 0, restFirst: random.below(2) == 0),
      user: UserScript(scroll: count, dwell: .uniform(200_000_000, 1_500_000_000)), prefetcher: prefetcher)
  }

  @Test func theBooksBalanceOverThousandsOfSeeds() {
    for seed in 0..<3000 {
      var random = RandomStream(seed: UInt64(seed))
      let scenario = scenario(&random, latencyMs: Int64(random.below(3)) * 100)
      let metrics = scenario.run(seed: UInt64(seed))
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders, "seed \(seed)")
      #expect(metrics.loadersByKind.reduce(0, +) == metrics.loaders, "seed \(seed)")
      #expect(metrics.bytesReceived == metrics.bytesUseful + metrics.bytesCancelled + metrics.bytesUnseen + metrics.bytesDuplicate)
      #expect(metrics.cancels <= metrics.requests)
      #expect(metrics.waitMsP50 <= metrics.waitMsP90 && metrics.waitMsP90 <= metrics.waitMsP99 && metrics.waitMsP99 <= metrics.waitMsMax)
      #expect((metrics.waitMsMax > 0) == (metrics.loaders > 0), "seed \(seed)")
      #expect(metrics == scenario.run(seed: UInt64(seed)), "seed \(seed): a run is a function of its seed")
    }
  }

  @Test func noPrefetcherBeatsTheBoundOnAFluidLinkWithoutLatency() {
    for seed in 0..<2000 {
      var random = RandomStream(seed: UInt64(seed) + 1_000_000)
      let metrics = scenario(&random, latencyMs: 0).run(seed: UInt64(seed))
      #expect(metrics.bound! <= metrics.loaders, "seed \(seed)")
    }
  }
}
