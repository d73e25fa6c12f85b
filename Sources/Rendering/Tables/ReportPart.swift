// The points that a table, a chart or a sentence is about, and their names and numbers as text.

import Analysis

/// The points of a sweep, of a stratum, or of the weighted whole, with their names and numbers as text.
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
  /// The decimals of the baseline's mean: those of the differences of all points that report.md lists.
  private var baselineDecimals = -15

  init(_ summary: SweepSummary, sweep: SweepDescription, scope: String = "") {
    (self.summary, self.sweep, self.scope) = (summary, sweep, scope)
    names = PointNames(paths: summary.axes, sweep: sweep)
    baselineDecimals = shown(limit: PointTable.rowLimit, top: PointTable.topCount).map { meanDecimals(summary.points[$0]) }.max() ?? -15
  }

  /// Creates the part that charts show: all points, or the weighted whole; without a whole the first stratum.
  init(drawing summary: SweepSummary, sweep: SweepDescription) {
    let principal = summary.principal
    let whole = summary.strata.map(\.together)
    self.init(principal.summary, sweep: sweep, scope: principal.name ?? whole ?? "")
  }

  var members: [ReportPart] {
    summary.strata.map { $0.members.map { ReportPart($0.summary, sweep: sweep, scope: $0.name) } } ?? [self]
  }

  // MARK: Words

  var words: RunSchema.Words { summary.schema.words }

  var level: String { Words.percent(summary.confidence) }

  func title(_ text: String) -> String { scope.isEmpty ? text : "\(text) (\(scope))" }

  /// The short name of each axis.
  var axes: [String] { names.axes }

  /// Returns the name of a point, e.g. `maxCost 5, videoCost 2`; without axes the baseline's settings or the point's id.
  /// Charts omit the axes that their points share.
  func name(_ point: PointSummary, omitting shared: Set<Int> = []) -> String {
    guard axes.isEmpty else { return names.point(point.axisValues, omitting: shared) }
    return point.isBaseline && !sweep.baseline.settings.isEmpty ? sweep.baseline.settings : "point \(point.point)"
  }

  /// The columns that name a row's point: its axis values, or its name if there are no axes.
  var nameColumns: [Table.Column] { (axes.isEmpty ? ["point"] : axes).map { Table.Column($0) } }
  func nameCells(_ point: PointSummary) -> [String] { axes.isEmpty ? [name(point)] : values(point) }

  /// Returns the names of a point's axis values.
  func values(_ point: PointSummary) -> [String] { point.axisValues.enumerated().map { names.value($1, axis: $0) } }

  // MARK: Points

  /// Returns the indices of the points to show, best first: all up to `limit`, else the first `top`, the winner and the baseline.
  func shown(limit: Int, top: Int) -> [Int] {
    guard summary.ranking.count > limit else { return summary.ranking }
    let winner = summary.confirmedWinner
    let others = summary.ranking.dropFirst(top).filter { $0 == summary.baselineIndex || summary.points[$0].isSame(as: winner) }
    return summary.ranking.prefix(top) + others
  }

  func best(_ count: Int) -> [PointSummary] { shown(limit: count, top: count - 1).map { summary.points[$0] } }

  // MARK: Numbers

  /// Returns a point's mean headline with the digits that its interval supports; empty if no run has a value. It has at least `decimals`,
  /// or those with which it and the baseline's mean differ by the shown difference; the same in sentences, tables and charts.
  func mean(_ point: PointSummary, beside decimals: Int? = nil) -> String {
    let interval = point.headlineInterval(confidence: summary.confidence)
    let own = decimals ?? (point.isBaseline ? baselineDecimals : meanDecimals(point, baselineDecimals: baselineDecimals))
    return Precision.text(point.headlineMean, interval, limit: Digits.loaders, atLeast: own)
  }

  /// Returns the mean of a point on new seeds, whose baseline there is `baseline`; the same in sentences and tables.
  func confirmedMean(_ rerun: PointSummary) -> String {
    guard let points = summary.confirmation?.points else { return mean(rerun) }
    let baseline = points.first(where: \.isBaseline)
    let decimals = points.map { meanDecimals($0, of: baseline) }.max() ?? -15
    return mean(rerun, beside: rerun.isBaseline ? decimals : meanDecimals(rerun, of: baseline, baselineDecimals: decimals))
  }

  /// Returns the fewest decimals with which a point's mean less the baseline's is the shown difference after rounding. The baseline's mean
  /// has as many, or `baselineDecimals`.
  func meanDecimals(_ point: PointSummary, of baseline: PointSummary? = nil, baselineDecimals: Int? = nil) -> Int {
    guard let comparison = point.comparison else { return -15 }
    let least = comparison.shownDecimals
    guard let baseline = baseline ?? summary.baseline, let shown = Double(comparison.differenceText), comparison.pairs == point.repetitions,
      comparison.pairs == baseline.repetitions
    else { return least }
    // The last digit's half, in the difference's last place.
    let half = (0..<least.magnitude).reduce(0.5) { half, _ in least > 0 ? half / 10 : half * 10 }
    let agreeing = (least...least + 3).first { decimals in
      guard let own = Double(mean(point, beside: decimals)), let base = Double(mean(baseline, beside: baselineDecimals ?? decimals)) else {
        return true
      }
      return (own - base - shown).magnitude <= half * (1 + 1e-9)
    }
    return agreeing ?? least
  }

  /// Returns a point's mean cost, e.g. MB (10⁶ bytes) received; empty if no run has one.
  func cost(_ point: PointSummary) -> String {
    let (cost, scale) = (point.schema.cost, point.schema.words.costScale)
    let interval = point.costInterval(confidence: summary.confidence)?.scaled(by: scale)
    return Precision.text(point.mean(cost).map { $0 * scale }, interval, limit: Digits.megabytes)
  }

  /// Returns a point's loaders above the lower bound; empty if no run has a bound.
  func headroom(_ point: PointSummary) -> String {
    Precision.text(point.headroomMean, point.headroomInterval(confidence: summary.confidence), limit: Digits.headroom)
  }

  /// Returns the marginal mean of a group of points.
  func mean(_ group: MarginalMeans.Group) -> String {
    let interval = group.mean.adjustedInterval(confidence: summary.confidence, within: 0...summary.schema.headline.limit)
    return Precision.text(group.mean.mean, interval, limit: Digits.loaders)
  }
}

