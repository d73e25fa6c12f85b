// Parses the command line into options and words.

import Base
import Sweep

package struct UsageProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Shortens a user's text for a message, to 200 characters.
func shown(_ text: String) -> String { shortened(text, to: 200) }

package struct Arguments {
  /// The words that are not options or values of options.
  package private(set) var words: [String] = []
  let prefetchers: PrefetcherCatalogue
  /// The client of live runs; nil if the program has none.
  let live: LiveClient?
  /// The words that call the program, for the commands in results; nil for the package's own products in a checkout.
  let program: String?
  /// The fault injected in the calls that change files; nil for none.
  let fault: FileFault?
  private let options: [Option]
  /// The words as they were typed: those of an option under its name, others under an empty one, and `--` with all that follow it.
  private var typed: [(option: String, value: String, words: [String])] = []

  /// Parses words by a command's options: `--name value`, `--name=value`, and `--` before words that start with a dash.
  /// - Throws: `UsageProblem` if an option is unknown, or its value is missing.
  package init(
    _ raw: [String], options: [Option], prefetchers: PrefetcherCatalogue = .standard, live: LiveClient? = nil, program: String? = nil,
    fault: FileFault? = nil
  ) throws(UsageProblem) {
    (self.prefetchers, self.live, self.program, self.fault, self.options) = (prefetchers, live, program, fault, options)
    var rest = raw[...]
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        typed.append((word, "", [word] + rest))
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        words.append(word)
        typed.append(("", "", [word]))
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        // A short option means the first that begins with its letter.
        let long = parts[0].count == 2 ? options.first { $0.name.hasPrefix("-" + parts[0]) }?.name : nil
        let remedy = NearestName.remedy(for: long ?? parts[0], among: options.map(\.name), what: "options")
        throw UsageProblem("\(shown(parts[0])): unknown option; \(long.map { "did you mean \"\($0)\"? " } ?? "")\(remedy)")
      }
      if !option.mayRepeat, has(option.name) { throw UsageProblem("\(option.name): is given twice; keep one of the two") }
      if let placeholder = option.value {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw UsageProblem("\(option.name): needs a value; write \(option.name) \(placeholder)")
        }
        typed.append((option.name, value, parts.count == 2 ? [word] : [word, value]))
      } else {
        guard parts.count == 1 else { throw UsageProblem("\(option.name): takes no value; leave out \"=\(shown(parts[1]))\"") }
        typed.append((option.name, "", [word]))
      }
      if option.value == "FOLDER", value(option.name)?.isEmpty == true { throw UsageProblem("\(option.name): is empty; name a folder") }
    }
  }

  /// The single files to write, in the order of the command's options.
  var outputs: [(option: String, path: String, form: OutputForm)] {
    options.flatMap { option in option.form.map { form in values(option.name).map { (option.name, $0, form) } } ?? [] }
  }

  package func has(_ name: String) -> Bool { typed.contains { $0.option == name } }
  func values(_ name: String) -> [String] { typed.filter { $0.option == name }.map(\.value) }
  package func value(_ name: String) -> String? { values(name).first }

  func typed(_ options: [String]) -> [String] { typed.filter { options.contains($0.option) }.flatMap(\.words) }

  /// Returns the command line as it was typed, for a shell, without some options and with others.
  func commandLine(of command: String, without options: [String], adding added: [String] = []) -> String {
    let kept = typed.filter { !options.contains($0.option) }
    let words = kept.prefix { $0.option != "--" }.flatMap(\.words) + added + kept.drop { $0.option != "--" }.flatMap(\.words)
    return ([CommandLine.arguments.first ?? Program.name, command] + words).map(ShellText.quoted).joined(separator: " ")
  }

  /// Returns the value of an option as `parse` reads it, or nil without the option. `expected` is the remedy in messages.
  /// - Throws: `UsageProblem` if `parse` reads nothing.
  func value<Value>(_ name: String, _ expected: String, _ parse: (String) -> Value?) throws(UsageProblem) -> Value? {
    guard let text = value(name) else { return nil }
    if let value = parse(text) { return value }
    throw UsageProblem("\(name): is \"\(shown(text))\"; write \(expected)")
  }

  /// Returns the value of an option that takes one of some names, or nil without the option.
  /// - Throws: `UsageProblem` if the value is none of them.
  func choice<Value>(_ name: String, _ choices: [(key: String, value: Value)]) throws(UsageProblem) -> Value? {
    guard let text = value(name) else { return nil }
    if let choice = choices.first(where: { $0.key == text }) { return choice.value }
    let remedy = NearestName.remedy(for: text, among: choices.map(\.key), what: "write one of")
    throw UsageProblem("\(name): is \"\(shown(text))\"; \(remedy)")
  }

  /// Returns the value of an option as an enumeration's case, by raw value, or nil without the option.
  /// - Throws: `UsageProblem` if the value is no case.
  func choice<Value: CaseIterable & RawRepresentable<String>>(_ name: String, of type: Value.Type) throws(UsageProblem) -> Value? {
    try choice(name, Value.allCases.map { ($0.rawValue, $0) })
  }

  /// Returns the value of an option as a whole number within limits, or nil without the option.
  /// - Throws: `UsageProblem` if the value is no whole number within the limits.
  package func integer(_ name: String, in limits: ClosedRange<Int>) throws(UsageProblem) -> Int? {
    try value(name, "a whole number from \(limits.lowerBound) to \(limits.upperBound)") { text in
      Int(text).flatMap { limits.contains($0) ? $0 : nil }
    }
  }

  /// Returns the number of threads by `--jobs`; by default one per core.
  /// - Throws: `UsageProblem` if the value is no number of threads.
  func jobs() throws(UsageProblem) -> Int { try integer("--jobs", in: 1...1024) ?? WorkerPool.coreCount }

  /// Returns the only word of a command; `what` names it in messages.
  /// - Throws: `UsageProblem` if there is no word, or more than one.
  package func onlyWord(_ what: String) throws(UsageProblem) -> String {
    guard let word = words.first else { throw UsageProblem("no \(what) was named; write it after the command") }
    guard words.count == 1 else { throw UsageProblem("\(shown(words[1])): one \(what) is enough; take out the others") }
    return word
  }
}
