// Fast paths of the loop, the metrics and the transports, compared with plain computations.

import Testing

@testable import Simulation

@Suite struct FastPathTests {
  @Test func quantilesBySelectionAreThoseOfASort() {
    for seed in 0..<200 {
      var random = RandomStream(seed: UInt64(seed))
      let count = Int(random.below(300)) + 1
      let range = [1, 3, 1_000_000_000][seed % 3] as UInt64
      let all = (0..<count).map { _ in Int64(random.below(range)) }
      var waits = WaitTimes(visits: count)
      for wait in all { waits.add(wait) }
      let sorted = all.sorted()
      for percent in [50, 90, 99] {
        #expect(waits.quantileMs(percent) == Double(sorted[(count * percent + 99) / 100 - 1]) / 1e6, "seed \(seed)")
      }
      #expect(waits.maximumMs == Double(sorted[count - 1]) / 1e6)
    }
  }

  @Test func capacityAtAscendingInstantsIsThatOfASearch() {
    for seed in 0..<100 {
      var random = RandomStream(seed: UInt64(seed))
      let link = LinkRate(
        periods: (0..<40).map { index in
          .init(duration: Interval(nanoseconds: Int64(random.below(1000)) + 1), bitsPerSecond: index == 0 ? 7 : Int64(random.below(9)))
        })
      let offset = Interval(nanoseconds: Int64(random.below(UInt64(link.length.nanoseconds))))
      let plain = LinkCapacity(link, offset: offset)
      var walk = plain
      var instant: Int64 = 0
      for _ in 0..<200 {
        instant += Int64(random.below(random.below(5) == 0 ? 100_000 : 900))
        #expect(walk.ascending(by: instant) == plain.nanobits(by: instant), "seed \(seed) at \(instant)")
      }
    }
  }

  @Test func aPlanReturnsTheFetchesThatWereAdded() {
    var plan = Plan()
    plan.fetch(3)
    plan.fetch(4..<7, bytes: Plan.toReady, priority: 1)
    plan.fetch(7, bytes: Plan.toReady, priority: 4)
    plan.fetch(9, bytes: 100, priority: 2)
    #expect(plan.count == 6)
    #expect((0..<6).map { plan[$0].item } == [3, 4, 5, 6, 7, 9])
    #expect((0..<6).map { plan[$0].priority } == [0, 1, 2, 3, 4, 2])
    #expect(plan[0].bytes == .max && plan[4].bytes == Plan.toReady && plan[5].bytes == 100)
    #expect(plan.rangeCount == 3, "neighbours with equal amounts are one range")
  }

  @Test func aTransferCancelledInItsLatencyHasReceivedNothing() {
    let rate = LinkRate(constant: 8_000_000)
    var link = FluidTransport(
      NetworkConfiguration(down: rate, up: rate, delayDown: .milliseconds(100), delayUp: .zero), transfers: 2)
    link.start(0, volume: .bytes(1000), host: 0, priority: 0)
    #expect(link.advance(until: Instant(nanoseconds: 50_000_000)) == nil)
    #expect(link.received(0) == .zero)
    #expect(link.cancel(0) == .zero)
    link.start(1, volume: .bytes(1000), host: 0, priority: 0)
    #expect(link.advance(until: .never) == 1)
    #expect(link.now == Instant(nanoseconds: 151_000_000))
  }

  /// A finish is rounded up to the end of a period before an outage. The next start must not divide by the outage's rate.
  @Test func aFinishAtTheEdgeOfAnOutageLeavesNoCreditWithoutARate() {
    let trace = LinkRate(periods: [
      .init(duration: .milliseconds(1), bitsPerSecond: 7_999_999), .init(duration: .milliseconds(1), bitsPerSecond: 8_001_000),
      .init(duration: .milliseconds(3), bitsPerSecond: 0),
    ])
    var link = FluidTransport(NetworkConfiguration(down: trace, up: trace, delayDown: .zero, delayUp: .zero), transfers: 2)
    link.start(0, volume: Volume(nanobits: 7_999_999 * 1_000_000 + 8_001_000 * 1_000_000 - 5), host: 0, priority: 0)
    #expect(link.advance(until: .never) == 0)
    #expect(link.now == Instant(nanoseconds: 2_000_000))
    link.start(1, volume: .bytes(100), host: 0, priority: 0)
    #expect(link.advance(until: .never) == 1)
    #expect(link.now.nanoseconds > 5_000_000)
  }

  /// Each of two transfers receives 400 MB before the next start: `shared` is set to zero again and again.
  @Test func aLinkThatIsNeverIdleDoesNotOverflow() {
    let rate = LinkRate(constant: 8_000_000_000)
    var link = FluidTransport(NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero), transfers: 2)
    link.start(0, volume: .bytes(400_000_000), host: 0, priority: 0)
    link.start(1, volume: .bytes(200_000_000), host: 0, priority: 0)
    for number in 0..<40 {
      #expect(link.advance(until: .never) == (number + 1) % 2)
      link.start((number + 1) % 2, volume: .bytes(400_000_000), host: 0, priority: 0)
    }
    // A byte per nanosecond: after the first 400 MB, half of one transfer is left at each end of the other.
    #expect(abs(link.now.nanoseconds - 40 * 400_000_000) <= 40)
  }

  /// Their sum exceeds 64 bits, so their end is reached in steps.
  @Test func theLargestTransfersShareALink() {
    let rate = LinkRate(constant: 8_000_000_000)
    var link = FluidTransport(NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero), transfers: 3)
    for number in 0..<3 { link.start(number, volume: .bytes(Volume.limitBytes), host: 0, priority: 0) }
    for number in 0..<3 {
      #expect(link.advance(until: .never) == number)
      #expect(abs(link.now.nanoseconds - 3_000_000_000) <= 3)
    }
  }

  @Test func releasedNumbersAreAllocatedAgain() {
    var pool = NumberPool(capacity: 3)
    #expect([pool.allocate(), pool.allocate(), pool.allocate()] == [0, 1, 2])
    pool.release(1)
    #expect(pool.oldest == 0 && pool.next(after: 0) == 2 && pool.next(after: 2) == pool.end && pool.count == 2)
    #expect(pool.allocate() == 1 && pool.isFull)
    #expect(pool.next(after: 2) == 1, "the latest stands last, whatever its number")
  }

  @Test func aChainKeepsTheOrderOfAList() {
    for seed in 0..<100 {
      var random = RandomStream(seed: UInt64(seed))
      var chain = NumberChain(capacity: 9)
      var list: [Int] = []
      for _ in 0..<200 {
        let number = Int(random.below(9))
        if let index = list.firstIndex(of: number) {
          chain.remove(number)
          list.remove(at: index)
        } else {
          chain.append(number)
          list.append(number)
        }
        var walk: [Int] = []
        var one = chain.first
        while one != chain.end {
          walk.append(one)
          one = chain.next(after: one)
        }
        #expect(walk == list, "seed \(seed)")
      }
      if !list.isEmpty { #expect(chain.removeFirst() == list[0]) }
    }
  }
}
