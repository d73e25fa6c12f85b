// All points of a sweep beside each other: who is ahead, and what must be known about the comparison as a whole.

/// Points of a sweep, each compared with the baseline: all of them, those of a stratum, or the settings over all strata.
package struct SweepSummary {
  /// The swept parameters by their paths; within a stratum, and over all strata, without those that make them.
  package let axes: [String]
  package let schema: RunSchema
  package let points: [PointSummary]
  /// The baseline's place among `points`; nil where it has no runs.
  package let baselineIndex: Int?
  /// The places of `points`, best first: least of the headline, then of the cost, then the grid's order.
  package let ranking: [Int]
  /// The number of comparisons with the baseline: the family that verdicts and Holm's p-values hold for.
  package let familySize: Int
  package let confidence: Double
  /// The confidence of an interval at one look; `confidence` where there is only one.
  package let lookConfidence: Double
  package let margin: Margin
  package let isDeterministic: Bool
  /// What must be known about the comparison as a whole, one sentence each; `sweep.json`'s own warnings are not among them.
  package internal(set) var warnings: [String]
  /// The runs that the sweep's description has and the table has not; 0 where points have different numbers of repetitions by design.
  package internal(set) var missingRunCount = 0
  /// The parts within which points were compared, of which this is the weighted whole; nil where all points are compared here.
  package internal(set) var strata: StrataSummary?

  /// What points that share values of axes show together; nil where no repetition is common to all, and in strata that are not drawn.
  package internal(set) var groups: MarginalMeans?

  /// What the best points show on fresh seeds; nil where they were not run again.
  package internal(set) var confirmation: Confirmation?

  /// Compares points with the baseline: the one of the given id, or of these axis values where several points have it. O(runs), and more
  /// where the exact test is.
  init(
    axes: [String], points: consuming [PointSummary], baseline wanted: (point: String, axisValues: [String])?, sweep: SweepDescription,
    margin: Margin
  ) {
    var points = points
    let sameId = points.indices.filter { points[$0].isBaseline || points[$0].point == wanted?.point }
    let baseline = sameId.first { points[$0].axisValues == wanted?.axisValues } ?? sameId.first
    if let baseline { points[baseline].isBaseline = true }
    // Of a search: the last repetition of its finalists, which a budget may have made an earlier one than planned.
    let isSearch = !sweep.deterministic && sweep.search != nil
    let finalRound = points.map(\.runs.lastRepetition).max() ?? 0
    for index in points.indices { points[index].isDropped = isSearch && points[index].runs.lastRepetition < finalRound }
    familySize = baseline == nil ? 0 : points.count - 1
    if let baseline {
      for index in points.indices where index != baseline {
        points[index].comparison = PointComparison(
          baseline: points[baseline].runs, candidate: points[index].runs, isDropped: points[index].isDropped,
          confidence: sweep.lookConfidence, margin: margin, familySize: familySize, isDeterministic: sweep.deterministic)
      }
      let tested = points.indices.filter { points[$0].comparison?.holmPValue != nil }
      // Points that a search has dropped stay in the family, and looks multiply it.
      let dropped = points.count { $0.isDropped && !$0.isBaseline }
      let values = tested.map { points[$0].comparison?.holmPValue ?? 1 } + [Double](repeating: 1, count: dropped)
      let adjusted = MultipleTests.adjusted(values)
      let looks = Double(sweep.sequential?.looks.count ?? 1)
      for (index, value) in zip(tested, adjusted) { points[index].comparison?.holmPValue = min(1, value * looks) }
    }
    let costs = points.map { $0.isDropped ? (nil, nil) : ($0.headlineMean, $0.mean(sweep.schema.cost)) }
    for index in ParetoFront.indices(costs) { points[index].isOnFront = true }
    (self.axes, schema, self.points, baselineIndex) = (axes, sweep.schema, points, baseline)
    (confidence, lookConfidence) = (sweep.confidence, sweep.lookConfidence)
    (self.margin, isDeterministic) = (margin, sweep.deterministic)
    ranking = Self.ranking(points, baseline: baseline, isSearch: isSearch)
    warnings = Self.warnings(points: points, baseline: baseline, familySize: familySize, sweep: sweep)
  }

  /// Fewest loaders first; of a search, those that came further before those that were dropped.
  ///
  /// A point with fewer repetitions than the baseline met other feeds on the whole: what counts is the baseline's mean and the paired
  /// difference to it (common random numbers as a control variate: Law 2015, Simulation Modeling and Analysis, 11.4).
  private static func ranking(_ points: [PointSummary], baseline: Int?, isSearch: Bool) -> [Int] {
    let base = baseline.map { points[$0] }
    let keys = points.map { point -> (Double, Double) in
      var loaders = point.headlineMean ?? .infinity
      if let base, let comparison = point.comparison, comparison.pairs < base.repetitions, let difference = comparison.difference {
        loaders = (base.headlineMean ?? .infinity) + difference
      }
      return (loaders, point.mean(point.schema.cost) ?? .infinity)
    }
    let rounds = points.map { isSearch ? -$0.runs.lastRepetition : 0 }
    return points.indices.sorted { (rounds[$0], keys[$0].0, keys[$0].1, $0) < (rounds[$1], keys[$1].0, keys[$1].1, $1) }
  }

  /// An axis' values in the sweep file's order.
  package func values(axis: Int, sweep: SweepDescription) -> [String] {
    let known = sweep.axes.first { $0.path == axes[axis] }?.values ?? []
    var seen = Set(known)
    // A baseline beside the grid has values that no axis lists.
    return known + points.lazy.map { $0.axisValue(axis) }.filter { seen.insert($0).inserted }
  }

  /// The differences of a point to the baseline in the order of repetitions; none where that has no runs. O(runs of the point).
  package func differences(of point: PointSummary) -> [Double] {
    let (first, second) = baseline.map { PointComparison.pairs($0.runs, point.runs) } ?? ([], [])
    return zip(first, second).map { $1 - $0 }
  }

  /// The baseline; nil where it has no runs.
  package var baseline: PointSummary? { baselineIndex.map { points[$0] } }

  package var best: LazyMapCollection<[Int], PointSummary> { ranking.lazy.map { points[$0] } }

  /// The best point that is better than the baseline by its verdict; nil where none is.
  package var winner: PointSummary? { best.first { $0.comparison?.verdict.outcome == .better } }

  private static func warnings(points: [PointSummary], baseline: Int?, familySize: Int, sweep: SweepDescription) -> [String] {
    guard let baseline else { return ["The baseline, point \(sweep.baseline.point), has no runs: nothing is compared with it."] }
    guard !sweep.deterministic else { return [] }
    var warnings: [String] = []
    let short = points.count { $0.repetitions < sweep.repeats }
    if short > 0, sweep.search == nil, sweep.sequential == nil {
      let subject = short == 1 ? "1 point has" : "\(short) points have"
      warnings.append(
        "\(subject) fewer than \(sweep.repeats) repetitions; each comparison takes only the repetitions that point and baseline share.")
    }
    if let until = sweep.search?.until, let last = points.map(\.runs.lastRepetition).max(), last < sweep.repeats {
      let field = points.count { $0.runs.lastRepetition == last }
      warnings.append(
        "The device time of \(until) ended the race after \(last) of at most \(sweep.repeats) blocks, with \(field) "
          + "\(field == 1 ? "point" : "points") still in it, the baseline among them.")
    }
    let pairs = points.lazy.compactMap { $0.comparison?.pairs }.max() ?? points[baseline].repetitions
    let level = 0.05
    if pairs == 1 {
      warnings.append(
        "One repetition says nothing about noise; an exact paired test at 0.05 needs at least "
          + "\(SignFlipTest.fewestDifferences(reaching: level)).")
    } else if familySize > 0, sweep.sequential == nil, SignFlipTest.smallestPValue(count: pairs) * Double(familySize) > level {
      warnings.append(
        "With \(pairs) repetitions the exact sign-flip test cannot reach 0.05 for \(familySize) "
          + "\(familySize == 1 ? "comparison" : "comparisons at once"), whatever the data; it needs "
          + "\(SignFlipTest.fewestDifferences(reaching: level / Double(familySize))) repetitions.")
    }
    return warnings
  }
}

/// The Pareto front of two costs (Pareto 1906; Kung, Luccio & Preparata 1975, doi:10.1145/321906.321910).
package enum ParetoFront {
  /// The places of the pairs that no other pair is below in one cost without being above in the other; equal pairs stand or fall
  /// together. Pairs with a cost that is not known are not on it. O(n log n).
  package static func indices(_ costs: [(Double?, Double?)]) -> [Int] {
    let known = costs.indices.compactMap { index -> (first: Double, second: Double, index: Int)? in
      guard let first = costs[index].0, let second = costs[index].1 else { return nil }
      return (first, second, index)
    }.sorted { ($0.first, $0.second, $0.index) < ($1.first, $1.second, $1.index) }
    var front: [Int] = []
    var last: (first: Double, second: Double)?
    for pair in known {
      if let last, pair.second > last.second || (pair.second == last.second && pair.first > last.first) { continue }
      front.append(pair.index)
      last = (pair.first, pair.second)
    }
    return front.sorted()
  }
}
