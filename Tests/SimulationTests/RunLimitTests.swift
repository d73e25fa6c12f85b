// Every run ends: by its script, at a limit with a reason, or because it is cancelled.

import Base
import Synchronization
import Testing

@testable import Simulation

@Suite struct RunLimitTests {
  private func scenario(
    _ network: NetworkConfiguration, items: Int = 3, pages: PageSettings? = PageSettings(size: 3, trigger: .endReached)
  ) -> Scenario {
    var scenario = Scenario(
      feed: .fixed(ContiguousArray(repeating: Item(kind: .image, bytes: 100_000), count: items)), network: network,
      downloads: DownloadSettings(), user: UserScript(scroll: items, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: 2))
    scenario.pages = pages
    return scenario
  }

  private func network(
    _ transport: NetworkConfiguration.TransportKind, down: LinkRate = LinkRate(constant: 780_000),
    up: LinkRate = LinkRate(constant: 330_000)
  ) -> NetworkConfiguration {
    NetworkConfiguration(down: down, up: up, delayDown: .milliseconds(100), delayUp: .milliseconds(100), transport: transport)
  }

  private func ends(_ scenario: Scenario, _ limits: RunLimits = RunLimits(), seed: UInt64 = 1) -> RunStop? {
    do throws(RunStop) { _ = try scenario.run(seed: seed, limits: limits) } catch { return error }
    return nil
  }

  private static let noPage = RunStop.noPage(limit: .seconds(86_400))
  private static let dayOfNothing = LinkRate(periods: [
    .init(duration: .seconds(86_400), bitsPerSecond: 0), .init(duration: Interval(nanoseconds: 2000), bitsPerSecond: 1),
  ])

  @Test(arguments: NetworkConfiguration.TransportKind.allCases)
  func aPageWithoutAByteForADayFailsTheRun(transport: NetworkConfiguration.TransportKind) {
    #expect(ends(scenario(network(transport, down: Self.dayOfNothing, up: Self.dayOfNothing))) == Self.noPage)
    #expect(Self.noPage.description.contains("no byte of the first page arrived for 24 hours"))
  }

  /// A page of 20 kB at 1 bit/s takes two days, and each brings bytes.
  @Test func aSlowPageThatGainsBytesIsWaitedFor() {
    let rate = LinkRate(constant: 1)
    #expect(ends(scenario(network(.fluid, down: rate, up: rate))) == nil)
  }

  /// Returns a drawn link that hardly works: 100 bit/s to 10 kbit/s, losses to 95 %, bursts, delays to a minute, outages to a day.
  private func badLink(seed: UInt64) -> NetworkConfiguration {
    var random = RandomStream(runSeed: seed, name: "bad links")
    func rate() -> LinkRate { LinkRate(constant: Int64(100 * StableMath.exp(4.6 * random.unit()))) }
    var bad = network(.packet, down: rate(), up: rate())
    bad.http.version = [.http1, .http2, .http3][Int(seed % 3)]
    bad.http.security = .tls13
    bad.delayDown = .milliseconds([50, 2000, 60_000][Int(random.below(3))])
    switch random.below(4) {
    case 0: (bad.lossDown, bad.lossUp) = (0.95 * random.unit(), 0.95 * random.unit())
    case 1: bad.burstLoss = .init(enter: 0.3, leave: 0.05 + 0.1 * random.unit(), loss: 0.9 + 0.1 * random.unit())
    case 2: bad.outages = [.init(start: .seconds(Int64(random.below(20))), duration: .seconds(1 + Int64(random.below(100_000))))]
    default: break
    }
    if seed % 2 == 0 { bad.congestion = .bbr }
    bad.seed = seed
    return bad
  }

  /// Packets to the server are not counted: a connection that gets no answer sends at most 10.
  @Test func aBadLinkCostsAFewEventsForEachPacketAndConnection() {
    for seed in UInt64(0)..<45 {
      func run(events: Int) -> (counters: TransportCounters, stop: RunStop?) {
        var limits = RunLimits()
        limits.events = events
        let (network, watch) = (badLink(seed: seed), RunWatch(limits))
        func counters(_ link: consuming some Transport) -> TransportCounters {
          for transfer in 0..<3 { link.start(transfer, volume: .bytes(20_000), host: 0, priority: 0) }
          for _ in 0..<3 { _ = link.advance(until: Instant(nanoseconds: 20_000_000_000_000)) }
          return link.counters
        }
        let isHTTP3 = network.http.version == .http3
        return (isHTTP3 ? counters(QUICTransport(network, watch: watch)) : counters(PacketTransport(network, watch: watch)), watch.stop)
      }
      let counters = run(events: .max).counters
      let packets = counters.packetsSent + counters.packetsDropped
      let events = 6 * packets + 20 * counters.newConnections + 2 * RunWatch.transportStep
      #expect(run(events: events).stop == nil, "seed \(seed): \(packets) packets, \(counters.newConnections) connections")
      #expect(packets < 30_000, "seed \(seed)")
    }
  }

