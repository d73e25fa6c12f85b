// summary.csv: one line a point in the grid's order, for scripts and spreadsheets.

/// The table of all points.
public enum SummaryCSV {
  /// Decimals of a p-value; other numbers have six at most, which is finer than any of them is known.
  private static let probabilityDecimals = 9
  private static let decimals = 6

  /// The metrics whose means close each line.
  private static func otherMetrics(_ schema: RunSchema) -> [Metric] { schema.metrics.filter { $0 != schema.headline } }

  /// The columns between the axes and the means.
  private static func fixedColumns(_ schema: RunSchema) -> [String] {
    let headline = schema.headline.rawValue
    return [
      "baseline", "repetitions", headline, "\(headline)Low", "\(headline)High", "difference", "differenceLow", "differenceHigh", "percent",
      "percentLow", "percentHigh", "pHolm", "verdict", "headroom",
    ]
  }

  /// The whole table. Numbers are rounded to six decimals, p-values to nine, zeros at the end left off; what is not known is empty.
  public static func table(_ summary: SweepSummary) -> Table {
    let names = ["point"] + summary.axes + fixedColumns(summary.schema) + otherMetrics(summary.schema).map(\.rawValue)
    var table = Table(columns: names.map { Table.Column($0) })
    for point in summary.points { table.append(cells(point, summary.schema, confidence: summary.confidence).map { Table.Cell($0) }) }
    return table
  }

  /// The whole file.
  public static func text(_ summary: SweepSummary) -> String { table(summary).csv }

  private static func cells(_ point: PointSummary, _ schema: RunSchema, confidence: Double) -> [String] {
    let comparison = point.comparison
    let headline = point.interval(schema.headline, confidence: confidence)
    var cells = [point.point] + point.axisValues
    cells += [point.isBaseline ? "true" : "false", String(point.repetitions)]
    cells += [number(point.headlineMean), number(headline?.low), number(headline?.high)]
    let difference = comparison?.differenceInterval
    cells += [number(comparison?.difference), number(difference?.low), number(difference?.high)]
    let percent = comparison?.percentInterval
    cells += [number(comparison?.percent), number(percent?.low), number(percent?.high)]
    cells.append(comparison?.holmPValue.map { DecimalText.trimmed($0, decimals: probabilityDecimals) } ?? "")
    cells.append(point.isBaseline ? "baseline" : comparison?.verdict.description ?? "")
    cells.append(number(point.headroomMean))
    return cells + otherMetrics(schema).map { number(point.mean($0)) }
  }

  private static func number(_ value: Double?) -> String {
    value.map { DecimalText.trimmed($0, decimals: decimals) } ?? ""
  }
}
