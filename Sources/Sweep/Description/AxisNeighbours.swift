// Values beyond the ends of a numeric axis, for the advice to extend an axis whose end is best.

import Analysis
import Base

/// Tests values beyond an axis in combination with the other axes' values.
struct AxisNeighbours {
  /// The most combinations tested. Beyond the first limit only axes that share a condition are combined, up to the second.
  private static let (trialLimit, conditionLimit) = (64, 4096)

  let grid: Grid
  let index: Int
  let axis: NumericAxis

  /// Returns the axis with the values beyond its ends that some points accept, and the combinations that refuse them.
  func extended(_ axis: SweepDescription.Axis) -> SweepDescription.Axis {
    var extended = axis
    var exclusions: [SweepDescription.Exclusion] = []
    extended.valuesBelow = values(beyond: .lower, &exclusions)
    extended.valuesAbove = values(beyond: .upper, &exclusions)
    extended.exclusions = exclusions.isEmpty ? nil : exclusions
    return extended
  }

  private var conditions: [WhereExpression] { grid.conditions.filter { $0.uses(grid.dimensions[index]) } }

  /// The other dimensions whose values are combined; nil if they have too many combinations.
  private var others: [Int]? {
    let all = grid.dimensions.indices.filter { $0 != index && grid.dimensions[$0].count > 1 }
    if Grid.combinations(of: all.map { grid.dimensions[$0] }) <= Self.trialLimit { return all }
    let seen = all.filter { other in conditions.contains { $0.uses(grid.dimensions[other]) } }
    return Grid.combinations(of: seen.map { grid.dimensions[$0] }) <= Self.conditionLimit ? seen : nil
  }

  private func values(beyond end: NumericAxis.End, _ exclusions: inout [SweepDescription.Exclusion]) -> [String] {
    let texts = grid.dimensions[index].values[0].map(\.canonicalText)
    guard let others, grid.count > 0, let coordinate = texts.firstIndex(where: { axis.end(of: $0) == end }) else { return [] }
    let chosen = others.map { grid.dimensions[$0] }
    let first = grid.coordinates(0)
    let combinations = (0..<Grid.combinations(of: chosen)).map { combination -> [Int] in
      var coordinates = first
      for (other, coordinate) in zip(others, chosen.coordinates(of: combination)) { coordinates[other] = coordinate }
      coordinates[index] = coordinate
      return coordinates
    }.filter(holds(grid))
    var known = combinations.map { coordinates in Set([point(coordinates, grid)].compactMap(\.self)) }
    return axis.proposals(beyond: end) { text in
      var dimensions = grid.dimensions
      dimensions[index].values[0][coordinate] = JSON5Value.scalar(fromCommandLine: text)
      let varied = Grid(base: grid.base, dimensions: dimensions, settings: grid.settings, decoder: grid.decoder)
      let holds = holds(varied)
      var (taken, refused): ([[Int]], [[Int]]) = ([], [])
      for (number, coordinates) in combinations.enumerated() {
        // With many combinations only the first of each value is decoded.
        let isDecoded = combinations.count <= Self.trialLimit || taken.isEmpty
        let isTaken = holds(coordinates) && (!isDecoded || point(coordinates, varied).map { known[number].insert($0).inserted } ?? false)
        if isTaken { taken.append(coordinates) } else { refused.append(coordinates) }
      }
      if !taken.isEmpty, !refused.isEmpty { exclusions.append(exclusion(text, taken: taken, refused: refused, others)) }
      return !taken.isEmpty
    }
  }

  /// Returns a test of coordinates: true if they satisfy the conditions on the axis.
  private func holds(_ grid: Grid) -> ([Int]) -> Bool {
    let sink = DiagnosticSink()
    var filter = ConditionFilter(conditions, on: grid, sink: sink)
    return { coordinates in filter.holds(coordinates) && sink.isEmpty }
  }

  /// The id of the point at given coordinates; nil if it is no valid scenario.
  private func point(_ coordinates: [Int], _ grid: Grid) -> UInt64? { try? PointDecoder(grid).id(coordinates: coordinates) }

  /// Returns the combinations that refuse a value, as values of the fewest axes that distinguish them from those that accept it.
  private func exclusion(_ value: String, taken: [[Int]], refused: [[Int]], _ others: [Int]) -> SweepDescription.Exclusion {
    func distinct(_ combinations: [[Int]], _ dimensions: [Int]) -> Set<[Int]> {
      Set(combinations.map { all in dimensions.map { all[$0] } })
    }
    var kept = others
    for other in others {
      let fewer = kept.filter { $0 != other }
      if distinct(taken, fewer).isDisjoint(with: distinct(refused, fewer)) { kept = fewer }
    }
    let combinations = distinct(refused, kept).sorted { $0.lexicographicallyPrecedes($1) }
    return SweepDescription.Exclusion(
      value: value, paths: kept.flatMap { grid.dimensions[$0].paths },
      combinations: combinations.map { coordinates in zip(kept, coordinates).flatMap { grid.dimensions[$0].texts($1) } })
  }
}
