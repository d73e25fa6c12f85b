// The points of a sweep: combinations of axis values, computed from their index.

import Base

/// A grid of points over a scenario. Axes multiply; the paths of a zip group vary together. The first axis varies slowest.
/// Points are computed and never stored; only conditions that leave gaps store the numbers of the remaining combinations.
package struct Grid: Sendable {
  package static let pointLimit = 1_000_000

  /// Paths that vary together: one for an axis, several for a zip group.
  package struct Dimension: Sendable {
    package var paths: [String]
    /// The values of each path, all of one length.
    package var values: [[JSON5Value]]
    package var location: SourceLocation

    package var count: Int { values.first?.count ?? 0 }

    /// True if the dimension's values can change the value at a path.
    func affects(_ path: String) -> Bool { paths.contains { $0.overlaps(path) } }

    func texts(_ coordinate: Int) -> [String] { values.map { $0[coordinate].canonicalText } }
  }

  package let base: JSON5Value
  package let dimensions: [Dimension]
  /// The command line's settings of the scenario.
  package let settings: [(path: String, value: JSON5Value)]
  /// The settings below a path that an axis replaces whole, such as `network.transport` below `network`, applied over each of its values.
  let nested: [(path: String, value: JSON5Value)]
  package let decoder: ScenarioDecoder
  let parts: DecodedParts
  /// The number of combinations before conditions; `Int.max` on overflow.
  let combinationCount: Int
  private(set) var conditions: [WhereExpression] = []
  /// The numbers of the combinations that satisfy the conditions, ascending; nil if all do.
  private var kept: [Int32]?

  /// Creates a grid. `nested` defaults to the settings below paths that an axis replaces whole.
  init(
    base: JSON5Value, dimensions: [Dimension], settings: [(path: String, value: JSON5Value)] = [],
    nested: [(path: String, value: JSON5Value)]? = nil, decoder: ScenarioDecoder
  ) {
    (self.base, self.dimensions, self.settings, self.decoder) = (base, dimensions, settings, decoder)
    self.nested = nested ?? Self.nestedSettings(settings, over: dimensions)
    combinationCount = Self.combinations(of: dimensions)
    parts = DecodedParts(dimensions, of: ScenarioKind.of(base))
  }

  /// Removes the combinations that a condition excludes; reports the first problem of each condition.
  mutating func keep(where conditions: [WhereExpression], sink: DiagnosticSink) {
    self.conditions = conditions
    if conditions.isEmpty { return }
    var filter = ConditionFilter(conditions, on: self, sink: sink)
    kept = (0..<Int32(combinationCount)).filter { filter.holds(dimensions.coordinates(of: Int($0))) }
  }

  /// The swept paths, in the order of columns.
  package var paths: [String] { dimensions.flatMap(\.paths) }

  package var count: Int { kept?.count ?? combinationCount }

  /// Returns the number of combinations of some dimensions; `Int.max` on overflow.
  package static func combinations(of dimensions: [Dimension]) -> Int {
    // An empty dimension leaves no combination, even if the others overflow.
    if dimensions.contains(where: { $0.count == 0 }) { return 0 }
    return dimensions.reduce(1) { product, dimension in
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: dimension.count)
      return isTooLarge ? Int.max : next
    }
  }

  /// Returns a point's coordinates: the index of its value in each dimension. O(dimensions).
  package func coordinates(_ index: Int) -> [Int] { dimensions.coordinates(of: kept.map { Int($0[index]) } ?? index) }

  /// Returns a point's coordinates in some dimensions. O(dimensions).
  package func coordinates(_ index: Int, in dimensions: [Int]) -> [Int] {
    let all = coordinates(index)
    return dimensions.map { all[$0] }
  }

  /// Returns the values of a point, one for each of `paths`. O(paths).
  package func values(_ index: Int) -> [JSON5Value] {
    zip(dimensions, coordinates(index)).flatMap { dimension, coordinate in dimension.values.map { $0[coordinate] } }
  }

  /// Returns the values of a point as columns show them.
  func texts(_ index: Int) -> [String] { values(index).map(\.canonicalText) }

  /// Returns the index of the point at some coordinates; nil if conditions exclude it. O(dimensions + log points).
  func index(of coordinates: [Int]) -> Int? {
    let combination = dimensions.combination(of: coordinates)
    guard let kept else { return combination }
    var (low, high) = (0, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if kept[middle] < combination { low = middle + 1 } else { high = middle }
    }
    return low < kept.count && kept[low] == combination ? low : nil
  }

  /// Returns the scenario of a point as a tree. O(scenario).
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  package func scenario(_ index: Int) throws(InvalidInput) -> JSON5Value { try tree(coordinates(index)) }

  /// Returns the scenario at some coordinates, with only the included paths applied over the base.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  func tree(_ coordinates: [Int], where isIncluded: (String) -> Bool = { _ in true }) throws(InvalidInput) -> JSON5Value {
    try Self.overlay((dimensions.settings(coordinates) + nested).filter { isIncluded($0.0) }, on: base)
  }

  /// Returns the settings below a path that one of the dimensions replaces whole.
  package static func nestedSettings(_ settings: [(path: String, value: JSON5Value)], over dimensions: [Dimension]) -> [(
    path: String, value: JSON5Value
  )] {
    settings.filter { setting in dimensions.contains { $0.paths.contains { setting.path.hasPrefix($0 + ".") } } }
  }

  /// Applies values at paths over a scenario.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  package static func overlay(_ settings: [(String, JSON5Value)], on base: JSON5Value) throws(InvalidInput) -> JSON5Value {
    do { return try base.setting(settings, expanding: ScenarioText.expanding) } catch {
      let (path, value) = settings[error.index]
      throw InvalidInput(at: value.location, key: path, problem: error.problem.problem, remedy: error.problem.remedy)
    }
  }
}

extension [Grid.Dimension] {
  /// Returns the coordinates of a combination. O(dimensions).
  func coordinates(of combination: Int) -> [Int] {
    var rest = combination
    var coordinates = [Int](repeating: 0, count: count)
    for index in indices.reversed() { (rest, coordinates[index]) = rest.quotientAndRemainder(dividingBy: self[index].count) }
    return coordinates
  }

  func combination(of coordinates: [Int]) -> Int { zip(coordinates, self).reduce(0) { $0 * $1.1.count + $1.0 } }

  /// Returns what one step along each dimension adds to the number of a combination of the dimensions that affect some paths.
  /// The step is 0 for other dimensions. `count` is the number of these combinations and may overflow.
  func steps(affecting paths: [String]) -> (steps: [Int], count: Int) {
    var count = 1
    let steps = map { dimension in
      let matters = paths.contains(where: dimension.affects)
      defer { if matters { count &*= dimension.count } }
      return matters ? count : 0
    }
    return (steps, count)
  }

  /// Returns each path with its value at the coordinates; beyond a path's values, with its last one.
  func settings(_ coordinates: [Int]) -> [(String, JSON5Value)] {
    zip(self, coordinates).flatMap { dimension, coordinate in
      zip(dimension.paths, dimension.values).compactMap { path, values in
        values.isEmpty ? nil : (path, values[Swift.min(coordinate, values.count - 1)])
      }
    }
  }

  var first: [(String, JSON5Value)] { settings(Array<Int>(repeating: 0, count: count)) }
}

extension String {
  /// True if the paths are equal, or one is below the other.
  package func overlaps(_ other: String) -> Bool { self == other || hasPrefix(other + ".") || other.hasPrefix(self + ".") }

  /// True if this path is the other or below it.
  func isPath(in other: String) -> Bool { self == other || hasPrefix(other + ".") }
}
