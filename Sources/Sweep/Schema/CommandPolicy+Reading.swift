// Reads `prefetcher: { kind: "command", … }` and reports all its problems.

import Base
import Simulation

extension CommandPolicy {
  private static let keys: [Parameter] = [
    Parameter("command", .other("[\"python3\", \"policy.py\"]"), "The program and its arguments, started in the folder of the sweep file."),
    Parameter("files", .other("[\"policy.py\"]"), "The files whose contents decide the plans; they are part of the point's id.")
      .optional("none"),
    Parameter("settings", .other("{ name: value }"), "The policy's own settings; each is an axis as prefetcher.name, too.")
      .optional("none"),
    Parameter("triggers", .other("[\"activation\", \"transferFinished\"]"), "The events after which it plans.")
      .optional("activation, listGrown, stateChange"),
    Parameter.duration(
      "timeLimit", default: defaultTimeLimit, in: 1_000_000...3_600_000_000_000, "The longest wait for an answer; then the run fails."
    ).naming(),
  ]

  /// The definition for lists. Sweeps read the kind by `init(from:files:)`.
  static let definition = PrefetcherDefinition("command", "A policy of your own: a program that answers lines of JSON.", settings: keys)

  /// Reads the settings of a command; nil after a report. Keys that `settings` declares may stand beside it, so that they can be axes.
  init?(from reader: inout ObjectReader, files: InputFiles) {
    let problems = reader.context.sink.count
    let words = reader.elements("command", required: true) { value, _ throws(ValueProblem) in try ScalarValue.text(value) }
    let trigger = Self.triggers(&reader)
    let timeLimit = Interval(reader.read(Self.keys[4], default: .integer(Self.defaultTimeLimit.nanoseconds)))
    var declared = reader.objectOrEmpty("settings", example: "{ ahead: 5 }")
    let members = declared.allMembers().map { member in (key: member.key, value: reader.value(member.key) ?? member.value) }
    for (key, value) in members {
      reader.record(key, value.canonicalJSON)
      if !value.isJSON { declared.report(key, problem: "has a number that JSON cannot have", remedy: "write a finite number") }
    }
    reader.record("command", "[" + words.map(jsonString).joined(separator: ",") + "]")
    let named = reader.elements("files") { value, _ throws(ValueProblem) in try ScalarValue.text(value) }
    for (index, path) in named.enumerated() {
      let file = reader.result(of: "files") { () throws(ValueProblem) in try files.contents(path, "policy") { _, _ in true } }
      reader.record("files.\(index).contents", file?.hash ?? "")
    }
    let settings = "{" + members.map { "\(jsonString($0.key)):\($0.value.canonicalJSON)" }.joined(separator: ",") + "}"
    self.init(PolicyCommand(words: words, folder: files.folder), settings: settings, timeLimit: timeLimit, trigger: trigger)
    checkProgram(reader, named, files)
    let own = Self.keys.map(\.key)
    for (key, _) in members where own.contains(key) || key == "kind" || key.contains(".") {
      declared.report(key, problem: "is no name of a setting", remedy: "give it another one; a key of the prefetcher has this name")
    }
    reader.finish { key in
      let isNear = NearestName.suggestion(for: key, among: own + members.map(\.key)) != nil
      return isNear ? nil : "a setting of the policy stands in settings: { \(key): … }"
    }
    if reader.context.sink.count > problems { return nil }
  }

  private static func triggers(_ reader: inout ObjectReader) -> PlanTrigger {
    let names = PlanTrigger.names.map(\.name)
    let given = reader.elements("triggers") { value, _ throws(ValueProblem) in try ScalarValue.choice(value, of: names) }
    let isGiven = reader.has("triggers")
    let triggers = isGiven ? PlanTrigger(PlanTrigger.names.filter { given.contains($0.name) }.map(\.trigger)) : .standard
    if isGiven, triggers.subtracting(.transferFinished).isEmpty {
      reader.report(
        "triggers", beside: ["triggers"], problem: "has none that occurs before the first transfer, so that nothing would be loaded",
        remedy: "name one more, such as \"activation\"")
    }
    reader.record("triggers", triggers.text)
    return triggers.union(.askedFor)
  }

  /// Reports a program that does not exist, and words that are files whose contents would not count.
  private func checkProgram(_ reader: ObjectReader, _ named: [String], _ files: InputFiles) {
    guard let first = command.words.first, !first.isEmpty else {
      if reader.context.sink.hasProblem(at: reader.path(of: "command")) { return }
      return reader.report("command", problem: "names no program", remedy: "write such as [\"python3\", \"policy.py\"]")
    }
    if ProgramPath.find(first, folder: files.folder) == nil {
      return reader.report(
        "command", problem: "names \(quoted(first)), which is no program here",
        remedy: first.contains("/") ? "check its path, relative to the sweep file, and its permissions" : "install it, or put it into PATH")
    }
    for (index, word) in command.words.enumerated() where index > 0 || word.contains("/") && !word.hasPrefix("/") {
      let path = files.resolved(word)
      if SystemFile.status(path)?.isRegular != true || named.contains(where: { SystemFile.isSame(files.resolved($0), path) }) { continue }
      reader.report(
        "command", problem: "has the file \(quoted(word)), whose contents decide the plans",
        remedy: "write it into files: [\(quoted(word))]")
    }
  }
}

extension JSON5Value {
  fileprivate var isJSON: Bool {
    if case .number(let text) = kind { return !text.contains("N") && !text.contains("I") }
    return (elements ?? members?.map(\.value) ?? []).allSatisfy(\.isJSON)
  }
}
