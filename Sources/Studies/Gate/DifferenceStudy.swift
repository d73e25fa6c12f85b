// The promised rates under distributions of differences: gates at their margin, and the intervals of tables.

import Analysis
import Simulation
import Sweep

/// Counts gates and tables over one distribution.
struct DifferenceStudy: Sendable {
  /// How the pairs of a gate come about, such that the candidate is exactly at the margin.
  enum World: String, CaseIterable, Sendable {
    case zero = "0"
    case absolute = "3"
    /// The difference has the distribution, and the excess the baseline's noise besides.
    case noisyBaseline = "2 %, noisy baseline"
    /// The excess has the distribution, and the difference the baseline's noise besides.
    case noisyDifference = "2 %, difference in proportion"
    case wholeNumbers = "2 %, whole numbers"

    var margin: Margin {
      switch self {
      case .zero: .none
      case .absolute: .absolute(3)
      default: .percent(2)
      }
    }

    /// A pair of runs.
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
        // Rounded at random: the mean stays exact.
        return (whole, (1.02 * whole + noise + random.unit()).rounded(.down))
      }
    }
  }

  /// What gates say of a candidate at its margin.
  struct Gates: Sendable {
    var count = 0
    var falseAlarms = 0
    var letThrough = 0
  }

  /// What tables show.
  struct Tables: Sendable {
    var count = 0
    var published = 0
    var covered = 0
    var percentPublished = 0
    var percentCovered = 0
    /// The widths of the published intervals, in thousandths of Student's.
    var width = 0
  }

  let law: DifferenceLaw
  /// The distribution's number: each has random streams of its own.
  let index: Int

  /// Plays gates look by look.
  func gates(_ world: World, rule: GateRule, count: Int) -> Gates {
    Self.parallel(count: count, Gates()) { gate, total in
      var random = RandomStream(sweepSeed: UInt64(index), repetition: gate + 1, name: world.rawValue)
      var (baseline, candidate): ([Double], [Double]) = ([], [])
      for (look, size) in rule.looks.enumerated() {
        while baseline.count < size {
          let pair = world.pair(law, &random)
          baseline.append(pair.baseline)
          candidate.append(pair.candidate)
        }
        let finding = rule.finding(rule.guards[0], baseline: baseline, candidate: candidate, look: look)
        guard rule.mayStop([finding]) || look == rule.looks.count - 1 else { continue }
        total.count += 1
        if finding.outcome == .worse { total.falseAlarms += 1 } else if finding.isSettled { total.letThrough += 1 }
        return
      }
    } merge: {
      $0.count += $1.count
      $0.falseAlarms += $1.falseAlarms
      $0.letThrough += $1.letThrough
    }
  }

  /// Makes tables of `size` repetitions each, in which the truth is a rise by 2 %.
  func tables(size: Int, count: Int) -> Tables {
    Self.parallel(count: count, Tables()) { table, total in
      var random = RandomStream(sweepSeed: UInt64(index), repetition: table + 1, name: "tables \(size)")
      let pairs = (0..<size).map { _ in World.noisyBaseline.pair(law, &random) }
      let comparison = PairedComparison(baseline: pairs.map(\.baseline), candidate: pairs.map(\.candidate))
      total.count += 1
      guard let interval = comparison.interval() else { return }
      total.published += 1
      if interval.contains(2) { total.covered += 1 }
      if let student = comparison.sample.interval() {
        total.width += Int((1000 * interval.halfWidth / student.halfWidth).rounded())
      }
      guard let percent = comparison.percentInterval() else { return }
      total.percentPublished += 1
      if percent.contains(2) { total.percentCovered += 1 }
    } merge: {
      $0.count += $1.count
      $0.published += $1.published
      $0.covered += $1.covered
      $0.percentPublished += $1.percentPublished
      $0.percentCovered += $1.percentCovered
      $0.width += $1.width
    }
  }

  /// Sums over indices on all cores; sums of whole numbers do not depend on their order.
  static func parallel<Total: Sendable>(
    count: Int, _ zero: Total, _ body: @Sendable (Int, inout Total) -> Void, merge: @Sendable (inout Total, Total) -> Void
  ) -> Total {
    let chunk = 50
    let totals = WorkerPool.map((count + chunk - 1) / chunk) { index in
      var total = zero
      for item in index * chunk..<min(count, (index + 1) * chunk) { body(item, &total) }
      return total
    }
    return totals.reduce(into: zero) { merge(&$0, $1) }
  }
}
