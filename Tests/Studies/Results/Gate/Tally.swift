// Counts over many tries, made on all cores.

import Analysis
import Base
import Sweep
import Synchronization

/// The counted events of tries: gates, tables, or samples of repetitions.
enum Count {
  case tries
  /// Gates by outcome: some guard is worse, all are kept by their intervals, or the guarded metrics are equal in every pair.
  case worse, kept, identical
  case pairs
  /// Tries with an interval, and those whose interval contains the truth; of a gate, all of its intervals.
  case shown, covered, percentShown, percentCovered, studentCovered, fiellerCovered
  /// The sum of the intervals' widths in thousandths of Student's.
  case width
  /// Tries in which a test detects the change at 5 %, in the right direction.
  case seenPaired, seenSignFlip, seenUnpaired
  /// Tables of points equal to their baseline in which an interval or equal pairs call a point better or worse.
  case wrongByInterval, wrongByEqualPairs
}

/// Counts by name, whose sums do not depend on the order of tries.
struct Tally: Sendable {
  private var counts: [Count: Int] = [:]

  subscript(key: Count) -> Int {
    get { counts[key, default: 0] }
    set { counts[key] = newValue }
  }

  /// Sums the counts of `body` over all tries.
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

/// Returns a share in per cent, without the sign.
func percent(_ share: Double) -> String { DecimalText.fixed(share * 100, decimals: 1) }

/// Returns the standard error, in percentage points, of a share measured on `count` tries.
func standardError(of share: Double, _ count: Int) -> String {
  DecimalText.fixed((share * (1 - share) / Double(count)).squareRoot() * 100, decimals: 2)
}
