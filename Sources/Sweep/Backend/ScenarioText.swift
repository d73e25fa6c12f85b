// A point's scenario as text by its dotted paths: what a program's arguments are filled with.

/// The values of one point, as they are written.
struct ScenarioText: Sendable {
  /// The scenario with the point's values.
  let tree: JSON5Value
  /// Every scalar as `path=value`, defaults filled in.
  let lines: [String]

  /// The value at a path: as the file spells it, or the default in base units; nil if the scenario has no such scalar.
  func value(at path: String) -> String? {
    if let value = tree.lookup(path) {
      if value.members == nil, value.elements == nil { return value.canonicalText }
      return nil
    }
    let short = path.split(separator: ".", maxSplits: 1).map(String.init)
    if short.count == 2, let value = tree[short[0]], let whole = ScenarioDecoder.expanding(short[0], value) {
      if let part = whole.lookup(short[1]) { return part.canonicalText }
    }
    return lines.first { $0.hasPrefix(path + "=") }.map { String($0.dropFirst(path.utf8.count + 1)) }
  }
}
