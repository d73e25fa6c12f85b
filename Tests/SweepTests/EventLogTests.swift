// An event log changes nothing of a run: with and without it the row is the same, and every invariant holds after every event.

import TestSupport
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

@Suite struct EventLogTests {
  /// Draws small scenarios of every kind.
  private struct Drawing {
    var random: RandomStream

    init(seed: UInt64) { random = RandomStream(runSeed: seed, name: "ways") }

    mutating func one<T>(of values: [T]) -> T { values[Int(random.below(UInt64(values.count)))] }
    mutating func chance(_ share: Double) -> Bool { random.unit() < share }
    mutating func whole(_ range: ClosedRange<Int64>) -> Int64 {
      range.lowerBound + Int64(random.below(UInt64(range.upperBound - range.lowerBound) + 1))
    }

    mutating func items() -> ContiguousArray<Item> {
      ContiguousArray(
        (0..<whole(3...16)).map { _ in
          if chance(0.3) {
            let prefix = whole(1...200_000)
            return Item(
              videoBytes: prefix + whole(0...1_500_000), prefixBytes: prefix, bitsPerSecond: one(of: [0, 400_000, whole(1...4_000_000)]))
          }
          return Item(kind: one(of: [.image, .webApp, .nativeAd]), bytes: one(of: [whole(1...400_000), 62_500]))
        })
    }

    mutating func network() -> NetworkConfiguration {
      let periods = (0..<whole(1...4)).map { index in
        LinkRate.Period(
          duration: .milliseconds(one(of: [whole(1...3000), 500])),
          bitsPerSecond: index > 0 && chance(0.2) ? 0 : one(of: [1_000_000, whole(50_000...8_000_000)]))
      }
      var network = NetworkConfiguration(
        down: LinkRate(periods: periods), up: LinkRate(constant: whole(50_000...2_000_000)),
        delayDown: .milliseconds(one(of: [0, 50, whole(0...400)])), delayUp: .milliseconds(one(of: [0, 50])),
        radioTail: .milliseconds(one(of: [0, whole(0...5000)])))
      if chance(0.04) {
        network.transport = .packet
        network.lossDown = one(of: [0, 0.05])
        network.http.version = one(of: [.http1, .http2])
        network.http.security = one(of: [.none, .tls13])
      }
      return network
    }

    mutating func downloads() -> DownloadSettings {
      var downloads = DownloadSettings(connections: Int(whole(1...6)), cancel: one(of: DownloadSettings.CancelRule.allCases))
      downloads.keepPartial = chance(0.5)
      downloads.restFirst = chance(0.5)
      downloads.preempt = chance(0.3)
      downloads.onMemoryWarning = one(of: [.keep, .drop])
      return downloads
    }

    /// Mostly a user who views one item after another; sometimes one who waits, goes back, swipes, flings or goes away.
    mutating func user(items: Int) -> UserScript {
      var user = UserScript(
        scroll: items, dwell: one(of: [.constant(1_000_000_000), .constant(500_000_000), .uniform(1_000_000, 2_000_000_000)]))
      if chance(0.3) { (user.patience, user.stallsExtend) = (.milliseconds(whole(1...3000)), chance(0.5)) }
      if chance(0.1) { user.overhead = .milliseconds(whole(0...300)) }
      if chance(0.3), items > 4 {
        user.steps = [
          .scroll(items - 1, dwell: nil), .scroll(-Int(whole(1...Int64(items) - 2)), dwell: nil), .scroll(1, dwell: .constant(300_000_000)),
        ]
      }
      if chance(0.05) { user.swipe = .milliseconds(whole(1...400)) }
      if chance(0.05), items > 4 {
        user.steps = [
          .scroll(2, dwell: nil), .memoryWarning, .fling(items - 3, dwell: nil), .background(.constant(2_000_000_000)),
          .scroll(-1, dwell: nil),
        ]
      }
      return user
    }

    mutating func scenario(_ prefetcher: any Prefetcher) -> Scenario {
      let items = items()
      var scenario = Scenario(
        feed: .fixed(items), network: network(), downloads: downloads(), user: user(items: items.count), prefetcher: prefetcher)
      if chance(0.04) {
        scenario.pages = PageSettings(size: Int(whole(1...8)), bytes: whole(1...50_000), source: one(of: [.network, .local]))
      }
      if chance(0.03) { scenario.hosts = FeedHosts(kinds: ["a", "b", "a", "c"], pages: "a") }
      return scenario
    }
  }

  /// Every system of the catalogue, some settings of the simplest, and each of these again and again.
  private static let prefetchers: [any Prefetcher] =
    PrefetcherDefinition.standard.map { $0.make { _ in nil } }
    + (0..<40).map { index -> any Prefetcher in
      index % 2 == 0
        ? ItemsAhead(ahead: index / 4)
        : CostBudget(maxCost: Double(index / 4 + 1), costs: [1, Double(index % 3 + 1), 1, 2])
    }

  /// 16 × 640 scenarios; a failure names its seed, which is all that draws it again.
  @Test(arguments: UInt64(0)..<16)
  func aRunWithAnEventLogGivesTheRowOfOneWithout(part: UInt64) {
    for seed in part * 640..<(part + 1) * 640 {
      var drawing = Drawing(seed: seed)
      let scenario = drawing.scenario(Self.prefetchers[Int(seed) % Self.prefetchers.count])
      let (plain, logged) = (scenario.run(seed: seed), scenario.explain(seed: seed).metrics)
      #expect(plain == logged, "seed \(seed), \(scenario.prefetcher)")
    }
  }
}

extension Scenario {
  /// Runs once with an event log, where the run is known to end.
  func explain(seed: UInt64) -> SessionExplanation {
    do { return try explain(seed: seed, limits: RunLimits()) } catch { preconditionFailure("\(error)") }
  }
}
