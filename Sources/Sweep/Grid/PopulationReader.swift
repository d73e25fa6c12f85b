// The users that there are, by their shares: what a team knows of its field, beside the lab that the scenario describes.

import Import

/// A population as it was read: its dimension of the grid, and what each place of it stands for.
package struct Population {
  /// Place 0 is the scenario's own, the lab.
  package var dimension: Grid.Dimension
  /// One a place.
  package var members: [SweepStrata.Member]
}

/// Reads `population: [{ weight: 0.8, network: "Wi-Fi" }, { weight: 0.2, network: "LTE" }]`.
package struct PopulationReader {
  package let scenario: JSON5Value
  package let decoder: ScenarioDecoder
  package let axes: [Grid.Dimension]
  /// The command line's.
  package let settings: [(path: String, value: JSON5Value)]
  package let sink: DiagnosticSink

  private struct Entry {
    var weight: Double
    var name: String
    var settings: [(path: String, value: JSON5Value)]
    var location: SourceLocation
  }

  /// How far the weights may be from adding up to 1.
  private static let tolerance = 1e-6

  /// The population; nil if there is none, or after a report.
  package func read(_ elements: [JSON5Value], at location: SourceLocation) -> Population? {
    if elements.count > SweepStrata.limit {
      sink.report(
        at: location, key: "population", problem: "has \(elements.count) strata, more than \(SweepStrata.limit)",
        remedy: "join those that differ little")
      return nil
    }
    let before = sink.count
    let entries = elements.enumerated().map { entry($1, key: "population.\($0)") }
    guard sink.count == before, !entries.isEmpty else { return nil }
    let sum = entries.reduce(0) { $0 + $1.weight }
    if (sum - 1).magnitude > Self.tolerance {
      sink.report(
        at: location, key: "population", problem: "has weights that add up to \(ScalarValue.plain((sum * 1e6).rounded() / 1e6))",
        remedy: "write each stratum's share of the items viewed; together they are 1")
    }
    for (index, entry) in entries.enumerated() where entries[..<index].contains(where: { $0.name == entry.name }) {
      sink.report(
        at: entry.location, key: "population.\(index)", problem: "has the name \(quoted(entry.name)) of an earlier stratum",
        remedy: "give it a name of its own, name: \"…\", or add the weights of the two")
    }
    guard sink.count == before else { return nil }
    return population(entries, sum: sum, at: location)
  }

  private func entry(_ value: JSON5Value, key: String) -> Entry {
    var reader = ObjectReader(value, path: key, context: DecodingContext(sink: sink))
    var entry = Entry(weight: 0, name: "", settings: [], location: value.location)
    guard !reader.isBroken else { return entry }
    let before = sink.count
    entry.weight = reader.share("weight")
    if sink.count == before, entry.weight == 0 {
      reader.report("weight", problem: "is no share above 0", remedy: "write the stratum's share of the items viewed, such as 0.2")
    }
    let name = reader.optionalText("name")
    for member in reader.allMembers() where member.key != "weight" && member.key != "name" {
      let first = member.key.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
      if !SweepStrata.worldKeys.contains(first) {
        sink.report(
          at: member.keyLocation, key: "\(key).\(member.key)", problem: "is nothing that users differ in",
          remedy: NearestName.remedy(for: first, among: SweepStrata.worldKeys, what: "a path starts with one of"))
      }
      entry.settings.append((member.key, member.value))
    }
    entry.name = name ?? entry.settings.map { $0.value.nameText }.joined(separator: ", ")
    if entry.name.isEmpty { entry.name = "lab" }
    return entry
  }

  /// The entries beside the lab. One that makes the lab's own scenario is the lab, and lends it its weight.
  private func population(_ entries: [Entry], sum: Double, at location: SourceLocation) -> Population? {
    var paths: [String] = []
    for entry in entries { for setting in entry.settings where !paths.contains(setting.path) { paths.append(setting.path) } }
    if paths.isEmpty {
      sink.report(at: location, key: "population", problem: "has no stratum that differs from the scenario", remedy: "leave it out")
      return nil
    }
    let own = paths.map { path in (path: path, value: scenario.lookup(path) ?? empty(path, at: location)) }
    for (path, value) in own where value == nil {
      sink.report(
        at: location, key: "population", problem: "sets \(path), which the scenario leaves to its default",
        remedy: "write it in the scenario too: it is the lab's value")
    }
    for path in paths {
      if let whole = paths.first(where: { path.hasPrefix($0 + ".") }) {
        sink.report(
          at: location, key: "population", problem: "sets \(path) in one stratum and all of \(whole) in another",
          remedy: "write \(whole) whole in each")
      }
    }
    let lab = own.compactMap { $0.value }
    guard sink.isEmpty, lab.count == paths.count else { return nil }
    var places = [lab]
    var members = [SweepStrata.Member(name: "lab", weight: 0, isLab: true, places: [0])]
    let labPoint = point(paths, lab)
    for entry in entries {
      let values = paths.indices.map { index in entry.settings.first { $0.path == paths[index] }?.value ?? lab[index] }
      if let labPoint, point(paths, values) == labPoint {
        if members[0].weight > 0 {
          sink.report(
            at: entry.location, key: "population", problem: "has the scenario's own stratum twice", remedy: "add the weights of the two")
        }
        members[0] = SweepStrata.Member(name: "lab (\(entry.name))", weight: entry.weight / sum, isLab: true, places: [0])
        continue
      }
      members.append(SweepStrata.Member(name: entry.name, weight: entry.weight / sum, isLab: false, places: [places.count]))
      places.append(values)
    }
    let columns = paths.indices.map { index in places.map { $0[index] } }
    return Population(dimension: Grid.Dimension(paths: paths, values: columns, location: location), members: members)
  }

  /// What an absent part of a scenario means; nil for a scalar, whose default has no spelling here.
  private func empty(_ path: String, at location: SourceLocation) -> JSON5Value? {
    path.contains(".") ? nil : JSON5Value(kind: .object([]), location: location)
  }

  /// The id of the scenario with values at paths; nil if it is none.
  private func point(_ paths: [String], _ values: [JSON5Value]) -> String? {
    let first = PointTrial.settings(of: axes) { _ in 0 }
    let laid = settings.filter { setting in paths.contains { setting.path.hasPrefix($0 + ".") } }.map { ($0.path, $0.value) }
    guard let tree = try? Grid.overlay(zip(paths, values).map { ($0, $1) } + first + laid, on: scenario) else { return nil }
    return decoder.decode(tree, into: DiagnosticSink())?.point
  }
}
