// Reads the unknowns of a sweep, and draws the worlds in which each has a value.

import Analysis
import Base
import Simulation

package enum LatinHypercube {
  /// Returns `count` combinations of levels: those of an unknown are equally frequent, or, if they are more, one of each `count`-th part;
  /// unknowns are unrelated. Equal for equal names, numbers of levels and seeds.
  /// Source: McKay, Beckman & Conover 1979, doi:10.2307/1268522.
  package static func design(_ unknowns: [(name: String, levels: Int)], count: Int, seed: UInt64) -> [[Int]] {
    let columns = unknowns.map { unknown in
      var random = RandomStream(sweepSeed: seed, repetition: 1, name: unknown.name)
      var column = (0..<count).map { index in
        guard unknown.levels > count else { return index % unknown.levels }
        let part = index * unknown.levels / count..<(index + 1) * unknown.levels / count
        return part.lowerBound + Int(random.below(UInt64(part.count)))
      }
      for index in column.indices.dropFirst().reversed() { column.swapAt(index, Int(random.below(UInt64(index + 1)))) }
      return column
    }
    return (0..<count).map { index in columns.map { $0[index] } }
  }
}

extension SweepFileReader {
  /// The unknowns with their plausible values, and the number of worlds to draw.
  struct Unknowns {
    var dimensions: [Grid.Dimension]
    var worlds: Int
    /// The bounds that the baseline's means keep in the worlds that count; none if all count.
    var measured: [Constraint]
    var location: SourceLocation
  }

  /// Reads `uncertain: { worlds: 64, measured: ["loadersPer1000 >= 20"], "user.dwell": ["1s", "2s", "4s"] }`; nil without the key. `columns`
  /// are the metrics of the backend's runs; nil for all.
  func readUnknowns(_ reader: inout ObjectReader, _ schema: RunSchema, columns: [Metric]?) -> Unknowns? {
    guard var object = reader.object("uncertain") else { return nil }
    let worlds = object.integer("worlds", default: 64, in: 2...SweepStrata.limit)
    let isMeasured = object.value("measured").map { $0.kind != .null } ?? false
    let measured = isMeasured ? readConstraints("measured", of: &object, schema, measured: columns) : []
    let unknowns = object.allMembers().filter { $0.key != "worlds" && $0.key != "measured" }
    if unknowns.isEmpty {
      reader.report("uncertain", problem: "names no unknown", remedy: "write such as { \"user.dwell\": [\"1s\", \"2s\", \"4s\"] }")
    }
    for other in ["population", "strata"] where reader.has(other) {
      reader.report(other, problem: "conflicts with uncertain, whose worlds are the strata", remedy: "keep one of the two")
    }
    let dimensions = unknowns.compactMap { unknown in
      readValues(unknown, key: "uncertain.\(unknown.key)").map {
        Grid.Dimension(paths: [unknown.key], values: [$0], location: unknown.keyLocation)
      }
    }
    return Unknowns(dimensions: dimensions, worlds: worlds, measured: measured, location: reader.location(of: "uncertain"))
  }

  /// Returns worlds of equal weight: all combinations of the unknowns' values, or a Latin hypercube of too many; nil after a report.
  func worlds(of unknowns: Unknowns) -> Population? {
    let dimensions = unknowns.dimensions
    let count = Grid.combinations(of: dimensions)
    var rows = (0..<min(count, unknowns.worlds)).map { dimensions.coordinates(of: $0) }
    if count > unknowns.worlds {
      let levels = dimensions.map { ($0.paths[0], $0.count) }
      rows = LatinHypercube.design(levels, count: unknowns.worlds, seed: sweep.seed).distinct
    }
    guard rows.count > 1 else {
      sink.report(at: unknowns.location, key: "uncertain", problem: "makes one world", remedy: "give an unknown several plausible values")
      return nil
    }
    let paths = dimensions.map { $0.paths[0] }
    let labels = PointNames.short(paths)
    let members = rows.enumerated().map { index, row in
      let values = zip(labels, dimensions.settings(row)).map { "\($0) \($1.1.nameText)" }
      return SweepStrata.Member(name: values.joined(separator: ", "), weight: 1 / Double(rows.count), coordinates: [index])
    }
    let columns = dimensions.indices.map { column in rows.map { dimensions[column].values[0][$0[column]] } }
    return Population(
      kind: .worlds, dimension: Grid.Dimension(paths: paths, values: columns, location: unknowns.location), members: members,
      measured: unknowns.measured)
  }
}
