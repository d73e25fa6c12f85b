// The client receives what is on the downlink ahead of the servers. Drawn networks give the same results as the loop in the order of time.

import Foundation
import TestSupport
import Testing

@testable import Simulation

@Suite struct ReceivingAheadTests {
  /// Draws from a stream.
  private struct Draw {
    var random: RandomStream

    mutating func below(_ count: UInt64) -> Int64 { Int64(random.below(count)) }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(below(UInt64(values.count)))] }
    mutating func chance(_ percent: UInt64) -> Bool { random.below(100) < percent }
    mutating func milliseconds(_ most: UInt64) -> Interval { Interval(nanoseconds: below(most * 1000) * 1000) }
  }

  /// The networks of one run of the tests; `PREFETCH_SWEEP_NETWORKS` asks for more.
  private static let count = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_NETWORKS"].flatMap { Int($0) } ?? 400

  @Test(arguments: 0..<4)
  func drawnNetworksGiveTheSameAsInTheOrderOfTime(part: Int) {
    for seed in part * Self.count / 4..<(part + 1) * Self.count / 4 {
      let ahead = Self.drive(seed, receivesAhead: true)
      #expect(ahead == Self.drive(seed, receivesAhead: false), "seed \(seed)")
      #expect(ahead.count > 20)
    }
  }

  /// Draws starts, cancels, changes of priority and waits; returns all that the transport answers.
  private static func drive(_ seed: Int, receivesAhead: Bool) -> [Int64] {
    var draw = Draw(random: RandomStream(runSeed: UInt64(seed), name: "ahead"))
    let network = network(&draw)
    let transport = PacketTransport(network, receivesAhead: receivesAhead)
    var answers: [Int64] = []
    var active: [Int] = []
    var free = Array(0..<12)
    for _ in 0..<20 + draw.below(60) {
      switch draw.below(10) {
      case 0..<5 where !free.isEmpty:
        let size = draw.below(draw.pick([2000, 30_000, 200_000, 2_000_000])) + 1
        let host = Int(draw.below(UInt64(network.http.hosts)))
        active.append(free.removeLast())
        transport.start(active[active.count - 1], volume: .bytes(size), host: host, priority: Int(draw.below(8)))
      case 5 where !active.isEmpty:
        free.append(active.remove(at: Int(draw.below(UInt64(active.count)))))
        answers.append(transport.cancel(free[free.count - 1]).nanobits)
      case 6 where !active.isEmpty && transport.hasPriorities:
        transport.prioritize(active[0], priority: Int(draw.below(8)))
      default:
        let until = transport.now + Interval(nanoseconds: draw.below(draw.pick([1, 50, 500, 4000, 60_000]) * 1_000_000))
        while let done = transport.advance(until: until) {
          answers += [Int64(done), transport.now.nanoseconds, transport.firstByte(done)?.nanoseconds ?? -1]
          active.removeAll { $0 == done }
          free.append(done)
        }
      }
      answers.append(transport.now.nanoseconds)
      answers += active.map { transport.received($0).nanobits }
      let counters = transport.counters
      answers += [counters.packetsSent, counters.packetsDropped, counters.newConnections].map { Int64($0) } + [counters.bytesDead]
    }
    return answers
  }

  private static func network(_ draw: inout Draw) -> NetworkConfiguration {
    var network = NetworkConfiguration(
      down: rate(&draw), up: rate(&draw), delayDown: draw.milliseconds(draw.pick([1, 20, 80, 400])),
      delayUp: draw.milliseconds(draw.pick([1, 20, 80, 400])), transport: .packet)
    network.seed = UInt64(draw.below(1 << 40))
    network.queueDown = draw.pick([2, 5, 10, 30, 50, 100, 1000, 0])
    network.queueUp = draw.pick([2, 5, 10, 50, 100, 0])
    if draw.chance(40) { network.lossDown = draw.pick([0.001, 0.01, 0.05, 0.2]) }
    if draw.chance(30) { network.lossUp = draw.pick([0.001, 0.01, 0.05, 0.2]) }
    if draw.chance(20) { network.burstLoss = .init(enter: 0.02, leave: 0.3, loss: 0.5) }
    if draw.chance(20) { network.jitter = draw.milliseconds(30) }
    if draw.chance(20) {
      network.outages = [
        .init(start: draw.milliseconds(8000), duration: draw.milliseconds(5000) + .milliseconds(1)),
        .init(start: .milliseconds(15_000), duration: draw.milliseconds(60_000) + .milliseconds(1)),
      ]
    }
    if draw.chance(20) { (network.radioPromotion, network.radioTail) = (draw.milliseconds(900), draw.milliseconds(5000)) }
    if draw.chance(25) { network.congestion = .bbr }
    network.http.version = draw.chance(40) ? .http2 : .http1
    network.http.security = draw.pick([.none, .none, .tls12, .tls13, .resumed])
    network.http.joinsPreface = draw.chance(50)
    network.http.priorities = draw.chance(30)
    network.http.slowStartAfterIdle = draw.chance(80)
    if draw.chance(30) { network.http.dnsTime = draw.milliseconds(300) }
    if draw.chance(40) { network.http.serverTime = draw.milliseconds(500) }
    if draw.chance(30) { network.http.handshakeTime = draw.milliseconds(50) }
    if draw.chance(30) { network.http.idleTimeout = draw.milliseconds(3000) }
    network.http.connectionsPerHost = draw.pick([1, 2, 6])
    network.http.hosts = draw.pick([1, 1, 3])
    if draw.chance(20) {
      network.radioTail = draw.milliseconds(5000)
      network.radioCycles.settling = draw.milliseconds(draw.pick([1, 2000]))
      network.radioCycles.drxInactivity = draw.milliseconds(300)
      network.radioCycles.drxCycle = draw.milliseconds(draw.pick([1, 320]))
      network.radioCycles.pagingCycle = draw.milliseconds(draw.pick([1, 1280]))
    }
    return network
  }

  /// Draws a constant rate, periods with gaps, or packet opportunities.
  private static func rate(_ draw: inout Draw) -> LinkRate {
    let kilobits: Int64 = draw.pick([100, 400, 1500, 8000, 50_000])
    switch draw.below(4) {
    case 0, 1: return LinkRate(constant: kilobits * 1000)
    case 2:
      return LinkRate(
        periods: (0..<2 + draw.below(40)).map { index in
          let isGap = index > 0 && draw.chance(10)
          return LinkRate.Period(
            duration: Interval(nanoseconds: draw.below(2_000_000_000) + 1000),
            bitsPerSecond: isGap ? 0 : kilobits * 500 + draw.below(UInt64(kilobits) * 1000))
        })
    default:
      var time: Int64 = 0
      let opportunities = (0..<400).map { _ in
        time += draw.below(UInt64(max(2, 24_000 / kilobits)))
        return time
      }
      let length = max(time, 1)
      let period = LinkRate.Period(duration: .milliseconds(length), bitsPerSecond: 400 * 12_000_000 / length)
      return LinkRate(periods: [period], opportunitiesMs: opportunities)
    }
  }
}
