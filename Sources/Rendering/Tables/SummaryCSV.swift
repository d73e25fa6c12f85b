// summary.csv: one line per point in the grid's order, for scripts and spreadsheets.

import Analysis
import Base

package enum SummaryCSV {
  package static let fileName = "summary.csv"
  /// The decimals of a p-value; other numbers have six at most, which is finer than their uncertainty.
  private static let probabilityDecimals = 9
  private static let decimals = 6
  private static func otherMetrics(_ schema: RunSchema) -> [Metric] { schema.metrics.filter { $0 != schema.headline } }

  private static func fixedColumns(_ schema: RunSchema) -> [String] {
    let headline = schema.headline.rawValue
    return [
      "baseline", "repetitions", headline, "\(headline)Low", "\(headline)High", "difference", "differenceLow", "differenceHigh", "percent",
      "percentLow", "percentHigh", "pHolm", "verdict", "headroom",
    ]
  }

  /// The columns after the means: true if the point is on the Pareto front, and the repetitions that an inconclusive point needs in all.
  private static let closingColumns = ["paretoFront", "neededRepetitions"]

  /// The columns of a confirmation, if there is one.
  private static func confirmationColumns(_ schema: RunSchema) -> [String] {
    [
      "freshRepetitions", "fresh\(Words.capitalized(schema.headline.rawValue))", "freshDifference", "freshDifferenceLow",
      "freshDifferenceHigh", "freshVerdict",
    ] + (schema.constrained.isEmpty ? [] : ["freshConstraints"])
  }

  /// The columns of what each loader spared costs, if the sweep asks for it.
  private static let priceColumns = ["bytesPerLoaderSpared", "bytesPerLoaderSparedLow", "bytesPerLoaderSparedHigh"]

  /// The last column: true for the winner and the points that are not shown to be worse, empty without a winner.
  private static let peerColumn = "asGoodAsWinner"

  private static func constraints(_ point: PointSummary) -> String { point.constraints.areKept ? "keeps" : point.constraints.text }

  /// Writes the table line by line, because a sweep may have a million points. Missing numbers are empty cells. With strata, each line
  /// names its stratum; the settings of the weighted whole follow at the end, without a point's id.
  /// - Throws: the errors of `receive`.
  package static func write<Failure: Error>(
    _ summary: SweepSummary, to receive: (_ line: [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let isConfirmed = summary.confirmation != nil || summary.strata?.members.contains { $0.summary.confirmation != nil } == true
    let hasConstraints = !summary.schema.constrained.isEmpty
    let axes = summary.strata?.gridAxes ?? summary.axes
    let names =
      ["point"] + axes + (summary.strata == nil ? [] : ["stratum"]) + fixedColumns(summary.schema)
      + otherMetrics(summary.schema).map(\.rawValue) + closingColumns
      + (isConfirmed ? confirmationColumns(summary.schema) : []) + (hasConstraints ? ["constraints"] : [])
      + (summary.schema.pricesLoaders ? priceColumns : []) + [peerColumn]
    /// - Throws: the errors of `receive`.
    func append(_ cells: [String]) throws(Failure) {
      var line: [UInt8] = []
      CSVText.appendLine(cells.map(SafeText.line), to: &line)
      try receive(line)
    }
    /// - Throws: the errors of `receive`.
    func append(_ point: PointSummary, of part: SweepSummary, winner: PointSummary?, _ key: [String]) throws(Failure) {
      let peer = winner.map { point.isAsGoodAsWinner || point.isSame(as: $0) ? "true" : "false" } ?? ""
      try append(
        key + cells(point, part.schema, confidence: part.confidence) + (isConfirmed ? confirmationCells(point, part) : [])
          + (hasConstraints ? [constraints(point)] : []) + (part.schema.pricesLoaders ? priceCells(part.price(of: point)) : []) + [peer])
    }
    try append(names)
    let winner = summary.confirmedWinner
    guard let strata = summary.strata else {
      for point in summary.points { try append(point, of: summary, winner: winner, [point.point] + point.axisValues) }
      return
    }
    let winners = strata.members.map(\.summary.confirmedWinner)
    for (member, index) in strata.gridOrder {
      let part = strata.members[member].summary
      let point = part.points[index]
      let key = [point.point] + point.runs.axisValues + [strata.members[member].name]
      try append(point, of: part, winner: winners[member], key)
    }
    for point in summary.points {
      let values = axes.map { axis in summary.axes.firstIndex(of: axis).map { point.axisValues[$0] } ?? "" }
      try append(point, of: summary, winner: winner, [""] + values + [strata.wholeName])
    }
  }

  private static func cells(_ point: PointSummary, _ schema: RunSchema, confidence: Double) -> [String] {
    let comparison = point.comparison
    let headline = point.headlineInterval(confidence: confidence)
    var cells = [point.isBaseline ? "true" : "false", String(point.repetitions)]
    cells += [number(point.headlineMean), number(headline?.low), number(headline?.high)]
    let difference = comparison?.differenceInterval
    cells += [number(comparison?.difference), number(difference?.low), number(difference?.high)]
    let percent = comparison?.percentInterval
    cells += [number(comparison?.percent), number(percent?.low), number(percent?.high)]
    cells.append(comparison?.holmPValue.map { DecimalText.trimmed($0, decimals: probabilityDecimals) } ?? "")
    cells.append(point.verdictText)
    cells.append(number(point.headroomMean))
    cells += otherMetrics(schema).map { number(point.mean($0)) }
    return cells + [point.isOnFront ? "true" : "false", comparison?.neededRepetitions.map(String.init) ?? ""]
  }

  private static func confirmationCells(_ point: PointSummary, _ part: SweepSummary) -> [String] {
    guard let rerun = part.confirmation?.point(like: point) else { return confirmationColumns(part.schema).map { _ in "" } }
    let interval = rerun.comparison?.differenceInterval
    return [String(rerun.repetitions), number(rerun.headlineMean)]
      + [number(rerun.comparison?.difference), number(interval?.low), number(interval?.high)]
      + [rerun.verdictText] + (part.schema.constrained.isEmpty ? [] : [constraints(rerun)])
  }

  private static func priceCells(_ price: LoaderPrice?) -> [String] {
    [price?.perLoader, price?.interval?.low, price?.interval?.high].map { number($0) }
  }

  private static func number(_ value: Double?) -> String {
    value.map { DecimalText.trimmed($0, decimals: decimals) } ?? ""
  }
}
