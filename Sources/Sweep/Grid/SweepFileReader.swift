// Reads the parts of a sweep file, reports all their problems, and then validates the points.

import Analysis
import Base

/// Reads a sweep file once. Use its sweep only if nothing was reported.
struct SweepFileReader {
  private(set) var sweep: ResolvedSweep
  let root: JSON5Value
  /// The command line's settings of the scenario, already applied to `root`.
  let settings: [(path: String, value: JSON5Value)]
  let sink: DiagnosticSink
  let overrides: SweepOverrides
  /// The decoder of scenarios, complete after the backend is read.
  private(set) var decoder: ScenarioDecoder
  private var keys: [String] { ScenarioKind.of(root["scenario"]).keys }

  private var schema: RunSchema { RunSchema.named(ScenarioKind.of(root["scenario"]).rawValue) ?? .feed }
  /// The metric by which points are compared, whose unit a margin has.
  var headline: Metric { schema.judged(by: Objective(minimize: root["objective"]?["minimize"]?.text, subjectTo: [])).headline }

  var files: InputFiles { decoder.files }

  mutating func read() {
    var reader = ObjectReader(root, context: DecodingContext(sink: sink))
    sweep.name = readName(&reader)
    sweep.question = reader.optionalText("question")
    // The plan is read after the objective, which ranks the points of an earlier sweep.
    for key in ["repeats", "search", "until", "prior"] { _ = reader.has(key) }
    let seed = reader.integer("seed", default: 1, in: 0...Int.max)
    sweep.seed = overrides.seed ?? UInt64(seed)
    sweep.margin = reader.value("margin").flatMap { readMargin($0, key: "margin") }
    sweep.confirm = readConfirm(&reader)
    // These settings are applied to the scenario already.
    _ = reader.has("settings")
    let scenario = reader.value("scenario")
    // The objective is read after the backend, which says what is measured.
    for key in ["objective", "metrics"] { _ = reader.has(key) }
    let problems = sink.count
    let emulated = decoder
    decoder = ScenarioDecoder(
      files: files, prefetchers: decoder.prefetchers, backend: Backend(from: &reader, folder: files.folder, schema: schema))
    let isBackendSound = sink.count == problems
    let measured = isBackendSound ? decoder.backend.measured : nil
    sweep.objective = readObjective(&reader, schema, measured: measured)
    let unknowns = readUnknowns(&reader, schema, columns: measured)
    let named = (sweep.objective?.metrics ?? []) + (unknowns?.measured ?? []).map(\.metric)
    sweep.metrics = readMetrics(&reader, schema, named: named, measured: measured)
    sweep.plan = readPlan(&reader, repeats: overrides.repeats)
    if sweep.plan.race != nil, unknowns?.measured.isEmpty == false {
      reader.report("search", problem: "conflicts with uncertain.measured, because a race counts all worlds", remedy: "keep one of the two")
    }
    if scenario == nil { reader.reportMissing("scenario", example: "{ network: \"3G\", prefetcher: \"none\" }") }
    var dimensions = readAxes(&reader) + readZips(&reader)
    if reportTooManyPaths(dimensions) { dimensions = [] }
    reportRepeatedPaths((unknowns?.dimensions ?? []) + dimensions)
    let conditions = reader.elements("where") { value, _ throws(ValueProblem) in
      try WhereExpression.parse(try ScalarValue.text(value), at: value.location)
    }
    let baseline = reader.value("baseline")
    let population = reader.array("population")
    let strata = readStrata(&reader, dimensions: dimensions)
    sweep.namesStrata = strata != nil
    reader.finish { key in keys.contains(key) ? "move it into scenario: { \(key): … }" : ScenarioSchema.remedy(forKey: key) }
    guard let scenario else { return }
    if scenario.members == nil {
      sink.report(at: scenario.location, key: "scenario", problem: "is \(scenario.found), not an object", remedy: "write { … }")
      return
    }
    if isBackendSound { checkBackend(scenario, dimensions) }
    guard sink.isEmpty else {
      // The grid cannot be built, but scenario and baseline may have more problems to report.
      if reportTooManyPoints(dimensions) { return }
      let grid = Grid(base: scenario, dimensions: dimensions, settings: settings, decoder: emulated)
      GridValidator(sink: sink).validateEachValue(of: grid, leavesContradictions: reader.has("where"))
      let settings = baseline.flatMap { BaselineSettings(files: files, sink: sink).read($0) }
      if let settings, isBackendSound { checkReached(baseline: settings, scenario) }
      return
    }
    var groups: Population?
    if let population, !population.isEmpty {
      groups = readPopulation(population, at: reader.location(of: "population"), scenario, dimensions)
    } else if let unknowns {
      groups = worlds(of: unknowns)
    }
    if let groups { checkReached([groups.dimension]) }
    guard sink.isEmpty else { return }
    if let groups { dimensions.insert(groups.dimension, at: 0) }
    guard let grid = readGrid(scenario, dimensions, conditions) else { return }
    readBaselines(baseline, of: grid, groups, strata)
    if usesStore, measured == nil { sweep.metrics = schema.naming(sweep.metrics + [Metric.evicted.rawValue]).further.map(\.rawValue) }
  }

