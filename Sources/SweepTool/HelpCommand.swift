// `help`: the usage of a command, or a topic, wrapped to the terminal's width.

import Base
import Rendering
import Sweep

struct HelpCommand: Command {
  static let name = "help"
  static let summary = "Explains a command or a topic."
  static var help: CommandHelp {
    CommandHelp(
      synopsis: "[COMMAND|TOPIC]", operand: names.joined(separator: "|"),
      text: ["Prints the usage of a command, or a page about a topic."],
      groups: [CommandHelp.Group(title: "topics", terms: HelpTopic.allCases.map { ($0.rawValue, $0.summary) })])
  }

  private static var names: [String] { Tool.commands.map { $0.name } + HelpTopic.allCases.map(\.rawValue) }

  private let topic: String?
  private let prefetchers: PrefetcherCatalogue

  /// - Throws: `UsageProblem` if there is more than one word.
  init(_ arguments: Arguments) throws {
    topic = arguments.words.isEmpty ? nil : try arguments.onlyWord("command or topic")
    prefetchers = arguments.prefetchers
  }

  /// - Throws: `UsageProblem` if there is no such command or topic.
  func run() throws -> ExitStatus {
    /// - Throws: `UsageProblem` if there is none of this name.
    func page(_ name: String) throws(UsageProblem) -> HelpPage {
      if let command = Tool.commands.first(where: { $0.name == name }) { return HelpPage(of: command) }
      if let topic = HelpTopic(rawValue: name) { return topic.page(prefetchers) }
      let remedy = NearestName.remedy(for: name, among: Self.names, what: "write one of")
      throw UsageProblem("\(shown(name)): no such command or topic; \(remedy)")
    }
    let page = try topic.map(page) ?? .program
    return printLine(page.text(width: Terminal.width)) ? .good : .failed
  }
}

/// A page of help: paragraphs, and tables of terms with their explanations.
struct HelpPage {
  enum Block {
    case paragraph(String)
    case terms(title: String, [(term: String, text: String)])
  }

  var blocks: [Block]

  static var program: HelpPage {
    HelpPage(blocks: [
      .paragraph("Simulates how settings of a feed's prefetcher perform over an emulated network, and compares them with a baseline."),
      .paragraph("usage: \(Program.name) COMMAND …, or \(Program.name) --version"),
      .terms(title: "commands", Tool.commands.map { ($0.name, $0.summary) }),
      .terms(title: "topics of help", HelpTopic.allCases.map { ($0.rawValue, $0.summary) }),
      .paragraph("To begin: \(Program.name) init, then \(Program.name) run feed.json5"),
    ])
  }

  init(blocks: [Block]) { self.blocks = blocks }

  init(of command: any Command.Type) {
    let help = command.help
    blocks = [.paragraph("usage: \(Program.name) \(command.name) \(help.synopsis)")]
    blocks += help.text.map(Block.paragraph)
    blocks += help.groups.map { .terms(title: $0.title, $0.rows) }
    blocks += help.notes.map(Block.paragraph)
  }

  /// Returns the page in lines of at most `width` columns, which is limited to 60 to 120.
  func text(width: Int) -> String {
    let width = min(max(width, 60), 120)
    return blocks.map { block in
      switch block {
      case .paragraph(let text): DisplayWidth.wrapped(text, to: width).joined(separator: "\n")
      case .terms(let title, let terms):
        ((title.isEmpty ? [] : DisplayWidth.wrapped("\(title):", to: width)) + Self.lines(terms, width)).joined(separator: "\n")
      }
    }.joined(separator: "\n\n")
  }

  /// Returns terms in a column with their explanations beside them, or below a term that is too long.
  private static func lines(_ terms: [(term: String, text: String)], _ width: Int) -> [String] {
    let limit = width / 3
    let column = min(limit, terms.map(\.term.count).max() ?? 0)
    return terms.flatMap { term, text in
      let wrapped = DisplayWidth.wrapped(text, to: width - column - 4)
      let indent = String(repeating: " ", count: column + 4)
      let isLong = term.count > column
      let head = "  " + term + (isLong || text.isEmpty ? "" : String(repeating: " ", count: column - term.count + 2) + wrapped[0])
      return [head] + wrapped.dropFirst(isLong ? 0 : 1).map { indent + $0 }
    }
  }
}

/// A page of help about a topic other than a command.
enum HelpTopic: String, CaseIterable {
  case sweepFile = "sweep-file"
  case verdicts
  case exitStatus = "exit-status"

  var summary: String {
    switch self {
    case .sweepFile: "All keys of a sweep file."
    case .verdicts: "The words in the verdict column, and how they are decided."
    case .exitStatus: "The exit statuses of all commands."
    }
  }

  func page(_ prefetchers: PrefetcherCatalogue) -> HelpPage {
    switch self {
    case .sweepFile:
      HelpPage(blocks: [
        .paragraph("A sweep file is JSON5. Every path of its scenario can be an axis, or be set with --set PATH=VALUE."),
        .terms(title: "keys of the file", Catalogue.sweepKeys.map { ($0[0], $0[1]) }),
        .terms(
          title: "paths of the scenario, with defaults", Catalogue.parameters(prefetchers).map { ($0[0], "\($0[5]) Default: \($0[2]).") }),
        .paragraph("Kinds, ranges and transports: \(Program.name) list parameters"),
      ])
    case .verdicts:
      HelpPage(blocks: [
        .paragraph(
          "A verdict compares a point with its baseline by the differences of their runs with the same seed. The interval that decides is "
            + "wider than the one shown: it holds for all points of a table at once, the shown 95 % confidence interval for each point alone. "
            + "The margin is the difference that does not matter."),
        .terms(title: "", Self.verdictTerms),
      ])
    case .exitStatus: HelpPage(blocks: [.terms(title: "exit status", ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) })])
    }
  }

  private static let verdictTerms = [
    ("better", "The whole interval is on the good side of the baseline, beyond the margin if there is one."),
    ("worse", "The whole interval is on the bad side, beyond the margin if there is one."),
    ("equivalent", "The whole interval is within the margin. Without a margin no point is equivalent."),
    ("identical", "All repetitions have the same value as the baseline, and they are enough to say so."),
    ("inconclusive", "The interval allows more than one of these. summary.csv estimates how many repetitions would tell."),
    ("too few repetitions", "No interval can be computed from so few pairs, or from so few equal ones. Run more repetitions."),
    ("too few pairs differ", "Almost all pairs have the same difference, so that no interval can be computed. Run more repetitions."),
    ("dropped", "A search ended this point early because its first repetitions were worse than those of others."),
    ("breaks", "After a verdict: the mean surely lies beyond a bound of the sweep's objective. The point ranks last and does not win."),
    ("unclear", "After a verdict: the runs do not tell whether the mean keeps a bound of the objective. The point does not win."),
    ("≈", "After a verdict: a paired comparison with the winner does not show the point to be worse."),
    ("reference", "After a verdict: the prefetcher knows the future, which no app does. The point ranks last and does not win."),
    ("(exact)", "The scenario has no randomness, so that one repetition is enough."),
  ]
}
