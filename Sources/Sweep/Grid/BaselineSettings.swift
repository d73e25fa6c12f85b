// The settings of a baseline or a gate candidate, inline or in a file, and the baselines that they define.

import Base

struct BaselineSettings {
  let files: InputFiles
  let sink: DiagnosticSink
  /// The key that messages show.
  var key = "baseline"
  /// The allowed first parts of a path.
  var keys = ScenarioKind.allKeys
  /// Returns the problem of setting a path; nil if it is allowed.
  var refusal: (_ path: String) -> ValueProblem? = { _ in nil }

  /// Reads the settings of an inline object, or of the file that a string names; nil after a report.
  func read(_ value: JSON5Value) -> [(String, JSON5Value)]? {
    if let members = value.members { return checked(members) }
    let file = sink.value(at: value.location, key: key) { () throws(ValueProblem) in
      guard let path = value.text else {
        throw ValueProblem("is \(value.found), not settings", remedy: "write { \"prefetcher.maxCost\": 6 } or the path of such a file")
      }
      return try InputFile(path: files.resolved(path), name: files.resolved(path))
    }
    return file.flatMap(read)
  }

  func read(_ file: InputFile) -> [(String, JSON5Value)]? {
    let problems = sink.count
    guard let tree = JSON5Parser.parse(file.bytes, file: file.name, into: sink), sink.count == problems else { return nil }
    guard let members = tree.members else {
      sink.report(at: tree.location, key: key, problem: "is \(tree.found), not an object", remedy: "write { \"prefetcher.maxCost\": 6 }")
      return nil
    }
    // These keys exist only in a whole sweep file.
    guard let whole = members.first(where: { ["sweep", "scenario", "axes"].contains($0.key) }) else { return checked(members) }
    sink.report(
      at: whole.keyLocation, key: key, problem: "is a whole sweep file, not settings",
      remedy: "write the settings alone, such as { \"prefetcher.maxCost\": 8 }; a sweep is named by --sweep")
    return nil
  }

  /// Returns the settings with valid paths and reports the others.
  func checked(_ members: [JSON5Member]) -> [(String, JSON5Value)] {
    members.compactMap { member in
      guard let problem = member.key.pathProblem("names no path of the scenario", among: keys) ?? refusal(member.key) else {
        return (member.key, member.value)
      }
      sink.report(problem, at: member.keyLocation, key: key.isEmpty ? member.key : "\(key).\(member.key)")
      return nil
    }
  }
}

extension String {
  /// Returns the problem of a path that begins with none of some keys; nil if it begins with one.
  func pathProblem(_ problem: String, among keys: [String]) -> ValueProblem? {
    let first = split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    if keys.contains(first) { return nil }
    return ValueProblem(
      problem, remedy: ScenarioSchema.remedy(forKey: self) ?? NearestName.remedy(for: first, among: keys, what: "a path starts with one of")
    )
  }
}

extension Grid {
  /// Returns a baseline for each stratum, or one for the grid. Without settings, a stratum's baseline is its first point.
  /// - Throws: `InvalidInput` if a setting does not fit the scenario.
  func baselines(_ settings: [(String, JSON5Value)]?, strata: SweepStrata?) throws(InvalidInput) -> [ResolvedSweep.Baseline] {
    let settings = settings.map { commonSettings(beside: $0) + $0 }
    guard let strata else { return [try baseline(settings, known: [:])] }
    var baselines: [ResolvedSweep.Baseline] = []
    for member in strata.members {
      let known = Dictionary(uniqueKeysWithValues: zip(strata.dimensions, member.coordinates))
      // A stratum overrides the baseline's values of its own paths.
      let others = settings?.filter { setting in !strata.paths.contains { setting.0.isPath(in: $0) } }
      baselines.append(try baseline(others.map { $0 + strata.settings(of: member, in: self) }, known: known))
    }
    return baselines
  }

  /// Returns the settings of users' axes with a single value that neither the scenario nor the baseline sets: all points share them.
  private func commonSettings(beside baseline: [(String, JSON5Value)]) -> [(String, JSON5Value)] {
    dimensions.filter { $0.count == 1 }.flatMap { zip($0.paths, $0.values).map { ($0, $1[0]) } }.filter { path, _ in
      SweepStrata.isEnvironment(path) && base.lookup(path) == nil && !baseline.contains { $0.0.overlaps(path) }
    }
  }

  /// Returns a baseline; `known` are its coordinates in the dimensions of its stratum.
  /// - Throws: `InvalidInput` if a setting does not fit the scenario.
  private func baseline(_ settings: [(String, JSON5Value)]?, known: [Int: Int]) throws(InvalidInput) -> ResolvedSweep.Baseline {
    guard let settings else {
      let first = (0..<count).first { index in
        let coordinates = self.coordinates(index)
        return known.allSatisfy { coordinates[$0] == $1 }
      }
      guard let first else { preconditionFailure("a grid has points in each of its strata") }
      return ResolvedSweep.Baseline(scenario: try scenario(first), index: first, values: values(first))
    }
    let written = try Self.overlay(settings, on: base)
    let scenario = try Self.overlay(reaching(into: settings), on: written)
    let decoded = try decoder.decoded(scenario)
    let coordinates = self.coordinates(of: scenario, decoded.ready.id, known: known)
    // Outside of the grid a path has the scenario's own value, or the text of the default.
    func own(_ path: String) -> JSON5Value {
      let usual = decoded.settings.first { $0.path == path }?.value ?? ""
      return written.lookup(path) ?? JSON5Value(kind: .string(usual), location: written.location)
    }
    let values = dimensions.enumerated().flatMap { index, dimension in
      let coordinate = known[index] ?? coordinates?[index]
      return coordinate.map { coordinate in dimension.values.map { $0[coordinate] } } ?? dimension.paths.map(own)
    }
    if let index = coordinates.flatMap(index(of:)) { return ResolvedSweep.Baseline(scenario: scenario, index: index, values: values) }
    return ResolvedSweep.Baseline(
      scenario: scenario, index: nil, values: values, point: decoded.ready, ignored: decoded.description.ignored)
  }

  /// Returns command-line settings below a path that the baseline sets whole, such as `network.transport` under `network: "3G"`.
  /// Baseline and points then share them. Settings of the prefetcher, and paths that the baseline sets itself, are left out.
  private func reaching(into baseline: [(String, JSON5Value)]) -> [(String, JSON5Value)] {
    settings.filter { path, _ in
      !path.hasPrefix("prefetcher.") && baseline.contains { path.hasPrefix($0.0 + ".") } && !baseline.contains { $0.0 == path }
    }.map { ($0.path, $0.value) }
  }

  /// Returns the coordinates of a scenario: in each dimension the value that does not change its id. Nil if it is not in the grid.
  private func coordinates(of scenario: JSON5Value, _ id: UInt64, known: [Int: Int]) -> [Int]? {
    var coordinates: [Int] = []
    for (index, dimension) in dimensions.enumerated() {
      let varied = PointDecoder(Grid(base: scenario, dimensions: [dimension], nested: nested, decoder: decoder))
      guard let found = known[index] ?? (0..<dimension.count).first(where: { (try? varied.id($0)) == id }) else { return nil }
      coordinates.append(found)
    }
    // Settings outside of the axes may still make it a different point.
    return index(of: coordinates) != nil && (try? PointDecoder(self).id(coordinates: coordinates)) == id ? coordinates : nil
  }
}
