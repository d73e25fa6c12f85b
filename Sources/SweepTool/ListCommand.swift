// `list`: prints the names that a sweep file may use.

import Analysis
import Base
import Rendering
import Sweep

struct ListCommand: Command {
  static let name = "list"
  static let summary = "Lists prefetchers, strategies, networks, metrics or parameters."
  static let help = CommandHelp(
    synopsis: lists.joined(separator: "|"), operand: lists.joined(separator: "|"), text: ["Prints the names that a sweep file may use."],
    notes: ["The points of a sweep: \(Program.name) run SWEEP --list"])
  private static let lists = ["prefetchers", "strategies", "networks", "metrics", "parameters"]

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// - Throws: `UsageProblem` if the words are wrong, or there is no such list.
  func run() throws -> ExitStatus {
    guard !arguments.words.isEmpty else {
      throw UsageProblem("no list was named; write one of: \(Self.lists.joined(separator: ", "))")
    }
    let (what, prefetchers) = (try arguments.onlyWord("list"), arguments.prefetchers)
    let further = RunSchema.feed.offered.map(\.rawValue).joined(separator: ", ")
    let text =
      switch what {
      case "prefetchers":
        Self.terms(
          .terms(title: "", Catalogue.prefetchers(prefetchers).map(Self.term)),
          .terms(title: "settings", Self.parameters(prefetchers) { $0.hasPrefix("prefetcher.") }))
      case "strategies": Self.terms(.terms(title: "", Catalogue.strategies.map(Self.term)))
      case "networks": Self.networks
      case "metrics":
        Self.terms(
          .terms(title: "", Metric.allCases.map { ($0.rawValue, "\($0.meaning) (\($0.unit))") }),
          .paragraph("Of a feed, only sweeps that name them (metrics: [\"stallRatio\"], objective) have: \(further)."))
      case "parameters": Self.terms(.terms(title: "", Self.parameters(prefetchers) { _ in true }))
      default: throw UsageProblem("\(shown(what)): no such list; \(NearestName.remedy(for: what, among: Self.lists, what: "write one of"))")
      }
    return printLine(text) ? .good : .failed
  }

  private static func terms(_ blocks: HelpPage.Block...) -> String { HelpPage(blocks: blocks).text(width: Terminal.width) }

  private static func term(_ row: [String]) -> (term: String, text: String) { (row[0], row[1]) }

  private static func parameters(
    _ prefetchers: PrefetcherCatalogue, _ isListed: (String) -> Bool
  ) -> [(term: String, text: String)] {
    Catalogue.parameters(prefetchers).filter { isListed($0[0]) }.map { row in
      let transports = row[4] == "all" ? "" : " Transports: \(row[4])."
      return (row[0], "\(row[5]) \(row[1].prefix(1).uppercased() + row[1].dropFirst()): \(row[3]). Default: \(row[2]).\(transports)")
    }
  }

  /// The profiles as a table, and notes that fit the terminal.
  private static var networks: String {
    var table = Table(columns: ["profile", "down", "up", "delay down", "delay up", "loss", "dns", "tail"].map { Table.Column($0) })
    var sources: [(name: String, profiles: [String])] = []
    for row in Catalogue.networks {
      table.append(row.dropLast().map { Table.Cell($0) })
      if sources.last?.name != row[8] { sources.append((row[8], [])) }
      sources[sources.count - 1].profiles.append(row[0])
    }
    let named = sources.map { "\($0.name): \($0.profiles.joined(separator: ", "))" }
    let notes = ["dns: the time of a lookup; tail: how long the radio stays awake after a transfer."] + Catalogue.networkNotes
    return table.plainText(hasRule: false) + "\n"
      + HelpPage(blocks: (["Sources: \(named.joined(separator: "; "))."] + notes).map(HelpPage.Block.paragraph)).text(width: Terminal.width)
  }
}
