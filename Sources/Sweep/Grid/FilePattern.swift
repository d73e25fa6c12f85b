// An axis over files: { files: "traces/*.json" } stands for the paths that match, in order of their names.

import Import

/// A path whose last part may hold one asterisk.
package enum FilePattern {
  /// The matching paths, sorted by their UTF-8, as strings.
  /// - Throws: `ValueProblem` if nothing matches, or the folder cannot be read.
  static func matches(_ value: JSON5Value, in files: InputFiles) throws(ValueProblem) -> [JSON5Value] {
    let pattern = try ScalarValue.text(value)
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    let ends = (parts.last ?? "").split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    guard ends.count == 2, !folder.contains("*") else {
      throw ValueProblem(
        "is \(quoted(pattern, limit: 160)), not a pattern", remedy: "write one asterisk in the last part, such as \"traces/*.json\"")
    }
    let names: [String]
    do {
      let path = files.resolved(folder.isEmpty ? "." : folder)
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw ValueProblem(
        "names the folder \(quoted(folder, limit: 160)), which cannot be read", remedy: "check the path; it is relative to the sweep file")
    }
    let matching = names.filter {
      $0.utf8.count >= ends[0].utf8.count + ends[1].utf8.count && $0.hasPrefix(ends[0]) && $0.hasSuffix(ends[1])
    }
    .filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    if matching.isEmpty { throw ValueProblem("matches no file", remedy: "check the pattern \(quoted(pattern, limit: 160))") }
    return matching.map { JSON5Value(kind: .string(folder.isEmpty ? $0 : "\(folder)/\($0)"), location: value.location) }
  }
}
