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
    table = Table(
      columns: part.nameColumns + ["loaders spared a run\(level)", "MB more a run", "MB per loader spared\(level)"].map { .right($0) },
      rows: shown.map { point, price in
        part.nameCells(point) + [
          Precision.signedWithEnds(price.spared, price.sparedInterval, limit: Digits.loaders),
          DecimalText.fixed(price.bytes / 1e6, decimals: Digits.megabytes), Self.text(price),
        ]
      })
    legend =
      "Megabytes received more than the baseline, divided by the loaders spared, in pairs of runs with Fieller's interval. A negative number saves "
      + "bytes as well. Without loaders that are surely spared there is nothing to divide by."
  }

  private static func text(_ price: LoaderPrice) -> String {
    guard let perLoader = price.perLoader else { return price.spared > 0 ? "none surely spared" : "none spared" }
    let interval = price.interval?.scaled(by: 1e-6)
    let ends = interval.map { " [\(number($0.low, $0)), \(number($0.high, $0))]" } ?? ""
    return number(perLoader / 1e6, interval) + ends
  }

  private static func number(_ value: Double, _ interval: ConfidenceInterval?) -> String {
    DecimalText.fixed(value, decimals: max(0, Precision.decimals(halfWidth: interval?.halfWidth, limit: 3)))
  }
}
