// Decodes points of a grid before anything runs, so that a mistake at any of them is reported with the rest.

/// Tries points, and reports each problem once however many points share it.
final class PointTrial {
  /// The largest grid whose every point is tried; of a larger one every value of every axis is, and each point again when it runs.
  static let allPointsLimit = 20_000

  private let decoder: ScenarioDecoder
  private let sink: DiagnosticSink
  private var seen: Set<Diagnostic> = []
  /// What some point sets without effect; each once.
  private(set) var ignored: [IgnoredSetting] = []

  init(decoder: ScenarioDecoder, sink: DiagnosticSink) {
    self.decoder = decoder
    self.sink = sink
  }

  /// Each value of each axis, with the others at their first.
  func tryEachValue(_ base: JSON5Value, dimensions: [Grid.Dimension]) {
    attempt(base, Self.settings(of: dimensions) { _ in 0 })
    for (index, dimension) in dimensions.enumerated() {
      for place in 0..<dimension.count where place > 0 { attempt(base, Self.settings(of: dimensions) { $0 == index ? place : 0 }) }
    }
  }

  /// All points, unless there are very many.
  func tryAll(_ grid: Grid) {
    guard grid.count <= Self.allPointsLimit else { return }
    for index in 0..<grid.count { attempt(grid.base, zip(grid.paths, grid.values(index)).map { ($0, $1) }) }
  }

  private static func settings(of dimensions: [Grid.Dimension], place: (Int) -> Int) -> [(String, JSON5Value)] {
    dimensions.enumerated().flatMap { index, dimension in
      zip(dimension.paths, dimension.values).compactMap { path, values in
        values.isEmpty ? nil : (path, values[min(place(index), values.count - 1)])
      }
    }
  }

  /// Takes note of what a point sets without effect.
  func note(_ decoded: DecodedScenario?) {
    for setting in decoded?.description.ignored ?? [] where !ignored.contains(setting) { ignored.append(setting) }
  }

  private func attempt(_ base: JSON5Value, _ settings: [(String, JSON5Value)]) {
    let trial = DiagnosticSink()
    do throws(InvalidInput) {
      note(decoder.decode(try Grid.overlay(settings, on: base), into: trial))
    } catch { error.diagnostics.forEach(trial.report) }
    for diagnostic in trial.sorted {
      // A key that nobody knows is said once, not for each of its values.
      var said = diagnostic
      if said.problem == "unknown key" { said.location = SourceLocation(file: "") }
      // The set only remembers; the order of reports comes from the list.
      if seen.insert(said).inserted { sink.report(diagnostic) }
    }
  }
}
