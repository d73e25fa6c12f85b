// The points of a sweep: combinations of axis values, found by index arithmetic.

import Import

/// A grid of points over a scenario.
///
/// Axes multiply; the paths of a zip group walk together and multiply with the rest. The first axis varies slowest. Points are
/// computed from their index and never stored; only where conditions leave gaps is a bit kept for each combination.
package struct Grid: Sendable {
  /// The most points, before conditions.
  package static let pointLimit = 1_000_000

  /// Paths that take their values together: one for an axis, several for a zip group.
  package struct Dimension: Sendable {
    package var paths: [String]
    /// The values of each path; all of one length.
    package var values: [[JSON5Value]]
    /// Where it stands in the file.
    package var location: SourceLocation

    package var count: Int { values.first?.count ?? 0 }
  }

  /// What is known of its points.
  let points: GridPoints
  /// What the command line sets in the scenario.
  package let settings: [(path: String, value: JSON5Value)]
  /// The conditions of `where`.
  let conditions: [(WhereExpression, SourceLocation)]
  /// The combinations that hold; nil if all do.
  private let kept: CombinationSet?
  /// How many combinations there are before conditions.
  let combinationCount: Int

  package var base: JSON5Value { points.base }
  var dimensions: [Dimension] { points.dimensions }
  package var decoder: ScenarioDecoder { points.decoder }
  /// Those of the settings that reach into what an axis replaces as a whole, as `network.transport` into an axis `network`: laid over
  /// each of its values, they hold for all points.
  package var laid: [(path: String, value: JSON5Value)] { points.laid }

  /// The swept paths in the order of columns.
  package var paths: [String] { dimensions.flatMap(\.paths) }

  /// How many points there are.
  package var count: Int { kept?.count ?? combinationCount }

  /// A grid of points, at most `pointLimit`; those that `holds` refuses, by number, are left out.
  init(
    _ points: GridPoints, settings: [(path: String, value: JSON5Value)] = [], conditions: [(WhereExpression, SourceLocation)] = [],
    holds: ((_ combination: Int) -> Bool)? = nil
  ) {
    self.points = points
    self.conditions = conditions
    self.settings = settings
    let count = Self.combinations(of: points.dimensions)
    combinationCount = count
    kept = holds.map { holds in CombinationSet(limit: count, holds: holds) }
  }

  /// How many combinations the values of some dimensions make; `Int.max` where there are more.
  package static func combinations(of dimensions: [Dimension]) -> Int {
    // An empty dimension leaves none, however many the others have.
    if dimensions.contains(where: { $0.count == 0 }) { return 0 }
    return dimensions.reduce(1) { product, dimension in
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: dimension.count)
      return isTooLarge ? Int.max : next
    }
  }

  /// The values of a point, one for each of `paths`. O(paths).
  package func values(_ index: Int) -> [JSON5Value] { Self.values(combination(index), dimensions) }

  /// A point's place in each of some dimensions. O(dimensions).
  package func places(_ index: Int, in wanted: [Int]) -> [Int] {
    var all = [Int](repeating: 0, count: dimensions.count)
    forEachPlace(index) { all[$0] = $1 }
    return wanted.map { all[$0] }
  }

  /// Which of all combinations a point is.
  func combination(_ index: Int) -> Int { kept.map { $0[index] } ?? index }

  /// Calls `body` with the place of a point in each dimension, the last one first.
  func forEachPlace(_ index: Int, _ body: (_ dimension: Int, _ place: Int) -> Void) {
    var rest = combination(index)
    for dimension in dimensions.indices.reversed() {
      body(dimension, rest % dimensions[dimension].count)
      rest /= dimensions[dimension].count
    }
  }

  /// The place of a combination given by its place in each dimension; nil if conditions leave it out. O(dimensions).
  package func index(of places: [Int]) -> Int? {
    let combination = zip(places, dimensions).reduce(0) { $0 * $1.1.count + $1.0 }
    guard let kept else { return combination }
    return kept.place(of: combination)
  }

  /// The scenario of a point as a tree. O(scenario).
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  package func scenario(_ index: Int) throws(InvalidInput) -> JSON5Value {
    try Self.overlay(zip(paths, values(index)).map { ($0, $1) } + laid, on: base)
  }

  /// The settings that reach into what one of the dimensions replaces as a whole.
  package static func laid(_ settings: [(path: String, value: JSON5Value)], over dimensions: [Dimension]) -> [(
    path: String, value: JSON5Value
  )] {
    settings.filter { setting in dimensions.contains { $0.paths.contains { setting.path.hasPrefix($0 + ".") } } }
  }

  /// A scenario with values at paths.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  package static func overlay(_ settings: [(String, JSON5Value)], on base: JSON5Value) throws(InvalidInput) -> JSON5Value {
    do { return try base.setting(settings, expanding: ScenarioText.expanding) } catch {
      let (path, value) = settings[error.index]
      throw InvalidInput(diagnostics: [
        Diagnostic(location: value.location, key: path, problem: error.problem.problem, remedy: error.problem.remedy)
      ])
    }
  }

  package static func values(_ combination: Int, _ dimensions: [Dimension]) -> [JSON5Value] {
    var rest = combination
    var values: [JSON5Value] = []
    for dimension in dimensions.reversed() {
      let place = rest % dimension.count
      rest /= dimension.count
      for column in dimension.values.reversed() { values.append(column[place]) }
    }
    return values.reversed()
  }
}
