// Wide grids two axes at a time: a list of the best ten hides where in the grid they lie.

/// A table for each pair of axes of a sweep with more points than its list shows.
struct PivotTables {
  /// So many tables are made, those of the axes that move the mean most.
  static let tableLimit = 6
  /// An axis with more values has no table: the longer one of a pair goes down.
  static let rowLimit = 60
  static let columnLimit = 12

  /// The tables with what they show, in a phrase.
  private(set) var tables: [(caption: String, table: Table)] = []
  /// What the cells are, and what was left out.
  private(set) var legend = ""

  /// The tables of a sweep; none where its points are all listed, or where it has no two axes.
  init(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) {
    guard summary.ranking.count > PointTable.rowLimit else { return }
    let data = ChartData(summary, names: names, sweep: sweep)
    let groups = GroupMeans(summary, sweep: sweep)
    guard !groups.isEmpty else { return }
    let axes = AxisSpread.all(groups, data, limit: .max)
    guard axes.count > 1 else { return }
    let pairs = axes.indices.flatMap { first in axes[(first + 1)...].map { (axes[first], $0) } }
      .sorted { ($1.0.spread + $1.1.spread, $0.0.axis, $0.1.axis) < ($0.0.spread + $0.1.spread, $1.0.axis, $1.1.axis) }
    var leftOut: [String] = []
    var meanings: [String] = []
    for (one, other) in pairs {
      let (down, across) = (one.count, other.axis) >= (other.count, one.axis) ? (one, other) : (other, one)
      let name = "\(names.axes[down.axis]) and \(names.axes[across.axis])"
      guard tables.count < Self.tableLimit, down.count <= Self.rowLimit, across.count <= Self.columnLimit,
        let pair = AxisPair(across: across.axis, down: down.axis, groups: groups, data: data)
      else {
        leftOut.append(name)
        continue
      }
      let meaning = pair.meaning(data)
      if !meaning.isEmpty { meanings.append(meaning) }
      tables.append((data.title("\(data.words.headline) by \(name)"), Self.table(pair, names, data)))
    }
    legend = Self.legend(meanings.first ?? "each cell is a point", leftOut, tables: tables.count)
  }

  private static func table(_ pair: AxisPair, _ names: PointNames, _ data: ChartData) -> Table {
    var table = Table(
      columns: [Table.Column("\(names.axes[pair.down]) ↓ \(names.axes[pair.across]) →")] + pair.columns.map { Table.Column($0, .right) })
    for (row, value) in pair.rows.enumerated() {
      let cells = pair.columns.indices.map { column -> Table.Cell in
        let place = row * pair.columns.count + column
        guard let cell = pair.cells[place] else { return Table.Cell("") }
        let interval = cell.mean.interval(confidence: data.summary.confidence)
        let text = Precision.text(cell.mean.mean, interval, limit: Digits.loaders)
        return Table.Cell(
          place == pair.baseline ? "\(text) (baseline)" : text, style: place == pair.best ? .strong : .plain)
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
      let limits = "\(rowLimit) values down, \(columnLimit) across, \(tableLimit) tables"
      sentences.append("Left out, as beyond the limits of \(limits): \(shown).")
    }
    return sentences.joined(separator: " ")
  }
}