  /// True if a point has a store with a size, so that items can be evicted.
  private var usesStore: Bool {
    let store = "downloads.store"
    let values = sweep.grid.dimensions.flatMap { zip($0.paths, $0.values) }
    return ([sweep.grid.base] + sweep.baselines.map(\.scenario)).contains { $0.lookup(store) != nil }
      || values.contains { path, values in path.isPath(in: store) || path == "downloads" && values.contains { $0["store"] != nil } }
  }

  /// Returns the grid with validated points; nil after a report.
  private func readGrid(_ scenario: JSON5Value, _ dimensions: [Grid.Dimension], _ conditions: [WhereExpression]) -> Grid? {
    if reportTooManyPoints(dimensions) { return nil }
    var grid = Grid(base: scenario, dimensions: dimensions, settings: settings, decoder: decoder)
    let count = grid.combinationCount
    if conditions.count > Self.evaluationLimit / max(1, count) {
      sink.report(
        at: conditions[0].location, key: "where", problem: "has \(conditions.count) conditions on \(count) points",
        remedy: "write fewer conditions, or list the values that hold")
      return nil
    }
    checkNested(grid)
    guard sink.isEmpty else { return nil }
    let validator = GridValidator(sink: sink)
    validator.validateEachValue(of: grid, leavesContradictions: !conditions.isEmpty)
    guard sink.isEmpty else { return nil }
    grid.keep(where: conditions, sink: sink)
    guard sink.isEmpty else { return nil }
    if grid.count == 0, let location = conditions.first?.location {
      sink.report(at: location, key: "where", problem: "leaves no point of \(count)", remedy: "loosen a condition")
      return nil
    }
    validator.validateAll(grid)
    return grid
  }

  /// Reports settings below a swept path that replace what tells its values apart: columns and strata would keep the old names.
  private func checkNested(_ grid: Grid) {
    for (path, value) in grid.nested {
      let axes = grid.dimensions.flatMap { zip($0.paths, $0.values) }
      guard let (axis, values) = axes.first(where: { path.hasPrefix($0.0 + ".") }), let first = values.first else { continue }
      let key = String(path.dropFirst(axis.count + 1))
      let whole = values.map { ScenarioText.expanding(axis, $0) ?? $0 }
      func line(_ value: JSON5Value) -> String? {
        let tree = try? Grid.overlay([(axis, value)], on: grid.base)
        return tree.flatMap { decoder.decode($0, into: DiagnosticSink()) }?.settings.first { $0.path == path }?.value
      }
      // A population's first value is the scenario's own, which has the setting already.
      let isReplaced = whole.contains { $0.lookup(key).map { $0.canonicalJSON != value.canonicalJSON } ?? false }
      let isOfProfile = axis == "network" && NetworkProfile.keys.contains(key)
      guard isReplaced || isOfProfile && values.contains(where: { line($0) != line(first) }) else { continue }
      let isName = ScenarioText.expanding(axis, JSON5Value(kind: .string(""), location: value.location))?[key] != nil
      let example = isName ? value.canonicalText : (try? whole[0].setting(path: key, to: value))?.canonicalJSON ?? "{ … }"
      sink.report(
        at: value.location, key: path,
        problem: "lies below \(axis), which is swept whole, and would change its values under their old names",
        remedy: "write \(ShellText.quoted("\(axis)=\(example)"))")
    }
  }

  private mutating func readBaselines(
    _ baseline: JSON5Value?, of grid: Grid, _ population: Population?, _ chosen: (dimensions: [Int], SourceLocation)?
  ) {
    sweep.grid = grid
    sweep.baselineSettings = baseline.flatMap { BaselineSettings(files: files, sink: sink, keys: keys).read($0) }
    if let settings = sweep.baselineSettings { checkReached(baseline: settings, grid.base) }
    // The valid settings of the baseline are used, so that all its problems are reported at once.
    let problems = sink.count
    sweep.strata = makeStrata(chosen, population)
    guard sink.count == problems else { return }
    sweep.plan.race?.prior?.check(grid, strata: sweep.strata, sink: sink)
    if baseline != nil, sweep.baselineSettings == nil { return }
    do throws(InvalidInput) { sweep.baselines = try grid.baselines(sweep.baselineSettings, strata: sweep.strata) } catch {
      sink.report(error)
    }
    for baseline in sweep.baselines { grid.parts.note(baseline.ignored) }
    sweep.warnings += IgnoredSetting.warnings(grid.parts.ignored)
    sweep.warnings += baselineWarnings()
    guard let strata = sweep.strata, let settings = sweep.baselineSettings else { return }
    let named = settings.map(\.0).filter { path in strata.paths.contains { path.isPath(in: $0) } }
    if !named.isEmpty {
      let stratum = strata.kind == .models ? "model" : strata.kind == .worlds ? "world" : "stratum"
      sweep.warnings.append("The baseline's \(named.joined(separator: ", ")) is left aside: each \(stratum) has a baseline of its own.")
    }
  }

