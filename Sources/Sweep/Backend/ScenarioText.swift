// A point's scenario as text by dotted paths, for placeholders of commands.

import Base

package struct ScenarioText: Sendable {
  let tree: JSON5Value
  /// The scalars of the scenario, defaults included.
  let settings: [CanonicalSetting]

  var paths: [String] { settings.map(\.path) }

  /// Returns the value at a path as in the file, JSON of a list or object, or the default in base units; nil for an unknown path.
  func value(at path: String) -> String? { Self.value(at: path, in: tree)?.canonicalText ?? settings.first { $0.path == path }?.value }

  /// Returns the value at a path of a tree and expands a string that abbreviates an object.
  static func value(at path: String, in tree: JSON5Value) -> JSON5Value? {
    if let value = tree.lookup(path) { return value }
    let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, let value = tree[parts[0]] else { return nil }
    return expanding(parts[0], value)?.lookup(parts[1])
  }

  /// Expands a string that abbreviates an object: a profile, a prefetcher's kind or a feed's file; nil if it abbreviates none.
  package static func expanding(_ path: String, _ value: JSON5Value) -> JSON5Value? {
    guard case .string = value.kind else { return nil }
    let keys = ["network": "profile", "prefetcher": "kind", "strategy": "kind", "feed": "file"]
    guard let key = keys[path] else { return nil }
    return JSON5Value(kind: .object([JSON5Member(key: key, keyLocation: value.location, value: value)]), location: value.location)
  }
}
