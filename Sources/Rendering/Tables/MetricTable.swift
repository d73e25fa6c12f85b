// The table of the further metrics that a sweep names, which the table of points has no columns for.

import Analysis

/// The means of the further metrics: the best points and the baseline.
struct MetricTable {
  static let title = "Further metrics"
  let table: Table
  let legend: String

  /// Creates the table of the best points and the baseline; nil if the sweep names no metric besides its headline.
  init?(_ part: ReportPart) {
    let summary = part.summary
    // A weighted whole has no quantiles and ratios.
    let metrics = summary.schema.further.filter { metric in
      metric != summary.schema.headline && (summary.strata == nil || summary.points.contains { $0.mean(metric) != nil })
    }
    guard !metrics.isEmpty else { return nil }
    let points = part.best(PointTable.topCount)
    let columns = metrics.map { metric in Self.cells(points.map { point in point.mean(metric).map { $0 * Self.scale(metric) } }) }
    var table = Table(columns: part.nameColumns + metrics.map { .right($0 == .bytesPerHour ? "bytesPerHour, MB" : $0.rawValue) })
    for (row, point) in points.enumerated() { table.append(part.nameCells(point) + columns.map { $0[row] }) }
    self.table = table
    legend =
      "Means over the repetitions that have a value; none: no repetition has one. "
      + metrics.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: " ")
  }

  private static func scale(_ metric: Metric) -> Double { metric == .bytesPerHour ? 1e-6 : 1 }

  /// Returns the cells of a column, with about four digits of its largest number.
  private static func cells(_ values: [Double?]) -> [Table.Value] {
    let largest = values.compactMap { $0?.magnitude }.max() ?? 0
    let decimals = Precision.decimals(
      values.map { ($0, nil) }, limit: largest >= 1000 ? 0 : largest >= 10 ? 1 : largest >= 1 ? 2 : 4)
    return values.map { $0 == nil ? "none" : .number(ShownNumber($0, decimals: decimals)) }
  }
}
