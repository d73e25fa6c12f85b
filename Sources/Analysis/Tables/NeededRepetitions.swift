// How many repetitions would tell: an inconclusive verdict with a remedy.

/// The repetitions that an inconclusive comparison would need.
enum NeededRepetitions {
  /// The fewest repetitions in all with which the interval would come off the margin's edge, if mean and spread stay as they are;
  /// nil where no number would, or more than a million.
  ///
  /// The interval's half width must be at most the distance of the mean from the nearest edge of the margin: `better` or `worse` if
  /// the mean lies beyond it, `equivalent` if within (Cochran 1977, 4.4). Where the differences lean to one side, it is the widened
  /// interval whose ends must come off. A margin in per cent is taken of the baseline's mean.
  /// `confidence` is the adjusted one.
  static func count(_ comparison: PairedComparison, baselineMean: Double, margin: Margin, confidence: Double) -> Int? {
    let edge: Double
    switch margin {
    case .absolute(let value): edge = value
    case .percent(let value): edge = value / 100 * baselineMean
    }
    let distance = (comparison.sample.mean.magnitude - edge).magnitude
    guard distance > 0, comparison.sample.standardDeviation > 0 else { return nil }
    if comparison.sample.isSkewed { return count(comparison, edge: edge, confidence: confidence) }
    let count = Sample.repetitions(
      standardDeviation: comparison.sample.standardDeviation, halfWidth: distance, confidence: confidence)
    // Fieller's interval may want a little more than there are, where Student's would do.
    return count.map { max($0, comparison.count + 1) }
  }

  /// The same by the widened interval, whose two sides are not alike.
  private static func count(_ comparison: PairedComparison, edge: Double, confidence: Double) -> Int? {
    let mean = comparison.sample.mean
    func suffices(_ count: Int) -> Bool {
      guard let interval = comparison.sample.widenedInterval(confidence: confidence, ofCount: count) else { return false }
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
