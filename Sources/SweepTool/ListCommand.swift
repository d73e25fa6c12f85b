// `list`: prints the names that a sweep file may use.

import Analysis
import Import
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
      throw UsageProblem(description: "no list was named; write one of: \(Self.lists.joined(separator: ", "))")
    }
    let (what, prefetchers) = (try arguments.onlyWord("list"), arguments.prefetchers)
    let heads: [String]
    let rows: [[String]]
    switch what {
    case "prefetchers": (heads, rows) = (["kind", "what it does"], Catalogue.prefetchers(prefetchers))
    case "strategies": (heads, rows) = (["kind", "what it does"], Catalogue.strategies)
    case "networks":
      heads = ["profile", "down", "up", "delay down", "delay up", "loss", "dns", "radio tail", "source"]
      rows = Catalogue.networks
    case "metrics": (heads, rows) = (["metric", "unit", "meaning"], Metric.allCases.map { [$0.rawValue, $0.unit, $0.meaning] })
    case "parameters":
      let terms = Catalogue.parameters(prefetchers).map { row in
        let transports = row[4] == "all" ? "" : " Transports: \(row[4])."
        return (
          term: row[0], text: "\(row[5]) \(row[1].prefix(1).uppercased() + row[1].dropFirst()): \(row[3]). Default: \(row[2]).\(transports)"
        )
      }
      return printLine(HelpPage(blocks: [.terms(title: "", terms)]).text(width: Terminal.width)) ? .good : .failed
    default:
      throw UsageProblem(
        description: "\(shown(what)): no such list; \(NearestName.remedy(for: what, among: Self.lists, what: "write one of"))")
    }
    var text = Self.table(heads, rows)
    if what == "metrics" {
      let names = RunSchema.feed.offered.map(\.rawValue).joined(separator: ", ")
      text += "\n\nOf a feed, only sweeps that name them (metrics: [\"stallRatio\"], objective) have: \(names)."
    }
    if what == "networks" { text += "\n\n" + Catalogue.networkNotes.joined(separator: "\n") }
    if what == "prefetchers" {
      text += "\n\n" + Self.table(["kind", "setting", "type", "default", "range", "meaning"], Catalogue.settings(prefetchers))
    }
    return printLine(text) ? .good : .failed
  }

  private static func table(_ heads: [String], _ rows: [[String]]) -> String {
    var table = Table(columns: heads.map { Table.Column($0) })
    for row in rows { table.append(row.map { Table.Cell($0) }) }
    return String(table.plainText(hasRule: false).dropLast())
  }
}
