// Many comparisons at once: gates of several guards and strata, and tables of many points.

import Analysis
import Simulation

/// Counts gates and tables of many comparisons, all with differences of one distribution, each with pairs of its own.
struct FamilyStudy: Sendable {
  /// What tables say of points that are equal to their baseline.
  struct Tables: Sendable {
    var count = 0
    /// Tables in which an interval calls a point better or worse.
    var wrongByInterval = 0
    /// Tables in which equal pairs call a point better or worse.
    var wrongByEqualPairs = 0
  }

  let study: DifferenceStudy

  /// Plays gates whose first `atMargin` comparisons are exactly at their margin; the others are 20 % below it.
  func gates(_ rule: GateRule, atMargin: Int, count: Int) -> DifferenceStudy.Gates {
    let world = DifferenceStudy.World.noisyBaseline
    return DifferenceStudy.parallel(count: count, DifferenceStudy.Gates()) { gate, total in
      var random = RandomStream(sweepSeed: UInt64(study.index), repetition: gate + 1, name: "gates, \(atMargin) at the margin")
      var baseline = [[Double]](repeating: [], count: rule.comparisons)
      var candidate = baseline
      for (look, size) in rule.looks.enumerated() {
        for index in 0..<rule.comparisons {
          while baseline[index].count < size {
            let pair = world.pair(study.law, &random)
            baseline[index].append(pair.baseline)
            candidate[index].append(pair.candidate - (index < atMargin ? 0 : 20))
          }
        }
        let findings = (0..<rule.comparisons).map {
          rule.finding(rule.guards[$0 % rule.guards.count], baseline: baseline[$0], candidate: candidate[$0], look: look)
        }
        guard rule.mayStop(findings) || look == rule.looks.count - 1 else { continue }
        total.count += 1
        if findings.contains(where: { $0.outcome == .worse }) {
          total.falseAlarms += 1
        } else if findings.allSatisfy(\.isSettled) {
          total.letThrough += 1
        }
        return
      }
    } merge: {
      $0.count += $1.count
      $0.falseAlarms += $1.falseAlarms
      $0.letThrough += $1.letThrough
    }
  }

  /// Makes tables of `comparisons` points with `size` repetitions each, all of which are equal to the baseline in the mean.
  func tables(comparisons: Int, size: Int, count: Int) -> Tables {
    DifferenceStudy.parallel(count: count, Tables()) { table, total in
      var random = RandomStream(sweepSeed: UInt64(study.index), repetition: table + 1, name: "families \(size)")
      var (isWrongByInterval, isWrongByEqualPairs) = (false, false)
      for _ in 0..<comparisons {
        let pairs = (0..<size).map { _ in DifferenceStudy.World.zero.pair(study.law, &random) }
        let comparison = PairedComparison(baseline: pairs.map(\.baseline), candidate: pairs.map(\.candidate))
        let verdict = Verdict(comparison, familySize: comparisons)
        guard verdict.outcome == .better || verdict.outcome == .worse else { continue }
        if verdict.ground == .interval { isWrongByInterval = true } else { isWrongByEqualPairs = true }
      }
      total.count += 1
      if isWrongByInterval { total.wrongByInterval += 1 }
      if isWrongByEqualPairs { total.wrongByEqualPairs += 1 }
    } merge: {
      $0.count += $1.count
      $0.wrongByInterval += $1.wrongByInterval
      $0.wrongByEqualPairs += $1.wrongByEqualPairs
    }
  }
}
