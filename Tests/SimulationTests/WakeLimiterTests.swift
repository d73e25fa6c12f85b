import Foundation
import TestSupport
import Testing

@testable import Simulation

/// The published rules of the daemon's wake limiter.
@Suite struct WakeLimiterTests {
  private func at(_ seconds: Int64) -> Instant { Instant.start + .seconds(seconds) }

  /// Returns the times of wake-ups if the app creates a task at each one and every task completes at once.
  private func wakes(_ count: Int) -> [Int64] {
    var limiter = WakeLimiter(first: .seconds(60))
    var now = Instant.start
    return (0..<count).map { _ in
      limiter.wake(at: now)
      now = limiter.release(ofTaskCreatedAt: now)
      return now.nanoseconds / 1_000_000_000
    }
  }

  @Test func theFirstDelaysAre60And120And240Seconds() {
    var limiter = WakeLimiter(first: .seconds(60))
    #expect(limiter.delay == .zero)
    for (now, delay) in [(0, 60), (60, 120), (180, 240)] as [(Int64, Int64)] {
      limiter.wake(at: at(now))
      #expect(limiter.delay == .seconds(delay))
      #expect(limiter.release(ofTaskCreatedAt: at(now)) == at(now + delay))
    }
  }

  @Test func anAppThatAlwaysAsksAgainIsWokenAt60And180And420And900And1860Seconds() {
    #expect(wakes(5) == [60, 180, 420, 900, 1860])
  }

  @Test func eightWakesAreThoseOfTheReference() throws {
    struct Rules: Decodable {
      struct Wake: Decodable { var cumulative_s: Int64 }
      var extrapolated: [Wake]
    }
    let rules = try JSONDecoder().decode(Rules.self, from: Reference.data("policies/ios_background_rate_limiter.json"))
    #expect(rules.extrapolated.count == 8)
    #expect(wakes(8) == rules.extrapolated.map(\.cumulative_s))
  }

  @Test func theForegroundResetsIt() {
    var limiter = WakeLimiter(first: .seconds(60))
    limiter.wake(at: at(0))
    limiter.wake(at: at(60))
    limiter.reset()
    #expect(limiter.release(ofTaskCreatedAt: at(61)) == at(61))
    limiter.wake(at: at(70))
    #expect(limiter.delay == .seconds(60), "it begins again at the first delay")
  }

  @Test func aDelayThatElapsesUnusedIsForgotten() {
    var limiter = WakeLimiter(first: .seconds(60))
    limiter.wake(at: at(0))
    limiter.wake(at: at(10))
    #expect(limiter.delay == .seconds(120))
    limiter.wake(at: at(131))
    #expect(limiter.delay == .seconds(60), "nobody waited for the 120 s, which ended at 130 s")
  }

  @Test func aDelayThatATaskWaitedForIsDoubled() {
    var limiter = WakeLimiter(first: .seconds(60))
    limiter.wake(at: at(0))
    _ = limiter.release(ofTaskCreatedAt: at(1))
    limiter.wake(at: at(500))
    #expect(limiter.delay == .seconds(120))
  }

  @Test func aTaskCreatedAfterTheDelayStartsAtOnce() {
    var limiter = WakeLimiter(first: .seconds(60))
    limiter.wake(at: at(0))
    #expect(limiter.release(ofTaskCreatedAt: at(59)) == at(60))
    #expect(limiter.release(ofTaskCreatedAt: at(60)) == at(60))
    #expect(limiter.release(ofTaskCreatedAt: at(75)) == at(75))
  }

  @Test func withoutALimiterNothingWaits() {
    var limiter = WakeLimiter(first: .zero)
    for now in 0..<5 as Range<Int64> {
      limiter.wake(at: at(now))
      #expect(limiter.release(ofTaskCreatedAt: at(now)) == at(now))
    }
  }

  @Test func doublingNeverOverflows() {
    var limiter = WakeLimiter(first: .seconds(60))
    for _ in 0..<200 { limiter.wake(at: at(0)) }
    #expect(limiter.release(ofTaskCreatedAt: at(0)) > at(10_000_000))
  }
}
