// A point's scenario as text by its dotted paths: what a program's arguments are filled with.

import Import

/// The values of one point, as they are written.
package struct ScenarioText: Sendable {
  package let tree: JSON5Value
  /// Every scalar as `path=value`, defaults filled in.
  package let lines: [String]

  package init(tree: JSON5Value, lines: [String]) { (self.tree, self.lines) = (tree, lines) }

  package var paths: [String] { lines.compactMap { line in line.firstIndex(of: "=").map { String(line[..<$0]) } } }

  /// The value at a path: as the file spells it, a list or an object as JSON, or the default in base units; nil if the scenario has
  /// nothing there.
  package func value(at path: String) -> String? {
    Self.value(at: path, in: tree)?.canonicalText
      ?? lines.first { $0.hasPrefix(path + "=") }.map { String($0.dropFirst(path.utf8.count + 1)) }
  }

  /// The value at a path of a tree, where a string may be short for an object.
  static func value(at path: String, in tree: JSON5Value) -> JSON5Value? {
    if let value = tree.lookup(path) { return value }
    let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, let value = tree[parts[0]] else { return nil }
    return expanding(parts[0], value)?.lookup(parts[1])
  }

  /// A string that is short for an object: a profile, a prefetcher's kind, a feed's file.
  package static func expanding(_ path: String, _ value: JSON5Value) -> JSON5Value? {
    guard case .string = value.kind else { return nil }
    let keys = ["network": "profile", "prefetcher": "kind", "strategy": "kind", "feed": "file"]
    guard let key = keys[path] else { return nil }
    return JSON5Value(kind: .object([JSON5Member(key: key, keyLocation: value.location, value: value)]), location: value.location)
  }
}
