// Invariants of every built-in prefetcher on drawn scenarios.

import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

@Suite struct SystemInvariantTests {
  /// The seeds of the scenarios for each system; fewer of them are checked event by event.
  private static let seeds: Range<UInt64> = 0..<400
  private static let tracedSeeds: Range<UInt64> = 0..<60

  /// Returns a prefetcher with its default settings.
  private static func prefetcher(_ definition: PrefetcherDefinition) -> any Prefetcher { definition.make { _ in nil } }

  /// Returns a scenario over a link with changing rates; only the rate and `latency` delay anything.
  private static func scenario(
    seed: UInt64, prefetcher: any Prefetcher, transport: NetworkConfiguration.TransportKind = .fluid, latencyMs: Int64 = 0
  ) -> Scenario {
    var random = RandomStream(runSeed: seed, name: "invariants")
    let count = 10 + Int(random.next() % 50)
    var items: ContiguousArray<Item> = []
    for _ in 0..<count {
      if random.unit() < 0.3 {
        let bytes = 200_000 + Int64(random.next() % 3_000_000)
        let (prefix, rate) = (50_000 + Int64(random.next() % 300_000), 500_000 + Int64(random.next() % 2_000_000))
        items.append(Item(videoBytes: bytes, prefixBytes: prefix, bitsPerSecond: rate))
      } else {
        items.append(Item(kind: random.unit() < 0.8 ? .image : .webApp, bytes: 2000 + Int64(random.next() % 150_000)))
      }
    }
    let periods = (0..<(1 + Int(random.next() % 8))).map { index in
      // The first period is never an outage, so that the link carries something.
      LinkRate.Period(
        duration: .milliseconds(200 + Int64(random.next() % 5000)),
        bitsPerSecond: index > 0 && random.unit() < 0.2 ? 0 : 100_000 + Int64(random.next() % 8_000_000))
    }
    let rate = LinkRate(periods: periods)
    var downloads = DownloadSettings(connections: 1 + Int(random.next() % 6))
    downloads.cancel = DownloadSettings.CancelRule.allCases[Int(random.next() % UInt64(DownloadSettings.CancelRule.allCases.count))]
    downloads.keepPartial = random.unit() < 0.5
    downloads.preempt = random.unit() < 0.3
    var scenario = Scenario(
      feed: .fixed(items),
      network: NetworkConfiguration(
        down: rate, up: LinkRate(constant: 1_000_000), delayDown: .milliseconds(latencyMs), delayUp: .zero, transport: transport),
      downloads: downloads,
      user: UserScript(
        scroll: count,
        dwell: .lognormal(
          median: 200_000_000 + Int64(random.next() % 2_000_000_000), sigma: 0.5, minimum: 50_000_000, maximum: 10_000_000_000)),
      prefetcher: prefetcher)
    if latencyMs > 0, random.unit() < 0.5 { scenario.pages = PageSettings(size: 10) }
    return scenario
  }

  /// Returns a scenario with decode times up to 1.5 s and 0.5 s for each MB, and decoders for all items or for a few.
  private static func decoded(_ scenario: Scenario, seed: UInt64, decoders: Int? = nil) -> Scenario {
    var random = RandomStream(runSeed: seed, name: "decoding")
    var scenario = scenario
    scenario.decodeTimes = DecodeTimes(
      ItemKind.allCases.map { _ in
        DecodeTime(
          fixed: .milliseconds(Int64(random.next() % (random.unit() < 0.5 ? 100 : 1500))),
          perMegabyte: .milliseconds(Int64(random.next() % 500)))
      })
    scenario.downloads.decoders = decoders ?? 1 + Int(random.next() % 3)
    if decoders == nil, random.unit() < 0.5 { scenario.downloads.players = 1 + Int(random.next() % 3) }
    return scenario
  }

