// Reads and writes sweep.json. Foundation's decoder names the wrong key; our parser adds line and column.

import Analysis
import Base

extension Encodable {
  /// Encodes text and finite numbers as JSON with sorted keys, in one line or indented.
  package func sortedJSON(isIndented: Bool) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      isIndented ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("text and finite numbers can always be encoded") }
    return [UInt8](data) + (isIndented ? [UInt8(ascii: "\n")] : [])
  }
}

extension Decodable {
  /// Decodes JSON; nil if it is malformed or of another form.
  package init?(json bytes: [UInt8]) {
    guard let value = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = value
  }
}

extension SweepDescription {
  package var json: [UInt8] { sortedJSON(isIndented: true) }

  /// Reads `sweep.json`.
  /// - Throws: the first error of syntax or form, all invalid values, or an unknown format version.
  package init(json bytes: [UInt8], file: String) throws(InvalidInput) {
    let (syntax, sink) = (DiagnosticSink(), DiagnosticSink())
    guard let tree = JSON5Parser.parse(bytes, file: file, into: syntax) else {
      let location = syntax.sorted.first?.location ?? SourceLocation(file: file)
      sink.report(at: location, key: "syntax", problem: "this is not JSON", remedy: "run the sweep again, or restore the file")
      throw sink.found
    }
    do {
      let decoder = JSONDecoder()
      decoder.allowsJSON5 = true
      self = try decoder.decode(SweepDescription.self, from: Data(bytes))
    } catch {
      // The decoder does not name a number that does not fit.
      Self.checkNumbers(of: tree, sink)
      if sink.isEmpty { Self.report(error, in: tree, sink) }
      throw sink.found
    }
    // Files of programs without this kind list models as other axes.
    if strata?.kind == .axes, strata?.paths.contains("network.transport") == true { strata?.kind = .models }
    // Files of version 1.0.0 mark no model.
    if strata?.members.contains(where: { $0.isPrincipal == true }) == false { strata?.markPrincipalModel() }
    renameOwnStratum()
    if source == nil, let command = tree["reproduceCommand"]?.text { source = SweepSource(earlierCommand: command) }
    addObjects()
    check { key, holds, problem, remedy in
      if !holds { sink.report(at: tree[key]?.location ?? tree.location, key: key, problem: problem(), remedy: remedy()) }
    }
    try sink.throwIfAny()
  }

  /// Gives the scenario's own stratum of version 1.0.0, `lab` or `lab (NAME)`, its present name.
  private mutating func renameOwnStratum() {
    for (index, member) in (strata?.members ?? []).enumerated()
    where member.isLab && (member.weight == 0 ? member.name == "lab" : member.name.hasPrefix("lab (")) {
      let name = member.name.dropFirst(5).dropLast()
      strata?.members[index].name = name.isEmpty || name == "lab" ? Stratum.ownName : String(name)
    }
  }

