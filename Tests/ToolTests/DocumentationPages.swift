// README.md and the manual's pages as the tests read them: fenced blocks, commands and sweeps.

import Foundation
import TestSupport

/// The pages of the documentation and the code on them.
enum DocumentationPages {
  struct Page: CustomStringConvertible, Sendable {
    /// The path below the package's root.
    let path: String
    let text: String

    /// The folder that links of the page start from.
    var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
    var description: String { path }
  }

  /// A fenced block of code.
  struct Block: CustomStringConvertible, Sendable {
    let page: Page
    /// The language after the fence.
    let language: String
    /// The first line of the code.
    let line: Int
    var text = ""

    /// The name of the file that the first line names, as in `// candidate.json5`.
    var fileName: String? {
      text.prefixMatch(of: #/\/\/ ([\w.-]+\.json5)\b/#).map { String($0.output.1) }
    }
    /// True for a whole sweep file.
    var isSweepFile: Bool { language == "json5" && text.contains(#/(?m)^\{\n  sweep:/#) }
    var description: String { "\(page):\(line)" }
  }

  /// A command as a reader pastes it; a heredoc and continued lines belong to it.
  struct Command: CustomStringConvertible, Sendable {
    let block: Block
    let line: Int
    var text: String
    var description: String { "\(block.page):\(line): \(text)" }
  }

  /// A sweep file, or a part of one that a reader pastes into theirs.
  struct Sweep: CustomStringConvertible, Sendable {
    let block: Block
    let line: Int
    var text: String
    /// The key at its start, quotes included; nil for a whole file.
    var key: String? { block.isSweepFile ? nil : String(text.prefix { $0 != ":" }) }
    var description: String { "\(block.page):\(line)" }
  }

  /// README.md and every page of a DocC catalog.
  static let all: [Page] = {
    let root = Reference.packageRoot
    let files = (FileManager.default.enumerator(atPath: root.appendingPathComponent("Sources").path)?.compactMap { $0 as? String }) ?? []
    let paths = files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted().map { "Sources/" + $0 }
    return (["README.md"] + paths).map { path in
      Page(path: path, text: (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? "")
    }
  }()

  static let blocks: [Block] = all.flatMap { page in
    var blocks: [Block] = []
    var isFenced = false
    for (index, line) in page.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        isFenced.toggle()
        if isFenced { blocks.append(Block(page: page, language: String(line.dropFirst(3)), line: index + 2)) }
      } else if isFenced {
        blocks[blocks.count - 1].text += line + "\n"
      }
    }
    return blocks
  }

  /// The commands of each block that has some, in their order.
  static let commands: [[Command]] = blocks.map { block in
    switch block.language {
    case "sh": shellCommands(of: block)
    // The steps of a workflow, and what the lines of a crontab start.
    case "yaml": matches(of: #/^ *- (?:run: )?((?:prefetch-sweep|Scripts\/).*)$/#, in: block)
    case "crontab": matches(of: #/^(?:[\d*\/,-]+ ){5}(.*)$/#, in: block)
    default: []
    }
  }.filter { !$0.isEmpty }

  private static func lines(of block: Block) -> some Sequence<(offset: Int, element: Substring)> {
    block.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
  }

  private static func matches(of pattern: Regex<(Substring, Substring)>, in block: Block) -> [Command] {
    lines(of: block).compactMap { offset, line in
      line.firstMatch(of: pattern).map { Command(block: block, line: block.line + offset, text: String($0.output.1)) }
    }
  }

  private static func shellCommands(of block: Block) -> [Command] {
    var commands: [Command] = []
    // The line that ends the heredoc of the last command, or "\" where the command is continued.
    var end: Substring?
    for (offset, line) in lines(of: block) {
      if let ending = end {
        commands[commands.count - 1].text += "\n" + line
        if ending != "\\" || !line.hasSuffix("\\") { end = line == ending || ending == "\\" ? nil : ending }
        continue
      }
      let text = line.prefix(upTo: line.firstRange(of: "  #")?.lowerBound ?? line.endIndex).trimmingCharacters(in: .whitespaces)
      if text.isEmpty || text.hasPrefix("#") { continue }
      commands.append(Command(block: block, line: block.line + offset, text: text))
      end = text.hasSuffix("\\") ? "\\" : line.firstMatch(of: #/<<'(\w+)'/#)?.output.1
    }
    return commands
  }

  /// Every sweep file, and every part of one: a line of a `json5` block that starts with a key starts a part.
  static let sweeps: [Sweep] = blocks.filter { $0.language == "json5" }.flatMap { block -> [Sweep] in
    if block.isSweepFile { return [Sweep(block: block, line: block.line, text: block.text)] }
    if block.fileName != nil { return [] }
    var sweeps: [Sweep] = []
    for (offset, line) in lines(of: block) {
      if line.contains(#/^[\w".]+: /#) {
        sweeps.append(Sweep(block: block, line: block.line + offset, text: line + "\n"))
      } else if !sweeps.isEmpty {
        sweeps[sweeps.count - 1].text += line + "\n"
      }
    }
    return sweeps
  }
}
