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
    if let word = arguments.words.first { throw UsageProblem("\(shown(word)): takes no words; leave it out") }
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
      lines.append(".Ss \(Self.escaped("\(command.name) \(command.help.synopsis)"))")
      lines += Self.lines(HelpPage(of: command).blocks.dropFirst())
    }
    for (topic, title) in [(HelpTopic.exitStatus, "EXIT STATUS"), (.verdicts, "VERDICTS"), (.sweepFile, "SWEEP FILE")] {
      lines.append(".Sh \(title)")
      lines += Self.lines(topic.page(prefetchers).blocks[...], hasTitles: topic != .exitStatus)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the lines of a section; no paragraph break precedes its first text.
  private static func lines(_ blocks: ArraySlice<HelpPage.Block>, hasTitles: Bool = true) -> [String] {
    let lines = blocks.flatMap { block -> [String] in
      switch block {
      case .paragraph(let text): return [".Pp", escaped(text)]
      case .terms(let title, let terms):
        let items = terms.flatMap { [".It \(escaped($0.term))", escaped($0.text)] }
        let list = items.isEmpty ? [] : [".Bl -tag -width Ds"] + items + [".El"]
        return (title.isEmpty || !hasTitles ? [] : [".Pp", escaped("\(title):")]) + list
      }
    }
    return Array(lines.dropFirst(lines.first == ".Pp" ? 1 : 0))
  }

  /// Text that roff prints as it is, each sentence on a line.
  private static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
    let lines = plain.replacing(". ", with: ".\n").split(separator: "\n")
    return lines.map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }.joined(separator: "\n")
  }
}
