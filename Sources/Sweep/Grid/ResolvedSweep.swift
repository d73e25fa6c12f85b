// A sweep file, read and checked as a whole before anything runs.

import Analysis
import Import
import Simulation

/// A sweep that passed all checks: its grid, its baseline and how often to repeat.
package struct ResolvedSweep: Sendable {
  /// The file as the user named it.
  package let path: String
  /// The sweep's name; also that of its folder of results.
  package internal(set) var name = ""
  package internal(set) var question: String?
  package internal(set) var plan = RepetitionPlan.complete(1)
  /// What all randomness comes from.
  package internal(set) var seed: UInt64 = 1
  /// What difference does not matter, as written; nil for none.
  package internal(set) var margin: String?
  /// How the winner is confirmed on fresh seeds; nil if it is not.
  package internal(set) var confirm: SweepDescription.Confirm?
  package internal(set) var warnings: [String] = []
  package internal(set) var grid: Grid
  /// The parts within which points are compared; nil if they are all compared with each other.
  package internal(set) var strata: SweepStrata?
  /// True if the file itself says how its points are split, or that they are not.
  var namesStrata = false
  /// What the points are compared with: one a stratum, or one for all.
  package internal(set) var baselines: [Baseline] = [] {
    didSet { extras = baselines.indices.filter { baselines[$0].index == nil } }
  }
  /// The settings of the baseline; nil if the file names none, so that the first point, of each stratum, stands for it.
  package internal(set) var baselineSettings: [(String, JSON5Value)]?
  /// The values of axes in the file, as columns show them, where the command line replaces them.
  package internal(set) var fileValues: [String: [String]] = [:]
  /// Those of the baselines that are extra points, by their places in `baselines`.
  private var extras: [Int] = []

  /// The point that all others are compared with.
  package struct Baseline: Sendable {
    package let scenario: JSON5Value
    /// Its place in the grid; nil if it is an extra point.
    package let index: Int?
    let axisValues: [String]
    /// It as decoded, where it is an extra point.
    var point: PointDecoder.Point?
    /// What it sets without effect, where it is an extra point.
    var ignored: [IgnoredSetting] = []
  }

  /// What the command line says over the file.
  package struct Overrides: Sendable {
    /// `--set path=value`, in order.
    package var settings: [(path: String, value: String)] = []
    /// `--repeats`.
    package var repeats: Int?
    /// `--seed`.
    package var seed: UInt64?

    package init() {}
  }

  package static let repeatsLimit = 1_000_000

  /// Reads and checks the file at `path`, which may name the given prefetchers.
  ///
  /// - Throws: `InvalidInput` with all problems found.
  package init(
    path: String, overrides: Overrides = Overrides(), prefetchers: PrefetcherCatalogue = .standard
  ) throws(InvalidInput) {
    let file: InputFile
    do { file = try path == "-" ? .standardInput() : InputFile(path: path) } catch {
      throw InvalidInput(at: SourceLocation(whole: path), key: "", problem: error.problem, remedy: "check the path of the sweep file")
    }
    try self.init(file: file, overrides: overrides, prefetchers: prefetchers)
  }

  /// Reads and checks a file's contents; relative paths in it start from the file's folder.
  /// - Throws: `InvalidInput` with everything that is wrong with the file.
  package init(file: InputFile, overrides: Overrides = Overrides(), prefetchers: PrefetcherCatalogue = .standard) throws(InvalidInput) {
    let (sink, syntax) = (DiagnosticSink(), DiagnosticSink())
    let parsed = JSON5Parser.parse(file.bytes, file: file.name, readsBareWords: true, into: syntax)
    guard let written = parsed, !syntax.isFull else { throw syntax.found }
    let folder = file.name.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let decoder = ScenarioDecoder(files: InputFiles(folder: folder), prefetchers: prefetchers)
    let empty = ResolvedSweep(path: file.name, grid: Grid(base: written, dimensions: [], decoder: decoder))
    let (root, settings) = Overlay.applied(overrides.settings, to: written, files: decoder.files, sink: sink)
    var reader = SweepFileReader(sweep: empty, root: root, settings: settings, sink: sink, overrides: overrides, decoder: decoder)
    reader.read()
    // Of a bare word, what its key expects is the better remedy.
    let known = Set(sink.sorted.map(\.location))
    for diagnostic in syntax.sorted where !known.contains(diagnostic.location) { sink.report(diagnostic) }
    try sink.throwIfAny()
    self = reader.sweep
    fileValues = Self.replacedValues(of: grid, written["axes"])
  }

  private init(path: String, grid: Grid) { (self.path, self.grid) = (path, grid) }

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
}

