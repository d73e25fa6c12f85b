// Minimisation without derivatives, for functions that jump, such as counts of loaders.

/// A deterministic minimiser over the unit cube: a coarse grid, lines along the coordinates, then two simplex searches (Nelder & Mead
/// 1965, doi:10.1093/comjnl/7.4.308). The second starts at the result of the first, in case its simplex collapsed too early.
package struct DirectSearch: Sendable {
  /// The point with the lowest value found.
  package private(set) var place: [Double]
  package private(set) var value: Double

  /// The most points of the first grid.
  private static let gridLimit = 64
  private static let lineSteps = 8
  private static let simplexSizes = [0.12, 0.04]
  private static let simplexStepsPerDimension = 15
  private static let smallestSimplex = 5e-4

  /// Minimises `function` from `start`, clamped to the cube. O(100 · dimensions) evaluations.
  package init(from start: [Double], _ function: ([Double]) -> Double) {
    place = start.map { min(1, max(0, $0)) }
    value = function(place)
    searchGrid(function)
    for _ in 0..<2 { searchLines(function) }
    for size in Self.simplexSizes { searchSimplex(size, function) }
  }

  private mutating func look(_ candidate: [Double], _ function: ([Double]) -> Double) {
    let found = function(candidate)
    if found < value { (place, value) = (candidate, found) }
  }

  /// Evaluates the centres of equal cells, with as many levels per coordinate as the limit allows.
  private mutating func searchGrid(_ function: ([Double]) -> Double) {
    var levels = 1
    while Self.power(levels + 1, place.count) <= Self.gridLimit { levels += 1 }
    guard levels > 1, place.count > 1 else { return }
    for number in 0..<Self.power(levels, place.count) {
      var rest = number
      let candidate = place.indices.map { _ -> Double in
        defer { rest /= levels }
        return (Double(rest % levels) + 0.5) / Double(levels)
      }
      look(candidate, function)
    }
  }

  private mutating func searchLines(_ function: ([Double]) -> Double) {
    for dimension in place.indices {
      for step in 0...Self.lineSteps {
        var candidate = place
        candidate[dimension] = Double(step) / Double(Self.lineSteps)
        if candidate != place { look(candidate, function) }
      }
    }
  }

  private mutating func searchSimplex(_ size: Double, _ function: ([Double]) -> Double) {
    var simplex: [(place: [Double], value: Double)] = [(place, value)]
    for dimension in place.indices {
      var corner = place
      corner[dimension] += corner[dimension] + size <= 1 ? size : -size
      simplex.append((corner, function(corner)))
    }
    for _ in 0..<Self.simplexStepsPerDimension * place.count {
      simplex = simplex.enumerated().sorted { ($0.element.value, $0.offset) < ($1.element.value, $1.offset) }.map(\.element)
      let reach = place.indices.reduce(0.0) { reach, dimension in
        let values = simplex.map { $0.place[dimension] }
        return max(reach, (values.max() ?? 0) - (values.min() ?? 0))
      }
      if reach < Self.smallestSimplex { break }
      step(&simplex, function)
    }
    for corner in simplex where corner.value < value { (place, value) = (corner.place, corner.value) }
  }

  /// Reflects, expands, contracts or shrinks the simplex; points outside of the cube are clamped to it.
  private func step(_ simplex: inout [(place: [Double], value: Double)], _ function: ([Double]) -> Double) {
    let last = simplex.count - 1
    let middle = place.indices.map { dimension in simplex[..<last].reduce(0.0) { $0 + $1.place[dimension] } / Double(last) }
    func along(_ factor: Double) -> (place: [Double], value: Double) {
      let place = zip(middle, simplex[last].place).map { min(1, max(0, $0 + factor * ($0 - $1))) }
      return (place, function(place))
    }
    let reflected = along(1)
    if reflected.value < simplex[0].value {
      let expanded = along(2)
      simplex[last] = expanded.value < reflected.value ? expanded : reflected
    } else if reflected.value < simplex[last - 1].value || last == 1 && reflected.value < simplex[last].value {
      simplex[last] = reflected
    } else {
      let contracted = along(reflected.value < simplex[last].value ? 0.5 : -0.5)
      if contracted.value < min(reflected.value, simplex[last].value) {
        simplex[last] = contracted
      } else {
        for index in 1...last {
          let place = zip(simplex[0].place, simplex[index].place).map { ($0 + $1) / 2 }
          simplex[index] = (place, function(place))
        }
      }
    }
  }

  private static func power(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * base } }
}
