// Reads the strata: the file's axes, the axes of network, user and feed, or a population.

import Analysis
import Base

extension SweepFileReader {
  /// Reads `strata: ["network"]` as dimensions; nil without the key: the axes of network, user and feed then define the strata.
  func readStrata(_ reader: inout ObjectReader, dimensions: [Grid.Dimension]) -> (dimensions: [Int], SourceLocation)? {
    guard let elements = reader.array("strata") else { return nil }
    let location = reader.location(of: "strata")
    if !elements.isEmpty, reader.has("population") {
      reader.report("strata", problem: "conflicts with population, which defines the strata", remedy: "keep one of the two")
    }
    let all = dimensions.flatMap(\.paths)
    if elements.count > max(all.count, SweepStrata.limit) {
      reader.report(
        "strata", problem: "names \(elements.count) paths, more than the \(all.count) that are swept", remedy: "name axes, each once")
      return nil
    }
    var named: [String] = []
    reader.elements("strata") { element, _ throws(ValueProblem) in
      let path = try ScalarValue.text(element)
      if !all.contains(path) {
        throw ValueProblem("is \(quoted(path)), which is not swept", remedy: NearestName.remedy(for: path, among: all, what: "axes"))
      }
      if named.contains(path) { throw ValueProblem("names \(quoted(path)) twice", remedy: "take one of them out") }
      named.append(path)
    }
    let chosen = dimensions.indices.filter { dimensions[$0].paths.contains(where: named.contains) }
    for paths in chosen.map({ dimensions[$0].paths }) {
      guard let path = paths.first(where: named.contains), let missing = paths.first(where: { !named.contains($0) }) else { continue }
      sink.report(
        at: location, key: "strata", problem: "names \(path), which varies together with \(missing)",
        remedy: "name all paths of the zip group, or none")
    }
    return (chosen, location)
  }

  /// Returns the strata of the grid, at least one for each transport; nil if all points are compared with each other.
  func makeStrata(_ named: (dimensions: [Int], SourceLocation)?, _ population: Population?) -> SweepStrata? {
    let grid = sweep.grid
    let models = grid.dimensions.indices.filter { SweepStrata.isModelChoice(grid.dimensions[$0], of: grid) }
    if let population {
      guard let model = models.first else { return SweepStrata.population(population, of: grid) }
      let isWorlds = population.kind == .worlds
      if model == 0 {
        sink.report(
          at: grid.dimensions[model].location, key: isWorlds ? "uncertain" : "population",
          problem: "has networks of several transports, and models cannot be averaged",
          remedy: "write the same transport in each network, such as { profile: \"3G\", transport: \"fluid\" }; the default is packet")
      } else {
        sink.report(
          at: grid.dimensions[model].location, key: "axes",
          problem: "choose the transport beside \(isWorlds ? "worlds" : "a population"), and models cannot be averaged",
          remedy: "take the axis out and run the sweep once for each, with --set network.transport=…")
      }
      return nil
    }
    let chosen = named?.dimensions ?? (isAboutEnvironment || elsewhere != nil ? [] : SweepStrata.environmentDimensions(of: grid))
    let first = named == nil ? chosen.first ?? 0 : 0
    let location = named?.1 ?? (grid.dimensions.isEmpty ? SourceLocation(file: "") : grid.dimensions[first].location)
    // Points of different transports are never ranked or averaged together.
    return SweepStrata.splitting(grid, by: Set(chosen).union(models).sorted(), at: location, sink: sink)
  }

  /// True if only network, user and feed are swept, and the baseline sets nothing else: the question is about them.
  private var isAboutEnvironment: Bool {
    let environment = SweepStrata.environmentDimensions(of: sweep.grid)
    let paths = environment.flatMap { sweep.grid.dimensions[$0].paths }
    return environment.count == sweep.grid.dimensions.count && (sweep.baselineSettings ?? []).allSatisfy { paths.contains($0.0) }
  }

  /// The baseline's value of an axis of network, user or feed that is none of the axis's: all points are compared with it on purpose.
  private var elsewhere: (path: String, value: JSON5Value)? {
    let dimensions = SweepStrata.environmentDimensions(of: sweep.grid).map { sweep.grid.dimensions[$0] }
    let axes = dimensions.flatMap { zip($0.paths, $0.values) }
    return sweep.baselineSettings?.first { name, value in axes.first { $0.0 == name }?.1.contains { $0.nameText == value.nameText } == false
    }
  }

