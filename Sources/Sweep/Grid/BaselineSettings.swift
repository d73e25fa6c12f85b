// The settings of a baseline, or of a candidate held against it: inline, or kept once in a file of their own; and the points they make.

import Import

/// Reads the settings of a baseline: paths of the scenario and their values.
struct BaselineSettings {
  let files: InputFiles
  let sink: DiagnosticSink
  /// What the settings are for, as messages call it.
  var key = "baseline"
  /// What paths may begin with.
  var keys = ScenarioKind.allKeys
  /// The problem with setting a path of the scenario; nil if there is none.
  var refusal: (_ path: String) -> ValueProblem? = { _ in nil }

  /// The settings of an inline baseline, or of the file that a string names; nil after a report.
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

  /// The settings in a file of their own; nil after a report.
  func read(_ file: InputFile) -> [(String, JSON5Value)]? {
    let problems = sink.count
    guard let tree = JSON5Parser.parse(file.bytes, file: file.name, into: sink), sink.count == problems else { return nil }
    guard let members = tree.members else {
      sink.report(at: tree.location, key: key, problem: "is \(tree.found), not an object", remedy: "write { \"prefetcher.maxCost\": 6 }")
      return nil
    }
    // Keys that only a whole sweep file has.
    guard let whole = members.first(where: { ["sweep", "scenario", "axes"].contains($0.key) }) else { return checked(members) }
    sink.report(
      at: whole.keyLocation, key: key, problem: "is a whole sweep file, not settings",
      remedy: "write the settings alone, such as { \"prefetcher.maxCost\": 8 }; a sweep is named by --sweep")
    return nil
  }

  /// The settings whose paths are of the scenario, so that the problems of the others are not all that is found.
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
  /// The problem with a path that starts with none of some keys; nil if it does.
  func pathProblem(_ problem: String, among keys: [String]) -> ValueProblem? {
    let first = split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    if keys.contains(first) { return nil }
    return ValueProblem(problem, remedy: NearestName.remedy(for: first, among: keys, what: "a path starts with one of"))
  }
}

extension Grid {
  /// The baselines with the given settings, one a stratum, or one for the whole grid; without any settings a stratum's is its first point.
  ///
  /// - Throws: `InvalidInput` if a setting does not fit the scenario.
  func baselines(_ settings: [(String, JSON5Value)]?, strata: SweepStrata?) throws(InvalidInput) -> [ResolvedSweep.Baseline] {
    guard let strata else { return [try baseline(settings, known: [:])] }
    var baselines: [ResolvedSweep.Baseline] = []
    for member in strata.members {
      let known = Dictionary(uniqueKeysWithValues: zip(strata.dimensions, member.coordinates))
      // What a stratum sets is its own: a baseline that names a network is held on each of them all the same.
      let others = settings?.filter { setting in !strata.paths.contains { setting.0.isPath(in: $0) } }
      baselines.append(try baseline(others.map { $0 + strata.settings(of: member, in: self) }, known: known))
    }
    return baselines
  }

  /// A baseline, where `known` are its places in the dimensions of its stratum.
  /// - Throws: `InvalidInput` if a setting does not fit the scenario.
  private func baseline(_ settings: [(String, JSON5Value)]?, known: [Int: Int]) throws(InvalidInput) -> ResolvedSweep.Baseline {
    guard let settings else {
      let first = (0..<count).first { index in
        let coordinates = self.coordinates(index)
        return known.allSatisfy { coordinates[$0] == $1 }
      }
      guard let first else { preconditionFailure("a grid has points in each of its strata") }
      return ResolvedSweep.Baseline(scenario: try scenario(first), index: first, axisValues: values(first).map(\.canonicalText))
    }
    let written = try Self.overlay(settings, on: base)
    let scenario = try Self.overlay(reaching(into: settings), on: written)
    let decoded = try decoder.decoded(scenario)
    let coordinates = self.coordinates(of: scenario, decoded.pointNumber, known: known)
    let values = dimensions.enumerated().flatMap { index, dimension in
      let coordinate = known[index] ?? coordinates?[index]
      return coordinate.map(dimension.texts) ?? dimension.paths.map { path in ScenarioText(tree: written, lines: decoded.lines).own(path) }
    }
    guard let index = coordinates.flatMap(index(of:)) else {
      return ResolvedSweep.Baseline(
        scenario: scenario, index: nil, axisValues: values,
        point: PointDecoder.Point(scenario: decoded.scenario, id: decoded.pointNumber), ignored: decoded.description.ignored)
    }
    return ResolvedSweep.Baseline(scenario: scenario, index: index, axisValues: values)
  }

  /// What the command line sets within a part that the baseline names as a whole, such as `network.transport` beside `network:
  /// "3G"`: else the two sides would be compared on different networks. What the baseline says itself stays, and its prefetcher is
  /// its own.
  private func reaching(into baseline: [(String, JSON5Value)]) -> [(String, JSON5Value)] {
    settings.filter { path, _ in
      !path.hasPrefix("prefetcher.") && baseline.contains { path.hasPrefix($0.0 + ".") } && !baseline.contains { $0.0 == path }
    }.map { ($0.path, $0.value) }
  }

  /// The place in each dimension of the point with an id: the value that changes nothing of its scenario. Nil if it is not in the grid.
  private func coordinates(of scenario: JSON5Value, _ id: UInt64, known: [Int: Int]) -> [Int]? {
    var coordinates: [Int] = []
    for (index, dimension) in dimensions.enumerated() {
      let varied = PointDecoder(Grid(base: scenario, dimensions: [dimension], nested: nested, decoder: decoder))
      guard let found = known[index] ?? (0..<dimension.count).first(where: { (try? varied.id($0)) == id }) else { return nil }
      coordinates.append(found)
    }
    // What the baseline sets beside the axes may make it another point all the same.
    return index(of: coordinates) != nil && (try? PointDecoder(self).id(coordinates: coordinates)) == id ? coordinates : nil
  }
}

extension ScenarioText {
  /// What a column shows for a path of a scenario that is no point of the grid: its own spelling, or the default's.
  fileprivate func own(_ path: String) -> String {
    tree.lookup(path)?.canonicalText ?? lines.first { $0.hasPrefix(path + "=") }.map { String($0.dropFirst(path.count + 1)) } ?? ""
  }
}
