// The settings of a baseline: inline, or kept once in a file of their own.

/// Reads the settings of a baseline: paths of the scenario and their values.
struct BaselineSettings {
  let files: InputFiles
  let sink: DiagnosticSink

  /// The settings of an inline baseline, or of the file that a string names.
  func read(_ value: JSON5Value) -> [(String, JSON5Value)]? {
    switch value.kind {
    case .object(let members):
      return checked(members)
    case .string(let path):
      do throws(ValueProblem) {
        let file = try InputFile(path: files.resolved(path), name: files.resolved(path))
        let parsed = DiagnosticSink()
        let tree = JSON5Parser.parse(file.bytes, file: file.name, into: parsed)
        parsed.sorted.forEach(sink.report)
        guard parsed.isEmpty, let tree else { return nil }
        if let members = tree.members { return checked(members) }
        sink.report(
          at: tree.location, key: "baseline", problem: "is \(tree.found), not an object", remedy: "write { \"prefetcher.maxCost\": 6 }")
        return nil
      } catch {
        sink.report(error, at: value.location, key: "baseline")
        return nil
      }
    default:
      sink.report(
        at: value.location, key: "baseline", problem: "is \(value.found), not settings",
        remedy: "write { \"prefetcher.maxCost\": 6 } or the path of such a file")
      return nil
    }
  }

  private func checked(_ members: [JSON5Member]) -> [(String, JSON5Value)]? {
    let before = sink.count
    for member in members {
      let first = member.key.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
      if !ScenarioKind.allKeys.contains(first) {
        sink.report(
          at: member.keyLocation, key: "baseline.\(member.key)", problem: "names no path of the scenario",
          remedy: NearestName.remedy(for: first, among: ScenarioKind.allKeys, what: "a path starts with one of"))
      }
    }
    return sink.count == before ? members.map { ($0.key, $0.value) } : nil
  }
}
