// The command that repeats a row of a sweep: written into the results and parsed from them.

import Analysis
import Base

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
    let build = Program.swiftRun.split(separator: " ").map(String.init)
    if words.starts(with: build) { words = words.dropFirst(build.count) }
    guard words.count > 2, words[words.startIndex + 1] == "run" else { return nil }
    words = words.dropFirst(2)
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

  /// Returns the command for a shell; `start` is the program and its command. `options` are appended unquoted and select the row.
  package func text(start: String, options: [String] = []) -> String {
    var words = [start, ShellText.quoted(path)]
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
