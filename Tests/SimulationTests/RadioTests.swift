import Testing

@testable import Simulation

/// Packets before and after a promotion, and before and after the start of a cycle, in closed form.
@Suite struct RadioTests {
  /// A full packet takes 1 ms on the downlink.
  private static func network() -> NetworkConfiguration {
    NetworkConfiguration(
      down: LinkRate(constant: 12_000_000), up: LinkRate(constant: 12_000_000), delayDown: .milliseconds(30), delayUp: .milliseconds(20),
      radioTail: .seconds(10), transport: .packet)
  }

  /// Returns the time from the request after a pause to its first byte, in nanoseconds.
  private static func firstByte(_ network: NetworkConfiguration, after idle: Interval) -> Int64 {
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 100_000)
    guard let end = probe.advance(until: .start + .seconds(120)) else { return -1 }
    _ = probe.advance(until: end.at + idle)
    let start = probe.now
    probe.start(1, bytes: 100_000)
    while let event = probe.advance(until: start + .seconds(120)) {
      if event.request == 1, let first = probe.milestones(1).firstByte { return (first - start).nanoseconds }
    }
    return -1
  }

  @Test(arguments: HTTPConfiguration.Version.allCases)
  func afterTheTailTheFirstByteIsLaterByThePromotion(_ version: HTTPConfiguration.Version) {
    var plain = Self.network()
    plain.http.version = version
    var idle = plain
    idle.radioPromotion = .milliseconds(260)
    for pause in [Interval.milliseconds(9000), .milliseconds(11_000)] {
      let expected: Int64 = pause > plain.radioTail ? 260_000_000 : 0
      #expect(Self.firstByte(idle, after: pause) - Self.firstByte(plain, after: pause) == expected, "\(pause)")
    }
  }

  @Test func signallingAfterAPromotionPostponesTheNextOne() {
    var network = Self.network()
    network.radioPromotion = .milliseconds(260)
    let without = Self.firstByte(network, after: .milliseconds(11_000))
    network.radioCycles.settling = .seconds(2)
    // The first request of all promoted the radio, and signalling went on for 2 s.
    #expect(without - Self.firstByte(network, after: .milliseconds(11_000)) == 260_000_000)
    #expect(without - Self.firstByte(network, after: .milliseconds(13_000)) == 0)
  }

  /// The answer leaves its server at the first start of a cycle, after a promotion if the radio was idle.
  @Test(arguments: [1000, 5000, 12_000] as [Int64]) func aLateAnswerWaitsForTheNextCycle(_ thinkMs: Int64) {
    var network = Self.network()
    network.http.serverTime = .milliseconds(thinkMs)
    let plain = Self.time(network)
    // What it leaves at without a sleeping radio: a packet of 1500 bytes takes 1 ms, then come 30 ms of delay.
    let leaves = plain - 31_000_000
    network.radioPromotion = .milliseconds(260)
    #expect(Self.time(network) == plain + 260_000_000, "a radio that always listens delays the connection alone")
    network.radioCycles.drxInactivity = .milliseconds(2000)
    network.radioCycles.drxCycle = .milliseconds(320)
    network.radioCycles.pagingCycle = .milliseconds(1280)
    let (cycle, promotion): (Int64, Int64) = thinkMs < 2000 ? (1, 0) : thinkMs < 10_000 ? (320_000_000, 0) : (1_280_000_000, 260_000_000)
    let start = (leaves + 260_000_000 + cycle - 1) / cycle * cycle
    #expect(Self.time(network) == start + promotion + 31_000_000)
  }

  private static func time(_ network: NetworkConfiguration) -> Int64 {
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 100_000)
    while probe.advance(until: .start + .seconds(120)) != nil {}
    return probe.milestones(0).firstByte?.nanoseconds ?? -1
  }

  /// With answers that leave at once, round trips fall by the idle time's growth and jump by a cycle: at t = −(promotion + round trip) modulo it.
  @Test func successiveProbesMeetTheCycleAtTheSamePhase() {
    var network = Self.network()
    network.radioPromotion = .milliseconds(260)
    network.radioCycles.pagingCycle = .milliseconds(1280)
    var radio = RadioState(network)
    var now: Int64 = 0
    for idleMs in stride(from: Int64(11_000), to: 16_000, by: 70) {
      radio.noteSeen(at: now)
      let sent = now + idleMs * 1_000_000
      now = radio.sendDown(at: sent) + 75_000_000
      let wait = (100 * 1280 - (260 + 75 + idleMs)) % 1280
      // Nothing has woken the radio before the first probe.
      if idleMs > 11_000 { #expect((now - sent) / 1_000_000 == 75 + 260 + wait, "\(idleMs) ms") }
    }
  }

  @Test func interruptionsFollowEachOtherByTheirGaps() {
    var network = Self.network()
    network.interruptions = .init(gap: .constant(1_000_000_000), length: .constant(200_000_000))
    let outages = network.drawn(runSeed: 1, startsAnywhere: false).outages
    #expect(outages.count == 20_000)
    #expect(outages.indices.prefix(100).allSatisfy { outages[$0].start == .milliseconds(1000 + 1200 * Int64($0)) })
    #expect(outages.allSatisfy { $0.duration == .milliseconds(200) } && !network.isRandom)
    network.interruptions = .init(
      gap: .exponential(mean: 6_000_000_000, minimum: 1_000_000, maximum: 86_400_000_000_000), length: .constant(100_000_000))
    let drawn = network.drawn(runSeed: 1, startsAnywhere: false)
    #expect(drawn == network.drawn(runSeed: 1, startsAnywhere: false) && network.isRandom)
    #expect(drawn.outages != network.drawn(runSeed: 2, startsAnywhere: false).outages)
    // A day has 86 400 / 6.1 of them, give or take four standard deviations.
    #expect(abs(drawn.outages.count - 14_164) < 480, "\(drawn.outages.count)")
  }

  /// An answer that leaves in an interruption leaves at its end.
  @Test func anAnswerWaitsForTheEndOfAnInterruption() {
    var network = Self.network()
    network.http.serverTime = .seconds(3)
    let plain = Self.time(network)
    network.interruptions = .init(gap: .constant(plain - 131_000_000), length: .constant(500_000_000))
    // The interruption begins 100 ms before the answer leaves, so 400 ms are left of it.
    #expect(Self.time(network.drawn(runSeed: 1, startsAnywhere: false)) == plain + 400_000_000)
  }
}
