// Pivot tables of wide grids, two axes at a time.

import Analysis

/// The pivot tables of a sweep with more points than its list shows, one for each pair of axes.
struct PivotTables {
  private(set) var tables: [(caption: String, table: Table)] = []
  private(set) var legend = ""

  /// Creates the tables; none if all points are listed, or without two axes.
  init(_ summary: SweepSummary, sweep: SweepDescription) {
    guard summary.ranking.count > PointTable.rowLimit else { return }
    let part = ReportPart(drawing: summary, sweep: sweep)
    guard let marginal = summary.marginalMeans else { return }
    let axes = marginal.axes.indices.filter { marginal.axes[$0].values.count > 1 }
    var leftOut = axes.enumerated().flatMap { index, axis in axes[(index + 1)...].map { [axis, $0] } }
    var meanings: [String] = []
    func name(_ axes: [Int]) -> String { axes.map { part.axes[$0] }.joined(separator: " and ") }
    for map in marginal.maps where marginal.axes[map.down].values.count <= MarginalMeans.narrowLimit {
      guard let pair = AxisPair(map, across: map.down, marginal: marginal, part: part) else { continue }
      meanings.append(pair.meaning)
      tables.append((part.title("\(part.words.headline) by \(name([pair.down, pair.across]))"), Self.table(pair, part)))
      leftOut.removeAll { $0 == [pair.down, pair.across].sorted() }
    }
    var sentences: [String] = []
    if !tables.isEmpty {
      // The longest explanation, of a table with gaps, holds for all tables.
      let longest = meanings.max { $0.count < $1.count } ?? ""
      let meaning = Words.capitalized(longest.isEmpty ? "each cell is a point" : longest)
      sentences.append("\(meaning). All have the decimals that half of their intervals support; the lowest of a table is bold.")
    }
    if !leftOut.isEmpty {
      let limits = "\(MarginalMeans.valueLimit) values down, \(MarginalMeans.narrowLimit) across, \(MarginalMeans.mapLimit) tables"
      sentences.append("Left out, as beyond the limits of \(limits): \(Words.first(8, of: leftOut.map(name))).")
    }
    legend = sentences.joined(separator: " ")
  }

  private static func table(_ pair: AxisPair, _ part: ReportPart) -> Table {
    let corner = Table.Column("\(part.axes[pair.down]) ↓ \(part.axes[pair.across]) →")
    var table = Table(columns: [corner] + pair.columns.map { .right($0) })
    let means = part.means(pair.cells)
    for (row, value) in pair.rows.enumerated() {
      let cells = pair.columns.indices.map { column -> Table.Cell in
        let index = row * pair.columns.count + column
        guard pair.cells[index] != nil else { return Table.Cell("") }
        var mean = means[index]
        if index == pair.baseline { mean.remark = "(baseline)" }
        return Table.Cell(.number(mean), style: pair.best.contains(index) ? .strong : .plain)
      }
      table.append([Table.Cell(value)] + cells)
    }
    return table
  }
}

/// The cells of two axes: each is the mean of the points that share its two values. Heat maps and pivot tables show them.
struct AxisPair {
  /// The indices of the axes that go across and down, and their values in the sweep file's order.
  let across: Int, down: Int
  let columns: [String], rows: [String]
  /// The cells row by row; nil if a cell has no points.
  let cells: [MarginalMeans.Group?]
  /// The indices of the cells with the lowest mean.
  let best: [Int]
  /// The index of the cell that holds the baseline and no other point; nil if there is none.
  let baseline: Int?
  /// The index of the cell that holds the winner; nil if there is no winner.
  let winner: Int?
  private let others: Int

  /// Creates the map with one of its axes across; nil if no cell has a mean.
  init?(_ map: MarginalMeans.Map, across: Int, marginal: MarginalMeans, part: ReportPart) {
    let down = across == map.across ? map.down : map.across
    let (columns, rows) = (marginal.axes[across].values, marginal.axes[down].values)
    let isTurned = across != map.across
    func source(_ index: Int) -> Int { isTurned ? index % columns.count * rows.count + index / columns.count : index }
    let indices = 0..<columns.count * rows.count
    cells = indices.map { map.cells[source($0)] }
    let means = cells.map { $0?.mean.mean ?? .infinity }
    guard let least = means.min(), least < .infinity else { return nil }
    best = means.indices.filter { means[$0] - least <= 1e-9 * max(1, least.magnitude) }
    baseline = map.baseline.flatMap { cell in indices.first { source($0) == cell } }
    winner = part.summary.confirmedWinner.flatMap { point in
      guard let column = columns.firstIndex(of: point.axisValues[across]), let row = rows.firstIndex(of: point.axisValues[down]) else {
        return nil
      }
      return row * columns.count + column
    }
    (self.across, self.down) = (across, down)
    self.columns = columns.map { part.names.value($0, axis: across) }
    self.rows = rows.map { part.names.value($0, axis: down) }
    others = part.axes.count - 2
  }

  /// The explanation of a cell's value, in words; empty if each cell is one point.
  var meaning: String {
    let counts = Set(cells.compactMap { $0?.count })
    guard counts.contains(where: { $0 > 1 }) else { return "" }
    let axes = others == 1 ? "the other axis" : "the \(others) other axes"
    // With gaps, two cells may differ because they are means over different values.
    return counts.count > 1
      ? "each cell is the mean over \(axes), of which some cells have fewer values" : "each cell is the mean over \(axes)"
  }
}
