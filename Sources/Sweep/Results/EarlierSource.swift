// The source of results of versions before `source` in sweep.json, which stored a command instead. Nothing else takes a command apart.

import Analysis
import Base

extension SweepSource {
  /// Reads the source from the `reproduceCommand` of an older sweep.json; nil for other text, and for a sweep of which no copy was kept.
  init?(earlierCommand text: String) {
    var words = Self.words(text)[...]
    // The program is called in one word, or built first.
    let build = ["swift", "run", "-c", "release"]
    if words.starts(with: build) { words = words.dropFirst(build.count) }
    guard words.count > 2, words[words.startIndex + 1] == "run", words[words.startIndex + 2] != InputFile.standardInputName else {
      return nil
    }
    self.init(file: words[words.startIndex + 2], program: ShellText.quoted(words[words.startIndex]))
    words = words.dropFirst(3)
    while let option = words.popFirst() {
      switch option {
      case "--set":
        let parts = (words.popFirst() ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { overrides.settings.append(SweepOverrides.Setting(path: parts[0], value: parts[1])) }
      case "--seed": overrides.seed = words.popFirst().flatMap { UInt64($0) }
      case "--repeats": overrides.repeats = words.popFirst().flatMap { Int($0) }
      default: break
      }
    }
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
