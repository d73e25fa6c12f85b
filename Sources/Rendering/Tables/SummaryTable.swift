// The table of all points in the grid's order, for scripts and spreadsheets: summary.csv, and JSON on demand.

import Analysis

/// A row per point. With strata, each row names its stratum; the settings of the weighted whole follow at the end, without a point's id.
package struct SummaryTable {
  package static let fileName = "summary.csv"
  private static let probabilityDecimals = 9

  private let summary: SweepSummary
  private let axes: [String]
  private let columns: [Table.Column]
  /// True if there are columns of a confirmation, and of constraints.
  private let isConfirmed: Bool, hasConstraints: Bool
  private let otherMetrics: [Metric]

  package init(_ summary: SweepSummary) {
    let (schema, level) = (summary.schema, Words.percent(summary.confidence))
    self.summary = summary
    axes = summary.strata?.gridAxes ?? summary.axes
    isConfirmed = summary.confirmation != nil || summary.strata?.members.contains { $0.summary.confirmation != nil } == true
    hasConstraints = !schema.constrained.isEmpty
    otherMetrics = schema.metrics.filter { $0 != schema.headline }
    func estimate(_ name: String) -> Table.Column { Table.Column(name, level: level) }
    let headline = schema.headline.rawValue
    columns =
      ["point"] + axes.enumerated().map { Table.Column($1, id: .axis($0)) } + (summary.strata == nil ? [] : ["stratum"])
      + ["baseline", "repetitions", Table.Column(headline, id: .metric(schema.headline), level: level)]
      + [estimate("difference"), estimate("percent"), "pHolm", "verdict", "headroom"]
      + otherMetrics.map { Table.Column($0.rawValue, id: .metric($0)) }
      + ["paretoFront", "neededRepetitions"]
      + (isConfirmed ? ["freshRepetitions", "fresh\(Words.capitalized(headline))", estimate("freshDifference"), "freshVerdict"] : [])
      + (isConfirmed && hasConstraints ? ["freshConstraints"] : []) + (hasConstraints ? ["constraints"] : [])
      + (schema.pricesLoaders ? [estimate("bytesPerLoaderSpared")] : []) + ["asGoodAsWinner"]
  }

  /// Writes the table line by line, because a sweep may have a million points.
  /// - Throws: the errors of `receive`.
  package func write<Failure: Error>(as format: some LineFormat, to receive: (_ lines: [UInt8]) throws(Failure) -> Void) throws(Failure) {
    /// - Throws: the errors of `receive`.
    func append(_ point: PointSummary, of part: SweepSummary, winner: PointSummary?, _ key: [String]) throws(Failure) {
      let peer: Table.Value = winner.map { .flag(point.isAsGoodAsWinner || point.isSame(as: $0)) } ?? ""
      let values = key.map(Table.Value.text) + values(point, of: part) + [peer]
      try receive(format.line(values.map { Table.Cell($0) }, columns))
    }
    let head = format.head(columns)
    if !head.isEmpty { try receive(head) }
    let winner = summary.confirmedWinner
    guard let strata = summary.strata else {
      for point in summary.points { try append(point, of: summary, winner: winner, [point.point] + point.axisValues) }
      return
    }
    let winners = strata.members.map(\.summary.confirmedWinner)
    for (member, index) in strata.gridOrder {
      let part = strata.members[member].summary
      let point = part.points[index]
      try append(point, of: part, winner: winners[member], [point.point] + point.runs.axisValues + [strata.members[member].name])
    }
    for point in summary.points {
      let values = axes.map { axis in summary.axes.firstIndex(of: axis).map { point.axisValues[$0] } ?? "" }
      try append(point, of: summary, winner: winner, [""] + values + [strata.wholeName])
    }
  }

  /// Returns the values between a point's name and its last column.
  private func values(_ point: PointSummary, of part: SweepSummary) -> [Table.Value] {
    let (comparison, schema) = (point.comparison, part.schema)
    let largest = point.headlineMean.map { max($0, $0 - (comparison?.difference ?? 0)) }
    var values: [Table.Value] = [
      .flag(point.isBaseline), .count(point.repetitions),
      Self.number(point.headlineMean, point.headlineInterval(confidence: part.confidence), besides: largest),
      Self.number(comparison?.difference, comparison?.differenceInterval, besides: largest),
      Self.number(comparison?.percent, comparison?.percentInterval),
      .number(ShownNumber(comparison?.holmPValue, decimals: Self.probabilityDecimals)), Self.verdict(point),
      Self.number(point.headroomMean),
    ]
    values += otherMetrics.map { Self.number(point.mean($0), $0 == schema.cost ? point.costInterval(confidence: part.confidence) : nil) }
    values += [.flag(point.isOnFront), comparison?.neededRepetitions.map { .count($0) } ?? ""]
    if isConfirmed { values += confirmation(point, of: part) }
    if hasConstraints { values.append(Self.constraints(point)) }
    if schema.pricesLoaders {
      let price = part.price(of: point)
      values.append(Self.number(price?.perLoader, price?.interval))
    }
    return values
  }

  private func confirmation(_ point: PointSummary, of part: SweepSummary) -> [Table.Value] {
    guard let rerun = part.confirmation?.points.first(like: point) else {
      return ["", "", Self.number(nil), ""] + (hasConstraints ? [""] : [])
    }
    return [
      .count(rerun.repetitions), Self.number(rerun.headlineMean),
      Self.number(rerun.comparison?.difference, rerun.comparison?.differenceInterval), Self.verdict(rerun),
    ] + (hasConstraints ? [Self.constraints(rerun)] : [])
  }

  private static func constraints(_ point: PointSummary) -> Table.Value {
    .text(point.constraints.areKept ? "keeps" : point.constraints.text)
  }

  private static func verdict(_ point: PointSummary) -> Table.Value {
    .verdict(point.comparison?.verdict, point.verdictText, short: point.verdictText)
  }

  /// Returns a number with six decimals, or with four digits of the number `besides` which it stands if that is below 0.001.
  private static func number(_ value: Double?, _ interval: ConfidenceInterval? = nil, besides other: Double? = nil) -> Table.Value {
    var (decimals, rest) = (6, abs(other ?? value ?? 1))
    while rest > 0, rest < 1e-3, decimals < 15 { (decimals, rest) = (decimals + 1, rest * 10) }
    return .number(ShownNumber(value, interval, decimals: decimals))
  }
}
