// How many repetitions would tell: an inconclusive verdict with a remedy.

/// The repetitions that an inconclusive comparison would need.
package enum NeededRepetitions {
  /// The fewest repetitions in all with which the interval would leave the margin's edge, if mean, spread and skewness stay as they are;
  /// more than there are. Nil where no number would do, or more than a million.
  ///
  /// The interval is the one that decides: the skewness-adjusted one at `confidence`, which is adjusted for the family. Its end must reach
  /// the nearest edge of the margin: `better` or `worse` if the mean lies beyond it, `equivalent` if within (Cochran 1977, 4.4).
  /// A margin in per cent is taken of the baseline's mean.
  package static func count(_ comparison: PairedComparison, baselineMean: Double, margin: Margin, confidence: Double) -> Int? {
    let edge: Double
    switch margin {
    case .absolute(let value): edge = value
    case .percent(let value): edge = value / 100 * baselineMean
    }
    let mean = comparison.sample.mean
    guard mean.magnitude != edge, comparison.sample.standardDeviation > 0 else { return nil }
    func suffices(_ count: Int) -> Bool {
      guard let interval = comparison.sample.adjustedInterval(confidence: confidence, ofCount: count) else { return false }
      if mean.magnitude < edge { return interval.low >= -edge && interval.high <= edge }
      return mean > 0 ? interval.low >= edge : interval.high <= -edge
    }
    guard suffices(Sample.repetitionLimit) else { return nil }
    var (low, high) = (comparison.count, Sample.repetitionLimit)
    while high - low > 1 {
      let middle = (low + high) / 2
      if suffices(middle) { high = middle } else { low = middle }
    }
    return high
  }
}
