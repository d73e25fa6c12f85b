// The baselines of a sweep: settings laid over the scenario, inline or from a file, and their places in the grid if they have one.

import Import

/// Reads baselines and finds out whether the grid holds them.
package struct BaselineReader {
  package let grid: Grid
  package let decoder: ScenarioDecoder
  package let sink: DiagnosticSink

  /// The baselines with the given settings, one a stratum, or one for the whole grid; without any settings a stratum's is its first
  /// point. Empty after a report.
  package func read(_ settings: [(String, JSON5Value)]??, strata: SweepStrata?) -> [SweepFile.Baseline] {
    do throws(InvalidInput) {
      guard let strata else { return try read(settings, in: nil, of: nil).map { [$0] } ?? [] }
      var baselines: [SweepFile.Baseline] = []
      for member in strata.members {
        guard let baseline = try read(settings, in: member, of: strata) else { return [] }
        baselines.append(baseline)
      }
      return baselines
    } catch {
      sink.report(error)
      return []
    }
  }

  /// - Throws: `InvalidInput` if a setting does not fit the scenario.
  private func read(
    _ settings: [(String, JSON5Value)]??, in member: SweepStrata.Member?, of strata: SweepStrata?
  ) throws(InvalidInput) -> SweepFile.Baseline? {
    guard let settings else {
      let first = (0..<grid.count).first { index in
        guard let member, let strata else { return true }
        return grid.places(index, in: strata.dimensions) == member.places
      }
      guard let first else { return nil }
      return SweepFile.Baseline(
        scenario: try grid.scenario(first), index: first, axisValues: grid.values(first).map(\.canonicalText), point: nil, ignored: [])
    }
    guard let settings else { return nil }
    var laid = settings
    var known: [Int: Int] = [:]
    if let member, let strata {
      // What a stratum sets is its own: a baseline that names a network is held on each of them all the same.
      laid.removeAll { setting in strata.paths.contains { setting.0 == $0 || setting.0.hasPrefix($0 + ".") } }
      laid += strata.settings(of: member, in: grid)
      known = Dictionary(uniqueKeysWithValues: zip(strata.dimensions, member.places))
    }
    let written = try Grid.overlay(laid, on: grid.base)
    let scenario = try Grid.overlay(reaching(into: laid), on: written)
    guard let decoded = decoder.decode(scenario, reportingTo: sink) else { return nil }
    let places = try place(of: scenario, decoded, known: known)
    let index = places.flatMap(grid.index)
    let point = PointDecoder.Point(scenario: decoded.scenario, id: decoded.pointNumber)
    let values = try grid.paths.map { path throws(InvalidInput) in try axisValue(path, written, decoded, places, known: known) }
    return SweepFile.Baseline(
      scenario: scenario, index: index, axisValues: values, point: index == nil ? point : nil,
      ignored: index == nil ? decoded.description.ignored : [])
  }

  /// What the command line sets within a part that the baseline names as a whole, such as `network.transport` beside `network:
  /// "3G"`: else the two sides would be compared on different networks. What the baseline says itself stays, and its prefetcher is
  /// its own.
  private func reaching(into settings: [(String, JSON5Value)]) -> [(String, JSON5Value)] {
    grid.settings.filter { setting in
      setting.path.hasPrefix("prefetcher.") == false && settings.contains { setting.path.hasPrefix($0.0 + ".") }
        && !settings.contains { $0.0 == setting.path }
    }.map { ($0.path, $0.value) }
  }

  /// The baseline's place in each dimension: the value that changes nothing of it. Nil if one has none.
  /// - Throws: `InvalidInput` if the scenario cannot be decoded.
  private func place(of scenario: JSON5Value, _ decoded: DecodedScenario, known: [Int: Int]) throws(InvalidInput) -> [Int]? {
    let point = decoded.pointNumber
    var places: [Int] = []
    for (index, dimension) in grid.dimensions.enumerated() {
      let varied = PointDecoder(Grid(GridPoints(base: scenario, dimensions: [dimension], laid: grid.laid, decoder: decoder)))
      let found = known[index] ?? (0..<dimension.count).first { (try? varied.id($0)) == point }
      guard let found else { return nil }
      places.append(found)
    }
    guard let index = grid.index(of: places) else { return nil }
    // What the baseline sets beside the axes may make it another point all the same.
    return (try? PointDecoder(grid).id(index)) == point ? places : nil
  }

  /// What a column shows for the baseline: the axis' own spelling, the scenario's, or the default's.
  /// - Throws: `InvalidInput` if the scenario cannot be decoded.
  private func axisValue(_ path: String, _ scenario: JSON5Value, _ decoded: DecodedScenario, _ places: [Int]?, known: [Int: Int])
    throws(InvalidInput) -> String
  {
    for (index, dimension) in grid.dimensions.enumerated() {
      guard let column = dimension.paths.firstIndex(of: path), let place = known[index] ?? places?[index] else { continue }
      return dimension.values[column][place].canonicalText
    }
    if let value = scenario.lookup(path) { return value.canonicalText }
    if let line = decoded.lines.first(where: { $0.hasPrefix(path + "=") }) { return String(line.dropFirst(path.count + 1)) }
    return ""
  }
}
