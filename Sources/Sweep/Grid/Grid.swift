// The points of a sweep: combinations of axis values, found by index arithmetic.

import Import

/// A grid of points over a scenario.
///
/// Axes multiply; the paths of a zip group walk together and multiply with the rest. The first axis varies slowest. Points are
/// computed from their index and never stored; only where conditions leave gaps are the numbers of the combinations kept.
package struct Grid: Sendable {
  /// The most points, before conditions.
  package static let pointLimit = 1_000_000

  /// Paths that take their values together: one for an axis, several for a zip group.
  package struct Dimension: Sendable {
    package var paths: [String]
    /// The values of each path; all of one length.
    package var values: [[JSON5Value]]
    package var location: SourceLocation

    package var count: Int { values.first?.count ?? 0 }

    /// True if it matters to what stands at a path.
    func affects(_ path: String) -> Bool { paths.contains { $0.overlaps(path) } }

    func texts(_ coordinate: Int) -> [String] { values.map { $0[coordinate].canonicalText } }
  }

  package let base: JSON5Value
  package let dimensions: [Dimension]
  /// What the command line sets in the scenario.
  package let settings: [(path: String, value: JSON5Value)]
  /// Those of the settings that reach into what an axis replaces as a whole, as `network.transport` into an axis `network`: laid over
  /// each of its values, they hold for all points.
  let nested: [(path: String, value: JSON5Value)]
  package let decoder: ScenarioDecoder
  /// The parts of its points that were decoded.
  let parts: DecodedParts
  /// How many combinations there are before conditions; `Int.max` where there are more.
  let combinationCount: Int
  private(set) var conditions: [WhereExpression] = []
  /// The combinations that hold, ascending; nil if all do.
  private var kept: [Int32]?

  /// A grid of which no point is decoded yet; `laid` is found among the settings where it is not given.
  init(
    base: JSON5Value, dimensions: [Dimension], settings: [(path: String, value: JSON5Value)] = [],
    nested: [(path: String, value: JSON5Value)]? = nil, decoder: ScenarioDecoder
  ) {
    (self.base, self.dimensions, self.settings, self.decoder) = (base, dimensions, settings, decoder)
    self.nested = nested ?? Self.nestedSettings(settings, over: dimensions)
    combinationCount = Self.combinations(of: dimensions)
    parts = DecodedParts(dimensions)
  }

  /// Leaves out the combinations that some condition refuses; the first problem of a condition is reported.
  mutating func keep(where conditions: [WhereExpression], sink: DiagnosticSink) {
    self.conditions = conditions
    if conditions.isEmpty { return }
    var filter = ConditionFilter(conditions, on: self, sink: sink)
    kept = (0..<Int32(combinationCount)).filter { filter.holds(dimensions.coordinates(of: Int($0))) }
  }

  /// The swept paths in the order of columns.
  package var paths: [String] { dimensions.flatMap(\.paths) }

  package var count: Int { kept?.count ?? combinationCount }

  /// How many combinations the values of some dimensions make; `Int.max` where there are more.
  package static func combinations(of dimensions: [Dimension]) -> Int {
    // An empty dimension leaves none, however many the others have.
    if dimensions.contains(where: { $0.count == 0 }) { return 0 }
    return dimensions.reduce(1) { product, dimension in
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: dimension.count)
      return isTooLarge ? Int.max : next
    }
  }

  /// A point's place in each dimension. O(dimensions).
  package func coordinates(_ index: Int) -> [Int] { dimensions.coordinates(of: kept.map { Int($0[index]) } ?? index) }

  /// A point's place in each of some dimensions. O(dimensions).
  package func coordinates(_ index: Int, in dimensions: [Int]) -> [Int] {
    let all = coordinates(index)
    return dimensions.map { all[$0] }
  }

  /// The values of a point, one for each of `paths`. O(paths).
  package func values(_ index: Int) -> [JSON5Value] {
    zip(dimensions, coordinates(index)).flatMap { dimension, coordinate in dimension.values.map { $0[coordinate] } }
  }

  /// The point at a place of each dimension; nil if conditions leave it out. O(dimensions + log points).
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

  /// The scenario of a point as a tree. O(scenario).
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  package func scenario(_ index: Int) throws(InvalidInput) -> JSON5Value { try tree(coordinates(index)) }

  /// The scenario at a place of each dimension, or that of them where `isIncluded` settings only are laid over the base.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  func tree(_ coordinates: [Int], where isIncluded: (String) -> Bool = { _ in true }) throws(InvalidInput) -> JSON5Value {
    try Self.overlay((dimensions.settings(coordinates) + nested).filter { isIncluded($0.0) }, on: base)
  }

  /// The settings that reach into what one of the dimensions replaces as a whole.
  package static func nestedSettings(_ settings: [(path: String, value: JSON5Value)], over dimensions: [Dimension]) -> [(
    path: String, value: JSON5Value
  )] {
    settings.filter { setting in dimensions.contains { $0.paths.contains { setting.path.hasPrefix($0 + ".") } } }
  }

  /// A scenario with values at paths.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  package static func overlay(_ settings: [(String, JSON5Value)], on base: JSON5Value) throws(InvalidInput) -> JSON5Value {
    do { return try base.setting(settings, expanding: ScenarioText.expanding) } catch {
      let (path, value) = settings[error.index]
      throw InvalidInput(at: value.location, key: path, problem: error.problem.problem, remedy: error.problem.remedy)
    }
  }
}

extension [Grid.Dimension] {
  /// The place in each dimension of a combination of them all. O(dimensions).
  func coordinates(of combination: Int) -> [Int] {
    var rest = combination
    var coordinates = [Int](repeating: 0, count: count)
    for index in indices.reversed() { (rest, coordinates[index]) = rest.quotientAndRemainder(dividingBy: self[index].count) }
    return coordinates
  }

  func combination(of coordinates: [Int]) -> Int { zip(coordinates, self).reduce(0) { $0 * $1.1.count + $1.0 } }

  /// What a step along each dimension adds to the number of a combination of those that matter to some paths; 0 for the others. The
  /// number of these combinations may overflow, where nobody counts them.
  func steps(affecting paths: [String]) -> (steps: [Int], count: Int) {
    var count = 1
    let steps = map { dimension in
      let matters = paths.contains(where: dimension.affects)
      defer { if matters { count &*= dimension.count } }
      return matters ? count : 0
    }
    return (steps, count)
  }

  /// The value of each path at a place of its dimension, or at the last.
  func settings(_ coordinates: [Int]) -> [(String, JSON5Value)] {
    zip(self, coordinates).flatMap { dimension, coordinate in
      zip(dimension.paths, dimension.values).compactMap { path, values in
        values.isEmpty ? nil : (path, values[Swift.min(coordinate, values.count - 1)])
      }
    }
  }

  /// The first value of each path.
  var first: [(String, JSON5Value)] { settings(Array<Int>(repeating: 0, count: count)) }
}

extension String {
  /// True if this path is another, or one of the two reaches into the other.
  func overlaps(_ other: String) -> Bool { self == other || hasPrefix(other + ".") || other.hasPrefix(self + ".") }

  /// True if this path is another or reaches into it.
  func isPath(in other: String) -> Bool { self == other || hasPrefix(other + ".") }
}
