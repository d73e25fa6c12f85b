// A sweep file, read and checked as a whole before anything runs.

import Import
import Simulation

/// A sweep that passed all checks: its grid, its baseline and how often to repeat.
package struct SweepFile: Sendable {
  /// The file as the user named it.
  package let path: String
  /// The sweep's name; also that of its folder of results.
  package let name: String
  /// The question, if the file puts one.
  package let question: String?
  /// Repetitions of each point; the most where they differ.
  package let repeats: Int
  /// Who runs how often.
  package let plan: RepetitionPlan
  /// What all randomness comes from.
  package let seed: UInt64
  /// What difference does not matter, as written; nil for none.
  package let margin: String?
  /// How the winner is confirmed on fresh seeds; nil if it is not.
  package let confirm: Confirm?
  /// What the reader must know.
  package let warnings: [String]
  /// What makes the runs.
  package let backend: Backend
  /// The points.
  package let grid: Grid
  /// The parts within which points are compared; nil if they are all compared with each other.
  package let strata: SweepStrata?
  /// What the points are compared with: one a stratum, or one for all.
  package let baselines: [Baseline]
  /// The settings of the baseline; nil if the file names none.
  package let baselineSettings: [(String, JSON5Value)]?
  /// The values of axes in the file, as columns show them, where the command line replaces them.
  package let fileValues: [String: [String]]
  /// True if the file itself says how its points are split, or that they are not.
  let namesStrata: Bool
  /// True if the file names no baseline, so that the first point, of each stratum, stands for it.
  package var isBaselineImplied: Bool { baselineSettings == nil }
  /// Those of them that are extra points, by their places in `baselines`.
  private let extras: [Int]

  /// The point that all others are compared with.
  package struct Baseline: Sendable {
    /// Its scenario, as a tree.
    package let scenario: JSON5Value
    /// Its place in the grid; nil if it is an extra point.
    package let index: Int?
    /// Its values of the axes.
    package let axisValues: [String]
    /// It as decoded, where it is an extra point.
    let point: PointDecoder.Point?
    /// What it sets without effect, where it is an extra point.
    let ignored: [IgnoredSetting]
  }

  /// How the winner is confirmed: the best points and the baseline run again on seeds that the sweep has not used.
  package struct Confirm: Sendable {
    /// Fresh repetitions of each of them.
    package let repeats: Int
    /// How many of the best points.
    package let best: Int
  }

  /// What the command line says over the file.
  package struct Overrides: Sendable {
    /// `--set path=value`, in order.
    package var settings: [(path: String, value: String)] = []
    /// `--repeats`.
    package var repeats: Int?
    /// `--seed`.
    package var seed: UInt64?

    /// Nothing.
    package init() {}
  }

  /// The most repetitions of a point.
  package static let repeatsLimit = 1_000_000

  /// Reads and checks the file at `path`, which may name the given prefetchers.
  ///
  /// - Throws: `InvalidInput` with all problems found.
  package init(
    path: String, overrides: Overrides = Overrides(), prefetchers: PrefetcherCatalogue = .standard
  ) throws(InvalidInput) {
    let file: InputFile
    do { file = try InputFile(path: path) } catch {
      throw InvalidInput(diagnostics: [
        Diagnostic(location: SourceLocation(file: path), key: "", problem: error.problem, remedy: "check the path of the sweep file")
      ])
    }
    try self.init(file: file, overrides: overrides, prefetchers: prefetchers)
  }

  /// Reads and checks a file's contents; relative paths in it start from the file's folder.
  /// - Throws: `InvalidInput` with everything that is wrong with the file.
  package init(file: InputFile, overrides: Overrides = Overrides(), prefetchers: PrefetcherCatalogue = .standard) throws(InvalidInput) {
    let sink = DiagnosticSink()
    guard let written = JSON5Parser.parse(file.bytes, file: file.name, into: sink), sink.isEmpty else {
      throw sink.found
    }
    let folder = file.name.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let files = InputFiles(folder: folder)
    var reader = SweepFileReader(
      Overlay.applied(overrides.settings, to: written, files: files, sink: sink), repeats: overrides.repeats, files: files,
      prefetchers: prefetchers, sink: sink)
    reader.read()
    try sink.throwIfAny()
    guard let grid = reader.grid, !reader.baselines.isEmpty else {
      preconditionFailure("a sweep file without problems has a grid and a baseline")
    }
    self.path = file.name
    self.grid = grid
    backend = grid.decoder.backend
    strata = reader.strata
    baselines = reader.baselines
    baselineSettings = reader.baselineSettings
    namesStrata = reader.namesStrata
    fileValues = Self.replacedValues(of: grid, written["axes"])
    extras = baselines.indices.filter { [baselines] in baselines[$0].index == nil }
    name = reader.name
    question = reader.question
    plan = reader.plan
    repeats = reader.plan.rounds.last ?? 1
    seed = overrides.seed ?? reader.seed
    margin = reader.margin
    confirm = reader.confirm
    warnings = reader.warnings
  }
}

