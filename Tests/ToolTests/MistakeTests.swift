// Typical mistakes and their messages, all in Mistakes.txt.

import Foundation
import TestSupport
import Testing

/// Mistakes.txt has a sound sweep, and below it a block for each mistake: its title after `##`; `-` and `+` lines, which replace a text of
/// the sweep, or `|` lines, which replace all of it; commands after `$`; and what they print on standard error.
@Suite struct MistakeTests {
  private struct Mistake {
    var title = ""
    /// The lines that say what to do, as they stand.
    var input: [String] = []
    var messages: [String] = []

    init(_ block: String) {
      for (index, line) in block.split(separator: "\n").map(String.init).enumerated() {
        if index == 0 {
          title = line
        } else if ["- ", "+ ", "| ", "$ "].contains(where: line.hasPrefix) {
          input.append(line)
        } else {
          messages.append(line)
        }
      }
    }

    /// The sweep with the mistake in it.
    func sweep(_ sound: String) -> String {
      let whole = input.filter { $0.hasPrefix("|") }.map { String($0.dropFirst(2)) }
      if !whole.isEmpty { return whole.joined(separator: "\n") + "\n" }
      var (sweep, old) = (sound, "")
      for line in input {
        if line.hasPrefix("-") { old = String(line.dropFirst(2)) }
        guard line.hasPrefix("+") else { continue }
        #expect(sweep.contains(old), "\(title): \(old)")
        sweep = sweep.replacing(old, with: line.dropFirst(2).replacing("\\n", with: "\n"), maxReplacements: 1)
      }
      return sweep
    }

    var text: String { (["## \(title)"] + input + messages).joined(separator: "\n") + "\n" }
  }

  /// `UPDATE_GOLDENS=1` writes the messages anew, and the diff is read.
  @Test func everyMistakeHasItsMessage() throws {
    let golden = Reference.packageRoot.appendingPathComponent("Tests/ToolTests/Mistakes.txt")
    let text = try String(contentsOf: golden, encoding: .utf8)
    let parts = text.components(separatedBy: "\n## ")
    let mistakes = parts.dropFirst().map(Mistake.init)
    #expect(mistakes.count >= 145, "\(mistakes.count)")
    var found = parts[0] + "\n"
    for var mistake in mistakes {
      try BuiltTool.withFolder { folder in
        try mistake.sweep(parts[0]).write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
        try #"{ "prefetcher.ahead": 3 }"#.write(to: folder.appendingPathComponent("c.json5"), atomically: true, encoding: .utf8)
        mistake.messages = []
        for command in mistake.input where command.hasPrefix("$") {
          let result = try BuiltTool.shell(String(command.dropFirst(2)), in: folder)
          mistake.messages += result.errors.split(separator: "\n").map(String.init)
          if command == mistake.input.last, result.status != 2 { mistake.messages.append("status \(result.status)") }
        }
        #expect(!mistake.messages.isEmpty, "\(mistake.title)")
        #expect(mistake.messages.allSatisfy { $0.contains("; ") || $0.hasPrefix("status ") }, "\(mistake.title): a remedy")
        found += mistake.text
      }
    }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" { try Data(found.utf8).write(to: golden) }
    #expect(found == text, "UPDATE_GOLDENS=1 rewrites Mistakes.txt")
  }
}
