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

  /// The first line.
  public static func header(axes: [String]) -> String {
    line(["point"] + axes + fixedColumns + otherMetrics.map(\.rawValue))
  }

  /// The whole file. Numbers are rounded to six decimals, p-values to nine, zeros at the end left off; what is not known is empty.
  public static func text(_ summary: SweepSummary) -> String {
    header(axes: summary.axes) + summary.points.map { line($0, confidence: summary.confidence) }.joined()
  }

  private static func line(_ point: PointSummary, confidence: Double) -> String {
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
    return line(cells + otherMetrics.map { number(point.mean($0)) })
  }

  private static func number(_ value: Double?) -> String {
    value.map { DecimalText.trimmed($0, decimals: decimals) } ?? ""
  }

  private static func line(_ cells: [String]) -> String {
    var bytes: [UInt8] = []
    CSVText.appendLine(cells, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