extension SweepFile {
  /// The values of written axes that are not those of the grid.
  private static func replacedValues(of grid: Grid, _ axes: JSON5Value?) -> [String: [String]] {
    var replaced: [String: [String]] = [:]
    for (path, values) in grid.dimensions.flatMap({ zip($0.paths, $0.values) }) {
      guard let axis = axes?[path], let written = axis.elements ?? (try? AxisRange.expand(axis)) else { continue }
      let texts = written.map(\.canonicalText)
      if texts != values.map(\.canonicalText) { replaced[path] = texts }
    }
    return replaced
  }

  /// How many points run: the grid's, and the baselines that are none of them.
  package var pointCount: Int { grid.count + extras.count }

  /// The paths of the sweep file and of the files that it names.
  package var inputPaths: [String] {
    let files = grid.decoder.files
    return [path] + files.hashes.map { files.resolved($0.path) }
  }

  /// The baseline that stands for the sweep: the only one, or the first stratum's.
  package var baseline: Baseline { baselines[0] }

  /// What the randomness of a repetition comes from; with the point it is enough to run a row again.
  package func seed(of repetition: Int) -> UInt64 { RandomStream.seed(sweepSeed: seed, repetition: repetition) }

  /// A baseline's place in the order of results. O(strata).
  package func place(ofBaseline index: Int) -> Int { baselines[index].index ?? grid.count + (extras.firstIndex(of: index) ?? 0) }

  /// The places of all baselines in the order of results, in the order of `baselines`. O(strata²).
  var baselinePlaces: [Int] { baselines.indices.map(place(ofBaseline:)) }

  /// The stratum of a point, by its place in the order of results, as a place in `baselines`; 0 without strata. O(strata).
  package func stratum(of place: Int) -> Int {
    guard let strata, baselines.count > 1 else { return 0 }
    if place >= grid.count { return extras[place - grid.count] }
    let places = grid.places(place, in: strata.dimensions)
    return strata.members.firstIndex { $0.places == places } ?? 0
  }

  /// Whether a point, by its place in the order of results, is a baseline. O(strata).
  package func isBaseline(_ place: Int) -> Bool { place >= grid.count || baselines.contains { $0.index == place } }

  /// The scenario of a point in the order of results: the grid's, then baselines outside of it. O(scenario).
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func decoded(_ index: Int) throws(InvalidInput) -> DecodedScenario { try decodedText(index).decoded }

  /// The same with settings laid over it.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func decoded(_ index: Int, with settings: [(String, JSON5Value)]) throws(InvalidInput) -> DecodedScenario {
    try decodedText(index, with: settings).decoded
  }

  /// The same, with its values as they are written.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func decodedText(
    _ index: Int, with settings: [(String, JSON5Value)] = []
  ) throws(InvalidInput) -> (decoded: DecodedScenario, text: ScenarioText) {
    let bare = index < grid.count ? try grid.scenario(index) : baselines[extras[index - grid.count]].scenario
    let tree = try Grid.overlay(settings, on: bare)
    let decoded = try grid.decoder.decoded(tree)
    return (decoded, ScenarioText(tree: tree, lines: decoded.lines))
  }

  /// The scenario of a point in the order of results, where it is a feed's: what the benchmark runs without a runner around it.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func feedScenario(_ index: Int) throws(InvalidInput) -> Scenario? { try decoded(index).scenario as? Scenario }

  /// Where an axis stands; where the file begins if it has no such axis.
  package func location(ofAxis axis: String) -> SourceLocation {
    grid.dimensions.first { $0.paths.contains(axis) }?.location ?? SourceLocation(file: path)
  }

  /// A point in the order of results, ready to run. `decoder` is one of the sweep's grid. O(parts) where it knows them.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func point(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> PointDecoder.Point {
    if index < grid.count { return try decoder.point(index) }
    guard let point = baselines[extras[index - grid.count]].point else {
      preconditionFailure("an extra baseline is decoded when it is read")
    }
    return point
  }

  /// A point's id in the order of results, as a number.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func id(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> UInt64 {
    index < grid.count ? try decoder.id(index) : try point(index, decoder).id
  }

  /// A point's values of the axes, as columns show them.
  package func axisValues(_ index: Int) -> [String] {
    index < grid.count ? grid.values(index).map(\.canonicalText) : baselines[extras[index - grid.count]].axisValues
  }
}
