import Foundation
import TestSupport

/// The code in README.md, as the tests run it.
enum ReadMe {
  /// A block of code.
  struct Block {
    /// The language after the fence; empty for an indented block.
    var language: String
    /// The first line of the code.
    var line: Int
    var text: String
  }

  /// A command as a reader pastes it.
  struct Command: CustomStringConvertible, Sendable {
    var line: Int
    var text: String
    var description: String { "README.md:\(line): \(text)" }
  }

  /// A sweep file, or parts of one that a reader pastes into theirs.
  struct Sweep: CustomStringConvertible, Sendable {
    var line: Int
    var text: String
    /// True for a whole file.
    var isWhole: Bool { text.hasPrefix("{") }
    var description: String { "README.md:\(line)" }
  }

  /// Every block, fenced or indented.
  static let blocks: [Block] = {
    let path = Reference.packageRoot.appendingPathComponent("README.md")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    var blocks: [Block] = []
    var isFenced = false
    var isIndented = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        isFenced.toggle()
        if isFenced { blocks.append(Block(language: String(line.dropFirst(3)), line: index + 2, text: "")) }
      } else if isFenced {
        blocks[blocks.count - 1].text += line + "\n"
      } else if line.hasPrefix("    ") {
        if !isIndented { blocks.append(Block(language: "", line: index + 1, text: "")) }
        blocks[blocks.count - 1].text += line.dropFirst(4) + "\n"
      }
      isIndented = line.hasPrefix("    ")
    }
    return blocks
  }()

  /// Every command of every shell block, every indented one, and what GitHub's steps run.
  static let commands: [Command] = blocks.flatMap { block in
    block.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { offset, line in
      var words = line.drop { $0 == " " }
      if block.language == "yaml", words.hasPrefix("- run: ") { words = words.dropFirst(7) } else if block.language == "yaml" { return nil }
      if words.hasPrefix("$ ") { words = words.dropFirst(2) }
      // Two spaces after the name are those of a table.
      let isCommand = words.firstMatch(of: #/^(swift|prefetch-sweep|kubectl) \w|^(Scripts|\.build)\//#) != nil
      guard ["sh", "yaml"].contains(block.language) ? !words.isEmpty : block.language.isEmpty && isCommand else { return nil }
      let text = words.prefix(upTo: words.firstRange(of: "  #")?.lowerBound ?? words.endIndex)
      return Command(line: block.line + offset, text: text.trimmingCharacters(in: .whitespaces))
    }
  }

  /// Every sweep, and every part of one.
  static let sweeps: [Sweep] = blocks.flatMap { block -> [Sweep] in
    if ["json5", "js"].contains(block.language) { return [Sweep(line: block.line, text: block.text)] }
    guard block.language.isEmpty else { return [] }
    // An indented block of examples: each begins with a key of the scenario.
    var sweeps: [Sweep] = []
    for (offset, line) in block.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.firstMatch(of: #/^(feed|user|network): /#) != nil {
        sweeps.append(Sweep(line: block.line + offset, text: line + "\n"))
      } else if !sweeps.isEmpty {
        sweeps[sweeps.count - 1].text += line + "\n"
      }
    }
    return sweeps
  }
}
