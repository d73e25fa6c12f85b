// The command that runs a row of a sweep again: written into the results, and read back where somebody wants the sweep they are of.

/// What of the command line decides a row: the sweep file, and what was said over it. How often to repeat is no part of it.
public struct RepeatCommand: Sendable {
  /// The sweep file.
  public let path: String
  /// What stands over the file.
  public let overrides: SweepFile.Overrides

  init(path: String, overrides: SweepFile.Overrides) {
    self.path = path
    self.overrides = overrides
  }

  /// Reads a command to `run` that `text` wrote; nil if it is anything else.
  init?(_ text: String) {
    var words = Self.words(text)[...]
    let run = words.indices.dropFirst().first { words[$0] == "run" && [Program.name, Program.liveName].contains(words[$0 - 1]) }
    guard let run, run + 1 < words.endIndex else { return nil }
    words = words[(run + 1)...]
    path = words.removeFirst()
    var overrides = SweepFile.Overrides()
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
  func text(product: String, command: String = "run", options: [String] = []) -> String {
    var words = ["swift run -c release \(product) \(command)", Self.quoted(path)]
    for setting in overrides.settings { words += ["--set", Self.quoted("\(setting.path)=\(setting.value)")] }
    if let seed = overrides.seed { words += ["--seed", "\(seed)"] }
    return (words + options).joined(separator: " ")
  }

  /// A word as a shell takes it: bare where nothing in it has a meaning, else in single quotes.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./=:,+".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  /// The words of a text as a shell would take them: bare, in the quotes of `quoted`, and `\'`.
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
