// Reads the parts of a sweep file, each with all its problems reported, and then tries the points themselves.

import Analysis
import Import

/// Works through a sweep file once. Its results may be used only if nothing was reported.
package struct SweepFileReader {
  package let root: JSON5Value
  /// What the command line sets in the scenario; `root` has it already.
  package let settings: [(path: String, value: JSON5Value)]
  package let files: InputFiles
  package let prefetchers: PrefetcherCatalogue
  package let sink: DiagnosticSink
  /// `--repeats`.
  private let repeats: Int?

  private(set) var name = ""
  private(set) var question: String?
  private(set) var plan = RepetitionPlan.complete(1)
  private(set) var seed: UInt64 = 1
  private(set) var margin: String?
  private(set) var confirm: SweepFile.Confirm?
  private(set) var warnings: [String] = []
  /// The keys of a scenario of the file's kind.
  private var keys = ScenarioKind.feed.keys
  private(set) var grid: Grid?
  private(set) var strata: SweepStrata?
  private(set) var baselines: [SweepFile.Baseline] = []
  /// The settings of the baseline; nil if the file names none.
  private(set) var baselineSettings: [(String, JSON5Value)]?
  /// True if the file itself says how its points are split, or that they are not.
  private(set) var namesStrata = false

  package init(_ sweep: Overlay.Result, repeats: Int?, files: InputFiles, prefetchers: PrefetcherCatalogue, sink: DiagnosticSink) {
    root = sweep.root
    settings = sweep.settings
    self.repeats = repeats
    self.files = files
    self.prefetchers = prefetchers
    self.sink = sink
  }

  /// Reads everything.
  package mutating func read() {
    var reader = ObjectReader(root, context: DecodingContext(sink: sink))
    name = readName(&reader)
    question = reader.optionalText("question")
    plan = readPlan(&reader, repeats: repeats)
    seed = UInt64(reader.integer("seed", default: 1, in: 0...Int.max))
    readMargin(&reader)
    confirm = readConfirm(&reader)
    // What these say stands in the scenario already.
    _ = reader.has("settings")
    let scenario = reader.value("scenario")
    let schema = RunSchema.named(ScenarioKind.of(scenario).rawValue) ?? .feed
    let problems = sink.count
    let backend = Backend(from: &reader, folder: files.folder, schema: schema)
    let isBackendSound = sink.count == problems
    keys = ScenarioKind.of(scenario).keys
    if scenario == nil { reader.reportMissing("scenario", example: "{ network: \"3G\", prefetcher: \"none\" }") }
    var dimensions = readAxes(&reader)
    dimensions += readZips(&reader)
    if reportTooManyPaths(dimensions) { dimensions = [] }
    reportRepeatedPaths(dimensions)
    let conditions = readConditions(&reader)
    let baselineValue = reader.value("baseline")
    let population = reader.array("population")
    let wanted = readStrata(&reader, dimensions: dimensions)
    reader.finish()
    guard let scenario else { return }
    if scenario.members == nil {
      sink.report(at: scenario.location, key: "scenario", problem: "is \(scenario.found), not an object", remedy: "write { … }")
      return
    }
    let decoder = ScenarioDecoder(files: files, prefetchers: prefetchers, backend: backend)
    if isBackendSound { check(backend, scenario, dimensions, decoder) }
    guard sink.isEmpty else {
      // The grid cannot be built, but the scenario and the baseline may have more to mend.
      let decoder = ScenarioDecoder(files: files, prefetchers: prefetchers)
      if reportTooManyPoints(dimensions) { return }
      PointTrial(sink: sink).tryEachValue(of: points(scenario, dimensions, decoder))
      let settings = baselineValue.flatMap { BaselineSettings(files: files, sink: sink).read($0) }
      if let settings, isBackendSound { checkReached(baseline: settings, by: backend, scenario) }
      return
    }
    var members: [SweepStrata.Member]?
    if let population, !population.isEmpty {
      let location = reader.location(of: "population")
      guard let found = readPopulation(population, at: location, scenario, dimensions, decoder) else { return }
      if case .command(let command) = backend { checkReached([found.dimension], by: command) }
      guard sink.isEmpty else { return }
      dimensions.insert(found.dimension, at: 0)
      members = found.members
    }
    build(scenario, dimensions, conditions, baselineValue, decoder, population: members, strata: wanted)
  }

  private mutating func build(
    _ scenario: JSON5Value, _ dimensions: [Grid.Dimension], _ conditions: [(WhereExpression, SourceLocation)],
    _ baselineValue: JSON5Value?, _ decoder: ScenarioDecoder, population: [SweepStrata.Member]?, strata wanted: WantedStrata
  ) {
    if reportTooManyPoints(dimensions) { return }
    if conditions.count > Self.evaluationLimit / max(1, Grid.combinations(of: dimensions)) {
      sink.report(
        at: conditions[0].1, key: "where", problem: "has \(conditions.count) conditions on \(Grid.combinations(of: dimensions)) points",
        remedy: "write fewer conditions, or list the values that hold")
      return
    }
    let points = points(scenario, dimensions, decoder)
    let trial = PointTrial(sink: sink)
    trial.tryEachValue(of: points)
    guard sink.isEmpty else { return }
    let filter = ConditionFilter(
      conditions: conditions, base: scenario, dimensions: dimensions, settings: settings, decoder: decoder, sink: sink)
    let grid = Grid(points, settings: settings, conditions: conditions, holds: conditions.isEmpty ? nil : filter.holds)
    guard sink.isEmpty else { return }
    if grid.count == 0, let location = conditions.first?.1 {
      sink.report(at: location, key: "where", problem: "leaves no point of \(grid.combinationCount)", remedy: "loosen a condition")
      return
    }
    trial.tryAll(grid)
    let settings = baselineValue.map { BaselineSettings(files: files, sink: sink, keys: keys).read($0) }
    if let settings = settings ?? nil { checkReached(baseline: settings, by: decoder.backend, scenario) }
    // What is right of the baseline is read all the same, so that all its problems are told at once.
    let problems = sink.count
    baselineSettings = settings ?? nil
    if case .dimensions = wanted { namesStrata = true }
    strata = makeStrata(wanted, population, of: grid, baseline: baselineSettings)
    guard sink.count == problems else { return }
    plan.race?.prior?.check(grid, strata: strata, sink: sink)
    baselines = BaselineReader(grid: grid, decoder: decoder, sink: sink).read(settings, strata: strata)
    var ignored = points.ignored
    for setting in baselines.flatMap(\.ignored) where !ignored.contains(setting) { ignored.append(setting) }
    warnings += IgnoredSetting.warnings(ignored)
    if let strata, let settings = settings ?? nil {
      let named = settings.map(\.0).filter { path in strata.paths.contains { path == $0 || path.hasPrefix($0 + ".") } }
      if !named.isEmpty {
        warnings.append(
          "The baseline's \(named.joined(separator: ", ")) is left aside: each \(strata.kind == .models ? "model" : "stratum") has a baseline of its own."
        )
      }
    }
    self.grid = grid
  }

  private func points(_ scenario: JSON5Value, _ dimensions: [Grid.Dimension], _ decoder: ScenarioDecoder) -> GridPoints {
    GridPoints(base: scenario, dimensions: dimensions, laid: Grid.laid(settings, over: dimensions), decoder: decoder)
  }

  /// The most conditions times points.
  private static let evaluationLimit = 1_000_000_000
  /// The most paths of all axes and zip groups together.
  private static let pathLimit = 1000

  /// Reports axes of too many paths; true if they were.
  private func reportTooManyPaths(_ dimensions: [Grid.Dimension]) -> Bool {
    let count = dimensions.reduce(0) { $0 + $1.paths.count }
    guard let first = dimensions.first, count > Self.pathLimit else { return false }
    sink.report(
      at: first.location, key: "axes", problem: "sweep \(count) paths, more than \(Self.pathLimit)",
      remedy: "write what does not vary into the scenario")
    return true
  }

  /// Reports a grid of too many points; true if it was.
  private func reportTooManyPoints(_ dimensions: [Grid.Dimension]) -> Bool {
    guard let first = dimensions.first else { return false }
    let count = Grid.combinations(of: dimensions)
    if count <= Grid.pointLimit { return false }
    sink.report(
      at: first.location, key: "axes",
      problem: "make \(count == .max ? "more than 10^18" : String(count)) points, more than \(Grid.pointLimit)",
      remedy: "take out values or axes, or split the sweep")
    return true
  }

  private func readName(_ reader: inout ObjectReader) -> String {
    let name = reader.text("sweep")
    let isPlain = SafeText.line(name) == name && !name.contains("/") && !name.contains("\\")
    if reader.has("sweep"), name.isEmpty || name.hasPrefix(".") || !isPlain || name.utf8.count > 100 {
      reader.report("sweep", problem: "is no name for a folder", remedy: "write such as \"featured-3g\", without slashes")
    }
    return name
  }

  private mutating func readMargin(_ reader: inout ObjectReader) {
    guard let value = reader.value("margin") else { return }
    do throws(ValueProblem) {
      switch value.kind {
      case .number: margin = "\(try ScalarValue.number(value, in: 0...1e6))"
      case .string(let text):
        _ = try Quantity(text, dimension: .percent).fraction()
        margin = text
      default:
        throw ValueProblem("is \(value.found), not a margin", remedy: "write \"2%\", or loaders per 1000 as a number")
      }
    } catch { reader.report("margin", problem: error.problem, remedy: error.remedy) }
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
          sink.report(
            at: member.value.location, key: group.path(of: member.key),
            problem: "has \(values.count) values, but \(dimension.paths[0]) has \(dimension.count)",
            remedy: "give all paths of a zip group the same number of values")
        }
      }
      if dimension.paths.isEmpty, !group.isBroken, group.allMembers().isEmpty {
        sink.report(at: value.location, key: group.path, problem: "is empty", remedy: "name at least two paths, or leave it out")
      }
      return dimension.paths.isEmpty ? nil : dimension
    }
  }

  /// The values of an axis: a list, a range, or the files that match a pattern.
  private func readValues(_ axis: JSON5Member, key: String) -> [JSON5Value]? {
    do throws(ValueProblem) {
      let first = axis.key.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
      guard keys.contains(first) else {
        throw ValueProblem(
          "names no path of the scenario",
          remedy: NearestName.remedy(for: first, among: keys, what: "a path starts with one of"))
      }
      let values: [JSON5Value]
      switch axis.value.kind {
      case .array(let elements): values = elements
      case .object(let members) where members.map(\.key) == ["files"]:
        values = try FilePattern.matches(members[0].value, in: files)
      default: values = try AxisRange.expand(axis.value)
      }
      if values.isEmpty { throw ValueProblem("has no values", remedy: "give at least one, or leave the axis out") }
      return values
    } catch {
      sink.report(error, at: first(axis, of: error), key: key)
      return nil
    }
  }

  private func first(_ axis: JSON5Member, of problem: ValueProblem) -> SourceLocation {
    problem.problem.hasPrefix("names no path") ? axis.keyLocation : axis.value.location
  }

  private func reportRepeatedPaths(_ dimensions: [Grid.Dimension]) {
    var seen: [String] = []
    for dimension in dimensions {
      for path in dimension.paths {
        if let other = seen.first(where: { $0 == path || path.hasPrefix($0 + ".") || $0.hasPrefix(path + ".") }) {
          let isSame = other == path
          if isSame {
            sink.report(at: dimension.location, key: path, problem: "is swept twice", remedy: "keep one of the two")
          } else if !path.hasPrefix(other + ".") {
            sink.report(
              at: dimension.location, key: path, problem: "replaces \(other), which an earlier axis sets",
              remedy: "put the axis \(path) before \(other)")
          }
        }
        seen.append(path)
      }
    }
  }

  private func readConditions(_ reader: inout ObjectReader) -> [(WhereExpression, SourceLocation)] {
    (reader.array("where") ?? []).enumerated().compactMap { index, value in
      do throws(ValueProblem) {
        return (try WhereExpression.parse(try ScalarValue.text(value)), value.location)
      } catch {
        sink.report(error, at: value.location, key: "where.\(index)")
        return nil
      }
    }
  }
}
