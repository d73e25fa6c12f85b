// The baseline of a sweep: settings laid over the scenario, inline or from a file, and its place in the grid if it has one.

/// Reads a baseline and finds out whether the grid holds it.
struct BaselineReader {
  let grid: Grid
  let decoder: ScenarioDecoder
  let sink: DiagnosticSink

  /// The baseline with the given settings; without any it is the grid's first point. Nil after a report.
  func read(_ settings: [(String, JSON5Value)]??) -> SweepFile.Baseline? {
    do throws(InvalidInput) {
      guard let settings else {
        return SweepFile.Baseline(scenario: try grid.scenario(0), index: 0, axisValues: grid.values(0).map(\.canonicalText))
      }
      guard let settings else { return nil }
      let written = try Grid.overlay(settings, on: grid.base)
      let scenario = try Grid.overlay(reaching(into: settings), on: written)
      guard let decoded = decode(scenario, reportingTo: sink) else { return nil }
      let places = try place(of: scenario, decoded)
      let index = places.flatMap(grid.index)
      let values = try grid.paths.map { path throws(InvalidInput) in try axisValue(path, written, decoded, places) }
      return SweepFile.Baseline(scenario: scenario, index: index, axisValues: values)
    } catch {
      error.diagnostics.forEach(sink.report)
      return nil
    }
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

  private func decode(_ scenario: JSON5Value, reportingTo sink: DiagnosticSink) -> DecodedScenario? {
    let trial = DiagnosticSink()
    let decoded = decoder.decode(scenario, into: trial)
    trial.sorted.forEach(sink.report)
    return decoded
  }

  /// The baseline's place in each dimension: the value that changes nothing of it. Nil if one has none.
  private func place(of scenario: JSON5Value, _ decoded: DecodedScenario) throws(InvalidInput) -> [Int]? {
    let point = decoded.point
    var places: [Int] = []
    for dimension in grid.dimensions {
      var found: Int?
      for place in 0..<dimension.count where found == nil {
        let tree = try Grid.overlay(zip(dimension.paths, dimension.values).map { ($0, $1[place]) } + grid.laid, on: scenario)
        if decoder.decode(tree, into: DiagnosticSink())?.point == point { found = place }
      }
      guard let found else { return nil }
      places.append(found)
    }
    guard let index = grid.index(of: places) else { return nil }
    // What the baseline sets beside the axes may make it another point all the same.
    return decoder.decode(try grid.scenario(index), into: DiagnosticSink())?.point == point ? places : nil
  }

  /// What a column shows for the baseline: the axis' own spelling, the scenario's, or the default's.
  private func axisValue(_ path: String, _ scenario: JSON5Value, _ decoded: DecodedScenario, _ places: [Int]?) throws(InvalidInput)
    -> String
  {
    if let places {
      for (dimension, place) in zip(grid.dimensions, places) {
        if let column = dimension.paths.firstIndex(of: path) { return dimension.values[column][place].canonicalText }
      }
    }
    if let value = scenario.lookup(path) { return value.canonicalText }
    if let line = decoded.lines.first(where: { $0.hasPrefix(path + "=") }) { return String(line.dropFirst(path.count + 1)) }
    return ""
  }
}