  @Test(arguments: PrefetcherDefinition.standard.map(\.name))
  func noSystemShowsFewerLoadersThanTheBound(name: String) throws {
    let definition = try #require(PrefetcherDefinition.standard.first { $0.name == name })
    for seed in Self.seeds {
      let scenario = Self.scenario(seed: seed, prefetcher: Self.prefetcher(definition))
      let metrics = (seed % 2 == 0 ? scenario : Self.decoded(scenario, seed: seed)).run(seed: seed)
      let bound = try #require(metrics.bound)
      #expect(metrics.loaders >= bound, "\(name), seed \(seed)")
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders, "\(name), seed \(seed)")
      #expect(metrics.loadersByKind.reduce(0, +) == metrics.loaders, "\(name), seed \(seed)")
    }
  }

  @Test(arguments: PrefetcherDefinition.standard.map(\.name))
  func everyByteIsAskedForOnceAndCountedOnce(name: String) throws {
    let definition = try #require(PrefetcherDefinition.standard.first { $0.name == name })
    for seed in Self.tracedSeeds {
      let transport: NetworkConfiguration.TransportKind = seed % 5 == 0 ? .packet : .fluid
      let scenario = Self.scenario(seed: seed, prefetcher: Self.prefetcher(definition), transport: transport, latencyMs: 80)
      let trace = (seed % 3 == 0 ? scenario : Self.decoded(scenario, seed: seed)).explain(seed: seed)
      let metrics = trace.metrics
      let reasons = LoaderReason.allCases.map { reason in trace.loaders.count { $0.reason == reason } }
      #expect(reasons == metrics.loadersByReason, "\(name), seed \(seed)")
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders, "\(name), seed \(seed)")
      let requests = trace.requests.filter { $0.part != .page }
      // No part is in flight twice, and a cancelled request brings nothing later: the sum read by all requests equals the row.
      for own in Dictionary(grouping: requests, by: { [$0.item, $0.part == .ready ? 0 : 1] }).values {
        for (earlier, later) in zip(own, own.dropFirst()) {
          #expect(earlier.ended <= later.requested, "\(name), seed \(seed), item \(earlier.item)")
        }
        #expect(own.allSatisfy { $0.received <= $0.bytes && $0.requested <= $0.ended && $0.ended <= trace.end }, "\(name), seed \(seed)")
      }
      let read = trace.requests.reduce(0) { $0 + $1.received }
      #expect(trace.reads.last?.bytes == read, "\(name), seed \(seed)")
      for (earlier, later) in zip(trace.reads, trace.reads.dropFirst()) {
        #expect(earlier.at < later.at && earlier.bytes <= later.bytes, "\(name), seed \(seed)")
      }
      // Bytes are rounded, nanobits are not: each request and each item may round.
      let slack = Int64(trace.requests.count + 2 * trace.items.count)
      #expect(abs(read - metrics.bytesReceived) <= slack, "\(name), seed \(seed): read \(read), counted \(metrics.bytesReceived)")
      let wasted = metrics.bytesCancelled + metrics.bytesUnseen + metrics.bytesDuplicate
      #expect(metrics.bytesReceived == metrics.bytesUseful + wasted, "\(name), seed \(seed)")
      var ends: [Int: Int] = [:]
      for event in trace.events { if case .ended(let number) = event.event { ends[number, default: 0] += 1 } }
      #expect(ends.values.allSatisfy { $0 == 1 }, "\(name), seed \(seed)")
      #expect(requests.filter { $0.end == .cancelled }.count == metrics.cancels, "\(name), seed \(seed)")
    }
  }

  @Test func theClairvoyantReachesTheBoundWithoutLatency() throws {
    var reached = 0
    for seed in UInt64(0)..<2000 {
      let metrics = Self.scenario(seed: seed, prefetcher: Clairvoyant()).run(seed: seed)
      #expect(metrics.loaders == metrics.bound, "seed \(seed)")
      // Items are decoded at once if there is a decoder for each.
      let decoded = Self.decoded(Self.scenario(seed: seed, prefetcher: Clairvoyant()), seed: seed, decoders: 64).run(seed: seed)
      #expect(decoded.loaders == decoded.bound, "seed \(seed), decoded")
      #expect(decoded.bound ?? 0 >= metrics.bound ?? 0, "seed \(seed)")
      reached += metrics.bound ?? 0
    }
    // Most of these scenarios are hard enough to have a bound.
    #expect(reached > 2000)
  }

  /// A feed of up to six items with moves back, on a link that carries its bytes one after another.
  private static func backAndForth(seed: UInt64) -> Scenario {
    var random = RandomStream(runSeed: seed, name: "back and forth")
    let count = 2 + Int(random.below(5))
    let items = ContiguousArray((0..<count).map { _ in Item(kind: .image, bytes: 10_000 * (1 + Int64(random.below(12)))) })
    var downloads = DownloadSettings()
    downloads.cancel = DownloadSettings.CancelRule.allCases[Int(random.below(4))]
    var scenario = Scenario(
      feed: .fixed(items),
      network: NetworkConfiguration(
        down: LinkRate(constant: 80_000), up: LinkRate(constant: 1_000_000), delayDown: .zero, delayUp: .zero),
      downloads: downloads, user: UserScript(scroll: 1, dwell: .constant(1)), prefetcher: Clairvoyant())
    var (item, moves) = (0, [1])
    for _ in 0..<count + Int(random.below(UInt64(count + 3))) {
      let next = item > 0 && random.unit() < 0.35 ? item - 1 : min(count - 1, item + 1)
      if next != item { moves.append(next - item) }
      item = next
    }
    scenario.user.steps = moves.map { .scroll($0, dwell: .constant(Int64(1 + random.below(8)) * 1_000_000_000)) }
    return scenario
  }

  /// Returns the fewest loaders of all orders in which items can be fetched one after another: no other schedule has fewer.
  private static func fewest(_ visits: [(item: Int, second: Int)], seconds: [Int]) -> Int {
    func search(_ ready: [Int: Int], _ now: Int) -> Int {
      var least = visits.count { (ready[$0.item] ?? .max) > $0.second }
      for item in seconds.indices where ready[item] == nil {
        var more = ready
        more[item] = now + seconds[item]
        least = min(least, search(more, now + seconds[item]))
      }
      return least
    }
    return search([:], 0)
  }

  @Test func withMovesBackTheClairvoyantFetchesItemsForLaterVisits() {
    var (found, best, atBound, reached, cases) = (0, 0, 0, 0, 0)
    for seed in UInt64(0)..<600 {
      let scenario = Self.backAndForth(seed: seed)
      let run = scenario.draw(seed: seed)
      var now: Int64 = 0
      let visits = run.script.visits.map { visit in
        defer { now += visit.dwell.nanoseconds }
        return (item: visit.item, second: Int(now / 1_000_000_000))
      }
      let metrics = scenario.run(seed: seed)
      let fewest = Self.fewest(visits, seconds: run.items.map { Int($0.bytes / 10_000) })
      let bound = metrics.bound ?? 0
      #expect(bound <= fewest && fewest <= metrics.loaders, "seed \(seed)")
      #expect(visits.count > Set(visits.map(\.item)).count || metrics.loaders == bound, "seed \(seed)")
      (found, best, cases) = (found + metrics.loaders, best + fewest, cases + 1)
      if fewest == bound { (atBound, reached) = (atBound + 1, reached + (metrics.loaders == bound ? 1 : 0)) }
    }
    // Fetching for first visits only showed 70 % more than the fewest.
    #expect(Double(found) <= 1.02 * Double(best), "\(found) loaders, \(best) at least, in \(cases) cases")
    #expect(Double(reached) >= 0.98 * Double(atBound), "\(reached) of \(atBound)")
  }
}