extension ResolvedSweep {
  /// Repetitions of each point; the most where they differ.
  package var repeats: Int { plan.rounds.last ?? 1 }

  package var backend: Backend { grid.decoder.backend }

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

  /// True if a point, by its place in the order of results, is a baseline. O(strata).
  package func isBaseline(_ place: Int) -> Bool { place >= grid.count || baselines.contains { $0.index == place } }

  /// The scenario of a point in the order of results: the grid's, then baselines outside of it. O(scenario).
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func decoded(_ index: Int, with settings: [(String, JSON5Value)] = []) throws(InvalidInput) -> DecodedScenario {
    try decodedText(index, with: settings).decoded
  }

  /// The same, with its values as they are written.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func decodedText(
    _ index: Int, with settings: [(String, JSON5Value)] = []
  ) throws(InvalidInput) -> (decoded: DecodedScenario, text: ScenarioText) {
    let bare = index < grid.count ? try grid.scenario(index) : extra(index).scenario
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
    guard let point = extra(index).point else { preconditionFailure("an extra baseline is decoded when it is read") }
    return point
  }

  /// A point's id in the order of results, as a number.
  /// - Throws: `InvalidInput` if the point's scenario is malformed.
  package func id(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> UInt64 {
    index < grid.count ? try decoder.id(index) : try point(index, decoder).id
  }

  /// A point's values of the axes, as columns show them.
  package func axisValues(_ index: Int) -> [String] {
    index < grid.count ? grid.values(index).map(\.canonicalText) : extra(index).axisValues
  }

  /// The cells of a point in a list of all: its id, its values of the axes, and `baseline` if it is that.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func row(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> [String] {
    let cells = index < grid.count ? try decoder.cells(index) : [PointID.text(try id(index, decoder))] + axisValues(index)
    return cells + [isBaseline(index) ? "baseline" : ""]
  }

  /// The baseline that is an extra point, by its place in the order of results.
  private func extra(_ index: Int) -> Baseline { baselines[extras[index - grid.count]] }

  /// Refuses to cut the sweep into shards where its runs depend on each other's results, or where a repetition is one device's.
  /// - Throws: `InvalidInput` if the sweep's runs depend on each other's results.
  package func checkSharding() throws(InvalidInput) {
    if !backend.isEmulated {
      throw InvalidInput(
        at: backend.location, key: "backend",
        problem: "is \(backend.name): all runs of a repetition are made in one place, which shards would tear apart",
        remedy: "run the sweep whole; a command takes several devices at once by backend.devices")
    }
    guard plan.needsResults else { return }
    throw InvalidInput(
      at: plan.location, key: plan.key, problem: "decides by the results of earlier runs, which a shard does not have",
      remedy: "run the sweep whole, or with " + (plan.key == "search" ? "--set search=null" : "a number of --repeats"))
  }

  /// Refuses a sweep whose runs are not the emulator's, for commands that know no others; `command` is the one that was given.
  /// - Throws: `InvalidInput` if the sweep has another backend.
  package func checkEmulated(for command: String) throws(InvalidInput) {
    if backend.isEmulated { return }
    throw InvalidInput(
      at: backend.location, key: "backend", problem: "is \(backend.name), and \(command) asks the emulator alone",
      remedy: "take backend out of the file, or name a sweep without it")
  }
}
