// Counts of many tries, made on all cores.

import Analysis
import Sweep
import Synchronization

/// What is counted of tries: gates, tables, or samples of so many repetitions.
enum Count {
  case tries
  /// Gates by their end: some guard is worse, all are kept by their intervals, or the guarded metrics are the same in every pair.
  case worse, kept, identical
  case pairs
  /// Tries with an interval, and those whose interval holds the truth; of a gate, all of its intervals.
  case shown, covered, percentShown, percentCovered, studentCovered, fiellerCovered
  /// The sum of the intervals' widths in thousandths of Student's.
  case width
  /// Tries in which a test sees the change at 5 %, on the right side.
  case seenPaired, seenSignFlip, seenUnpaired
  /// Tables of points that are equal to their baseline in which an interval or equal pairs call a point better or worse.
  case wrongByInterval, wrongByEqualPairs
}

/// Whole numbers by name, whose sums do not depend on their order.
struct Tally: Sendable {
  private var counts: [Count: Int] = [:]

  subscript(key: Count) -> Int {
    get { counts[key, default: 0] }
    set { counts[key] = newValue }
  }

  /// Adds up what `body` counts of each try.
  /// - Throws: the first error of a try.
  init<Failure>(tries count: Int, _ body: @Sendable (_ number: Int, inout Tally) throws(Failure) -> Void) throws(Failure) {
    let total = Mutex(Tally())
    try WorkerPool.run(count, worker: {}) { (number, _: inout Void) throws(Failure) in
      var one = Tally()
      one[.tries] = 1
      try body(number, &one)
      total.withLock { $0.counts.merge(one.counts, uniquingKeysWith: +) }
      return true
    }
    self = total.withLock { $0 }
  }

  private init() {}

  func share(_ key: Count, of whole: Count) -> String { percent(Double(self[key]) / Double(max(1, self[whole]))) }
}

/// A share in per cent, without the sign.
func percent(_ share: Double) -> String { DecimalText.fixed(share * 100, decimals: 1) }

/// The standard error in points of a share that `count` tries show.
func standardError(of share: Double, _ count: Int) -> String {
  DecimalText.fixed((share * (1 - share) / Double(count)).squareRoot() * 100, decimals: 2)
}
