// Decodes points of a grid before the first run, so that mistakes at any point are reported together.

import Base

/// Validates points and reports each problem once, even if many points share it.
final class GridValidator {
  /// The largest grid whose points are all validated up front. Points of larger grids are validated again when they run.
  private static let allPointsLimit = 20_000

  private let sink: DiagnosticSink
  private var seen: Set<Diagnostic> = []
  /// The largest number of problems that a point reported only as a count. Other points mostly have the same ones.
  private var uncounted = 0
  /// True while contradictions of several axes are left to `where`.
  private var leavesContradictions = false

  init(sink: DiagnosticSink) { self.sink = sink }

  /// Validates each value of each axis, with the others at their first; reports two that make one point, since their rows would look alike.
  func validateEachValue(of grid: Grid, leavesContradictions: Bool) {
    self.leavesContradictions = leavesContradictions
    defer { self.leavesContradictions = false }
    let decoder = PointDecoder(grid)
    var coordinates = [Int](repeating: 0, count: grid.dimensions.count)
    let first = decodedID(grid) { () throws(InvalidInput) in try decoder.whole(coordinates).id }
    let uses = Dictionary(grid.paths.map { ($0, 1) }, uniquingKeysWith: +)
    for (index, dimension) in grid.dimensions.enumerated() {
      // A path swept twice is reported elsewhere; one of its axes has no effect.
      let hasOwnPaths = dimension.paths.allSatisfy { uses[$0] == 1 }
      var earlier: [UInt64: Int] = first.map { [$0: 0] } ?? [:]
      for coordinate in 0..<dimension.count where coordinate > 0 && !sink.isFull {
        coordinates[index] = coordinate
        guard let id = decodedID(grid, { () throws(InvalidInput) in try decoder.id(coordinates: coordinates) }) else { continue }
        if let other = earlier.updateValue(coordinate, forKey: id), hasOwnPaths { reportSame(dimension, other, coordinate) }
      }
      coordinates[index] = 0
    }
  }

  /// Validates all points; of a grid that is too large and has conditions, the first point with each value of each axis.
  func validateAll(_ grid: Grid) {
    let decoder = PointDecoder(grid)
    guard grid.count <= Self.allPointsLimit else {
      if !grid.conditions.isEmpty { validateFirstOfEachValue(grid, decoder) }
      return
    }
    var indices: [UInt64: Int] = [:]
    for index in 0..<grid.count {
      guard let id = decodedID(grid, { () throws(InvalidInput) in try decoder.id(index) }) else { continue }
      guard let earlier = indices.updateValue(index, forKey: id) else { continue }
      sink.report(
        at: grid.dimensions[0].location, key: "axes", problem: "make point \(earlier + 1) and point \(index + 1) the same scenario",
        remedy: "take values out, or add a condition to where")
      return
    }
  }

  private func validateFirstOfEachValue(_ grid: Grid, _ decoder: PointDecoder) {
    var seen = grid.dimensions.map { [Bool](repeating: false, count: $0.count) }
    var unseen = seen.reduce(0) { $0 + $1.count }
    for index in 0..<grid.count where unseen > 0 && !sink.isFull {
      var isFirst = false
      for (dimension, coordinate) in grid.coordinates(index).enumerated() where !seen[dimension][coordinate] {
        (seen[dimension][coordinate], isFirst) = (true, true)
        unseen -= 1
      }
      if isFirst { _ = decodedID(grid) { () throws(InvalidInput) in try decoder.id(index) } }
    }
  }

  private func reportSame(_ dimension: Grid.Dimension, _ earlier: Int, _ later: Int) {
    let texts = [earlier, later].map { coordinate in
      dimension.values.compactMap { $0.indices.contains(coordinate) ? shortened($0[coordinate].canonicalJSON, to: 60) : nil }
        .joined(separator: " with ")
    }
    sink.report(
      at: dimension.location, key: dimension.paths.joined(separator: ", "),
      problem: texts[0] == texts[1] ? "has \(texts[0]) twice" : "has \(texts[0]) and \(texts[1]), which make the same scenario",
      remedy: "take one of them out")
  }

  /// Returns a point's id; nil after a report.
  private func decodedID(_ grid: Grid, _ id: () throws(InvalidInput) -> UInt64) -> UInt64? {
    do throws(InvalidInput) { return try id() } catch {
      let more = error.count - error.diagnostics.count
      sink.countMore(max(0, more - uncounted))
      uncounted = max(uncounted, more)
      for var diagnostic in error.diagnostics {
        if let condition = diagnostic.condition, let paths = try? WhereExpression.parse(condition).paths,
          paths.allSatisfy({ path in grid.dimensions.contains { $0.count > 1 && $0.affects(path) } })
        {
          if leavesContradictions { continue }
          diagnostic.remedy += "; to leave such points out, write where: [\"\(condition)\"]"
        }
        // An unknown key is reported once for all values of an axis.
        var key = diagnostic
        if key.code == .unknownKey { key.location = SourceLocation(file: "") }
        // The set only detects duplicates; the order of reports is the list's.
        if seen.insert(key).inserted { sink.report(diagnostic) }
      }
      return nil
    }
  }
}