  /// Returns warnings about a baseline that is compared across strata, and about one whose row looks like a point of the grid.
  func baselineWarnings() -> [String] {
    var warnings: [String] = []
    if !sweep.namesStrata, sweep.strata == nil, !isAboutEnvironment, let elsewhere {
      warnings.append(
        "The baseline's \(elsewhere.path), \(elsewhere.value.nameText), is none of the axis's values: there are no strata, and every point is "
          + "compared with this one baseline.")
    }
    let (grid, extra) = (sweep.grid, sweep.baselines.filter { $0.index == nil })
    let others = (sweep.baselineSettings ?? []).filter { setting in !grid.paths.contains { $0.overlaps(setting.0) } }
    let points = 0..<min(grid.count, 100_000)
    if !others.isEmpty, extra.contains(where: { baseline in points.contains { grid.texts($0) == baseline.axisValues } }) {
      let settings = others.map { "\($0.0) \($0.1.nameText)" }.joined(separator: ", ")
      warnings.append("The baseline's row looks like a point's, but the baseline alone has \(settings), which no axis sets.")
    }
    return warnings
  }

  // MARK: Population

  private struct Group {
    var weight = 0.0
    var name = ""
    var settings: [(path: String, value: JSON5Value)] = []
    var location: SourceLocation
  }

  /// Reads `population: [{ weight: 0.8, network: "Wi-Fi" }, { weight: 0.2, network: "LTE" }]`; nil after a report.
  func readPopulation(
    _ elements: [JSON5Value], at location: SourceLocation, _ scenario: JSON5Value, _ axes: [Grid.Dimension]
  ) -> Population? {
    func report(_ problem: String, remedy: String) { sink.report(at: location, key: "population", problem: problem, remedy: remedy) }
    if elements.count > SweepStrata.limit {
      report("has \(elements.count) strata, more than \(SweepStrata.limit)", remedy: "join those that differ little")
      return nil
    }
    let groups = elements.enumerated().map { readGroup($1, key: "population.\($0)") }
    guard sink.isEmpty else { return nil }
    let sum = groups.reduce(0) { $0 + $1.weight }
    if (sum - 1).magnitude > 1e-6 {
      report(
        "has weights that add up to \(DecimalText.plain((sum * 1e6).rounded() / 1e6))",
        remedy: "write each stratum's share of the items viewed; together they are 1")
    }
    for (index, group) in groups.enumerated() where groups[..<index].contains(where: { $0.name == group.name }) {
      sink.report(
        at: group.location, key: "population.\(index)", problem: "has the name \(quoted(group.name)) of an earlier stratum",
        remedy: "give it a name of its own, name: \"…\", or add the weights of the two")
    }
    guard sink.isEmpty else { return nil }
    let paths = groups.flatMap(\.settings).map(\.path).distinct
    if paths.isEmpty { report("has no stratum that differs from the scenario", remedy: "leave it out") }
    // Without a network, the scenario takes what it lacks from the first member. A missing part is an empty object; a missing scalar's
    // default cannot be written here.
    let first = scenario["network"] == nil && paths.contains { $0.isPath(in: "network") } ? groups[0] : nil
    if let first, !first.settings.contains(where: { $0.path == "network" }) {
      report("sets the network, which neither the scenario nor the first stratum has", remedy: "write scenario: { network: \"3G\", … }")
      return nil
    }
    let own = paths.compactMap { path in
      scenario.lookup(path) ?? first?.settings.first { $0.path == path }?.value
        ?? (path.contains(".") ? nil : JSON5Value(kind: .object([]), location: location))
    }
    let given = first?.settings.map(\.path) ?? []
    for path in paths where path.contains(".") && scenario.lookup(path) == nil && !given.contains(path) {
      report("sets \(path), which the scenario leaves to its default", remedy: "write the scenario's own value in the scenario too")
    }
    for path in paths {
      if let whole = paths.first(where: { path.hasPrefix($0 + ".") }) {
        report("sets \(path) in one stratum and all of \(whole) in another", remedy: "write all of \(whole) in each")
      }
    }
    guard sink.isEmpty else { return nil }
    let population = arranged(groups, sum: sum, paths, own: own, at: location, scenario, axes)
    for path in paths {
      guard let axis = axes.flatMap(\.paths).first(where: { path.isPath(in: $0) }) else { continue }
      report("sets \(path), which the axis \(axis) sets too", remedy: "take the axis out, or the population's \(path)")
    }
    return sink.isEmpty ? population : nil
  }

