// The points that a table, a chart or a sentence is about, and their names and numbers as text.

import Analysis

struct ReportPart {
  let summary: SweepSummary
  let sweep: SweepDescription
  let names: PointNames
  /// The name of the stratum or of the weighted whole, for titles; empty without strata.
  let scope: String

  /// The most points that a page draws or lists; of more, it shows the best and the baseline.
  static let pointLimit = 2000
  /// The most points that this part draws, because strata share the limit.
  var drawnLimit = Self.pointLimit
  /// The decimals of the numbers in tables, sentences and charts, by column.
  private(set) var digits = ColumnDigits()

  init(_ summary: SweepSummary, sweep: SweepDescription, scope: String = "") {
    (self.summary, self.sweep, self.scope) = (summary, sweep, scope)
    names = PointNames(paths: summary.axes, sweep: sweep)
    digits = ColumnDigits(shown(limit: PointTable.rowLimit, top: PointTable.topCount).map { summary.points[$0] }, of: self)
  }

  /// Creates the part that charts show: all points, or the weighted whole; without a whole the first stratum.
  init(drawing summary: SweepSummary, sweep: SweepDescription) {
    let principal = summary.principal
    let whole = summary.strata.map(\.together)
    self.init(principal.summary, sweep: sweep, scope: principal.name ?? whole ?? "")
  }

  var members: [ReportPart] { summary.strata.map { $0.members.map { ReportPart($0.summary, sweep: sweep, scope: $0.name) } } ?? [self] }

  var words: RunSchema.Words { summary.schema.words }

  var level: String { Words.percent(summary.confidence) }

  func title(_ text: String) -> String { scope.isEmpty ? text : "\(text) (\(scope))" }

  var axes: [String] { names.axes }

  /// Returns a point's name, e.g. `maxCost 5, videoCost 2`, without `shared` axes; if there are no axes, the baseline's settings or the id.
  func name(_ point: PointSummary, omitting shared: Set<Int> = []) -> String {
    guard axes.isEmpty else { return names.point(point.axisValues, omitting: shared) }
    return point.isBaseline && !sweep.baseline.settings.isEmpty ? sweep.baseline.settings : "point \(point.point)"
  }

  /// The columns that name a row's point: its axis values, or its name if there are no axes.
  var nameColumns: [Table.Column] { (axes.isEmpty ? ["point"] : axes).enumerated().map { Table.Column($1, id: .axis($0)) } }
  func nameCells(_ point: PointSummary) -> [Table.Value] {
    axes.isEmpty ? [.text(name(point))] : point.axisValues.enumerated().map { .text(names.value($1, axis: $0)) }
  }

  /// Returns the indices of the points to show, best first: all up to `limit`, else the first `top`, the winner, the baseline and the bound.
  func shown(limit: Int, top: Int) -> [Int] {
    guard summary.ranking.count > limit else { return summary.ranking }
    let (winner, references) = (summary.confirmedWinner, [summary.baselineIndex, summary.oracleIndex])
    let others = summary.ranking.dropFirst(top).filter { references.contains($0) || summary.points[$0].isSame(as: winner) }
    return summary.ranking.prefix(top) + others
  }

  func best(_ count: Int) -> [PointSummary] { shown(limit: count, top: count - 1).map { summary.points[$0] } }

  /// Returns this part with the decimals of a longer list of points than `report.md` has.
  func listing(_ shown: [Int]) -> ReportPart {
    let own = self.shown(limit: PointTable.rowLimit, top: PointTable.topCount)
    guard !Set(shown).isSubset(of: own) else { return self }
    return with(ColumnDigits((own + shown).map { summary.points[$0] }, of: self))
  }

  /// Returns this part with the decimals of the confirmed points' new runs.
  var ofConfirmation: ReportPart { summary.confirmation.map { with(ColumnDigits($0.points, of: self)) } ?? self }

  func with(_ digits: ColumnDigits) -> ReportPart {
    var part = self
    part.digits = digits
    return part
  }

  /// Returns a point's mean headline; empty if no run has a value.
  func mean(_ point: PointSummary) -> ShownNumber { mean(point.headlineMean) }

  /// Returns a mean of the headline beside those of the points; empty if it is nil.
  func mean(_ value: Double?) -> ShownNumber { ShownNumber(value, decimals: digits.mean) }

  /// Returns a difference of means with its interval if it has one; empty if there is none.
  func difference(_ comparison: PointComparison?) -> ShownNumber {
    .change(comparison?.difference, comparison?.differenceInterval, digits.difference)
  }

  /// Returns a difference with its interval, or the reason why it has none; empty without a pair.
  func explainedDifference(_ comparison: PointComparison?) -> ShownNumber {
    var number = difference(comparison)
    guard let comparison, comparison.pairs > 0 else { return number }
    number.remark =
      switch comparison.intervalState {
      case .interval, .fewerThanTwoPairs: ""
      case .equalPairs: "(\(comparison.pairs) equal pairs)"
      case .tooFewRepetitions: "(too few repetitions)"
      case .tooFewDiffering: comparison.verdict.outcome == .inconclusive ? "(too few pairs differ)" : "(all pairs on one side)"
      }
    return number
  }

