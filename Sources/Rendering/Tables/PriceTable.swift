// The table of what each loader spared costs in megabytes, for sweeps with the metric `bytesPerHour`.

import Analysis

struct PriceTable {
  static let title = "Megabytes per loader spared"
  let table: Table
  let legend: String

  /// Creates the table of the best points; nil if the sweep does not ask, or there is nothing to compare.
  init?(_ part: ReportPart) {
    let (summary, level) = (part.summary, part.summary.isDeterministic ? "" : " [\(part.level)]")
    let shown = part.best(PointTable.topCount).compactMap { point in summary.price(of: point).map { (point, $0) } }
    guard !shown.isEmpty else { return nil }
    let spared = Precision.decimals(shown.map { ($1.spared, $1.sparedInterval) }, limit: Digits.loaders)
    let bytes = Precision.decimals(shown.map { ($1.bytes / 1e6, nil) }, limit: Digits.megabytes)
    let each = Precision.decimals(shown.map { ($1.perLoader.map { $0 / 1e6 }, $1.interval?.scaled(by: 1e-6)) }, limit: 3)
    table = Table(
      columns: part.nameColumns + ["loaders spared a run\(level)", "MB more a run", "MB per loader spared\(level)"].map { .right($0) },
      rows: shown.map { point, price in
        part.nameCells(point) + [
          Precision.signedWithEnds(price.spared, price.sparedInterval, spared), Precision.fixed(price.bytes / 1e6, bytes),
          Self.text(price, each),
        ]
      })
    legend =
      "Megabytes received more than the baseline, divided by the loaders spared, in pairs of runs with Fieller's interval. A negative number saves "
      + "bytes as well. Without loaders that are surely spared there is nothing to divide by."
  }

  private static func text(_ price: LoaderPrice, _ decimals: Int) -> String {
    guard let perLoader = price.perLoader else { return price.spared > 0 ? "none surely spared" : "none spared" }
    func number(_ value: Double) -> String { Precision.fixed(value / 1e6, decimals) }
    return number(perLoader) + (price.interval.map { " [\(number($0.low)), \(number($0.high))]" } ?? "")
  }
}