  private func readGroup(_ value: JSON5Value, key: String) -> Group {
    var reader = ObjectReader(value, path: key, context: DecodingContext(sink: sink))
    var group = Group(location: value.location)
    guard !reader.isBroken else { return group }
    let before = sink.count
    group.weight = reader.share("weight")
    if sink.count == before, group.weight == 0 {
      reader.report("weight", problem: "is no share above 0", remedy: "write the stratum's share of the items viewed, such as 0.2")
    }
    let name = reader.optionalText("name")
    for member in reader.allMembers() where member.key != "weight" && member.key != "name" {
      if let problem = member.key.pathProblem("is no path of network, user or feed", among: SweepStrata.environmentKeys) {
        sink.report(problem, at: member.keyLocation, key: "\(key).\(member.key)")
      }
      group.settings.append((member.key, member.value))
    }
    group.name = name ?? group.settings.map(\.value.nameText).joined(separator: ", ")
    if group.name.isEmpty { group.name = SweepDescription.Stratum.ownName }
    return group
  }

  /// Returns the groups after the scenario's own. A group with the scenario's own values replaces it and gives it a weight.
  private func arranged(
    _ groups: [Group], sum: Double, _ paths: [String], own: [JSON5Value], at location: SourceLocation, _ scenario: JSON5Value,
    _ axes: [Grid.Dimension]
  ) -> Population {
    var rows = [own]
    var members = [SweepStrata.Member(name: SweepDescription.Stratum.ownName, weight: 0, isLab: true, coordinates: [0])]
    let nested = settings.filter { setting in paths.contains { setting.path.hasPrefix($0 + ".") } }.map { ($0.path, $0.value) }
    /// Returns the id of the scenario with values at the paths; nil if it is invalid.
    func point(_ values: [JSON5Value]) -> UInt64? {
      let tree = try? Grid.overlay(zip(paths, values).map { ($0, $1) } + axes.first + nested, on: scenario)
      return tree.flatMap { decoder.decode($0, into: DiagnosticSink())?.ready.id }
    }
    let ownPoint = point(own)
    for group in groups {
      let values = zip(paths, own).map { path, value in group.settings.first { $0.path == path }?.value ?? value }
      if let ownPoint, point(values) == ownPoint {
        if members[0].weight > 0 {
          sink.report(
            at: group.location, key: "population", problem: "has the scenario's own stratum twice", remedy: "add the weights of the two")
        }
        members[0] = SweepStrata.Member(name: group.name, weight: group.weight / sum, isLab: true, coordinates: [0])
        continue
      }
      members.append(SweepStrata.Member(name: group.name, weight: group.weight / sum, coordinates: [rows.count]))
      rows.append(values)
    }
    // The names of the scenario's own stratum and of the whole are taken.
    let whole = SweepDescription.Strata.Kind.population.wholeName
    for (index, group) in groups.enumerated() where group.name.lowercased() == whole || members.count(where: { $0.name == group.name }) > 1
    {
      let taken = group.name.lowercased() == whole ? "the whole population" : "the scenario's own stratum"
      sink.report(
        at: group.location, key: "population.\(index)", problem: "has the name \(quoted(group.name)), which is that of \(taken)",
        remedy: "give it a name of its own, name: \"…\"")
    }
    let columns = paths.indices.map { index in rows.map { $0[index] } }
    return Population(dimension: Grid.Dimension(paths: paths, values: columns, location: location), members: members)
  }
}

/// The groups of users with their shares, besides the scenario's own; or worlds.
struct Population {
  var kind = SweepDescription.Strata.Kind.population
  /// The swept paths; index 0 holds the scenario's own values.
  var dimension: Grid.Dimension
  /// The group of each index.
  var members: [SweepStrata.Member]
  /// The bounds that the baseline's means keep in the worlds that count.
  var measured: [Constraint] = []
}
