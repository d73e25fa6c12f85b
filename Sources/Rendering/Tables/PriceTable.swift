// The table of what each loader spared costs in megabytes, for sweeps with the metric `bytesPerHour`.

import Analysis

struct PriceTable {
  static let title = "Megabytes per loader spared"
  let table: Table
  let legend: String

  /// Creates the table of the best points; nil if the sweep does not ask, or there is nothing to compare.
  init?(_ part: ReportPart) {
    let (shown, level) = (
      part.best(PointTable.topCount).compactMap { point in part.summary.price(of: point).map { (point, $0) } }, part.intervalLevel
    )
    guard !shown.isEmpty else { return nil }
    let spared = Precision.decimals(shown.map { ($1.spared, $1.sparedInterval) }, limit: Digits.loaders)
    let bytes = Precision.decimals(shown.map { ($1.bytes / 1e6, nil) }, limit: Digits.megabytes)
    let each = Precision.decimals(shown.map { ($1.perLoader.map { $0 / 1e6 }, $1.interval?.scaled(by: 1e-6)) }, limit: 3)
    var table = Table(
      columns: part.nameColumns + [
        .right("loaders spared a run", level: level), .right("MB more a run"), .right("MB per loader spared", level: level),
      ])
    for (point, price) in shown {
      table.append(
        part.nameCells(point) + [
          .number(.change(price.spared, price.sparedInterval, spared)), .number(ShownNumber(price.bytes / 1e6, decimals: bytes)),
          Self.perLoader(price, each),
        ])
    }
    self.table = table
    legend =
      "Megabytes received more than the baseline, divided by the loaders spared, in pairs of runs with Fieller's interval. A negative number saves "
      + "bytes as well. Without loaders that are surely spared there is nothing to divide by."
  }

  private static func perLoader(_ price: LoaderPrice, _ decimals: Int) -> Table.Value {
    guard let perLoader = price.perLoader else { return price.spared > 0 ? "none surely spared" : "none spared" }
    return .number(ShownNumber(perLoader / 1e6, price.interval?.scaled(by: 1e-6), decimals: decimals))
  }
}
