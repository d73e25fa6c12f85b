// The strata of a sweep: parts of its grid with a network, user or feed of their own, each with its own baseline.

import Analysis
import Base
import Simulation

/// The parts of a sweep within which points are compared.
/// A setting that wins on 3G may lose on Wi-Fi, so each stratum has its own baseline, ranking and verdicts; their weighted mean has too.
package struct SweepStrata: Sendable {
  package struct Member: Sendable {
    package let name: String
    /// The share of the whole, 0 … 1; 0 for a scenario outside of the population.
    package var weight: Double
    /// True if the stratum has the scenario's own values.
    package var isLab = false
    /// The indices of its values in `dimensions`.
    package let coordinates: [Int]
  }

  /// The most strata; each has its own tables.
  package static let limit = 200

  package let kind: SweepDescription.Strata.Kind
  /// The indices of the grid's dimensions that define the strata.
  let dimensions: [Int]
  package let paths: [String]
  package private(set) var members: [Member]
  /// The bounds that the baseline's means keep in the worlds that count; none if all count.
  package private(set) var measured: [Constraint] = []

  package func settings(of member: Member, in grid: Grid) -> [(String, JSON5Value)] {
    dimensions.map { grid.dimensions[$0] }.settings(member.coordinates)
  }

  /// Removes strata without a point of the grid and scales the weights; nil if fewer than two are left.
  private func kept(in grid: Grid) -> SweepStrata? {
    var missing = members.map(\.coordinates)
    for index in 0..<grid.count where !missing.isEmpty {
      let coordinates = grid.coordinates(index, in: dimensions)
      missing.removeAll { $0 == coordinates }
    }
    var strata = self
    strata.members.removeAll { missing.contains($0.coordinates) }
    let sum = strata.members.reduce(0) { $0 + $1.weight }
    for index in strata.members.indices { strata.members[index].weight /= sum }
    return strata.members.count > 1 ? strata : nil
  }
}

extension SweepStrata {
  /// True if users, not teams, decide a path: network, user or feed, except pages, hosts, protocols and servers.
  static func isEnvironment(_ path: String) -> Bool {
    environmentKeys.contains(String(path.prefix { $0 != "." })) && !ScenarioSchema.isShipped(path)
  }

  /// The parts of a scenario that users decide.
  static let environmentKeys = ["network", "user", "feed"]

  /// True if the values of a dimension differ in the transport, by path or inside whole networks.
  static func isModelChoice(_ dimension: Grid.Dimension, of grid: Grid) -> Bool {
    guard dimension.count > 1 else { return false }
    if dimension.paths.contains("network.transport") { return true }
    guard let index = dimension.paths.firstIndex(of: "network"), !grid.nested.contains(where: { $0.path == "network.transport" }) else {
      return false
    }
    let usual = NetworkConfiguration.TransportKind.packet.rawValue
    return Set(dimension.values[index].map { $0.lookup("transport")?.nameText ?? usual }).count > 1
  }

  /// Creates a stratum of equal weight for each combination of some dimensions' values, named by the values.
  /// With several paths the names contain the paths.
  private init(axes dimensions: [Int], of grid: Grid) {
    kind = dimensions.contains { Self.isModelChoice(grid.dimensions[$0], of: grid) } ? .models : .axes
    self.dimensions = dimensions
    let chosen = dimensions.map { grid.dimensions[$0] }
    paths = chosen.flatMap(\.paths)
    let labels = PointNames.short(paths)
    let count = Grid.combinations(of: chosen)
    var names: Set = [kind.wholeName]
    members = (0..<count).map { combination in
      let coordinates = chosen.coordinates(of: combination)
      let texts = chosen.settings(coordinates).map(\.1.nameText)
      var name = texts.count == 1 ? texts[0] : zip(labels, texts).map { "\($0) \($1)" }.joined(separator: ", ")
      // Values of the same name, such as 5 and "5", and one that is called like the whole.
      if !names.insert(name).inserted { name = "\(labels.joined(separator: ", ")) \(name), \(combination + 1)" }
      names.insert(name)
      return Member(name: name, weight: 1 / Double(count), coordinates: coordinates)
    }
  }

  /// Returns the strata of a population or of worlds, which are the grid's first dimension; nil if only one has points.
  static func population(_ population: Population, of grid: Grid) -> SweepStrata? {
    SweepStrata(
      kind: population.kind, dimensions: [0], paths: grid.dimensions[0].paths, members: population.members, measured: population.measured
    ).kept(in: grid)
  }

  /// Returns the dimensions of network, user and feed that have several values.
  static func environmentDimensions(of grid: Grid) -> [Int] {
    grid.dimensions.indices.filter { grid.dimensions[$0].count > 1 && grid.dimensions[$0].paths.allSatisfy(isEnvironment) }
  }

  /// Returns the strata of some dimensions; nil if there is only one, or after a report.
  static func splitting(_ grid: Grid, by dimensions: [Int], at location: SourceLocation, sink: DiagnosticSink) -> SweepStrata? {
    if dimensions.isEmpty { return nil }
    let count = Grid.combinations(of: dimensions.map { grid.dimensions[$0] })
    guard count <= limit else {
      let paths = dimensions.flatMap { grid.dimensions[$0].paths }.joined(separator: ", ")
      sink.report(
        at: location, key: "strata", problem: "are \(count), the combinations of \(paths); at most \(limit) are compared",
        remedy: "name the axes whose values each get a table, such as strata: [\"network\"], or none: strata: []")
      return nil
    }
    return SweepStrata(axes: dimensions, of: grid).kept(in: grid)
  }
}