  private static let evaluationLimit = 1_000_000_000
  static let pathLimit = 1000

  /// Reports too many swept paths; true after a report.
  private func reportTooManyPaths(_ dimensions: [Grid.Dimension]) -> Bool {
    let count = dimensions.reduce(0) { $0 + $1.paths.count }
    guard let first = dimensions.first, count > Self.pathLimit else { return false }
    sink.report(
      at: first.location, key: "axes", problem: "sweep \(count) paths, more than \(Self.pathLimit)",
      remedy: "write what does not vary into the scenario")
    return true
  }

  /// Reports too many points; true after a report.
  private func reportTooManyPoints(_ dimensions: [Grid.Dimension]) -> Bool {
    let count = Grid.combinations(of: dimensions)
    guard let first = dimensions.first, count > Grid.pointLimit else { return false }
    sink.report(
      at: first.location, key: "axes",
      problem: "make \(count == .max ? "more than 10^18" : String(count)) points, more than \(Grid.pointLimit)",
      remedy: "take out values or axes, or split the sweep")
    return true
  }

  private func readName(_ reader: inout ObjectReader) -> String {
    let name = reader.text("sweep")
    if reader.has("sweep"), !ResultsFolder.isName(name) {
      reader.report("sweep", problem: "is no name for a folder", remedy: "write such as \"featured-3g\", without slashes")
    }
    return name
  }

  // MARK: Axes

  private func readAxes(_ reader: inout ObjectReader) -> [Grid.Dimension] {
    guard var axes = reader.object("axes") else { return [] }
    return axes.allMembers().compactMap { axis in
      readValues(axis, key: "axes.\(axis.key)").map { Grid.Dimension(paths: [axis.key], values: [$0], location: axis.keyLocation) }
    }
  }

  private func readZips(_ reader: inout ObjectReader) -> [Grid.Dimension] {
    (reader.array("zip") ?? []).enumerated().compactMap { index, value in
      var group = ObjectReader(value, path: "zip.\(index)", context: reader.context)
      var dimension = Grid.Dimension(paths: [], values: [], location: value.location)
      for member in group.allMembers() {
        guard let values = readValues(member, key: group.path(of: member.key)) else { continue }
        dimension.paths.append(member.key)
        dimension.values.append(values)
        if values.count != dimension.count {
          group.report(
            member.key, problem: "has \(values.count) values, but \(dimension.paths[0]) has \(dimension.count)",
            remedy: "give all paths of a zip group the same number of values")
        }
      }
      if value.members?.isEmpty == true {
        sink.report(at: value.location, key: group.path, problem: "is empty", remedy: "name at least two paths, or leave it out")
      }
      return dimension.paths.isEmpty ? nil : dimension
    }
  }

  /// Reads the values of an axis: a list, a range, or the files that match a pattern.
  func readValues(_ axis: JSON5Member, key: String) -> [JSON5Value]? {
    if let problem = axis.key.pathProblem("names no path of the scenario", among: keys) {
      sink.report(problem, at: axis.keyLocation, key: key)
      return nil
    }
    return sink.value(at: axis.value.location, key: key) { () throws(ValueProblem) in
      let values: [JSON5Value]
      switch axis.value.kind {
      case .array(let elements): values = elements
      case .object(let members) where members.map(\.key) == ["files"]: values = try FilePattern.matches(members[0].value, in: files)
      default: values = try AxisRange.expand(axis.value)
      }
      if values.isEmpty { throw ValueProblem("has no values", remedy: "give at least one, or leave the axis out") }
      return values
    }
  }

  private func reportRepeatedPaths(_ dimensions: [Grid.Dimension]) {
    var seen: [String] = []
    for (path, location) in dimensions.flatMap({ dimension in dimension.paths.map { ($0, dimension.location) } }) {
      let other = seen.first { path.overlaps($0) }
      if other == path {
        sink.report(at: location, key: path, problem: "is swept twice", remedy: "keep one of the two")
      } else if let other, other.isPath(in: path) {
        let remedy = "put the axis \(path) before \(other)"
        sink.report(at: location, key: path, problem: "replaces \(other), which an earlier axis sets", remedy: remedy)
      }
      seen.append(path)
    }
  }
}
