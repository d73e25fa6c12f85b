// Minimisation without derivatives, for functions that jump, such as counts of loaders.

/// A deterministic minimiser over the unit cube: a coarse grid, lines along the coordinates, then two simplex searches (Nelder & Mead
/// 1965, doi:10.1093/comjnl/7.4.308). The second starts at the result of the first, in case its simplex collapsed too early.
package struct DirectSearch: Sendable {
  package private(set) var point: [Double]
  package private(set) var value: Double

  private static let gridLimit = 64, lineSteps = 8
  private static let simplexSizes = [0.12, 0.04], simplexStepsPerDimension = 15, smallestSimplex = 5e-4

  /// Minimises `function` from `start`, clamped to the cube. O(100 · dimensions) evaluations.
  package init(from start: [Double], _ function: ([Double]) -> Double) {
    point = start.map { min(1, max(0, $0)) }
    value = function(point)
    searchGrid(function)
    for _ in 0..<2 { searchLines(function) }
    for size in Self.simplexSizes { searchSimplex(size, function) }
  }

  private mutating func look(_ candidate: [Double], _ function: ([Double]) -> Double) {
    let found = function(candidate)
    if found < value { (point, value) = (candidate, found) }
  }

  /// Evaluates the centres of equal cells, with as many levels per coordinate as the limit allows.
  private mutating func searchGrid(_ function: ([Double]) -> Double) {
    var levels = 1
    while Self.power(levels + 1, point.count) <= Self.gridLimit { levels += 1 }
    guard levels > 1, point.count > 1 else { return }
    for number in 0..<Self.power(levels, point.count) {
      var rest = number
      let candidate = point.indices.map { _ -> Double in
        defer { rest /= levels }
        return (Double(rest % levels) + 0.5) / Double(levels)
      }
      look(candidate, function)
    }
  }

  private mutating func searchLines(_ function: ([Double]) -> Double) {
    for dimension in point.indices {
      for step in 0...Self.lineSteps {
        var candidate = point
        candidate[dimension] = Double(step) / Double(Self.lineSteps)
        if candidate != point { look(candidate, function) }
      }
    }
  }

  private mutating func searchSimplex(_ size: Double, _ function: ([Double]) -> Double) {
    var simplex: [(point: [Double], value: Double)] = [(point, value)]
    for dimension in point.indices {
      var corner = point
      corner[dimension] += corner[dimension] + size <= 1 ? size : -size
      simplex.append((corner, function(corner)))
    }
    for _ in 0..<Self.simplexStepsPerDimension * point.count {
      simplex = simplex.enumerated().sorted { ($0.element.value, $0.offset) < ($1.element.value, $1.offset) }.map(\.element)
      let reach = point.indices.reduce(0.0) { reach, dimension in
        let values = simplex.map { $0.point[dimension] }
        return max(reach, (values.max() ?? 0) - (values.min() ?? 0))
      }
      if reach < Self.smallestSimplex { break }
      step(&simplex, function)
    }
    for corner in simplex where corner.value < value { (point, value) = (corner.point, corner.value) }
  }

  /// Reflects, expands, contracts or shrinks the simplex; points outside of the cube are clamped to it.
  private func step(_ simplex: inout [(point: [Double], value: Double)], _ function: ([Double]) -> Double) {
    let last = simplex.count - 1
    let middle = point.indices.map { dimension in simplex[..<last].reduce(0.0) { $0 + $1.point[dimension] } / Double(last) }
    func along(_ factor: Double) -> (point: [Double], value: Double) {
      let point = zip(middle, simplex[last].point).map { min(1, max(0, $0 + factor * ($0 - $1))) }
      return (point, function(point))
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
          let point = zip(simplex[0].point, simplex[index].point).map { ($0 + $1) / 2 }
          simplex[index] = (point, function(point))
        }
      }
    }
  }

  private static func power(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * base } }
}
