// One run of a sweep, told event by event: the lines that a table, JSON and two exports share.

import Analysis
import Simulation

/// One run of one setting, with everything that happened in it.
public struct RunExplanation: Sendable {
  /// The point's id.
  public let point: String
  /// The repetition.
  public let repetition: Int
  /// What the setting is called.
  let setting: String
  let story: SessionExplanation

  /// What became of the requests and loaders, as lines of a table.
  public var table: String { ExplanationTable(self).text }
  /// The same as lines of JSON, an object each.
  public var jsonLines: String { ExplanationJSON(self).lines }
  /// An HTTP archive of the requests, for a browser's network panel.
  public var httpArchive: String { HTTPArchive(self).json }
  /// A trace of the run for Perfetto or a browser's tracing page.
  public var trace: String { TraceExport(self).json }
}

extension SweepFile {
  /// Which setting of a sweep is meant.
  public enum Setting: Sendable {
    /// The baseline; of a sweep with strata the first one's.
    case baseline
    /// The point of an id.
    case point(String)
    /// The baseline with other values of some paths of the scenario, and the option that says so.
    case changed([(path: String, value: String)], option: String)
  }

  /// Runs one setting again and writes everything down; nil if no point has the id. O(points).
  ///
  /// - Throws: `InvalidInput` for a setting that is no valid scenario, `Refusal` for a scenario that is not a feed.
  public func explanation(of setting: Setting, repetition: Int) throws -> RunExplanation? {
    guard let (decoded, name) = try found(setting) else { return nil }
    guard let scenario = decoded.scenario as? Scenario else {
      throw Refusal("\(path): only runs of a feed are told event by event; leave out scenario.kind, or use run --point")
    }
    let seed = RandomStream.seed(sweepSeed: seed, repetition: repetition)
    return RunExplanation(point: decoded.point, repetition: repetition, setting: name, story: scenario.explain(seed: seed))
  }

  /// A setting's scenario and what it is called.
  private func found(_ setting: Setting) throws(InvalidInput) -> (DecodedScenario, name: String)? {
    switch setting {
    case .baseline:
      let place = place(ofBaseline: 0)
      return (try decoded(place), name(of: place))
    case .changed(let values, let option):
      let settings = JSON5Value.settings(fromCommandLine: values, option: option)
      let sink = DiagnosticSink()
      guard let decoded = grid.decoder.decode(try Grid.overlay(settings, on: baseline.scenario), into: sink) else {
        throw InvalidInput(diagnostics: sink.sorted, count: sink.count)
      }
      let names = PointNames.short(settings.map(\.0))
      return (decoded, "the baseline with \(PointNames.name(names, values.map(\.value)))")
    case .point(let id):
      for place in 0..<pointCount {
        let decoded = try decoded(place)
        if decoded.point == id { return (decoded, name(of: place)) }
      }
      return nil
    }
  }

  /// A point's values of the axes in words, or the baseline's settings where there are no axes.
  private func name(of place: Int) -> String {
    let name = PointNames.name(PointNames.short(grid.paths), axisValues(place))
    if name.isEmpty { return "the only point" }
    return isBaseline(place) ? "baseline: \(name)" : name
  }
}

extension RequestRecord {
  /// What it brings, in a phrase.
  var subject: String {
    switch part {
    case .page: "page \(item + 1)"
    case .rest: "rest of item \(item)"
    case .ready: "item \(item)"
    }
  }

  /// Why the prefetcher had been asked.
  var why: String { occasion.names.joined(separator: "+") }
}

extension PlanTrigger {
  /// The occasions by name.
  var names: [String] {
    let all: [(PlanTrigger, String)] = [
      (.activation, "activation"), (.dragEnd, "dragEnd"), (.scrollTick, "scrollTick"), (.transferFinished, "transferFinished"),
      (.listGrown, "listGrown"), (.stateChange, "stateChange"), (.askedFor, "askedFor"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension LoaderReason {
  /// The reason as the tables' column names it.
  var name: String { "\(self)" }
}

extension Instant {
  /// Seconds with three places.
  var secondsText: String { Milliseconds.text(nanoseconds, places: 3, unit: 1_000_000_000) }
  /// Milliseconds with three places.
  var millisecondsText: String { Milliseconds.text(nanoseconds, places: 3, unit: 1_000_000) }
}

/// Decimals of whole nanoseconds, without a binary fraction on the way.
enum Milliseconds {
  /// `nanoseconds` in units of `unit`, cut after `places`.
  static func text(_ nanoseconds: Int64, places: Int, unit: Int64) -> String {
    var scale: Int64 = 1
    for _ in 0..<places { scale *= 10 }
    let sign = nanoseconds < 0 ? "-" : ""
    let whole = nanoseconds.magnitude / UInt64(unit)
    let rest = String(nanoseconds.magnitude % UInt64(unit) * UInt64(scale) / UInt64(unit))
    return "\(sign)\(whole).\(String(repeating: "0", count: places - rest.count))\(rest)"
  }
}
