import Testing

@testable import Simulation

/// The interruptions of a Wi-Fi, compared with logs that they are not fitted to.
@Suite struct InterruptionTests {
  /// The figures are those of the minutes that the fit leaves out, of logs that are not here (`Scripts/fit mobile FOLDER --packets 10`).
  @Test func interruptionsOfWiFiAreThoseOfTheOtherHalfOfTheLogs() {
    let seen = Self.seen(.init(.wifi), hours: 10)
    func perMinute(over limit: Double) -> Double { Double(seen.count { $0 > limit }) / 600 }
    for (limit, logs, tolerance) in [(30.0, 87.5, 9.0), (50.0, 27.0, 2.7), (100.0, 8.1, 1.2), (200.0, 1.1, 0.7)] {
      #expect(abs(perMinute(over: limit) - logs) < tolerance, "\(perMinute(over: limit)) a minute over \(limit) ms for \(logs)")
    }
    #expect(abs(seen.reduce(0, +) / 36_000_000 - 0.078) < 0.008, "share \(seen.reduce(0, +) / 36_000_000)")
    let sorted = seen.sorted()
    #expect(abs(sorted[sorted.count / 2] - 42) < 4, "median \(sorted[sorted.count / 2]) ms")
    #expect(abs(sorted[sorted.count * 9 / 10] - 96) < 10, "90 %: \(sorted[sorted.count * 9 / 10]) ms")
  }

  /// A packet every 10 ms sees an interruption of 60 ms for 50 to 60 ms, and none of 25 ms.
  @Test func aPacketEvery10MsSeesALongInterruption() {
    let long = Self.seen(.init(gaps: Array(repeating: 500, count: 15), lengths: Array(repeating: 60, count: 15)), hours: 1)
    #expect(long.allSatisfy { $0 >= 50 && $0 <= 60 } && abs(long.count - 6428) <= 1, "\(long.count)")
    #expect(Self.seen(.init(gaps: Array(repeating: 500, count: 15), lengths: Array(repeating: 25, count: 15)), hours: 1).isEmpty)
  }

  @Test func everyRunHasItsOwnInterruptions() {
    var network = NetworkConfiguration(
      down: LinkRate(constant: 30_000_000), up: LinkRate(constant: 30_000_000), delayDown: .milliseconds(1), delayUp: .milliseconds(1),
      transport: .packet)
    network.interruptions = .init(.wifi)
    let one = network.drawn(runSeed: 1, startsAnywhere: false)
    #expect(network.isRandom && one == network.drawn(runSeed: 1, startsAnywhere: false))
    #expect(one.outages != network.drawn(runSeed: 2, startsAnywhere: false).outages)
    #expect(zip(one.outages, one.outages.dropFirst()).allSatisfy { $0.start + $0.duration < $1.start })
  }

  /// Returns the waits of over 30 ms, as the logs show them: from when a packet is due, or the last one arrived, to its arrival.
  private static func seen(_ interruptions: NetworkConfiguration.Interruptions, hours: Double) -> [Double] {
    var random = RandomStream(seed: 7)
    var (start, end, last, waits): (Double, Double, Double, [Double]) = (0, 0, 0, [])
    for due in stride(from: 0, to: hours * 3_600_000, by: 10) {
      while end <= due {
        start = end + Double(interruptions.gap.draw(from: &random)) / 1e6
        end = start + Double(interruptions.length.draw(from: &random)) / 1e6
      }
      let arrival = start <= due ? end : due
      if arrival - max(due, last) > 30 { waits.append(arrival - max(due, last)) }
      last = arrival
    }
    return waits
  }
}
