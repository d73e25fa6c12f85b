// How sweep.json is written and read; JSONLocator.swift finds the lines that a decoder's errors keep to themselves.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SweepDescription {
  /// The description as `sweep.json`: sorted keys, indented, ended by a line feed.
  package var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("text and finite numbers can always be encoded")
    }
    return [UInt8](data) + [UInt8(ascii: "\n")]
  }

  /// Reads `sweep.json`.
  ///
  /// - Throws: what is wrong with the file: the first error of its syntax or form, or a version that this program does not know.
  package init(json bytes: [UInt8], file: String) throws(FileProblems) {
    if let fault = JSONLocator.syntaxFault(in: bytes) {
      throw FileProblems([
        FileProblem(
          file: file, line: fault.line, column: fault.column, key: "syntax", problem: "this is not JSON",
          remedy: "run the sweep again, or restore the file")
      ])
    }
    do {
      self = try JSONDecoder().decode(SweepDescription.self, from: Data(bytes))
    } catch let error as DecodingError {
      // The decoder does not say which number does not fit.
      let problems = SweepDescription.numberProblems(in: bytes, file: file)
      if !problems.isEmpty { throw problems }
      throw FileProblems([SweepDescription.problem(error, in: bytes, file: file)])
    } catch {
      throw FileProblems([
        FileProblem(file: file, key: "file", problem: "it cannot be read: \(error)", remedy: "run the sweep again, or restore the file")
      ])
    }
    // Programs that did not know models wrote them as other axes.
    if strata?.kind == .axes, strata?.paths.contains("network.transport") == true { strata?.kind = .models }
    let problems = contentProblems(in: bytes, file: file)
    if !problems.isEmpty { throw problems }
  }

  /// The whole numbers that are too large, negative or broken for their keys.
  private static func numberProblems(in bytes: [UInt8], file: String) -> FileProblems {
    var problems = FileProblems()
    /// False where there is no number.
    func check(_ path: [JSONLocator.Step], largest: UInt64 = UInt64(RunReader.repetitionLimit), least: UInt64 = 1) -> Bool {
      guard let (text, place) = JSONLocator.number(at: path, in: bytes) else { return false }
      let value = UInt64(text) ?? Double(text).flatMap { UInt64(exactly: $0) }
      guard value.map({ $0 < least || $0 > largest }) ?? true else { return true }
      let key = path.map { step in
        switch step {
        case .key(let key): key
        case .index(let index): String(index)
        }
      }
      problems.add(
        FileProblem(
          file: file, line: place.line, column: place.column, key: key.joined(separator: "."),
          problem: "\(Excerpt.text(text)) is out of range", remedy: "give a whole number from \(least) to \(largest)"))
      return true
    }
    _ = check([.key("seed")], largest: .max, least: 0)
    for path in [
      ["formatVersion"], ["pointCount"], ["repeats"], ["confirm", "repeats"], ["confirm", "best"], ["search", "prior", "best"],
    ] {
      _ = check(path.map { .key($0) })
    }
    for path in [["sequential", "looks"], ["search", "rounds"]] {
      var index = 0
      while check(path.map { .key($0) } + [.index(index)]) { index += 1 }
    }
    return problems
  }

  /// What is wrong with the values of a well-formed description.
  private func contentProblems(in bytes: [UInt8], file: String) -> FileProblems {
    var problems = FileProblems()
    func add(_ key: String, _ problem: String, _ remedy: String) {
      let place = JSONLocator.position(of: [.key(key)], in: bytes)
      problems.add(FileProblem(file: file, line: place.line, column: place.column, key: key, problem: problem, remedy: remedy))
    }
    if formatVersion < 1 || formatVersion > SweepDescription.currentFormatVersion {
      add(
        "formatVersion", "this program reads version \(SweepDescription.currentFormatVersion), the file has \(formatVersion)",
        "use the program that wrote the file")
    }
    if let scenario, RunSchema.named(scenario) == nil {
      add("scenario", "this program knows no scenario called `\(Excerpt.text(scenario))`", "use the program that wrote the file")
    }
    if !(confidence > 0.5 && confidence < 1) { add("confidence", "\(confidence) is not a confidence", "give a number such as 0.95") }
    if let margin, Margin(margin) == nil {
      add(
        "margin", "`\(Excerpt.text(margin))` is no margin", "give per cent of the baseline such as `2%`, or loaders per 1000 such as `0.5`")
    }
    for (key, problem, remedy) in countProblems { add(key, problem, remedy) }
    if baseline.axisValues.count != axes.count {
      add("baseline", "it has \(baseline.axisValues.count) values for \(axes.count) axes", "give one value for each axis")
    }
    if let strata {
      if strata.members.isEmpty { add("strata", "there are none", "run the sweep again") }
      for path in strata.paths where !axes.contains(where: { $0.path == path }) {
        add("strata", "`\(Excerpt.text(path))` is no axis", "name axes, or run the sweep again")
      }
      let sum = strata.members.reduce(0) { $0 + $1.weight }
      if !((sum - 1).magnitude < 1e-6) || strata.members.contains(where: { !($0.weight >= 0) }) {
        add("strata", "the weights add up to \(sum)", "give shares from 0 up that add up to 1")
      }
      for member in strata.members
      where member.values.count != strata.paths.count || member.baseline.axisValues.count != axes.count {
        add(
          "strata", "`\(Excerpt.text(member.name))` has not one value for each of its paths and axes",
          "restore the values, or run the sweep again")
      }
    }
    return problems
  }

  /// What is wrong with the numbers of points, repetitions and rounds.
  private var countProblems: [(key: String, problem: String, remedy: String)] {
    var problems: [(key: String, problem: String, remedy: String)] = []
    func check(_ key: String, _ values: [Int], from least: Int) {
      for value in values where !(least...RunReader.repetitionLimit).contains(value) {
        problems.append((key, "\(value) is out of range", "give a whole number from \(least) to \(RunReader.repetitionLimit)"))
      }
    }
    func checkRounds(_ key: String, _ rounds: [Int]) {
      check(key, rounds, from: 1)
      if rounds.isEmpty || zip(rounds, rounds.dropFirst()).contains(where: { $0 >= $1 }) {
        problems.append((key, "the numbers of repetitions do not rise", "give at least one, each larger than the one before"))
      }
    }
    check("pointCount", [pointCount], from: 1)
    check("repeats", [repeats], from: 1)
    if let confirm { check("confirm", [confirm.repeats, confirm.best], from: 1) }
    if let sequential { checkRounds("sequential", sequential.looks) }
    if let search {
      checkRounds("search", search.rounds)
      check("search", search.prior.map { [$0.best] } ?? [], from: 1)
    }
    return problems
  }

  private static func problem(_ error: DecodingError, in bytes: [UInt8], file: String) -> FileProblem {
    let path: [any CodingKey]
    let problem: String
    let remedy: String
    switch error {
    case .keyNotFound(let key, let context):
      (path, problem, remedy) = (context.codingPath, "the key `\(key.stringValue)` is missing", "add it, or run the sweep again")
    case .typeMismatch(let type, let context):
      (path, problem, remedy) = (context.codingPath, "the value is not of the type \(type)", "restore the value")
    case .valueNotFound(let type, let context):
      (path, problem, remedy) = (context.codingPath, "there is null where a value of the type \(type) is needed", "restore the value")
    case .dataCorrupted(let context):
      (path, problem, remedy) = (context.codingPath, context.debugDescription, "restore the value")
    @unknown default:
      (path, problem, remedy) = ([], "it cannot be read", "run the sweep again")
    }
    let steps = path.map { key in key.intValue.map(JSONLocator.Step.index) ?? .key(key.stringValue) }
    let place = JSONLocator.position(of: steps, in: bytes)
    let name = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    return FileProblem(
      file: file, line: place.line, column: place.column, key: name.isEmpty ? "file" : Excerpt.text(name), problem: Excerpt.text(problem),
      remedy: remedy)
  }
}
