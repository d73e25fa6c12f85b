// The change of one point between two results of a sweep, e.g. of two nights.

/// The change of one metric of a point from earlier results to later ones; less of the metric is better.
package struct MetricChange {
  /// The mean difference, now less before; nil without runs on both sides.
  package let difference: Double?
  /// The interval of the difference, for this point alone; nil if the runs support none.
  package let interval: ConfidenceInterval?
  /// The verdict on the change, at a confidence that holds for all points at once.
  package let verdict: Verdict

  /// True if the metric moved by more than its noise and the margin.
  package var isMoved: Bool { verdict.outcome == .better || verdict.outcome == .worse }

  package struct Rules {
    /// True if equal repetitions have equal seeds, so that their runs are pairs.
    package var isPaired: Bool
    package var isDeterministic: Bool
    package var confidence: Double
    package var margin: Margin
    package var familySize: Int

    package init(isPaired: Bool, isDeterministic: Bool, confidence: Double, margin: Margin, familySize: Int) {
      (self.isPaired, self.isDeterministic, self.confidence) = (isPaired, isDeterministic, confidence)
      (self.margin, self.familySize) = (margin, familySize)
    }
  }

  /// Compares a column of two points' runs. O(n log n).
  package init(_ column: KeyPath<PointRuns, ArraySlice<Double>>, before: PointRuns, now: PointRuns, _ rules: Rules) {
    if rules.isPaired {
      let (first, second) = PointComparison.pairs(before, now, column)
      let paired = PairedComparison(baseline: first, candidate: second)
      difference = paired.count > 0 ? paired.sample.mean : nil
      interval = paired.interval(confidence: rules.confidence)
      verdict = paired.verdict(
        margin: rules.margin, confidence: rules.confidence, familySize: rules.familySize, isDeterministic: rules.isDeterministic)
    } else {
      let (first, second) = (Sample(known: before[keyPath: column]), Sample(known: now[keyPath: column]))
      let isComparable = first.count > 0 && second.count > 0
      difference = isComparable ? second.mean - first.mean : nil
      interval = Self.interval(first, second, confidence: rules.confidence)
      let all = MultipleTests.simultaneousConfidence(rules.confidence, count: rules.familySize)
      let judged = Self.interval(first, second, confidence: all).map {
        Verdict(Verdict.outcome($0, limit: rules.margin.amount(ofMean: first.mean)), .interval)
      }
      verdict = judged ?? Verdict(.inconclusive, isComparable ? .tooFewRepetitions : .noPairs)
    }
  }

  /// Returns the interval of the difference of independent means (MOVER: Zou & Donner 2008, doi:10.1002/sim.3095); nil if one has none.
  static func interval(_ before: Sample, _ now: Sample, confidence: Double) -> ConfidenceInterval? {
    guard let first = before.adjustedInterval(confidence: confidence), let second = now.adjustedInterval(confidence: confidence)
    else { return nil }
    func distance(_ one: Double, _ other: Double) -> Double { (one * one + other * other).squareRoot() }
    let difference = now.mean - before.mean
    return ConfidenceInterval(
      low: difference - distance(now.mean - second.low, first.high - before.mean),
      high: difference + distance(second.high - now.mean, before.mean - first.low))
  }
}
