// Times the session's loop in release on one core and prints a table; `Scripts/benchmark` runs it.

import Foundation
import Simulation

/// A 3G-like trace of one-second periods that the benchmark draws itself, so that it needs no files.
func trace(periods: Int, meanKbps: Int64) -> LinkRate {
  var random = RandomStream(seed: 3)
  return LinkRate(
    periods: (0..<periods).map { _ in
      LinkRate.Period(
        duration: Interval(nanoseconds: 1_000_000_000 + Int64(random.below(20_000_000))),
        bitsPerSecond: (meanKbps / 4 + Int64(random.below(UInt64(meanKbps * 3 / 2)))) * 1000, latency: .milliseconds(100))
    })
}

/// A feed like the cross-check's: images of 40 to 160 KB, every fifth item 200 KB.
func feed(count: Int) -> ContiguousArray<Item> {
  ContiguousArray((0..<count).map { Item(kind: .image, bytes: $0 % 5 == 4 ? 200_000 : 40_000 + Int64(($0 * 7919) % 61) * 2000) })
}

struct Case {
  var items = 1000
  var ahead = 5
  var connections = 1
  var cancel = DownloadSettings.CancelRule.keep

  func scenario() -> Scenario {
    let link = trace(periods: 200, meanKbps: 1100)
    return Scenario(
      feed: .fixed(feed(count: items)), network: NetworkConfiguration(down: link, up: link, delayDown: .zero, delayUp: .zero),
      downloads: DownloadSettings(connections: connections, cancel: cancel),
      user: UserScript(scroll: items, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: ahead))
  }
}

func measure(_ name: String, _ test: Case) {
  let scenario = test.scenario()
  var best = Double.infinity
  var requests = 0
  for _ in 0..<7 {
    let clock = ContinuousClock()
    let count = max(1, 200_000 / test.items)
    let elapsed = clock.measure {
      for _ in 0..<count { requests = scenario.play(seed: 1) }
    }
    best = min(
      best, Double(elapsed.components.attoseconds) / 1e12 / Double(count) + Double(elapsed.components.seconds) * 1e6 / Double(count))
  }
  var whole = Double.infinity
  for _ in 0..<3 {
    let elapsed = ContinuousClock().measure { for _ in 0..<50 { _ = scenario.run(seed: 1) } }
    whole = min(whole, Double(elapsed.components.attoseconds) / 1e12 / 50 + Double(elapsed.components.seconds) * 1e6 / 50)
  }
  func padded(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
  func rounded(_ value: Double) -> String { String((value * 10).rounded() / 10) }
  print(
    "| \(name) | " + padded(rounded(best), 7) + " | " + padded(rounded(whole), 7) + " | " + padded(String(Int(1e6 / best)), 7) + " | "
      + padded(String(Int(Double(requests) * 1e6 / best)), 9) + " |")
}

print("| case                      | loop µs | row µs  | loops/s | requests/s |")
print("|---------------------------|---------|---------|---------|------------|")
measure("1000 items, 5 ahead, 1 con", Case())
for cancel in DownloadSettings.CancelRule.allCases { measure("cancel \(cancel.rawValue)", Case(cancel: cancel)) }
for items in [100, 1000, 10_000] { measure("\(items) items", Case(items: items)) }
for ahead in [0, 1, 2, 5, 10, 50] { measure("\(ahead) ahead", Case(ahead: ahead)) }
for connections in [1, 2, 4, 6, 16] { measure("\(connections) connections", Case(connections: connections)) }
