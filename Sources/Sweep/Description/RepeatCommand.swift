// The command that runs a row of a sweep again: written into the results, and read back where somebody wants the sweep they are of.

import Analysis
import Import

/// What of the command line decides a row: the sweep file, and what was said over it. How often to repeat is no part of it.
package struct RepeatCommand: Sendable {
  package let path: String
  package let overrides: ResolvedSweep.Overrides

  package init(path: String, overrides: ResolvedSweep.Overrides) {
    self.path = path
    self.overrides = overrides
  }

  /// Reads a command to `run` that `text` wrote; nil if it is anything else.
  package init?(_ text: String) {
    var words = Self.words(text)[...]
    let run = words.indices.dropFirst().first { words[$0] == "run" && [Program.name, Program.liveName].contains(words[$0 - 1]) }
    guard let run, run + 1 < words.endIndex else { return nil }
    words = words[(run + 1)...]
    path = words.removeFirst()
    var overrides = ResolvedSweep.Overrides()
    while let option = words.popFirst() {
      switch option {
      case "--set":
        let parts = (words.popFirst() ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { overrides.settings.append((parts[0], parts[1])) }
      case "--seed": overrides.seed = words.popFirst().flatMap { UInt64($0) }
      default: break
      }
    }
    self.overrides = overrides
  }

  /// The command for a shell; `options` stand at its end as they are, and say which row is meant.
  package func text(product: String, command: String = "run", options: [String] = []) -> String {
    var words = ["swift run -c release \(product) \(command)", ShellText.quoted(path)]
    for setting in overrides.settings { words += ["--set", ShellText.quoted("\(setting.path)=\(setting.value)")] }
    if let seed = overrides.seed { words += ["--seed", "\(seed)"] }
    return (words + options).joined(separator: " ")
  }

  /// The words of a text as a shell would take them: bare, in the quotes of `ShellText`, and `\'`.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var (isQuoted, isEscaped) = (false, false)
    func add(_ scalar: Unicode.Scalar?) {
      word = word ?? String.UnicodeScalarView()
      if let scalar { word?.append(scalar) }
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        add(scalar)
        isEscaped = false
      case "'":
        // Between quotes there may be nothing, and that is a word too.
        add(nil)
        isQuoted.toggle()
      case "\\" where !isQuoted: isEscaped = true
      case " " where !isQuoted:
        if let word { words.append(String(word)) }
        word = nil
      default: add(scalar)
      }
    }
    if let word { words.append(String(word)) }
    return words
  }
}
