// Counts of many tries, made on all cores.

import Analysis
import Sweep

/// Whole numbers by name, whose sums do not depend on their order.
struct Tally<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == Int {
  private var counts = [Int](repeating: 0, count: Key.allCases.count)

  subscript(key: Key) -> Int {
    get { counts[key.rawValue] }
    set { counts[key.rawValue] = newValue }
  }

  /// A tally without counts.
  init() {}

  /// Adds up what `body` counts of each try.
  init(tries count: Int, _ body: @Sendable (_ number: Int, inout Tally) -> Void) {
    let chunk = 50
    let parts = WorkerPool.map((count + chunk - 1) / chunk) { index in
      var part = Tally()
      for number in index * chunk..<min(count, (index + 1) * chunk) { body(number, &part) }
      return part
    }
    for part in parts { for index in counts.indices { counts[index] += part.counts[index] } }
  }

  /// A count in per cent of another.
  func share(_ key: Key, of whole: Key) -> String { percent(Double(self[key]) / Double(max(1, self[whole]))) }
}

/// A share in per cent, without the sign.
func percent(_ share: Double) -> String { DecimalText.fixed(share * 100, decimals: 1) }

/// The standard error in points of a share that `count` tries show.
func standardError(of share: Double, _ count: Int) -> String {
  DecimalText.fixed((share * (1 - share) / Double(count)).squareRoot() * 100, decimals: 2)
}
