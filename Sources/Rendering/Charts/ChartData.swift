// What all charts of a report are drawn from: the points, and how they are called.

import Analysis

/// The points that a report's charts show.
struct ChartData {
  /// All points, the weighted whole of strata (where that has none, the first stratum), or one stratum.
  let summary: SweepSummary
  /// Of which part of a sweep with strata they are, in a phrase; empty without strata.
  let place: String
  let names: PointNames
  let sweep: SweepDescription

  /// More points than this are not drawn or listed one by one: the best of them, and the baseline.
  static let pointLimit = 2000
  /// So many are drawn here: the strata share the limit.
  let pointLimit: Int

  /// Names before rows of a chart are cut beyond so many columns.
  static let labelLimit = 48

  /// The room that such names take, in pixels.
  static func labelWidth(_ names: [String]) -> Double { 40 + Double(min(labelLimit, names.map(DisplayWidth.of).max() ?? 0)) * 6.7 }

  init(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) {
    let principal = summary.principal
    self.summary = principal.summary
    place = principal.name ?? summary.strata.map(Self.whole) ?? ""
    (self.names, self.sweep) = (names, sweep)
    pointLimit = Self.pointLimit
  }

  /// One of so many strata that are drawn.
  init(_ stratum: StrataSummary.Member, among count: Int, names: PointNames, sweep: SweepDescription) {
    (summary, place) = (stratum.summary, stratum.name)
    (self.names, self.sweep) = (names, sweep)
    pointLimit = Self.pointLimit / count
  }

  /// What the points of all strata are the means over.
  private static func whole(_ strata: StrataSummary) -> String {
    strata.kind == .population ? "the field" : "all \(strata.members.count) strata together"
  }

  var words: RunSchema.Words { summary.schema.words }

  /// A title, which says of which stratum the chart is, or that it is the mean over all.
  func title(_ text: String) -> String { place.isEmpty ? text : "\(text) (\(place))" }

  /// The best points, the baseline among them or after them.
  func best(_ count: Int) -> [PointSummary] {
    PointTable(summary: summary, names: names).shown(limit: count, top: count - 1).map { summary.points[$0] }
  }

  /// A point's name for a place of so few columns; the baseline says that it is.
  func label(_ point: PointSummary) -> String { point.isBaseline ? "baseline: \(names.name(of: point))" : names.name(of: point) }

  /// The headline with the digits that its interval supports.
  func loaders(_ point: PointSummary) -> String { HeadlineText.mean(point, confidence: summary.confidence) }
}
