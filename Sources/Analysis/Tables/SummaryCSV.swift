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
  ///
  /// Of a sweep with strata, each line says its stratum and is compared within that; the settings over all strata follow at the end,
  /// without a point's id and without values of the axes that make the strata.
  public static func table(_ summary: SweepSummary) -> Table {
    guard let strata = summary.strata else {
      var table = Table(columns: columns(axes: summary.axes, hasStrata: false))
      for point in summary.points { append(point, [point.point] + point.axisValues, confidence: summary.confidence, to: &table) }
      return table
    }
    var table = Table(columns: columns(axes: strata.gridAxes, hasStrata: true))
    for (member, place) in strata.gridOrder {
      let point = strata.members[member].summary.points[place]
      let name = strata.members[member].name
      append(point, [point.point] + point.gridValues + [name], confidence: summary.confidence, to: &table)
    }
    for point in summary.points {
      let values = strata.gridAxes.map { axis in summary.axes.firstIndex(of: axis).map { point.axisValues[$0] } ?? "" }
      append(point, [""] + values + [strata.wholeName], confidence: summary.confidence, to: &table)
    }
    return table
  }

  private static func columns(axes: [String], hasStrata: Bool) -> [Table.Column] {
    let names = ["point"] + axes + (hasStrata ? ["stratum"] : []) + fixedColumns + otherMetrics.map(\.rawValue)
    return names.map { Table.Column($0) }
  }

  /// The whole file.
  public static func text(_ summary: SweepSummary) -> String { table(summary).csv }

  private static func append(_ point: PointSummary, _ key: [String], confidence: Double, to table: inout Table) {
    let comparison = point.comparison
    let loaders = point.interval(.loadersPer1000, confidence: confidence)
    var cells = key
    cells += [point.isBaseline ? "true" : "false", String(point.repetitions)]
    cells += [number(point.mean(.loadersPer1000)), number(loaders?.low), number(loaders?.high)]
    let difference = comparison?.differenceInterval
    cells += [number(comparison?.difference), number(difference?.low), number(difference?.high)]
    let percent = comparison?.percentInterval
    cells += [number(comparison?.percent), number(percent?.low), number(percent?.high)]
    cells.append(comparison?.holmPValue.map { DecimalText.trimmed($0, decimals: probabilityDecimals) } ?? "")
    cells.append(point.isBaseline ? "baseline" : comparison?.verdict.description ?? "")
    cells.append(number(point.headroomMean))
    cells += otherMetrics.map { number(point.mean($0)) }
    table.append(cells.map { Table.Cell($0) })
  }

  private static func number(_ value: Double?) -> String {
    value.map { DecimalText.trimmed($0, decimals: decimals) } ?? ""
  }
}
