// The rows of a sweep in memory, by column: what `run`, `merge` and `report` fill row by row, and what every table is computed from.

/// The runs of a sweep: for what tables pair a value a run, for the other metrics a mean a point.
///
/// A run takes 28 bytes. A point takes some 1.2 KB beside its runs.
package struct RunColumns: Sendable {
  /// The swept parameters by their paths.
  package let axes: [String]
  /// What the rows measure.
  package let schema: RunSchema
  /// The points in the order in which they first came.
  package private(set) var points: [PointRuns] = []
  /// The number of runs.
  package private(set) var count = 0

  private var indices: [String: Int] = [:]
  private var last: Int?
  private var seeds = RepetitionSeeds()

  /// No runs yet of a table with the given axes.
  package init(axes: [String], schema: RunSchema = .feed) { (self.axes, self.schema) = (axes, schema) }

  /// No runs yet of a sweep.
  package init(_ sweep: SweepDescription) { self.init(axes: sweep.axes.map(\.path), schema: sweep.schema) }

  /// True if there is no run.
  package var isEmpty: Bool { points.isEmpty }

  /// Takes a row. Rows may come in any order; points stay in the order in which they first came. O(1) where a point's repetitions rise.
  ///
  /// Two points of the grid that resolve to the same scenario share an id and stay two points.
  ///
  /// - Throws: `ReportError` for a run that came before, and for a second seed of a repetition.
  package mutating func add(_ row: RunRow) throws(ReportError) {
    let index = index(of: row)
    last = index
    if let other = seeds.add(row.seed, repetition: row.repetition) {
      throw .seedsDiffer(repetition: row.repetition, other.seed, row.seed)
    }
    guard points[index].add(row, schema: schema) else { throw .duplicateRun(point: row.point, repetition: row.repetition) }
    count += 1
  }

  private mutating func index(of row: RunRow) -> Int {
    if let last, points[last].point == row.point, points[last].axisValues == row.axisValues { return last }
    let key = ([row.point] + row.axisValues).joined(separator: "\u{1F}")
    if let known = indices[key] { return known }
    indices[key] = points.count
    points.append(PointRuns(point: row.point, axisValues: row.axisValues))
    return points.count - 1
  }
}
