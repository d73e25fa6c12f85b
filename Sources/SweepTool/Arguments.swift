// The words of the command line, sorted into options and the rest.

import Import
import Sweep

/// The command line is not one that the program understands.
package struct UsageProblem: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// The values on the command line are wrong: a line for each problem.
struct UsageProblems: Error, CustomStringConvertible {
  let lines: [String]
  var description: String { lines.joined(separator: "\n") }
}

/// A text of the user as messages repeat it: at most 200 characters.
func shown(_ text: String) -> String { shortened(text, to: 200) }

/// What was given on the command line.
package struct Arguments {
  /// The words that are neither options nor their values.
  package private(set) var words: [String] = []
  /// The prefetchers that the program knows, which came with the command and not from the shell.
  let prefetchers: PrefetcherCatalogue
  /// What makes live runs, which came the same way; nil if the program has no such client.
  let live: LiveClient?
  private var given: [(name: String, value: String)] = []

  /// Sorts words by what the command takes: `--name value`, `--name=value`, and `--` before words that start with a dash.
  /// - Throws: `UsageProblem` if an option is unknown, or its value is missing.
  package init(_ raw: [String], options: [Option], prefetchers: PrefetcherCatalogue = .standard, live: LiveClient? = nil)
    throws(UsageProblem)
  {
    self.prefetchers = prefetchers
    self.live = live
    var rest = raw[...]
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw UsageProblem(
          description:
            "\(shown(parts[0])): unknown option; \(NearestName.remedy(for: parts[0], among: options.map(\.name), what: "options"))")
      }
      if !option.mayRepeat, has(option.name) {
        throw UsageProblem(description: "\(option.name): is given twice; keep one of the two")
      }
      if option.value == nil {
        guard parts.count == 1 else { throw UsageProblem(description: "\(option.name): takes no value; leave out \"=\(shown(parts[1]))\"") }
        given.append((option.name, ""))
      } else if parts.count == 2 {
        given.append((option.name, parts[1]))
      } else if let value = rest.popFirst() {
        given.append((option.name, value))
      } else {
        throw UsageProblem(description: "\(option.name): needs a value; write \(option.name) \(option.value ?? "")")
      }
    }
  }

  package func has(_ name: String) -> Bool { given.contains { $0.name == name } }
  func values(_ name: String) -> [String] { given.filter { $0.name == name }.map(\.value) }
  package func value(_ name: String) -> String? { values(name).first }

  /// The value of an option as `parse` reads it; nil where the option is not given. `expected` says what to write.
  /// - Throws: `UsageProblem` if `parse` reads nothing.
  func value<Value>(_ name: String, _ expected: String, _ parse: (String) -> Value?) throws(UsageProblem) -> Value? {
    guard let text = value(name) else { return nil }
    if let value = parse(text) { return value }
    throw UsageProblem(description: "\(name): is \"\(shown(text))\"; write \(expected)")
  }

  /// The value of an option that takes one of some names, at least two.
  /// - Throws: `UsageProblem` if the value is none of them.
  func choice<Value>(_ name: String, _ choices: KeyValuePairs<String, Value>) throws(UsageProblem) -> Value? {
    let names = choices.map(\.key)
    return try value(name, names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]) { text in
      choices.first { $0.key == text }?.value
    }
  }

  /// The value of an option as a whole number within limits.
  /// - Throws: `UsageProblem` if the value is no whole number within the limits.
  package func integer(_ name: String, in limits: ClosedRange<Int>) throws(UsageProblem) -> Int? {
    try value(name, "a whole number from \(limits.lowerBound) to \(limits.upperBound)") { text in
      Int(text).flatMap { limits.contains($0) ? $0 : nil }
    }
  }

  /// Threads by `--jobs`; one a core unless it is given.
  /// - Throws: `UsageProblem` if the value is no number of threads.
  func jobs() throws(UsageProblem) -> Int { try integer("--jobs", in: 1...1024) ?? WorkerPool.coreCount }

  /// The one word that a command takes.
  /// - Throws: `UsageProblem` if there is no word, or more than one.
  package func onlyWord(_ what: String) throws(UsageProblem) -> String {
    guard let word = words.first else { throw UsageProblem(description: "no \(what) was named; write it after the command") }
    guard words.count == 1 else { throw UsageProblem(description: "\(shown(words[1])): one \(what) is enough; take out the others") }
    return word
  }
}
