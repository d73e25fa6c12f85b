// All points of a sweep: the ranking, and the warnings about the comparison as a whole.

import Base

/// The points of a sweep, of a stratum, or of the weighted whole over strata, each compared with the baseline.
package struct SweepSummary {
  /// The paths of the swept parameters; within a stratum, and over all strata, without those that make the strata.
  package let axes: [String]
  package let schema: RunSchema
  package internal(set) var points: [PointSummary]
  /// The baseline's index in `points`; nil if it has no runs.
  package let baselineIndex: Int?
  /// The indices of `points`, best first: by the constraints, the headline, the cost, then the grid's order.
  package let ranking: [Int]
  /// The number of comparisons with the baseline, for which verdicts and Holm's p-values hold together.
  package let familySize: Int
  package let confidence: Double
  /// The confidence of an interval at one look; equal to `confidence` if there is only one look.
  package let lookConfidence: Double
  package let margin: Margin
  package let isDeterministic: Bool
  /// Warnings about the comparison as a whole, one sentence each; without those of `sweep.json`.
  package internal(set) var warnings: [String]
  /// The number of planned runs without a row; 0 if numbers of repetitions differ by design.
  package internal(set) var missingRunCount = 0
  /// The strata within which points were compared, of which this is the weighted whole; nil if all points are compared here.
  package internal(set) var strata: StrataSummary?
  /// The marginal means; nil without a common repetition, and in strata that have no charts.
  package internal(set) var marginalMeans: MarginalMeans?
  /// The results of the best points on new seeds; nil if they were not confirmed.
  package internal(set) var confirmation: Confirmation?

  /// Compares points with the baseline: the one with the given id, or with the given axis values if several points have that id. O(runs),
  /// more for the exact test.
  init(
    axes: [String], points: consuming [PointSummary], baseline key: (point: String, axisValues: [String])?, sweep: SweepDescription,
    margin: Margin
  ) {
    var points = points
    let sameId = points.indices.filter { points[$0].isBaseline || points[$0].point == key?.point }
    let baseline = sameId.first { points[$0].axisValues == key?.axisValues } ?? sameId.first
    if let baseline { points[baseline].isBaseline = true }
    let oracles = sweep.axes.compactMap { axis in axis.oracles.flatMap { values in axes.firstIndex(of: axis.path).map { ($0, values) } } }
    for index in points.indices where index != baseline && (sweep.isOracle == true || !oracles.isEmpty) {
      points[index].isOracle = sweep.isOracle == true || oracles.contains { axis, values in values.contains(points[index].axisValue(axis)) }
    }
    // The last round of a search is its finalists' last repetition: a device-time budget may end the search early.
    let isSearch = !sweep.deterministic && sweep.search != nil
    let finalRound = points.map(\.runs.lastRepetition).max() ?? 0
    for index in points.indices { points[index].isDropped = isSearch && points[index].runs.lastRepetition < finalRound }
    familySize = baseline == nil ? 0 : points.count - 1
    let constraints = sweep.objective?.subjectTo ?? []
    for index in constraints.isEmpty ? 0..<0 : points.indices {
      points[index].constraints = points[index].runs.findings(
        constraints, confidence: sweep.lookConfidence, points: points.count, isDeterministic: sweep.deterministic)
    }
    if let baseline {
      for index in points.indices where index != baseline {
        points[index].comparison = PointComparison(
          baseline: points[baseline].runs, candidate: points[index].runs, isDropped: points[index].isDropped,
          confidence: sweep.lookConfidence, margin: margin, familySize: familySize, isDeterministic: sweep.deterministic)
      }
      let tested = points.indices.filter { points[$0].comparison?.holmPValue != nil }
      // Eliminated points stay in the family, and looks multiply it.
      let dropped = points.count { $0.isDropped && !$0.isBaseline }
      let values = tested.map { points[$0].comparison?.holmPValue ?? 1 } + [Double](repeating: 1, count: dropped)
      let adjusted = MultipleTests.adjusted(values)
      let looks = Double(sweep.sequential?.looks.count ?? 1)
      for (index, value) in zip(tested, adjusted) { points[index].comparison?.holmPValue = min(1, value * looks) }
    }
    let costs = points.map { $0.isDropped || $0.isOracle ? (nil, nil) : ($0.headlineMean, $0.mean(sweep.schema.cost)) }
    for index in ParetoFront.indices(costs) { points[index].isOnFront = true }
    (self.axes, schema, self.points, baselineIndex) = (axes, sweep.schema, points, baseline)
    (confidence, lookConfidence) = (sweep.confidence, sweep.lookConfidence)
    (self.margin, isDeterministic) = (margin, sweep.deterministic)
    ranking = Self.ranking(points, baseline: baseline, isSearch: isSearch)
    warnings = Self.warnings(points: points, baseline: baseline, familySize: familySize, sweep: sweep)
    markPeers(of: winner)
  }

  /// Returns the indices of points, fewest loaders first; points beyond a constraint come last, those surely beyond it after them, oracles last;
  /// of a search, finalists come before dropped points.
  private static func ranking(_ points: [PointSummary], baseline: Int?, isSearch: Bool) -> [Int] {
    // A point with fewer repetitions than the baseline saw other feeds on average: the key is the baseline's mean plus the paired
    // difference (common random numbers as a control variate: Law 2015, Simulation Modeling and Analysis, 11.4).
    let base = baseline.map { points[$0] }
    let keys = points.map { point -> (Double, Double) in
      var loaders = point.headlineMean ?? .infinity
      if let base, let comparison = point.comparison, comparison.pairs < base.repetitions, let difference = comparison.difference {
        loaders = (base.headlineMean ?? .infinity) + difference
      }
      return (loaders, point.mean(point.schema.cost) ?? .infinity)
    }
    let rounds = points.map { isSearch ? -$0.runs.lastRepetition : 0 }
    // Oracles come last: they are no choice.
    let ranks = points.map { $0.isOracle ? 3 : $0.constraints.rank }
    return points.indices.sorted {
      (rounds[$0], ranks[$0], keys[$0].0, keys[$0].1, $0) < (rounds[$1], ranks[$1], keys[$1].0, keys[$1].1, $1)
    }
  }

  /// Returns an axis' values in the sweep file's order.
  package func values(axis: Int, sweep: SweepDescription) -> [String] {
    let known = sweep.axes.first { $0.path == axes[axis] }?.values ?? []
    var seen = Set(known)
    // A baseline outside of the grid has values that no axis lists.
    return known + points.lazy.map { $0.axisValue(axis) }.filter { seen.insert($0).inserted }
  }

  /// Returns a point's differences to the baseline by repetition; empty if the baseline has no runs. O(runs of the point).
  package func differences(of point: PointSummary) -> [Double] {
    let (first, second) = baseline.map { PointComparison.pairs($0.runs, point.runs) } ?? ([], [])
    return zip(first, second).map { $1 - $0 }
  }

  package var baseline: PointSummary? { baselineIndex.map { points[$0] } }

  package var oracleIndex: Int? { ranking.first { points[$0].isOracle } }

  package var best: LazyMapCollection<[Int], PointSummary> { ranking.lazy.map { points[$0] } }

  /// The best point that keeps all constraints and whose verdict is `better` (any verdict, if the baseline breaks a constraint); nil if
  /// there is none, or if a point that is not yet `better` is lower in each common repetition.
  package var winner: PointSummary? {
    guard let winner = best.first(where: { mayWin($0, against: baseline) }) else { return nil }
    func isAhead(_ point: PointSummary) -> Bool {
      guard !point.isBaseline, !point.isDropped, !point.isOracle, point.constraints.areKept else { return false }
      let (first, second) = PointComparison.pairs(winner.runs, point.runs)
      return first.count > 1 && zip(first, second).allSatisfy { $1 < $0 }
    }
    return best.prefix { $0.axisValues != winner.axisValues || $0.isBaseline }.contains(where: isAhead) ? nil : winner
  }

  /// True if a point keeps all constraints and is better than the baseline, unless that one breaks a constraint.
  func mayWin(_ point: PointSummary, against baseline: PointSummary?) -> Bool {
    guard !point.isBaseline, !point.isDropped, !point.isOracle, let comparison = point.comparison, point.constraints.areKept else {
      return false
    }
    return comparison.verdict.outcome == .better || baseline?.constraints.areBroken == true
  }

  /// Returns the warning that successive repetitions are alike; nil unless a test of all points says so, by chance with a probability of
  /// `error`.
  private static func serialWarning(_ points: [PointSummary], baseline: PointSummary, error: Double) -> String? {
    let compared = points.filter { $0.comparison != nil && !$0.isDropped }
    let blocks = PointRuns.blocks(([baseline] + compared).map(\.runs))
    let series = compared.indices.map { point in blocks.map { $0[point + 1].headline - $0[0].headline } }
    guard SerialCorrelation(series).pValue <= error * (1 + 1e-12) else { return nil }
    return
      "Successive repetitions are alike (a permutation test of all points' differences, at \(DecimalText.fixed(error * 100, decimals: 0)) %), "
      + "as after warming up or throttling: the intervals are too narrow. Let the device rest between runs, and repeat the sweep."
  }

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
      let racing = points.count { $0.runs.lastRepetition == last }
      warnings.append(
        "The device time of \(until) ended the race after \(last) of at most \(sweep.repeats) blocks, with \(racing) "
          + "\(racing == 1 ? "point" : "points") still in it, the baseline among them.")
    }
    // The emulator's repetitions have independent seeds; a device or a server has one state for all.
    if sweep.backend != nil, let warning = serialWarning(points, baseline: points[baseline], error: 1 - sweep.confidence) {
      warnings.append(warning)
    }
    let pairs = points.lazy.compactMap { $0.comparison?.pairs }.max() ?? points[baseline].repetitions
    let level = 0.05
    if pairs == 1 {
      let fewest = SignFlipTest.fewestDifferences(reaching: level)
      warnings.append("One repetition cannot show noise; an exact paired test at 0.05 needs at least \(fewest).")
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
  /// Returns the indices of the pairs that no other pair dominates; equal pairs are all on the front or all off it. Pairs with an
  /// unknown cost are off it. O(n log n).
  package static func indices(_ costs: [(Double?, Double?)]) -> [Int] {
    let known = costs.indices.compactMap { index -> (first: Double, second: Double, index: Int)? in
      guard let first = costs[index].0, let second = costs[index].1 else { return nil }
      return (first, second, index)
    }.sorted { ($0.first, $0.second, $0.index) < ($1.first, $1.second, $1.index) }
    var front: [(first: Double, second: Double, index: Int)] = []
    for pair in known {
      if let last = front.last, (pair.second, pair.first) > (last.second, last.first) { continue }
      front.append(pair)
    }
    return front.map(\.index).sorted()
  }
}
