// The table of the axes: how much of the differences between points each explains.

import Analysis
import Base

/// The Sobol indices of a complete grid as a table, the axis with the largest total first.
struct AxisTable {
  static let title = "Which axes matter"
  private(set) var table: Table?
  private(set) var legend = ""

  /// Creates the table of the points that charts show; none without indices.
  init(_ summary: SweepSummary, sweep: SweepDescription) {
    let part = ReportPart(drawing: summary, sweep: sweep)
    guard let marginal = part.summary.marginalMeans, let indices = marginal.indices else { return }
    let axes = indices.axes.indices.filter { marginal.axes[$0].values.count > 1 }
      .sorted { (indices.axes[$1].total.value, $0) < (indices.axes[$0].total.value, $1) }
    let level = indices.axes[axes[0]].total.interval == nil ? "" : part.level
    var table = Table(columns: ["axis", .right("alone", level: level), .right("with interactions", level: level)])
    for axis in axes {
      let (first, total) = (indices.axes[axis].first, indices.axes[axis].total)
      table.append([.text(part.axes[axis])] + [first, total].map { .number(Self.percent($0)) })
    }
    self.table = table
    let sentences = axes.map { Self.sentence(part.axes[$0], indices.axes[$0].first.value, indices.axes[$0].total.value) }
    legend =
      sentences.joined(separator: "; ")
      + ". Each is a share of the variance between the means of the points\(part.scope.isEmpty ? "" : " (\(part.scope))"), alone or with interactions: "
      + "Sobol's first-order and total index over the full grid, each value counted equally, without the noise of the repetitions. An axis "
      + "with other values has other shares."
  }

  private static func percent(_ index: SobolIndices.Index) -> ShownNumber {
    ShownNumber(index.value * 100, index.interval?.scaled(by: 100), decimals: 1, unit: " %")
  }

  private static func sentence(_ name: String, _ first: Double, _ total: Double) -> String {
    let more = total - first < 0.005 ? "" : ", and \(Words.share(total - first)) more together with other axes"
    return "\(name) alone explains \(Words.share(first)) of the variance between points\(more)"
  }
}
