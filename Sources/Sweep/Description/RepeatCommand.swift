// The command that repeats a row of a sweep: written into the results and parsed from them.

import Analysis
import Import

/// The part of a command line that decides a row: the sweep file, its settings and the seed.
package struct RepeatCommand: Sendable {
  package let path: String
  package let overrides: ResolvedSweep.Overrides

  package init(path: String, overrides: ResolvedSweep.Overrides) {
    self.path = path
    self.overrides = overrides
  }

  /// Parses a `run` command written by `text`; nil for other text.
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

  /// Returns the command for a shell. `options` are appended unquoted and select the row.
  package func text(product: String, command: String = "run", options: [String] = []) -> String {
    var words = ["swift run -c release \(product) \(command)", ShellText.quoted(path)]
    for setting in overrides.settings { words += ["--set", ShellText.quoted("\(setting.path)=\(setting.value)")] }
    if let seed = overrides.seed { words += ["--seed", "\(seed)"] }
    return (words + options).joined(separator: " ")
  }

  /// Splits a text into words as a shell does, with single quotes and `\'`.
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
        // An empty pair of quotes is a word too.
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
