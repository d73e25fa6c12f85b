import Testing

@testable import Simulation

/// Sessions with decode times, computed by hand: a link of 8 Mbit/s carries 1 MB/s, and the user stays 1 s.
@Suite struct DecodingTests {
  private func scenario(
    _ items: ContiguousArray<Item>, ahead: Int, decodeMs: Int64, perMegabyteMs: Int64 = 0, downloads: DownloadSettings,
    steps: [ScriptStep] = []
  ) -> Scenario {
    let rate = LinkRate(constant: 8_000_000)
    var user = UserScript(scroll: items.count, dwell: .constant(1_000_000_000))
    user.steps = steps
    var scenario = Scenario(
      feed: .fixed(items),
      network: NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero, transport: .fluid), downloads: downloads,
      user: user, prefetcher: ItemsAhead(ahead: ahead))
    let time = DecodeTime(fixed: .milliseconds(decodeMs), perMegabyte: .milliseconds(perMegabyteMs))
    scenario.decodeTimes = DecodeTimes(ItemKind.allCases.map { _ in time })
    return scenario
  }

  private func images(_ kilobytes: Int64...) -> ContiguousArray<Item> {
    ContiguousArray(kilobytes.map { Item(kind: .image, bytes: $0 * 1000) })
  }

  private func videos(_ count: Int) -> ContiguousArray<Item> {
    ContiguousArray((0..<count).map { _ in Item(videoBytes: 100_000, prefixBytes: 100_000, bitsPerSecond: 0) })
  }

  private func settings(decoders: Int = 1, players: Int? = nil, connections: Int = 1) -> DownloadSettings {
    var settings = DownloadSettings(connections: connections)
    (settings.decoders, settings.players) = (decoders, players)
    return settings
  }

  @Test func anItemIsVisibleItsDecodeTimeAfterItsBytes() {
    // 100 ms on the link, then 50 ms and 100 ms for 0.1 MB; 300 ms, then 50 ms and 300 ms.
    let metrics = scenario(images(100, 300), ahead: 0, decodeMs: 50, perMegabyteMs: 1000, downloads: settings()).run(seed: 1)
    #expect(metrics.loaders == 2 && metrics.waitMsMean == (250 + 650) / 2 && metrics.waitMsMax == 650)
  }

  @Test func prefetchedItemsDecodeAheadAndTheLastInstantIsInTime() {
    // Item 1 is stored at 0.2 s. A decode of 800 ms by the second decoder ends at its activation, one of 801 ms after it.
    for (decodeMs, loaders, wait) in [(800, 1, 900.0), (801, 2, 901.0)] {
      let metrics = scenario(images(100, 100), ahead: 1, decodeMs: Int64(decodeMs), downloads: settings(decoders: 2)).run(seed: 1)
      #expect(metrics.loaders == loaders && metrics.waitMsMax == wait, "\(decodeMs) ms")
    }
  }

  @Test func aDecodeTimeMakesItemsImpossibleOrLate() {
    // Item 1 would need its bytes 0.2 s before time 0. Item 2 would need them at 0.8 s and is requested at 1 s; a decoder is free at 1.3 s.
    let metrics = scenario(images(100, 100, 100), ahead: 1, decodeMs: 1200, downloads: settings(decoders: 2)).run(seed: 1)
    #expect(metrics.loadersByReason == [0, 2, 0, 0, 1, 0, 0] && metrics.bound == 2)
    #expect(metrics.waitMsMax == 1000, "item 0 is left before it is decoded, at 1.3 s")
    #expect(metrics.waitMsMean == (1000 + 400 + 500) / 3.0)
  }

  @Test func otherItemsStarveOneOfTheDecoder() {
    // Stored at 0.1, 0.2 and 0.3 s; decoded from 0.1, 0.7 and 1.3 s on. Alone, item 1 would be decoded at 0.8 s.
    let metrics = scenario(images(100, 100, 100), ahead: 2, decodeMs: 600, downloads: settings()).run(seed: 1)
    #expect(metrics.loadersByReason == [0, 1, 0, 0, 0, 1, 0])
    #expect(metrics.waitMsP50 == 300 && metrics.waitMsMax == 700)
  }

  @Test func theActiveItemIsDecodedBeforeOthersThatWaitLonger() {
    // Item 1 is stored at 1.2 s, item 3 at 0.4 s; the decoder is free at 1.2 s.
    let metrics = scenario(images(100, 1000, 50, 50), ahead: 3, decodeMs: 500, downloads: settings(connections: 2)).run(seed: 1)
    #expect(metrics.loaders == 2 && metrics.waitMsMax == 700)
  }

  @Test func aDecodeGoesOnAfterItsItemIsLeft() {
    // Item 0 is decoded from 0.1 s on; item 1 is stored at 1.5 s, and decoded until 2.7 s although it is left at 2 s.
    let metrics = scenario(
      images(100, 500), ahead: 0, decodeMs: 1200, downloads: settings(), steps: [.scroll(2, dwell: nil), .scroll(-1, dwell: nil)]
    ).run(seed: 1)
    #expect(metrics.viewed == 3 && metrics.loaders == 2, "item 0 is decoded at 1.3 s")
  }

  @Test func withOnePlayerNoVideoIsPreparedAheadWithTwoTheNextOneIs() {
    func waits(players: Int?) -> (loaders: Int, mean: Double) {
      let metrics = scenario(videos(4), ahead: 2, decodeMs: 300, downloads: settings(decoders: 4, players: players)).run(seed: 1)
      return (metrics.loaders, metrics.waitMsMean)
    }
    #expect(waits(players: 1) == (4, (400 + 3 * 300) / 4.0))
    #expect(waits(players: 2) == (1, 400 / 4.0))
    #expect(waits(players: nil) == (1, 400 / 4.0))
  }

  @Test func aVideoThatIsLeftLosesItsPlayerIfPlayersAreLimited() {
    for (players, loaders) in [(nil, 1), (2, 2)] {
      let metrics = scenario(
        videos(2), ahead: 1, decodeMs: 300, downloads: settings(players: players), steps: [.scroll(2, dwell: nil), .scroll(-1, dwell: nil)]
      ).run(seed: 1)
      #expect(metrics.viewed == 3 && metrics.loaders == loaders)
    }
  }

  @Test func theActiveVideoTakesThePlayerOfTheLastOne() {
    // Videos 2 and 3 hold the players when video 1, of which the large prefix arrives at 1.3 s, needs one.
    var items = videos(4)
    items[1] = Item(videoBytes: 1_000_000, prefixBytes: 1_000_000, bitsPerSecond: 0)
    let metrics = scenario(items, ahead: 3, decodeMs: 300, downloads: settings(decoders: 4, players: 2, connections: 2)).run(seed: 1)
    #expect(metrics.waitMsMax == 600 && metrics.loaders == 2, "video 3 is prepared again while video 2 is active")
  }

  @Test func droppedItemsAreDecodedAgain() {
    var downloads = settings()
    downloads.onMemoryWarning = .drop
    // Item 1 is stored and decoded by 0.5 s and dropped at 1 s: 100 ms on the link, 200 ms to decode.
    let metrics = scenario(
      images(100, 100), ahead: 1, decodeMs: 200, downloads: downloads,
      steps: [.scroll(1, dwell: nil), .memoryWarning, .scroll(1, dwell: nil)]
    ).run(seed: 1)
    #expect(metrics.loaders == 2 && metrics.waitMsMean == 300 && metrics.bytesReceived == 300_000)
  }

  @Test func anItemThatIsOnlyDecodedTakesNoConnection() {
    var downloads = settings()
    downloads.preempt = true
    // Item 1 is stored at 0.2 s and decoded at 1.3 s, while item 2 is in flight.
    let metrics = scenario(images(100, 100, 2000), ahead: 2, decodeMs: 600, downloads: downloads).run(seed: 1)
    #expect(metrics.cancels == 0 && metrics.loaders == 3)
  }

  @Test func aVideoPlaysFromItsFirstFrameOn() {
    // The prefix arrives at 0.1 s and lasts 20 ms. Shown at once, the video stalls; after 400 ms the rest has arrived.
    let items: ContiguousArray = [Item(videoBytes: 400_000, prefixBytes: 100_000, bitsPerSecond: 40_000_000)]
    #expect(scenario(items, ahead: 0, decodeMs: 0, downloads: settings()).run(seed: 1).stalls > 0)
    #expect(scenario(items, ahead: 0, decodeMs: 400, downloads: settings()).run(seed: 1).stalls == 0)
  }

  @Test func aPatientUserStaysForAnItemDecodedAtTheLastInstant() {
    // Item 0 is decoded at 0.5 s, to which the patience lasts, too; its dwell of 1 s begins then. With 499 ms the user is gone.
    for (patienceMs, left) in [(500, 1500), (499, 499)] {
      var scenario = scenario(images(100, 100), ahead: 1, decodeMs: 400, downloads: settings())
      scenario.user.patience = .milliseconds(Int64(patienceMs))
      let activations = scenario.explain(seed: 1).events.compactMap { event in
        if case .activated = event.event { return event.at.nanoseconds / 1_000_000 }
        return nil
      }
      #expect(activations == [0, Int64(left)])
    }
  }

  @Test func anEventLogHasEachEndOfDecoding() {
    let trace = scenario(images(100, 100), ahead: 1, decodeMs: 200, downloads: settings()).explain(seed: 1)
    let decoded = trace.events.compactMap { event in
      if case .decoded(let item) = event.event { return [Int64(item), event.at.nanoseconds / 1_000_000] }
      return nil
    }
    #expect(decoded == [[0, 300], [1, 500]])
    #expect(trace.loaders.map(\.readyAlone) == [Instant(nanoseconds: 300_000_000)])
  }
}
