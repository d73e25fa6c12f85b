// `man`: the manual page in mdoc(7), generated from the option tables and the topics of help.

import Sweep

struct ManCommand: Command {
  static let name = "man"
  static let summary = "Prints the manual page."
  static let help = CommandHelp(
    synopsis: "", text: ["Prints the manual page in mdoc(7), for man and mandoc: \(Program.name) man > \(Program.name).1"])
  /// The day of the version, as mdoc wants it.
  private static let date = "November 27, 2026"

  private let prefetchers: PrefetcherCatalogue

  /// - Throws: `UsageProblem` if there are words.
  init(_ arguments: Arguments) throws {
    if let word = arguments.words.first { throw UsageProblem(description: "\(shown(word)): takes no words; leave it out") }
    prefetchers = arguments.prefetchers
  }

  func run() -> ExitStatus { printData(text) ? .good : .failed }

  private var text: String {
    var lines = [
      ".Dd \(Self.date)", ".Dt PREFETCH-SWEEP 1", ".Os", ".Sh NAME", ".Nm \(Program.name)",
      ".Nd simulate prefetching of a media feed over an emulated network", ".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar options",
      ".Nm", ".Fl -version", ".Sh DESCRIPTION",
      "Simulates how settings of a feed's prefetcher perform over an emulated network, and compares them with a baseline.", ".Sh COMMANDS",
    ]
    for command in Tool.commands {
      let help = command.help
      lines.append(".Ss \(Self.escaped("\(command.name) \(help.synopsis)"))")
      lines += help.text.flatMap(Self.paragraph).dropFirst()
      for group in help.groups {
        if !group.title.isEmpty { lines += Self.paragraph("\(group.title):") }
        lines += Self.list(group.rows.map { (".It \(Self.escaped($0.term))", $0.text) })
      }
      lines += help.notes.flatMap(Self.paragraph)
    }
    for (topic, title) in [(HelpTopic.exitStatus, "EXIT STATUS"), (.verdicts, "VERDICTS"), (.sweepFile, "SWEEP FILE")] {
      lines.append(".Sh \(title)")
      var isFirst = true
      for block in topic.page(prefetchers).blocks {
        switch block {
        case .paragraph(let text): lines += Self.paragraph(text).dropFirst(isFirst ? 1 : 0)
        case .terms(let title, let terms):
          if !title.isEmpty, topic != .exitStatus { lines += Self.paragraph("\(title):") }
          lines += Self.list(terms.map { (".It \(Self.escaped($0.term))", $0.text) })
        }
        isFirst = false
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func paragraph(_ text: String) -> [String] { [".Pp", escaped(text)] }

  private static func list(_ items: [(head: String, text: String)]) -> [String] {
    items.isEmpty ? [] : [".Bl -tag -width Ds"] + items.flatMap { [$0.head, escaped($0.text)] } + [".El"]
  }

  /// Text that roff prints as it is, each sentence on a line.
  private static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
    let lines = plain.replacing(". ", with: ".\n").split(separator: "\n")
    return lines.map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }.joined(separator: "\n")
  }
}
