// summary.csv: one line a point in the grid's order, for scripts and spreadsheets.

/// The table of all points.
public enum SummaryCSV {
  /// Decimals of a p-value; other numbers have six at most, which is finer than any of them is known.
  private static let probabilityDecimals = 9
  private static let decimals = 6

  /// The metrics whose means close each line.
  private static let otherMetrics = Metric.allCases.filter { $0 != .loadersPer1000 }

  /// The columns between the axes and the means.
  private static let fixedColumns = [
    "baseline", "repetitions", "loadersPer1000", "loadersPer1000Low", "loadersPer1000High", "difference", "differenceLow",
    "differenceHigh", "percent", "percentLow", "percentHigh", "pHolm", "verdict", "headroom",
  ]

  /// The whole table. Numbers are rounded to six decimals, p-values to nine, zeros at the end left off; what is not known is empty.
  public static func table(_ summary: SweepSummary) -> Table {
    let names = ["point"] + summary.axes + fixedColumns + otherMetrics.map(\.rawValue)
    var table = Table(columns: names.map { Table.Column($0) })
    for point in summary.points { table.append(cells(point, confidence: summary.confidence).map { Table.Cell($0) }) }
    return table
  }

  /// The whole file.
  public static func text(_ summary: SweepSummary) -> String { table(summary).csv }

  private static func cells(_ point: PointSummary, confidence: Double) -> [String] {
    let comparison = point.comparison
    let loaders = point.interval(.loadersPer1000, confidence: confidence)
    var cells = [point.point] + point.axisValues
    cells += [point.isBaseline ? "true" : "false", String(point.repetitions)]
    cells += [number(point.mean(.loadersPer1000)), number(loaders?.low), number(loaders?.high)]
    let difference = comparison?.differenceInterval
    cells += [number(comparison?.difference), number(difference?.low), number(difference?.high)]
    let percent = comparison?.percentInterval
    cells += [number(comparison?.percent), number(percent?.low), number(percent?.high)]
    cells.append(comparison?.holmPValue.map { DecimalText.trimmed($0, decimals: probabilityDecimals) } ?? "")
    cells.append(point.isBaseline ? "baseline" : comparison?.verdict.description ?? "")
    cells.append(number(point.headroomMean))
    return cells + otherMetrics.map { number(point.mean($0)) }
  }

  private static func number(_ value: Double?) -> String {
    value.map { DecimalText.trimmed($0, decimals: decimals) } ?? ""
  }
}