  @Test func aSessionOnABadLinkEndsByItsScriptOrForWantOfItsPage() {
    var reasons: [RunStop?: Int] = [:]
    for seed in UInt64(0)..<45 {
      for pages in [nil, PageSettings(size: 3)] {
        var limits = RunLimits()
        limits.events = 2_000_000
        let stop = ends(scenario(badLink(seed: seed), pages: pages), limits, seed: seed)
        #expect(stop == nil || (stop == Self.noPage && pages != nil), "seed \(seed): \(String(describing: stop))")
        reasons[stop, default: 0] += 1
      }
    }
    #expect(reasons[nil] ?? 0 >= 60 && reasons[Self.noPage] ?? 0 >= 3, "\(reasons)")
  }

  /// A datagram of 1228 bytes each way and the delays must take less than the idle timeout of 30 s: 2 × 9824 / 29.8 = 659.3 bit/s.
  @Test func http3EndsWhereItNeverConnects() {
    for (bits, expected) in [(500, Self.noPage), (659, Self.noPage), (660, nil), (700, nil)] as [(Int64, RunStop?)] {
      var slow = network(.packet, down: LinkRate(constant: bits), up: LinkRate(constant: bits))
      slow.http.version = .http3
      var limits = RunLimits()
      limits.events = 100_000
      #expect(ends(scenario(slow), limits) == expected, "\(bits) bit/s")
      slow.http.version = .http2
      slow.http.security = .tls13
      #expect(ends(scenario(slow), limits) == nil, "\(bits) bit/s")
    }
  }

  /// An attempt takes the idle timeout of 30 s; the pauses before the next double from 1 s to 120 s: 8 in 503 s, then one in 150 s.
  @Test func http3PausesBetweenConnectionsThatFail() {
    var slow = network(.packet, down: LinkRate(constant: 500), up: LinkRate(constant: 500))
    slow.http.version = .http3
    let link = QUICTransport(slow, watch: RunWatch(RunLimits()))
    link.start(0, volume: .bytes(20_000), host: 0, priority: 0)
    _ = link.advance(until: Instant(nanoseconds: 20_000_000_000_000))
    #expect((130...145).contains(link.counters.newConnections), "\(link.counters.newConnections)")
  }

  @Test(arguments: [1, 10, 1000])
  func aLinkOfAFewBitsASecondEnds(bitsPerSecond: Int64) {
    let rate = LinkRate(constant: bitsPerSecond)
    for pages in [nil, PageSettings(size: 3)] {
      let stop = ends(scenario(network(.packet, down: rate, up: rate), pages: pages))
      #expect(stop == nil || stop == Self.noPage)
    }
  }

  @Test(arguments: [0.3, 0.7, 0.9, 0.99])
  func aLinkThatLosesNearlyAllEnds(loss: Double) {
    for seed: UInt64 in [0, 3, 4] {
      for version in [HTTPConfiguration.Version.http1, .http2] {
        var lossy = network(.packet)
        lossy.lossDown = loss
        lossy.lossUp = seed % 2 == 0 ? loss : 0
        lossy.http.version = version
        lossy.http.security = seed == 4 ? .tls12 : .none
        let stop = ends(scenario(lossy), seed: seed)
        #expect(stop == nil || stop == Self.noPage, "seed \(seed), \(version)")
      }
    }
  }

  @Test func aBurstThatHardlyEndsEndsTheRun() {
    var lossy = network(.packet)
    lossy.burstLoss = .init(enter: 1, leave: 0.01, loss: 1)
    let stop = ends(scenario(lossy))
    #expect(stop == nil || stop == Self.noPage)
  }

  /// An outage longer than all retries: the connection is lost, and the rest is requested on another.
  @Test(arguments: [HTTPConfiguration.Version.http1, .http2], [HTTPConfiguration.Security.none, .tls13])
  func theRestOfALostConnectionIsRequestedOnAnother(version: HTTPConfiguration.Version, security: HTTPConfiguration.Security) {
    var network = network(.packet)
    network.lossDown = 0.999_999
    network.http.version = version
    network.http.security = security
    // Nearly no packet arrives: SYNs are given up after 131 s, again and again.
    let link = PacketTransport(network)
    link.start(0, volume: .bytes(10_000), host: 0, priority: 0)
    #expect(link.advance(until: Instant(nanoseconds: 1_030_000_000_000)) == nil)
    #expect(link.counters.newConnections == 8, "one at once and one each 131 s")
    #expect(link.cancel(0) == .zero)
  }