  /// Returns a difference in per cent with its interval if it has one; empty if there is none.
  func percent(_ comparison: PointComparison?, unit: String = "") -> ShownNumber {
    .change(comparison?.percent, comparison?.percentInterval, digits.percent, unit: unit)
  }

  /// Returns a point's mean cost, e.g. MB (10⁶ bytes) received; empty if no run has one.
  func cost(_ point: PointSummary) -> ShownNumber { ShownNumber(point.scaledCost, decimals: digits.cost) }

  /// Returns a point's loaders above the lower bound; empty if no run has a bound.
  func headroom(_ point: PointSummary) -> ShownNumber { ShownNumber(point.headroomMean, decimals: digits.headroom) }

  /// The level of the intervals in tables; empty if all numbers are exact.
  var intervalLevel: String { summary.isDeterministic ? "" : level }

  /// Returns the marginal means of groups of points, which stand side by side.
  func means(_ groups: [MarginalMeans.Group?]) -> [ShownNumber] {
    let range = 0...summary.schema.headline.limit
    let numbers = groups.map { ($0?.mean.mean, $0?.mean.adjustedInterval(confidence: summary.confidence, within: range)) }
    let decimals = Precision.decimals(numbers, limit: Digits.loaders, printsEnds: false)
    return groups.map { ShownNumber($0?.mean.mean, decimals: decimals) }
  }
}

/// The decimals of a list's columns, each the same in all rows.
struct ColumnDigits {
  var mean = 0, difference = 0, percent = 0, cost = 0, headroom = 0

  init() {}

  /// Chooses them for the points of a list, which share their baseline.
  init(_ points: [PointSummary], of part: ReportPart) {
    let (confidence, scale) = (part.summary.confidence, part.words.costScale)
    let comparisons = points.compactMap(\.comparison)
    difference = Precision.decimals(comparisons.map { ($0.difference, $0.differenceInterval) }, limit: Digits.difference)
    percent = Precision.decimals(comparisons.map { ($0.percent, $0.percentInterval) }, limit: Digits.percent)
    func decimals(_ limit: Int, _ number: (PointSummary) -> Precision.Number) -> Int {
      Precision.decimals(points.map(number), limit: limit, printsEnds: false)
    }
    cost = decimals(Digits.megabytes) { ($0.scaledCost, $0.costInterval(confidence: confidence)?.scaled(by: scale)) }
    headroom = decimals(Digits.headroom) { ($0.headroomMean, $0.headroomInterval(confidence: confidence)) }
    mean = decimals(Digits.loaders) { ($0.headlineMean, $0.headlineInterval(confidence: confidence)) }
    // A reader subtracts: with one decimal more, means differ by the difference beside them where they would not otherwise.
    if !comparisons.isEmpty { mean = max(mean, difference + (Self.agree(points, mean, difference) ? 0 : 1)) }
    // A part of a mean never reads larger than the mean.
    if points.contains(where: { Self.isLarger($0.headroomMean, headroom, than: $0.headlineMean, mean) }) { headroom = max(headroom, mean) }
  }

  /// True if a value as printed is larger than another one as printed.
  private static func isLarger(_ value: Double?, _ decimals: Int, than other: Double?, _ itsDecimals: Int) -> Bool {
    Double(Precision.fixed(value, decimals)) ?? 0 > Double(Precision.fixed(other, itsDecimals)) ?? .infinity
  }

  /// True if the means as printed differ from the baseline's by the differences as printed.
  private static func agree(_ points: [PointSummary], _ mean: Int, _ difference: Int) -> Bool {
    guard let baseline = points.first(where: \.isBaseline), let base = baseline.headlineMean else { return true }
    func printed(_ value: Double?, _ decimals: Int) -> Double? { Double(Precision.fixed(value, decimals)) }
    let decimals = max(mean, difference)
    let half = (0..<difference).reduce(0.5) { half, _ in half / 10 }
    return points.allSatisfy { point in
      guard let comparison = point.comparison, comparison.pairs == point.repetitions, comparison.pairs == baseline.repetitions,
        let own = printed(point.headlineMean, decimals), let its = printed(base, decimals),
        let shown = printed(comparison.difference, difference)
      else { return true }
      return (own - its - shown).magnitude <= half * (1 + 1e-9)
    }
  }
}

extension PointSummary {
  /// True if two means are equal except for rounding.
  func hasSameMean(as other: PointSummary) -> Bool {
    guard let mean = headlineMean, let otherMean = other.headlineMean else { return false }
    return (mean - otherMean).magnitude <= 1e-9 * max(1, otherMean.magnitude)
  }

  /// The mean cost in the unit of its column; nil if no run has one.
  var scaledCost: Double? { mean(schema.cost).map { $0 * schema.words.costScale } }

  var verdictText: String { isBaseline ? "baseline" : comparison?.verdict.description ?? "" }

  /// Returns a verdict followed by the constraints that the point does not keep.
  func withConstraints(_ verdict: String, isShort: Bool = false) -> String {
    let verdict = isOracle ? "\(verdict), reference" : verdict
    if constraints.areKept { return verdict }
    return "\(verdict), \(isShort ? constraints.areBroken ? "breaks" : "unclear" : constraints.text)"
  }
}
