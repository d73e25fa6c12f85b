// Two axes against each other: the means that a heat map colours and a pivot table writes.

import Analysis

/// The cells of two axes, each the mean of the points that share its two values.
struct AxisPair {
  /// The axes that go across and down, by their indices in the summary, and their values in the sweep file's order.
  let across: Int, down: Int
  let columns: [String], rows: [String]
  /// Row by row; nil where no point is.
  let cells: [GroupMeans.Group?]
  /// The cells with the fewest: one, or several that are level.
  let best: [Int]
  /// The cell that is the baseline and no other point; nil where its cell is the mean over several, or the grid has none of its values.
  let baseline: Int?
  /// The cell that holds the headline's winner, alone or among others; nil where nothing wins.
  let winner: Int?
  private let others: Int

  /// A map with one of its axes across; nil where no cell has a mean.
  init?(_ map: GroupMeans.Map, across: Int, groups: GroupMeans, summary: SweepSummary) {
    let down = across == map.across ? map.down : map.across
    let (columns, rows) = (groups.axes[across].values, groups.axes[down].values)
    let isTurned = across != map.across
    /// The place in the map of a place here.
    func source(_ place: Int) -> Int { isTurned ? place % columns.count * rows.count + place / columns.count : place }
    let places = 0..<columns.count * rows.count
    cells = places.map { map.cells[source($0)] }
    let means = cells.map { $0?.mean.mean ?? .infinity }
    guard let least = means.min(), least < .infinity else { return nil }
    best = means.indices.filter { means[$0] - least <= 1e-9 * max(1, least.magnitude) }
    baseline = map.baseline.flatMap { cell in places.first { source($0) == cell } }
    winner = summary.provenWinner.flatMap { point in
      guard let column = columns.firstIndex(of: point.axisValues[across]), let row = rows.firstIndex(of: point.axisValues[down]) else {
        return nil
      }
      return row * columns.count + column
    }
    (self.across, self.down, self.columns, self.rows) = (across, down, columns, rows)
    others = summary.axes.count - 2
  }

  /// What a cell is the mean over, in words; empty where each is a point.
  var meaning: String {
    let counts = Set(cells.compactMap { $0?.count })
    guard counts.contains(where: { $0 > 1 }) else { return "" }
    let axes = others == 1 ? "the other axis" : "the \(others) other axes"
    // Where conditions leave gaps, two cells may differ because of what they are the means over.
    return counts.count > 1
      ? "each cell is the mean over the values of \(axes) that it has, which are not the same in all cells"
      : "each cell is the mean over \(axes)"
  }
}
