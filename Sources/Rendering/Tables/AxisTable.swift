// The table of the axes: how much of the differences between points each explains.

import Analysis

/// A table with its title, and the explanation below it.
struct ExplainedTable {
  let title: String
  let table: Table
  let legend: String

  /// Returns table and explanation for a page; the caption is the title after `scope`.
  func html(of scope: String = "") -> String { table.html(caption: scope + title) + "<p>\(XMLText.line(legend))</p>\n" }

  /// Returns the Sobol indices of the points that charts show, the axis with the largest total first; nil unless they are a complete grid.
  static func axes(_ summary: SweepSummary, sweep: SweepDescription) -> ExplainedTable? {
    let part = ReportPart(drawing: summary, sweep: sweep)
    guard let marginal = part.summary.marginalMeans, let indices = marginal.indices else { return nil }
    let axes = indices.axes.indices.filter { marginal.axes[$0].values.count > 1 }
      .sorted { (indices.axes[$1].total.value, $0) < (indices.axes[$0].total.value, $1) }
    let level = indices.axes[axes[0]].total.interval == nil ? "" : part.level
    var table = Table(columns: ["axis", .right("alone", level: level), .right("with interactions", level: level)])
    for axis in axes {
      let numbers = [indices.axes[axis].first, indices.axes[axis].total].map {
        ShownNumber($0.value * 100, $0.interval?.scaled(by: 100), decimals: 1, unit: " %")
      }
      table.append([.text(part.axes[axis])] + numbers.map { .number($0) })
    }
    let sentences = axes.map { sentence(part.axes[$0], indices.axes[$0].first.value, indices.axes[$0].total.value) }
    let legend =
      sentences.joined(separator: "; ")
      + ". Each is a share of the variance between the means of the points\(part.scope.isEmpty ? "" : " (\(part.scope))"), alone or with interactions: "
      + "Sobol's first-order and total index over the full grid, each value counted equally, without the noise of the repetitions. An axis "
      + "with other values has other shares."
    return ExplainedTable(title: "Which axes matter", table: table, legend: legend)
  }

  private static func sentence(_ name: String, _ first: Double, _ total: Double) -> String {
    let more = total - first < 0.005 ? "" : ", and \(Words.share(total - first)) more together with other axes"
    return "\(name) alone explains \(Words.share(first)) of the variance between points\(more)"
  }
}