  @Test func aDeadLinkLosesAConnectionAfterAllRetries() {
    var network = network(.packet)
    network.outages = []
    network.burstLoss = .init(enter: 0.05, leave: 1e-9, loss: 1)
    var lost = 0
    for seed in UInt64(0)..<20 {
      network.seed = seed
      let link = PacketTransport(network)
      link.start(0, volume: .bytes(500_000), host: 0, priority: 0)
      _ = link.advance(until: Instant(nanoseconds: 900_000_000_000))
      let before = link.counters.newConnections
      let received = link.received(0)
      _ = link.advance(until: Instant(nanoseconds: 1_300_000_000_000))
      #expect(link.received(0) == received, "received bytes are not requested again")
      if received > .zero, before == 1, link.counters.newConnections > 1 { lost += 1 }
    }
    #expect(lost >= 5, "of the transfers that had begun: \(lost)")
  }

  @Test func aRunStopsAtItsLimitOfEvents() {
    var limits = RunLimits()
    // Each of the 5000 visits is an event, and on the fluid transport hardly any transfer ends in time.
    limits.events = 4000
    for transport in NetworkConfiguration.TransportKind.allCases {
      let long = scenario(network(transport), items: 5000, pages: nil)
      #expect(ends(long, limits) == .tooManyEvents(limit: 4000), "\(transport)")
    }
  }

  @Test(arguments: NetworkConfiguration.TransportKind.allCases)
  func aCancelledRunStops(transport: NetworkConfiguration.TransportKind) {
    let checks = Mutex(0)
    let limits = RunLimits(isCancelled: {
      checks.withLock {
        $0 += 1
        return $0 > 2
      }
    })
    #expect(ends(scenario(network(transport), items: 5000, pages: nil), limits) == .cancelled)
    #expect(ends(scenario(network(transport), items: 5000), limits) == .cancelled, "with pages")
    #expect(checks.withLock { $0 } < 10)
  }

  @Test func aBackgroundRunStopsToo() {
    var background = BackgroundScenario(network: network(.packet), strategy: .allAtOnce)
    background.resources = 3
    var stop: RunStop?
    do throws(RunStop) { _ = try background.run(seed: 1, limits: RunLimits(isCancelled: { true })) } catch { stop = error }
    #expect(stop == .cancelled)
  }

  @Test func aScriptOfManyYearsIsGivenTwiceItsLength() {
    #expect(RunLimits.time(script: 0) == .seconds(365 * 86_400))
    #expect(RunLimits.time(script: Interval.seconds(400 * 86_400).nanoseconds) == .seconds(800 * 86_400))
    #expect(RunLimits.time(script: .max) < Instant.never - .start)
    var endless = scenario(network(.fluid), items: 3, pages: nil)
    endless.user.steps = [
      .repeat(60_000, [.scroll(1, dwell: .constant(86_400_000_000_000)), .scroll(-1, dwell: .constant(86_400_000_000_000))])
    ]
    #expect(ends(endless) == .tooLong(limit: RunLimits.time(script: .max)))
  }

  /// The search over many periods gives the result of walking them.
  @Test func aPacketOverManyPeriodsLeavesAsIfTheyWereWalked() {
    for seed in UInt64(0)..<60 {
      var random = RandomStream(seed: seed)
      let periods = (0..<Int(random.below(200)) + 2).map { index in
        LinkRate.Period(
          duration: Interval(nanoseconds: Int64(random.below(3_000_000)) + 1),
          bitsPerSecond: index == 0 ? 40_000 : random.below(3) == 0 ? Int64(random.below(30_000)) : 0)
      }
      let rate = LinkRate(periods: periods)
      let offset = Interval(nanoseconds: Int64(random.below(UInt64(rate.length.nanoseconds))))
      let outages = seed % 3 == 0 ? [] : [TimeSpan(start: .milliseconds(300), duration: .milliseconds(700))]
      var schedule = LinkSchedule(rate, offset: offset, outages: outages)
      let capacity = LinkCapacity(rate, offset: offset)
      /// Returns the capacity up to an instant without outages.
      func passed(_ time: Int64) -> Int128 {
        var sum = capacity.nanobits(by: time)
        for outage in outages where time > outage.start.nanoseconds {
          let end = min(time, (outage.start + outage.duration).nanoseconds)
          sum -= capacity.nanobits(by: end) - capacity.nanobits(by: outage.start.nanoseconds)
        }
        return sum
      }
      var (now, free) = (Int64(0), Int64(0))
      for _ in 0..<40 {
        now += Int64(random.below(random.below(4) == 0 ? 2_000_000_000 : 3_000_000))
        let bytes = Int(random.below(1500)) + 1
        let finish = schedule.finish(bytes: bytes, at: now)
        let begin = passed(max(now, free))
        let needed = Int128(bytes) * 8_000_000_000
        #expect(passed(finish) - begin >= needed && passed(finish - 1) - begin < needed, "seed \(seed)")
        free = finish
      }
    }
  }
}
