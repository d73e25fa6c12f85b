// The strata of a sweep: parts of its grid that differ in what nobody can choose, each with a baseline of its own.

import Analysis
import Import

/// The parts of a sweep within which points are compared.
///
/// A setting that wins on 3G may lose on Wi-Fi, and loaders on 3G held against a baseline on Wi-Fi answer nobody's question. So each
/// value of such an axis is a stratum, with its own baseline, ranking and verdicts; and the same settings are weighed together over
/// all of them.
package struct SweepStrata: Sendable {
  package struct Member: Sendable {
    package let name: String
    /// Its share of the whole, 0 … 1; 0 for a lab that is no part of the field.
    package var weight: Double
    /// True if it is the scenario's own.
    package var isLab = false
    /// Its places in `dimensions`.
    package let coordinates: [Int]
  }

  /// The most strata; each has tables of its own.
  package static let limit = 200

  package let kind: SweepDescription.Strata.Kind
  /// The dimensions of the grid that tell them apart.
  let dimensions: [Int]
  package let paths: [String]
  package private(set) var members: [Member]

  /// What a stratum lays over the scenario.
  package func settings(of member: Member, in grid: Grid) -> [(String, JSON5Value)] {
    dimensions.map { grid.dimensions[$0] }.settings(member.coordinates)
  }

  /// The strata of which a grid has a point, which share the whole; nil if that is only one of them.
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
  /// True if a path tells of the world that the settings meet, which nobody chooses: the network, the user, the feed. What stands
  /// below these and is the team's own choice (pages, protocols, the server) does not count.
  static func isOfTheWorld(_ path: String) -> Bool { worldKeys.contains(start(of: path, 1)) && !chosenPaths.contains(start(of: path, 2)) }

  /// True if a team ships what a path names, with its app or its server: the rest is the world, or a choice of the model.
  static func isShipped(_ path: String) -> Bool { shippedKeys.contains(start(of: path, 1)) || chosenPaths.contains(start(of: path, 2)) }

  private static func start(of path: String, _ count: Int) -> String { path.split(separator: ".").prefix(count).joined(separator: ".") }

  /// The parts of a scenario that are the team's own.
  private static let shippedKeys = ["prefetcher", "downloads", "strategy"]
  /// The parts of a scenario that nobody chooses.
  static let worldKeys = ["network", "user", "feed"]
  private static let chosenPaths = [
    "feed.pages", "feed.hosts", "network.http", "network.tls", "network.requestBytes", "network.responseHeaderBytes", "network.serverTime",
    "network.handshakeTime", "network.idleTimeout", "network.slowStartAfterIdle",
  ]

  /// True if a dimension's values differ in the transport, by path or inside whole networks.
  static func isModelChoice(_ dimension: Grid.Dimension, of grid: Grid) -> Bool {
    guard dimension.count > 1 else { return false }
    if dimension.paths.contains("network.transport") { return true }
    guard let index = dimension.paths.firstIndex(of: "network"), !grid.nested.contains(where: { $0.path == "network.transport" }) else {
      return false
    }
    return Set(dimension.values[index].map { $0.lookup("transport")?.nameText ?? "" }).count > 1
  }

  /// The strata that some dimensions of a grid make: each combination of their values, all of one weight. A single dimension's
  /// values are the names; of several each is named with its path.
  private init(axes dimensions: [Int], of grid: Grid) {
    kind = dimensions.contains { Self.isModelChoice(grid.dimensions[$0], of: grid) } ? .models : .axes
    self.dimensions = dimensions
    let chosen = dimensions.map { grid.dimensions[$0] }
    paths = chosen.flatMap(\.paths)
    let labels = AxisNames.short(paths)
    let count = Grid.combinations(of: chosen)
    members = (0..<count).map { combination in
      let coordinates = chosen.coordinates(of: combination)
      let texts = chosen.settings(coordinates).map(\.1.nameText)
      return Member(name: texts.count == 1 ? texts[0] : AxisNames.point(labels, texts), weight: 1 / Double(count), coordinates: coordinates)
    }
  }

  /// The strata of a population, whose dimension is the grid's first; nil if the grid has points of one alone.
  static func population(_ members: [Member], of grid: Grid) -> SweepStrata? {
    SweepStrata(kind: .population, dimensions: [0], paths: grid.dimensions[0].paths, members: members).kept(in: grid)
  }

  /// The dimensions of a grid that tell of the world and have more than one value.
  static func worldDimensions(of grid: Grid) -> [Int] {
    grid.dimensions.indices.filter { grid.dimensions[$0].count > 1 && grid.dimensions[$0].paths.allSatisfy(isOfTheWorld) }
  }

  /// The strata that some dimensions of a grid make; nil if that is only one of them, or after a report.
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