extension PointSummary {
  /// True if two means are equal except for rounding.
  func hasSameMean(as other: PointSummary) -> Bool {
    guard let mean = headlineMean, let otherMean = other.headlineMean else { return false }
    return (mean - otherMean).magnitude <= 1e-9 * max(1, otherMean.magnitude)
  }

  var verdictText: String { isBaseline ? "baseline" : comparison?.verdict.description ?? "" }

  /// Returns a verdict followed by the constraints that the point does not keep.
  func withConstraints(_ verdict: String, isShort: Bool = false) -> String {
    if constraints.areKept { return verdict }
    return "\(verdict), \(isShort ? constraints.areBroken ? "breaks" : "unclear" : constraints.text)"
  }
}

extension SweepSummary {
  func point(like point: PointSummary) -> PointSummary? {
    points.first { $0.axisValues == point.axisValues && $0.isBaseline == point.isBaseline }
  }
}

extension PointComparison {
  /// The difference with the digits that are supported; empty if there is none.
  var differenceText: String {
    guard let difference else { return "" }
    if verdict.ground != .deterministic, differenceInterval == nil, equalPairs == nil {
      return Precision.signedEstimate(difference, limit: Digits.difference)
    }
    return Precision.signed(difference, differenceInterval, limit: Digits.difference)
  }

  var differenceEnds: String { Precision.signedEnds(differenceInterval, limit: Digits.difference) }

  /// The difference in per cent with the digits that are supported, without the sign `%`; empty if there is none.
  var percentText: String {
    guard let percent else { return "" }
    return percentInterval == nil && verdict.ground != .deterministic
      ? Precision.signedEstimate(percent, limit: Digits.percent) : Precision.signed(percent, percentInterval, limit: Digits.percent)
  }

  /// Returns the difference in per cent followed by `sign`, and its interval if it has one.
  func percentWithEnds(sign: String = "") -> String {
    let ends = Precision.signedEnds(percentInterval, limit: Digits.percent)
    return percentText + (percent == nil ? "" : sign) + (ends.isEmpty ? "" : " \(ends)")
  }

  /// The decimals of the difference's text; below 0 for tens and hundreds.
  var shownDecimals: Int {
    if let differenceInterval { return Precision.decimals(halfWidth: differenceInterval.halfWidth, limit: Digits.difference) }
    let text = differenceText
    guard !text.isEmpty else { return -15 }
    return text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
  }
}
