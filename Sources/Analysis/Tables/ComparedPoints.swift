// Points that are compared with one baseline: what must be known of all of them before the first sample is looked at.

/// Points of a sweep, or of a stratum, on their way to being compared; each sample is needed once and not kept.
package struct ComparedPoints {
  /// The points in the grid's order.
  private(set) var points: [PointSummary]
  /// The baseline's place among them; nil where it has no runs.
  package let baseline: Int?
  /// The largest difference that does not matter.
  package let margin: Margin
  package let sweep: SweepDescription

  /// The number of comparisons with the baseline.
  package var familySize: Int { baseline == nil ? 0 : points.count - 1 }
  /// The last repetition of a search's finalists, which a budget may have made an earlier one than planned; nil without a search.
  var finalRound: Int? { sweep.deterministic || sweep.search == nil ? nil : points.map(\.lastRepetition).max() }

  /// Points beside the baseline of the given id, or of these axis values where several points have it.
  package init(
    _ bare: [PointSummary], baseline wanted: (point: String, axisValues: [String])?, sweep: SweepDescription, margin: Margin
  ) {
    (points, self.sweep, self.margin) = (bare, sweep, margin)
    let sameId = bare.indices.filter { bare[$0].isBaseline || bare[$0].point == wanted?.point }
    baseline = sameId.first { bare[$0].axisValues == wanted?.axisValues } ?? sameId.first
    if let baseline { points[baseline].isBaseline = true }
    if let finalRound {
      for index in points.indices { points[index].isDropped = points[index].lastRepetition < finalRound }
    }
  }

  /// Compares a point with the baseline by their samples. O(repetitions), and more where the exact test is.
  package mutating func compare(_ index: Int, _ sample: RunSample, with baseline: RunSample) {
    points[index].comparison = PointComparison(
      baseline: baseline, candidate: sample, isDropped: points[index].isDropped, confidence: sweep.lookConfidence, margin: margin,
      familySize: familySize, isDeterministic: sweep.deterministic)
  }

  /// Compares all points by the samples of a source, which has them by the same places. Settings over strata are only now given what
  /// they are judged by.
  mutating func compareAll(_ samples: some SampleSource, areCombined: Bool = false) throws {
    guard baseline != nil || areCombined else { return }
    var base: RunSample?
    let place = baseline
    try samples.forEach(where: { $0 == place }) { index, sample in
      base = sample
      if areCombined { points[index].take(sample) }
    }
    try samples.forEach(where: { $0 != place }) { index, sample in
      if areCombined { points[index].take(sample) }
      if let base { compare(index, sample, with: base) }
    }
  }
}
