// The promised error rates under distributions of differences: gates at their margin, and the intervals of tables.

import Analysis
import Simulation

/// Gates and tables over one distribution.
struct DifferenceStudy: Sendable {
  /// The generation of a gate's pairs, with the candidate exactly at the margin.
  enum World: String, CaseIterable, Sendable {
    case zero = "0"
    case absolute = "3"
    /// The difference has the distribution; the excess also has the baseline's noise.
    case noisyBaseline = "2 %, noisy baseline"
    /// The excess has the distribution; the difference also has the baseline's noise.
    case noisyDifference = "2 %, difference in proportion"
    case wholeNumbers = "2 %, whole numbers"

    var margin: Margin {
      switch self {
      case .zero: .none
      case .absolute: .absolute(3)
      default: .percent(2)
      }
    }

    func pair(_ law: DifferenceLaw, _ random: inout RandomStream) -> (baseline: Double, candidate: Double) {
      let baseline = 100 + 10 * random.normal()
      let noise = 5 * law.draw(&random)
      switch self {
      case .zero: return (baseline, baseline + noise)
      case .absolute: return (baseline, baseline + 3 + noise)
      case .noisyBaseline: return (baseline, baseline + 2 + noise)
      case .noisyDifference: return (baseline, 1.02 * baseline + noise)
      case .wholeNumbers:
        let whole = baseline.rounded()
        // Random rounding keeps the mean exact.
        return (whole, (1.02 * whole + noise + random.unit()).rounded(.down))
      }
    }
  }

  let law: DifferenceLaw
  /// The distribution's number, which selects its random streams.
  let index: Int

  /// Runs gates look by look. The first `atMargin` comparisons are exactly at their margin; the others are 20 % below it.
  func gates(_ world: World, _ rule: GateRule, atMargin: Int = 1, count: Int) -> Tally {
    Tally(tries: count) { gate, total in
      let stream = rule.comparisons == 1 ? world.rawValue : "gates, \(atMargin) at the margin"
      var random = RandomStream(sweepSeed: UInt64(index), repetition: gate + 1, name: stream)
      var baseline = [[Double]](repeating: [], count: rule.comparisons)
      var candidate = baseline
      for (look, size) in rule.looks.enumerated() {
        for index in 0..<rule.comparisons {
          while baseline[index].count < size {
            let pair = world.pair(law, &random)
            baseline[index].append(pair.baseline)
            candidate[index].append(pair.candidate - (index < atMargin ? 0 : 20))
          }
        }
        let findings = (0..<rule.comparisons).map {
          rule.finding(rule.guards[$0 % rule.guards.count], baseline: baseline[$0], candidate: candidate[$0], look: look)
        }
        guard rule.mayStop(findings) || look == rule.looks.count - 1 else { continue }
        if findings.contains(where: { $0.outcome == .worse }) {
          total[.worse] = 1
        } else if findings.allSatisfy(\.isSettled) {
          total[.kept] = 1
        }
        return
      }
    }
  }

  /// Makes tables of `size` repetitions each, in which the true change is a rise by 2 %.
  func tables(size: Int, count: Int) -> Tally {
    Tally(tries: count) { table, total in
      var random = RandomStream(sweepSeed: UInt64(index), repetition: table + 1, name: "tables \(size)")
      let comparison = comparison(.noisyBaseline, size: size, &random)
      guard let interval = comparison.interval() else { return }
      total[.shown] = 1
      if interval.contains(2) { total[.covered] = 1 }
      if let student = comparison.sample.interval() {
        total[.width] = Int((1000 * interval.halfWidth / student.halfWidth).rounded())
      }
      guard let percent = comparison.percentInterval() else { return }
      total[.percentShown] = 1
      if percent.contains(2) { total[.percentCovered] = 1 }
    }
  }

  /// Makes tables of `comparisons` points with `size` repetitions each, whose true means equal the baseline's.
  func verdicts(comparisons: Int, size: Int, count: Int) -> Tally {
    Tally(tries: count) { table, total in
      var random = RandomStream(sweepSeed: UInt64(index), repetition: table + 1, name: "families \(size)")
      for _ in 0..<comparisons {
        let verdict = comparison(.zero, size: size, &random).verdict(familySize: comparisons)
        guard verdict.outcome == .better || verdict.outcome == .worse else { continue }
        total[verdict.ground == .interval ? .wrongByInterval : .wrongByEqualPairs] = 1
      }
    }
  }

  private func comparison(_ world: World, size: Int, _ random: inout RandomStream) -> PairedComparison {
    let pairs = (0..<size).map { _ in world.pair(law, &random) }
    return PairedComparison(baseline: pairs.map(\.baseline), candidate: pairs.map(\.candidate))
  }
}
