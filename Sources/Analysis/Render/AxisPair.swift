// Two axes against each other: the means that a heat map colours and a pivot table writes.

/// The cells of two axes, each the mean of the points that share its two values.
struct AxisPair {
  /// The axes that go across and down, by their places among the summary's.
  let across: Int, down: Int
  /// Their values in the sweep file's order.
  let columns: [String], rows: [String]
  /// Row by row; nil where no point is.
  let cells: [GroupMeans.Group?]
  /// The place of the cell with the fewest, the first of several.
  let best: Int
  /// The baseline's place; nil where the grid has none of its values.
  let baseline: Int?

  /// Two axes of a sweep; nil where no cell has a mean.
  init?(across: Int, down: Int, groups: GroupMeans, data: ChartData) {
    let (columns, rows) = (groups.values(axis: across, data), groups.values(axis: down, data))
    let columnPlaces = Dictionary(uniqueKeysWithValues: zip(columns, 0...))
    let rowPlaces = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
    func place(_ point: PointSummary) -> Int? {
      guard let column = columnPlaces[point.axisValues[across]], let row = rowPlaces[point.axisValues[down]] else { return nil }
      return row * columns.count + column
    }
    cells = groups.groups(columns.count * rows.count, of: place)
    let means = cells.map { $0?.mean.mean ?? .infinity }
    guard let best = means.indices.min(by: { (means[$0], $0) < (means[$1], $1) }), means[best] < .infinity else { return nil }
    self.best = best
    baseline = data.summary.baseline.flatMap(place)
    (self.across, self.down, self.columns, self.rows) = (across, down, columns, rows)
  }

  /// What a cell is the mean over, in words; empty where each is a point.
  func meaning(_ data: ChartData) -> String {
    let counts = Set(cells.compactMap { $0?.count })
    guard counts.contains(where: { $0 > 1 }) else { return "" }
    let others = data.summary.axes.count - 2
    let axes = others == 1 ? "the other axis" : "the \(others) other axes"
    // Where conditions leave gaps, two cells may differ because of what they are the means over.
    return counts.count > 1
      ? "each cell is the mean over the values of \(axes) that it has, which are not the same in all cells"
      : "each cell is the mean over \(axes)"
  }
}

/// How far an axis moves the mean.
struct AxisSpread {
  let axis: Int
  let spread: Double
  /// How many values it has.
  let count: Int

  /// The axes of two values or more, those that move the mean most first; axes of more than `limit` values are left out.
  static func all(_ groups: GroupMeans, _ data: ChartData, limit: Int) -> [AxisSpread] {
    data.summary.axes.indices.compactMap { axis -> AxisSpread? in
      let values = groups.values(axis: axis, data)
      guard values.count > 1, values.count <= limit else { return nil }
      let means = groups.groups(axis: axis, values: values).compactMap { $0?.mean.mean }
      return AxisSpread(axis: axis, spread: (means.max() ?? 0) - (means.min() ?? 0), count: values.count)
    }.sorted { ($1.spread, $0.axis) < ($0.spread, $1.axis) }
  }
}

extension GroupMeans {
  /// The values of an axis that its points have, in the sweep file's order.
  func values(axis: Int, _ data: ChartData) -> [String] {
    var present = Set<String>()
    for point in points { present.insert(point.axisValues[axis]) }
    return data.values(axis: axis).filter { present.contains($0) }
  }
}
