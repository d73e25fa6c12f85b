// Applies settings of the command line and of a settings file to a sweep file before it is read.

import Analysis
import Base
import Simulation

enum Overlay {
  /// The keys of a sweep file. A path that begins with none of them belongs to the scenario.
  static let keys: [Parameter] = [
    Parameter("sweep", .text, "The sweep's name, and that of its folder of results."),
    Parameter("question", .text, "The question that the sweep answers; it heads the report.").optional("none"),
    Parameter(
      "scenario", .other("{ … }"),
      "The parts that all points share: network, prefetcher, feed, user, downloads; or kind: \"backgroundDownload\"."),
    key(
      "axes", "{ path: values }",
      "The paths that vary: a list, a range \"1...10 by 3\", or { files: \"traces/*.json\" }. They multiply."),
    key("zip", "[{ path: values }]", "Groups of paths that take their values together."),
    key("where", "[\"path >= value\"]", "Conditions that points must satisfy, each a comparison or several joined by ||."),
    key("baseline", "{ path: value } or a file", "The settings that points are compared with.", or: "the first point"),
    key("repeats", "a number or { min, max, until }", "Repetitions of each point.", or: "10"),
    Parameter("seed", .integer(0...Int.max), "The seed of all randomness.").optional("1"),
    key("margin", "\"2%\" or loaders per 1000", "The difference that does not matter."),
    key(
      "objective", "{ minimize: metric, subjectTo: [\"metric <= bound\"] }",
      "The metric to minimize, and the bounds on means that the winner keeps.", or: "the headline, without bounds"),
    key("metrics", "[\"stallRatio\", \"energyJ\"]", "Further metrics, which get columns and may be bounded."),
    key("strata", "[path]", "The axes within whose values points are compared.", or: "the axes of network, user and feed"),
    key("population", "[{ weight, path: value }]", "The groups of users, by their shares."),
    key(
      "uncertain", "{ path: values, worlds, measured }",
      "The paths whose values nobody knows, as in axes: every setting runs in worlds drawn from them; bounds that fit a measurement."),
    key("confirm", "a number or { repeats, best }", "Runs the best points again on new seeds."),
    Parameter("search", .choice(["halving", "racing"]), "Spends repetitions on the points that may win.").optional("none"),
    Parameter("until", .duration(RaceSettings.untilLimits), "The device time that a race may take.").optional("any"),
    key("prior", "a folder or { results, best }", "The earlier results that select the starters of a race."),
    key("settings", "{ path: value } or a file", "Settings applied over the scenario of all points."),
    key("backend", "\"emulated\", \"live\" or { command: […] }", "The executor of the runs.", or: "emulated"),
  ]

  private static func key(_ key: String, _ form: String, _ documentation: String, or fallback: String = "none") -> Parameter {
    Parameter(key, .other(form), documentation).optional(fallback)
  }

  static let sweepKeys = keys.map(\.key)

  /// A sweep with the settings of its scenario applied, and these settings in order, without those that narrowed an axis.
  typealias Result = (root: JSON5Value, settings: [(path: String, value: JSON5Value)])

  /// Applies the settings of the file under `settings` to a sweep, then those of the command line, which have the last word.
  /// A setting of a swept path narrows its axis to the value or range.
  static func applied(_ settings: [SweepOverrides.Setting], to root: JSON5Value, files: InputFiles, sink: DiagnosticSink) -> Result {
    var result: Result = (root, [])
    let named = settings.last { $0.path == "settings" }.map { JSON5Value.scalar(fromCommandLine: $0.value) } ?? root["settings"]
    if let named, named.kind != .null {
      for (path, value) in BaselineSettings(files: files, sink: sink, key: "settings").read(named) ?? [] {
        sink.value(at: value.location, key: "settings.\(path)") { () throws(ValueProblem) in
          // A setting of the file holds for all points, so no axis may vary it.
          let groups = (result.root["zip"]?.elements ?? []) + ["axes", "uncertain"].compactMap { result.root[$0] }
          if groups.contains(where: { $0[path] != nil }) {
            throw ValueProblem("is swept by this sweep", remedy: "take it out of the settings, or the axis out of the sweep")
          }
          try applyToScenario(value, at: path, of: &result)
        }
      }
    }
    for setting in settings {
      let value = JSON5Value.scalar(fromCommandLine: setting.value)
      sink.value(at: value.location, key: setting.path) { () throws(ValueProblem) in try apply(value, at: setting.path, to: &result) }
    }
    // An optional key that is null is as one that is not written.
    let optional = keys.filter { $0.fallback != .required }.map(\.key)
    if let members = result.root.members {
      let kept = members.filter { $0.value.kind != .null || !optional.contains($0.key) }
      result.root = JSON5Value(kind: .object(kept), location: result.root.location)
    }
    return result
  }

  /// - Throws: `ValueProblem` if the path is unknown, or swept.
  private static func apply(_ value: JSON5Value, at written: String, to result: inout Result) throws(ValueProblem) {
    let path = written.hasPrefix("scenario.") ? String(written.dropFirst("scenario.".count)) : written
    let root = result.root
    if path == written, let first = path.split(separator: ".").first, sweepKeys.contains(String(first)) {
      result.root = try root.setting(path: path, to: value)
    } else if let (key, axes) = ["axes", "uncertain"].compactMap({ key in root[key].map { (key, $0) } }).first(where: { $1[path] != nil }) {
      let isRange = value.text.map(AxisRange.isRange) ?? (value.elements != nil)
      let values = isRange ? value : JSON5Value(kind: .array([value]), location: value.location)
      result.root = root.replacing(key, with: axes.replacing(path, with: values))
    } else if let group = (root["zip"]?.elements ?? []).firstIndex(where: { $0[path] != nil }) {
      throw ValueProblem(
        "is set alone, but varies together with other paths in zip.\(group)",
        remedy: "take the groups out first: --set 'zip=[]' --set '\(path)=…'")
    } else {
      let keys = ScenarioKind.allKeys + ["kind"]
      if let problem = path.pathProblem("names no path of the scenario", among: path == written ? keys + sweepKeys : keys) { throw problem }
      try applyToScenario(value, at: path, of: &result)
    }
  }

  /// - Throws: `ValueProblem` if the value cannot be set at its path.
  private static func applyToScenario(_ value: JSON5Value, at path: String, of result: inout Result) throws(ValueProblem) {
    let scenario = result.root["scenario"] ?? JSON5Value(kind: .object([]), location: value.location)
    result.root = result.root.replacing("scenario", with: try scenario.setting(path: path, to: value, expanding: ScenarioText.expanding))
    result.settings.append((path, value))
  }
}

extension JSON5Value {
  /// Returns this object with another value under a key, replaced or appended. Keys may contain dots.
  fileprivate func replacing(_ key: String, with new: JSON5Value) -> JSON5Value {
    var members = members ?? []
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index].value = new
    } else {
      members.append(JSON5Member(key: key, keyLocation: new.location, value: new))
    }
    return JSON5Value(kind: .object(members), location: location)
  }
}
