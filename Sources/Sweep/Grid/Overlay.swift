// Values from the command line, laid over the sweep file before it is read.

/// Lays `--set path=value` over a sweep.
enum Overlay {
  /// The keys of a sweep file; a path that starts with none of them is one of the scenario.
  static let sweepKeys = ["sweep", "question", "scenario", "axes", "zip", "where", "baseline", "repeats", "seed", "margin"]

  /// The sweep with all settings applied in order. A swept path is narrowed to the value, or to the range, that is set.
  static func applied(_ settings: [(path: String, value: String)], to root: JSON5Value, sink: DiagnosticSink) -> JSON5Value {
    var root = root
    for setting in settings {
      let value = JSON5Value.scalar(fromCommandLine: setting.value)
      let first = setting.path.split(separator: ".").first.map(String.init) ?? ""
      do throws(ValueProblem) {
        if sweepKeys.contains(first) {
          root = try root.setting(path: setting.path, to: value)
        } else if let axes = root["axes"], axes[setting.path] != nil {
          root = root.replacing("axes", with: axes.replacing(setting.path, with: axisValue(value)))
        } else {
          let scenario = root["scenario"] ?? JSON5Value(kind: .object([]), location: value.location)
          root = root.replacing(
            "scenario", with: try scenario.setting(path: setting.path, to: value, expanding: ScenarioDecoder.expanding))
        }
      } catch {
        sink.report(error, at: value.location, key: setting.path)
      }
    }
    return root
  }

  private static func axisValue(_ value: JSON5Value) -> JSON5Value {
    switch value.kind {
    case .array: value
    case .string(let text) where AxisRange.isRange(text): value
    default: JSON5Value(kind: .array([value]), location: value.location)
    }
  }
}

extension JSON5Value {
  /// This object with another value under a key, in its place or at the end; keys may contain dots.
  func replacing(_ key: String, with new: JSON5Value) -> JSON5Value {
    var members = members ?? []
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index].value = new
    } else {
      members.append(JSON5Member(key: key, keyLocation: new.location, value: new))
    }
    return JSON5Value(kind: .object(members), location: location)
  }
}
