// `list`: what a sweep file may name.

import Analysis
import Rendering
import Sweep

struct ListCommand: Command {
  static let name = "list"
  static let summary = "Lists the prefetchers, strategies, networks or metrics there are."
  static let options: [Option] = []
  static let usage = """
    usage: prefetch-sweep list prefetchers|strategies|networks|metrics

    For the points of a sweep: prefetch-sweep run SWEEP --list
    """

  private let what: String
  private let prefetchers: PrefetcherCatalogue

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    what = try arguments.onlyWord("list")
    prefetchers = arguments.prefetchers
  }

  /// - Throws: `UsageProblem` if there is no such list.
  func run() throws -> ExitStatus {
    let heads: [String]
    let rows: [[String]]
    switch what {
    case "prefetchers": (heads, rows) = (["kind", "what it does"], Catalogue.prefetchers(prefetchers))
    case "strategies": (heads, rows) = (["kind", "what it does"], Catalogue.strategies)
    case "networks":
      heads = ["profile", "down", "up", "delay down", "delay up", "loss", "dns", "radio tail", "source"]
      rows = Catalogue.networks
    case "metrics": (heads, rows) = (["metric", "unit", "meaning"], Metric.allCases.map { [$0.rawValue, $0.unit, $0.meaning] })
    default: throw UsageProblem(description: "\(shown(what)): no such list; write prefetchers, strategies, networks or metrics")
    }
    var table = Table(columns: heads.map { Table.Column($0) })
    for row in rows { table.append(row.map { Table.Cell($0) }) }
    var text = String(table.plainText(hasRule: false).dropLast())
    if what == "networks" { text += "\n\n" + Catalogue.networkNotes.joined(separator: "\n") }
    return printLine(text) ? .good : .failed
  }
}
