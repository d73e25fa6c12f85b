// Wide grids two axes at a time: a list of the best ten hides where in the grid they lie.

import Analysis

/// A table for each pair of axes of a sweep with more points than its list shows.
struct PivotTables {
  /// The tables with what they show, in a phrase.
  private(set) var tables: [(caption: String, table: Table)] = []
  /// What the cells are, and what was left out.
  private(set) var legend = ""

  /// The tables of a sweep; none where its points are all listed, or where it has no two axes.
  init(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) {
    guard summary.ranking.count > PointTable.rowLimit else { return }
    let data = ChartData(summary, names: names, sweep: sweep)
    guard let groups = summary.groups else { return }
    let axes = groups.axes.indices.filter { groups.axes[$0].values.count > 1 }
    var leftOut = axes.enumerated().flatMap { place, axis in axes[(place + 1)...].map { [axis, $0] } }
    var meanings: [String] = []
    for map in groups.maps where groups.axes[map.down].values.count <= GroupMeans.narrowLimit {
      guard let pair = AxisPair(map, across: map.down, groups: groups, summary: summary) else { continue }
      meanings.append(pair.meaning)
      let name = Self.name([pair.down, pair.across], names)
      tables.append((data.title("\(data.words.headline) by \(name)"), Self.table(pair, names, data)))
      leftOut.removeAll { $0 == [pair.down, pair.across].sorted() }
    }
    // What is said of a table with gaps, which is longer, holds for all: some of their cells may be over fewer points, too.
    let meaning = meanings.max { $0.count < $1.count } ?? ""
    legend = Self.legend(meaning.isEmpty ? "each cell is a point" : meaning, leftOut.map { Self.name($0, names) }, tables: tables.count)
  }

  private static func name(_ axes: [Int], _ names: PointNames) -> String { axes.map { names.axes[$0] }.joined(separator: " and ") }

  private static func table(_ pair: AxisPair, _ names: PointNames, _ data: ChartData) -> Table {
    var table = Table(
      columns: [Table.Column("\(names.axes[pair.down]) ↓ \(names.axes[pair.across]) →")] + pair.columns.map { Table.Column($0, .right) })
    for (row, value) in pair.rows.enumerated() {
      let cells = pair.columns.indices.map { column -> Table.Cell in
        let place = row * pair.columns.count + column
        guard let cell = pair.cells[place] else { return Table.Cell("") }
        let interval = cell.mean.interval(confidence: data.summary.confidence, range: 0...data.summary.schema.headline.limit)
        let text = Precision.text(cell.mean.mean, interval, limit: Digits.loaders)
        return Table.Cell(
          place == pair.baseline ? "\(text) (baseline)" : text, style: pair.best.contains(place) ? .strong : .plain)
      }
      table.append([Table.Cell(value)] + cells)
    }
    return table
  }

  private static func legend(_ meaning: String, _ leftOut: [String], tables: Int) -> String {
    var sentences: [String] = []
    if tables > 0 {
      let subject = meaning.prefix(1).uppercased() + meaning.dropFirst()
      sentences.append("\(subject), with the digits that its interval by itself supports; the fewest of a table are bold.")
    }
    if !leftOut.isEmpty {
      let shown = leftOut.prefix(8).joined(separator: "; ") + (leftOut.count > 8 ? "; and \(leftOut.count - 8) more" : "")
      let limits = "\(GroupMeans.valueLimit) values down, \(GroupMeans.narrowLimit) across, \(GroupMeans.mapLimit) tables"
      sentences.append("Left out, as beyond the limits of \(limits): \(shown).")
    }
    return sentences.joined(separator: " ")
  }
}