  /// Reports whole numbers that are malformed or out of range.
  private static func checkNumbers(of tree: JSON5Value, _ sink: DiagnosticSink) {
    func check(_ value: JSON5Value?, _ key: String, _ range: ClosedRange<UInt64> = 1...UInt64(RunReader.repetitionLimit)) {
      guard let value, case .number(let text) = value.kind else { return }
      let number = UInt64(text) ?? Double(text).flatMap { UInt64(exactly: $0) }
      if let number, range.contains(number) { return }
      sink.report(
        at: value.location, key: key, problem: "\(shortened(text, to: 200)) is out of range",
        remedy: "give a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    check(tree["seed"], "seed", 0...UInt64.max)
    for key in ["formatVersion", "pointCount", "repeats"] { check(tree[key], key) }
    for key in ["repeats", "best"] { check(tree["confirm"]?[key], "confirm.\(key)") }
    check(tree["search"]?["prior"]?["best"], "search.prior.best")
    check(tree["source"]?["overrides"]?["repeats"], "source.overrides.repeats")
    check(tree["source"]?["overrides"]?["seed"], "source.overrides.seed", 0...UInt64.max)
    for (key, list) in [("sequential", "looks"), ("search", "rounds")] {
      for (index, value) in (tree[key]?[list]?.elements ?? []).enumerated() { check(value, "\(key).\(list).\(index)") }
    }
  }

  /// Calls `must` with each condition on the values.
  private func check(
    _ must: (_ key: String, _ holds: Bool, _ problem: @autoclosure () -> String, _ remedy: @autoclosure () -> String) -> Void
  ) {
    func checkCounts(_ key: String, _ values: [Int]) {
      for value in values {
        let isCount = (1...RunReader.repetitionLimit).contains(value)
        must(key, isCount, "\(value) is out of range", "give a whole number from 1 to \(RunReader.repetitionLimit)")
      }
    }
    func checkRounds(_ key: String, _ rounds: [Int]) {
      checkCounts(key, rounds)
      let isRising = !rounds.isEmpty && zip(rounds, rounds.dropFirst()).allSatisfy { $0 < $1 }
      must(key, isRising, "the numbers of repetitions do not rise", "give at least one, each larger than the one before")
    }
    checkCounts("pointCount", [pointCount])
    checkCounts("repeats", [repeats])
    if let confirm { checkCounts("confirm", [confirm.repeats, confirm.best]) }
    if let sequential { checkRounds("sequential", sequential.looks) }
    if let search {
      checkRounds("search", search.rounds)
      checkCounts("search", search.prior.map { [$0.best] } ?? [])
    }
    let current = Self.currentFormatVersion
    must(
      "formatVersion", (1...current).contains(formatVersion), "this program reads version \(current), the file has \(formatVersion)",
      "use the program that wrote the file")
    must(
      "scenario", scenario.map { RunSchema.named($0) != nil } ?? true,
      "this program knows no scenario called `\(shortened(scenario ?? "", to: 200))`", "use the program that wrote the file")
    must("confidence", confidence > 0.5 && confidence < 1, "\(confidence) is not a confidence", "give a number such as 0.95")
    must(
      "margin", margin.map { Margin($0) != nil } ?? true, "`\(shortened(margin ?? "", to: 200))` is no margin",
      "give per cent of the baseline such as `2%`, or loaders per 1000 such as `0.5`")
    let kind = scenario.flatMap(RunSchema.named) ?? .feed
    for name in metrics ?? [] {
      must(
        "metrics", kind.offered.contains { $0.rawValue == name }, "this program knows no such metric, `\(shortened(name, to: 200))`",
        "use the program that wrote the file")
    }
    checkCounts("source", source?.overrides.repeats.map { [$0] } ?? [])
    must("source", source?.file.isEmpty != true, "the sweep file has no name", "restore the name, or run the sweep again")
    let damaged = (objects ?? [:]).filter { $0.value.contains { $0.path.isEmpty } }.keys.min()
    must(
      "objects", damaged == nil, "a part of `\(shortened(damaged ?? "", to: 200))` has no path",
      "restore the paths, or run the sweep again")
    let problem = objective?.problem(kind)
    must("objective", problem == nil, problem?.problem ?? "", "restore the value, or use the program that wrote the file")
    must(
      "baseline", baseline.axisValues.count == axes.count, "it has \(baseline.axisValues.count) values for \(axes.count) axes",
      "give one value for each axis")
    guard let strata else { return }
    let wrong = strata.measured.flatMap { Objective(subjectTo: $0).problem(kind) }
    must("strata", wrong == nil, wrong?.problem ?? "", "restore the value, or use the program that wrote the file")
    must("strata", !strata.members.isEmpty, "there are none", "run the sweep again")
    for path in strata.paths {
      let isAxis = axes.contains { $0.path == path }
      must("strata", isAxis, "`\(shortened(path, to: 200))` is no axis", "name axes, or run the sweep again")
    }
    let sum = strata.members.reduce(0) { $0 + $1.weight }
    must(
      "strata", (sum - 1).magnitude < 1e-6 && strata.members.allSatisfy { $0.weight >= 0 }, "the weights add up to \(sum)",
      "give shares from 0 up that add up to 1")
    for member in strata.members {
      must(
        "strata", member.values.count == strata.paths.count && member.baseline.axisValues.count == axes.count,
        "`\(shortened(member.name, to: 200))` has not one value for each of its paths and axes",
        "restore the values, or run the sweep again")
    }
  }

  /// Reports the decoder's error at the innermost existing value around it.
  private static func report(_ error: any Error, in tree: JSON5Value, _ sink: DiagnosticSink) {
    let path: [any CodingKey]
    let problem: String
    var remedy = "restore the value"
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      (path, problem, remedy) = (context.codingPath, "the key `\(key.stringValue)` is missing", "add it, or run the sweep again")
    case .typeMismatch(let type, let context): (path, problem) = (context.codingPath, "the value is not of the type \(type)")
    case .valueNotFound(let type, let context):
      (path, problem) = (context.codingPath, "there is null where a value of the type \(type) is needed")
    case .dataCorrupted(let context): (path, problem) = (context.codingPath, context.debugDescription)
    default: (path, problem, remedy) = ([], "it cannot be read: \(error)", "run the sweep again, or restore the file")
    }
    var value = tree
    for key in path {
      let elements = key.intValue.flatMap { index in value.elements.flatMap { index < $0.count ? $0[index] : nil } }
      guard let next = elements ?? value[key.stringValue] else { break }
      value = next
    }
    let name = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    sink.report(at: value.location, key: name.isEmpty ? "file" : name, problem: shortened(problem, to: 200), remedy: remedy)
  }
}

extension SweepDescription.Strata {
  /// Marks the model with which others are compared: the first with the packet transport.
  mutating func markPrincipalModel() {
    let packet = ("network.transport", "packet")
    guard kind == .models, let index = members.firstIndex(where: { zip(paths, $0.values).contains { $0 == packet } }) else { return }
    members[index].isPrincipal = true
  }
}
