// Decodes points of a grid before anything runs, so that a mistake at any of them is reported with the rest.

import Import

/// Tries points, and reports each problem once however many points share it.
package final class PointTrial {
  /// The largest grid whose every point is tried; of a larger one every value of every axis is, and each point again when it runs.
  static let allPointsLimit = 20_000

  private let decoder: ScenarioDecoder
  private let memory = PartMemory()
  private let sink: DiagnosticSink
  private var seen: Set<Diagnostic> = []
  /// The most problems that a point had beyond those that were kept; other points have mostly the same ones.
  private var uncounted = 0
  /// What some point sets without effect; each once.
  private(set) var ignored: [IgnoredSetting] = []

  /// A trial that reports to `sink`.
  package init(decoder: ScenarioDecoder, sink: DiagnosticSink) {
    self.decoder = decoder
    self.sink = sink
  }

  /// Each value of each axis, with the others at their first. Two values that make the same point are reported: its rows could
  /// not be told apart.
  func tryEachValue(_ base: JSON5Value, dimensions: [Grid.Dimension], settings: [(path: String, value: JSON5Value)]) {
    let laid = Grid.laid(settings, over: dimensions)
    let first = attempt(base, Self.settings(of: dimensions) { _ in 0 } + laid)
    let uses = Dictionary(dimensions.flatMap(\.paths).map { ($0, 1) }, uniquingKeysWith: +)
    for (index, dimension) in dimensions.enumerated() {
      // Where a path is swept twice, which is said already, one of the two has no effect.
      let isAlone = dimension.paths.allSatisfy { uses[$0] == 1 }
      var places: [UInt64: Int] = first.map { [$0: 0] } ?? [:]
      for place in 0..<dimension.count where place > 0 && !sink.isFull {
        guard let point = attempt(base, Self.settings(of: dimensions) { $0 == index ? place : 0 } + laid) else { continue }
        if let earlier = places.updateValue(place, forKey: point), isAlone { reportSame(dimension, earlier, place) }
      }
    }
  }

  /// All points, unless there are very many.
  func tryAll(_ grid: Grid) {
    guard grid.count <= Self.allPointsLimit else { return }
    let points = PointDecoder(grid)
    points.willKeep = note
    var places: [UInt64: Int] = [:]
    for index in 0..<grid.count {
      do throws(InvalidInput) {
        guard let earlier = places.updateValue(index, forKey: try points.id(index)) else { continue }
        sink.report(
          at: grid.dimensions[0].location, key: "axes",
          problem: "make point \(earlier + 1) and point \(index + 1) the same scenario",
          remedy: "take values out, or add a condition to where")
        return
      } catch { report(error) }
    }
  }

  /// The value of each path that stands at a place of its dimension, or at the last.
  package static func settings(of dimensions: [Grid.Dimension], place: (Int) -> Int) -> [(String, JSON5Value)] {
    dimensions.enumerated().flatMap { index, dimension in
      zip(dimension.paths, dimension.values).compactMap { path, values in
        values.isEmpty ? nil : (path, values[min(place(index), values.count - 1)])
      }
    }
  }

  private func reportSame(_ dimension: Grid.Dimension, _ earlier: Int, _ place: Int) {
    let texts = (Self.text(dimension, earlier), Self.text(dimension, place))
    sink.report(
      at: dimension.location, key: dimension.paths.joined(separator: ", "),
      problem: texts.0 == texts.1 ? "has \(texts.0) twice" : "has \(texts.0) and \(texts.1), which make the same scenario",
      remedy: "take one of them out")
  }

  private static func text(_ dimension: Grid.Dimension, _ place: Int) -> String {
    dimension.values.compactMap { $0.indices.contains(place) ? shortened($0[place].canonicalJSON, to: 60) : nil }.joined(
      separator: " with ")
  }

  /// Takes note of what a point sets without effect.
  package func note(_ decoded: DecodedScenario?) {
    for setting in decoded?.description.ignored ?? [] where !ignored.contains(setting) { ignored.append(setting) }
  }

  /// The id of the point with the given settings; nil after a report.
  private func attempt(_ base: JSON5Value, _ settings: [(String, JSON5Value)]) -> UInt64? {
    let trial = DiagnosticSink()
    var point: UInt64?
    do throws(InvalidInput) {
      let decoded = decoder.decode(try Grid.overlay(settings, on: base), into: trial, memory: memory)
      note(decoded)
      point = decoded?.pointNumber
    } catch { trial.report(error) }
    report(trial.found)
    return point
  }

  private func report(_ found: InvalidInput) {
    let more = found.count - found.diagnostics.count
    if more > uncounted {
      sink.countMore(more - uncounted)
      uncounted = more
    }
    for diagnostic in found.diagnostics {
      // A key that nobody knows is said once, not for each of its values.
      var said = diagnostic
      if said.problem == "unknown key" { said.location = SourceLocation(file: "") }
      // The set only remembers; the order of reports comes from the list.
      if seen.insert(said).inserted { sink.report(diagnostic) }
    }
  }
}
