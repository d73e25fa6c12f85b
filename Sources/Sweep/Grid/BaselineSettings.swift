// The settings of a baseline, or of a candidate held against it: inline, or kept once in a file of their own.

import Import

/// Reads the settings of a baseline: paths of the scenario and their values.
package struct BaselineSettings {
  package let files: InputFiles
  package let sink: DiagnosticSink
  /// What the settings are for, as messages call it.
  package var key = "baseline"
  /// What paths may begin with.
  package var keys = ScenarioKind.allKeys
  /// The problem with setting a path of the scenario; nil if there is none.
  package var refusal: (_ path: String) -> ValueProblem? = { _ in nil }

  /// Keys that only a whole sweep file has.
  private static let sweepKeys = ["sweep", "scenario", "axes"]

  /// The settings of an inline baseline, or of the file that a string names.
  package func read(_ value: JSON5Value) -> [(String, JSON5Value)]? {
    switch value.kind {
    case .object(let members):
      return checked(members)
    case .string(let path):
      do throws(ValueProblem) {
        return read(try InputFile(path: files.resolved(path), name: files.resolved(path)))
      } catch {
        sink.report(error, at: value.location, key: key)
        return nil
      }
    default:
      sink.report(
        at: value.location, key: key, problem: "is \(value.found), not settings",
        remedy: "write { \"prefetcher.maxCost\": 6 } or the path of such a file")
      return nil
    }
  }

  /// The settings in a file of their own.
  package func read(_ file: InputFile) -> [(String, JSON5Value)]? {
    let parsed = DiagnosticSink()
    let tree = JSON5Parser.parse(file.bytes, file: file.name, into: parsed)
    if !parsed.isEmpty { sink.report(parsed.found) }
    guard parsed.isEmpty, let tree else { return nil }
    if let members = tree.members {
      guard let whole = members.first(where: { Self.sweepKeys.contains($0.key) }) else { return checked(members) }
      sink.report(
        at: whole.keyLocation, key: key, problem: "is a whole sweep file, not settings",
        remedy: "write the settings alone, such as { \"prefetcher.maxCost\": 8 }; a sweep is named by --sweep")
      return nil
    }
    sink.report(at: tree.location, key: key, problem: "is \(tree.found), not an object", remedy: "write { \"prefetcher.maxCost\": 6 }")
    return nil
  }

  /// The settings whose paths are of the scenario, so that the problems of the others are not all that is found.
  package func checked(_ members: [JSON5Member]) -> [(String, JSON5Value)] {
    members.compactMap { member in
      let first = member.key.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
      if !keys.contains(first) {
        sink.report(
          at: member.keyLocation, key: key.isEmpty ? member.key : "\(key).\(member.key)", problem: "names no path of the scenario",
          remedy: NearestName.remedy(for: first, among: keys, what: "a path starts with one of"))
        return nil
      }
      if let problem = refusal(member.key) {
        sink.report(problem, at: member.keyLocation, key: key.isEmpty ? member.key : "\(key).\(member.key)")
        return nil
      }
      return (member.key, member.value)
    }
  }
}
