// A sweep file, read and validated before the first run.

import Analysis
import Base
import Simulation

package struct ResolvedSweep: Sendable {
  /// The file's path as the user wrote it, for messages.
  package let path: String
  /// The file's path in results, which do not depend on how it was typed; `-` for standard input.
  package var canonicalPath: String { SystemFile.canonical(path) }
  /// The sweep's name, also the name of its results folder.
  package internal(set) var name = ""
  package internal(set) var question: String?
  package internal(set) var plan = RepetitionPlan.complete(1)
  /// The bytes of a sweep that was read from standard input; nil for a file. Results keep them as `keptInputName`.
  package private(set) var standardInput: [UInt8]?
  package static let keptInputName = "standard-input.json5"
  package internal(set) var seed: UInt64 = 1
  /// The difference that does not matter, as written; nil for none.
  package internal(set) var margin: String?
  /// The metric to minimize and the constraints of the winner; nil if the file names none.
  package internal(set) var objective: Objective?
  /// The names of the further metrics of its runs, which the file names under `metrics`, in the objective or for the backend.
  package internal(set) var metrics: [String] = []
  /// The settings of the confirmation on new seeds; nil for none.
  package internal(set) var confirm: SweepDescription.Confirm?
  package internal(set) var warnings: [String] = []
  package internal(set) var grid: Grid
  /// The parts of the grid within which points are compared; nil if there is one part.
  package internal(set) var strata: SweepStrata?
  var namesStrata = false
  /// The baselines: one for each stratum, or one for the sweep.
  package internal(set) var baselines: [Baseline] = [] { didSet { extras = baselines.indices.filter { baselines[$0].index == nil } } }
  /// The settings of the baseline; nil if the file names none and the first point of each stratum is the baseline.
  package internal(set) var baselineSettings: [(String, JSON5Value)]?
  /// The axis values of the file, as columns show them, for axes that the command line narrows.
  package internal(set) var fileValues: [String: [String]] = [:]
  /// The indices in `baselines` of the baselines outside of the grid.
  private var extras: [Int] = []

  package struct Baseline: Sendable {
    package let scenario: JSON5Value
    /// The index in the grid; nil for an extra point.
    package let index: Int?
    let values: [JSON5Value]
    var point: PreparedPoint?
    /// The settings of an extra point that have no effect.
    var ignored: [IgnoredSetting] = []

    /// The values of the axes as columns show them.
    var axisValues: [String] { values.map(\.canonicalText) }
  }

  package static let repeatsLimit = 1_000_000

  /// Reads and validates the file at `path`, which may use the given prefetchers.
  /// - Throws: `InvalidInput` with all problems found.
  package init(
    path: String, overrides: SweepOverrides = SweepOverrides(), prefetchers: PrefetcherCatalogue = .standard
  ) throws(InvalidInput) {
    let file: InputFile
    do { file = try path == InputFile.standardInputName ? .standardInput() : InputFile(path: path) } catch {
      let usual = ["\(path).json5", "Sweeps/\(path)", "Sweeps/\(path).json5"]
      let near = usual.first(where: SystemFile.exists) ?? ([path] + usual).lazy.compactMap(InputFile.near).first
      throw InvalidInput(
        at: SourceLocation(whole: path), key: "", problem: error.problem,
        remedy: SystemFile.exists(path)
          ? error.remedy : near.map { "did you mean \(shortened($0, to: 200))?" } ?? "check the path of the sweep file")
    }
    try self.init(file: file, overrides: overrides, prefetchers: prefetchers)
  }

  /// Reads and validates a file's contents. Relative paths start from its folder.
  /// - Throws: `InvalidInput` with all problems of the file.
  package init(file: InputFile, overrides: SweepOverrides = SweepOverrides(), prefetchers: PrefetcherCatalogue = .standard)
    throws(InvalidInput)
  {
    let (sink, syntax) = (DiagnosticSink(), DiagnosticSink())
    let parsed = JSON5Parser.parse(file.bytes, file: file.name, readsBareWords: true, into: syntax)
    guard let written = parsed, !syntax.isFull else { throw syntax.found }
    // The paths in a kept standard input are relative to the working folder, as they were.
    let isKept = file.name == Self.keptInputName || file.name.hasSuffix("/\(Self.keptInputName)")
    let folder = isKept ? "" : file.name.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let decoder = ScenarioDecoder(files: InputFiles(folder: folder), prefetchers: prefetchers)
    let empty = ResolvedSweep(path: file.name, grid: Grid(base: written, dimensions: [], decoder: decoder))
    let (root, settings) = Overlay.applied(overrides.settings, to: written, files: decoder.files, sink: sink)
    var reader = SweepFileReader(sweep: empty, root: root, settings: settings, sink: sink, overrides: overrides, decoder: decoder)
    reader.read()
    // Of a bare word, what its key expects is the better remedy; unless it has the quotes, it asks for them too.
    for bare in syntax.sorted {
      let isKnown = sink.change(at: bare.location) { diagnostic in if diagnostic.code == .unquoted { diagnostic.remedy += ", in quotes" } }
      if !isKnown { sink.report(bare) }
    }
    try sink.throwIfAny()
    self = reader.sweep
    fileValues = Self.replacedValues(of: grid, written["axes"])
    if file.name == InputFile.standardInputName { standardInput = file.bytes }
  }

  private init(path: String, grid: Grid) { (self.path, self.grid) = (path, grid) }

  /// Returns the file's values of the axes that the command line narrowed.
  private static func replacedValues(of grid: Grid, _ axes: JSON5Value?) -> [String: [String]] {
    var replaced: [String: [String]] = [:]
    for (path, values) in grid.dimensions.flatMap({ zip($0.paths, $0.values) }) {
      guard let axis = axes?[path], let written = axis.elements ?? (try? AxisRange.expand(axis)) else { continue }
      let texts = written.map(\.canonicalText)
      if texts != values.map(\.canonicalText) { replaced[path] = texts }
    }
    return replaced
  }

  /// The repetitions of a point; the most if points differ.
  package var repeats: Int { plan.rounds.last ?? 1 }

  package var backend: Backend { grid.decoder.backend }

  /// The number of points to run: those of the grid and the baselines outside of it.
  package var pointCount: Int { grid.count + extras.count }

  /// Returns the seed of a repetition. Seed and point are enough to repeat a row.
  package func seed(of repetition: Int) -> UInt64 { RandomStream.seed(sweepSeed: seed, repetition: repetition) }

  /// Returns the index of a baseline in the order of results. O(strata).
  package func pointIndex(ofBaseline index: Int) -> Int { baselines[index].index ?? grid.count + (extras.firstIndex(of: index) ?? 0) }

  /// Returns the stratum of a point in the order of results, as an index in `baselines`; 0 without strata. O(strata).
  package func stratum(of index: Int) -> Int {
    guard let strata, baselines.count > 1 else { return 0 }
    if index >= grid.count { return extras[index - grid.count] }
    let coordinates = grid.coordinates(index, in: strata.dimensions)
    return strata.members.firstIndex { $0.coordinates == coordinates } ?? 0
  }

  /// True if a point in the order of results is a baseline. O(strata).
  package func isBaseline(_ index: Int) -> Bool { index >= grid.count || baselines.contains { $0.index == index } }

  /// Decodes a point in the order of results: the grid's, then baselines outside of it. O(scenario).
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  package func decoded(_ index: Int, with settings: [(String, JSON5Value)] = []) throws(InvalidInput) -> DecodedScenario {
    try grid.decoder.decoded(try Grid.overlay(settings, on: scenario(index)))
  }

  /// Returns a point's scenario before its defaults, in the order of results.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  func scenario(_ index: Int) throws(InvalidInput) -> JSON5Value { index < grid.count ? try grid.scenario(index) : extra(index).scenario }

  /// Returns a point in the order of results, ready to run. `decoder` belongs to the sweep's grid. O(parts) if they are cached.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  package func point(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> PreparedPoint {
    if index < grid.count { return try decoder.point(index) }
    guard let point = extra(index).point else { preconditionFailure("an extra baseline is decoded when it is read") }
    return point
  }

  /// Returns a point's id as a number.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  package func id(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> UInt64 {
    index < grid.count ? try decoder.id(index) : try point(index, decoder).id
  }

  package func axisValues(_ index: Int) -> [String] { index < grid.count ? grid.texts(index) : extra(index).axisValues }

  /// Returns a point's cells in a list of points: id, axis values, and `baseline` or nothing.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  package func row(_ index: Int, _ decoder: PointDecoder) throws(InvalidInput) -> [String] {
    let cells = index < grid.count ? try decoder.cells(index) : [PointID.text(try id(index, decoder))] + axisValues(index)
    return cells + [isBaseline(index) ? "baseline" : ""]
  }

  private func extra(_ index: Int) -> Baseline { baselines[extras[index - grid.count]] }

  package var valuesOfAxes: [JSON5Value] { grid.dimensions.flatMap(\.values).flatMap { $0 } + baselines.flatMap(\.values) }

  /// Refuses to split a sweep into shards if its runs depend on earlier results, or on one device per repetition.
  /// - Throws: `InvalidInput` if the sweep cannot be split.
  package func checkSharding() throws(InvalidInput) {
    if backend.isEmulated { return }
    throw backend.refusal(
      "is \(backend.name), and all runs of a repetition are executed on one device, so it has no shards",
      "run the whole sweep; a command uses several devices with backend.devices")
  }

  /// Refuses a sweep with another backend for a command that needs the emulator.
  /// - Throws: `InvalidInput` if the backend is not the emulator.
  package func checkEmulated(for command: String) throws(InvalidInput) {
    if backend.isEmulated { return }
    throw backend.refusal(
      "is \(backend.name), and \(command) works with the emulator only", "take backend out of the file, or name a sweep without it")
  }
}
