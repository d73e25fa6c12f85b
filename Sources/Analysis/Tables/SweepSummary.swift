// All points of a sweep beside each other: who is ahead, and what must be known about the comparison as a whole.

/// All points of a sweep, each compared with the baseline.
public struct SweepSummary: Sendable {
  /// The swept parameters by their paths.
  public let axes: [String]
  /// What the runs measure.
  public let schema: RunSchema
  /// The points in the grid's order.
  public let points: [PointSummary]
  /// The baseline's place among `points`; nil where it has no runs.
  public let baselineIndex: Int?
  /// The places of `points`, best first: least of the headline, then of the cost, then the grid's order.
  public let ranking: [Int]
  /// The number of comparisons with the baseline: the family that verdicts and Holm's p-values hold for.
  public let familySize: Int
  /// The confidence of the intervals.
  public let confidence: Double
  /// The largest difference that does not matter.
  public let margin: Margin
  /// Whether the scenario has no randomness.
  public let isDeterministic: Bool
  /// What must be known about the comparison as a whole, one sentence each; `sweep.json`'s own warnings are not among them.
  public let warnings: [String]

  init(axes: [String], points bare: [PointSummary], sweep: SweepDescription, margin: Margin) {
    var points = bare
    let sameId = points.indices.filter { points[$0].point == sweep.baseline.point }
    let baseline = sameId.first { points[$0].axisValues == sweep.baseline.axisValues } ?? sameId.first
    let familySize = baseline == nil ? 0 : points.count - 1
    if let baseline {
      points[baseline].isBaseline = true
      for index in points.indices where index != baseline {
        points[index].comparison = PointComparison(
          baseline: points[baseline], candidate: points[index], confidence: sweep.confidence, margin: margin,
          familySize: familySize, isDeterministic: sweep.deterministic)
      }
      let tested = points.indices.filter { points[$0].comparison?.pValue != nil }
      let adjusted = MultipleTests.adjusted(tested.map { points[$0].comparison?.pValue ?? 1 }, by: .holm)
      for (index, value) in zip(tested, adjusted) { points[index].comparison?.holmPValue = value }
    }
    self.axes = axes
    schema = sweep.schema
    self.points = points
    self.familySize = familySize
    self.margin = margin
    baselineIndex = baseline
    confidence = sweep.confidence
    isDeterministic = sweep.deterministic
    let keys = points.map { ($0.mean(sweep.schema.headline) ?? .infinity, $0.mean(sweep.schema.cost) ?? .infinity) }
    ranking = points.indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }
    warnings = SweepSummary.warnings(points: points, baseline: baseline, familySize: familySize, sweep: sweep)
  }

  /// The baseline; nil where it has no runs.
  public var baseline: PointSummary? { baselineIndex.map { points[$0] } }

  /// The points, best first.
  public var best: [PointSummary] { ranking.map { points[$0] } }

  /// The best point that is better than the baseline by its verdict; nil where none is.
  public var winner: PointSummary? { best.first { $0.comparison?.verdict.outcome == .better } }

  private static func warnings(points: [PointSummary], baseline: Int?, familySize: Int, sweep: SweepDescription) -> [String] {
    var warnings: [String] = []
    if points.count < sweep.pointCount {
      warnings.append("\(sweep.pointCount - points.count) of \(sweep.pointCount) points have no runs and are left out.")
    }
    guard let baseline else {
      return warnings + ["The baseline, point \(sweep.baseline.point), has no runs: nothing is compared with it."]
    }
    guard !sweep.deterministic else { return warnings }
    let short = points.count { $0.repetitions < sweep.repeats }
    if short > 0 {
      let subject = short == 1 ? "1 point has" : "\(short) points have"
      warnings.append(
        "\(subject) fewer than \(sweep.repeats) repetitions; each comparison takes only the repetitions that point and baseline share.")
    }
    let pairs = points.compactMap { $0.comparison?.pairs }.max() ?? points[baseline].repetitions
    if pairs == 1 {
      warnings.append("\(SampleWarning.tooFewRepetitions(count: 1))")
    } else if familySize > 0, SignFlipTest.smallestPValue(count: pairs) * Double(familySize) > SampleWarning.level {
      let needed = SignFlipTest.fewestDifferences(reaching: SampleWarning.level / Double(familySize))
      warnings.append("\(SampleWarning.familyOutOfReach(comparisons: familySize, repetitions: pairs, needed: needed))")
    }
    return warnings
  }
}
