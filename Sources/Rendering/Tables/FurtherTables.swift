// The tables of metrics that a sweep names, which follow that of its points: their means, and the price of fewer loaders.

import Analysis

extension ReportPart {
  var furtherTables: [ExplainedTable] { [metricTable, priceTable].compactMap(\.self) }

  /// The means of the further metrics: the best points and the baseline; nil if the sweep names no metric besides its headline.
  private var metricTable: ExplainedTable? {
    // A weighted whole has no quantiles and ratios.
    let metrics = summary.schema.further.filter { metric in
      metric != summary.schema.headline && (summary.strata == nil || summary.points.contains { $0.mean(metric) != nil })
    }
    guard !metrics.isEmpty else { return nil }
    let points = best(PointTable.topCount)
    let columns = metrics.map { metric in Self.cells(points.map { $0.mean(metric) }, of: metric) }
    var table = Table(columns: nameColumns + metrics.map { .right($0.inTables.heading) })
    for (row, point) in points.enumerated() { table.append(nameCells(point) + columns.map { $0[row] }) }
    return ExplainedTable(
      title: "Further metrics", table: table,
      legend: "Means over the repetitions that have a value; none: no repetition has one. "
        + metrics.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: " "))
  }

  /// Returns the cells of a column, with about four digits of its largest number.
  private static func cells(_ means: [Double?], of metric: Metric) -> [Table.Value] {
    let values = means.map { mean in mean.map { $0 * metric.inTables.scale } }
    let largest = values.compactMap { $0?.magnitude }.max() ?? 0
    let decimals = Precision.decimals(values.map { ($0, nil) }, limit: largest >= 1000 ? 0 : largest >= 10 ? 1 : largest >= 1 ? 2 : 4)
    return values.map { $0 == nil ? "none" : .number(ShownNumber($0, decimals: decimals)) }
  }

  /// The megabytes that each loader spared costs, of the best points; nil if the sweep does not ask, or there is nothing to compare.
  private var priceTable: ExplainedTable? {
    let shown = best(PointTable.topCount).compactMap { point in summary.price(of: point).map { (point, $0) } }
    guard !shown.isEmpty else { return nil }
    let spared = Precision.decimals(shown.map { ($1.spared, $1.sparedInterval) }, limit: Digits.loaders)
    let bytes = Precision.decimals(shown.map { ($1.bytes / 1e6, nil) }, limit: Digits.megabytes)
    let each = Precision.decimals(shown.map { ($1.perLoader.map { $0 / 1e6 }, $1.interval?.scaled(by: 1e-6)) }, limit: 3)
    var table = Table(
      columns: nameColumns + [
        .right("loaders spared a run", level: intervalLevel), .right("MB more a run"),
        .right("MB per loader spared", level: intervalLevel),
      ])
    for (point, price) in shown {
      let perLoader = price.perLoader.map { Table.Value.number(ShownNumber($0 / 1e6, price.interval?.scaled(by: 1e-6), decimals: each)) }
      table.append(
        nameCells(point) + [
          .number(.change(price.spared, price.sparedInterval, spared)), .number(ShownNumber(price.bytes / 1e6, decimals: bytes)),
          perLoader ?? (price.spared > 0 ? "none surely spared" : "none spared"),
        ])
    }
    return ExplainedTable(
      title: "Megabytes per loader spared", table: table,
      legend: "Megabytes received more than the baseline, divided by the loaders spared, in pairs of runs with Fieller's interval. "
        + "A negative number saves bytes as well. Without loaders that are surely spared there is nothing to divide by.")
  }
}
