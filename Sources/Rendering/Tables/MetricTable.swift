// The table of the further metrics that a sweep names, which the table of points has no columns for.

import Analysis

/// The means of the further metrics: the best points and the baseline.
struct MetricTable {
  static let title = "Further metrics"
  let table: Table
  let legend: String

  /// Creates the table of the best points and the baseline; nil if the sweep names no metric besides its headline.
  init?(_ part: ReportPart) {
    let metrics = part.summary.schema.further.filter { $0 != part.summary.schema.headline }
    guard !metrics.isEmpty else { return nil }
    table = Table(
      columns: part.nameColumns + metrics.map { .right($0 == .bytesPerHour ? "bytesPerHour, MB" : $0.rawValue) },
      rows: part.best(PointTable.topCount).map { point in
        part.nameCells(point)
          + metrics.map { metric in
            point.mean(metric).map { Self.number(metric == .bytesPerHour ? $0 / 1e6 : $0) } ?? "none"
          }
      })
    legend =
      "Means over the repetitions that have a value; none: no repetition has one. "
      + metrics.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: " ")
  }

  /// Returns a number with about four digits.
  private static func number(_ value: Double) -> String {
    DecimalText.trimmed(value, decimals: abs(value) >= 1000 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 4)
  }
}
