// `list`: what a sweep file may name.

import Analysis
import Rendering
import Sweep

struct ListCommand: Command {
  static let name = "list"
  static let summary = "Lists the prefetchers, strategies, networks, metrics or parameters there are."
  static let options: [Option] = []
  static let usage = """
    usage: prefetch-sweep list prefetchers|strategies|networks|metrics|parameters

    For the points of a sweep: prefetch-sweep run SWEEP --list
    """

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// - Throws: `UsageProblem` if the words are wrong, or there is no such list.
  func run() throws -> ExitStatus {
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
      heads = ["key", "kind", "default", "range", "transports", "meaning"]
      rows = Catalogue.parameters(prefetchers)
    default: throw UsageProblem(description: "\(shown(what)): no such list; write prefetchers, strategies, networks, metrics or parameters")
    }
    var text = Self.table(heads, rows)
    if what == "networks" { text += "\n\n" + Catalogue.networkNotes.joined(separator: "\n") }
    if what == "prefetchers" {
      text += "\n\n" + Self.table(["kind", "setting", "type", "default", "range", "meaning"], Catalogue.settings(prefetchers))
    }
    return printLine(text) ? .good : .failed
  }

  /// `help sweep-file`: every key that a sweep file may have.
  static func sweepFile(_ prefetchers: PrefetcherCatalogue) -> String {
    let parameters = Catalogue.parameters(prefetchers).map { [$0[0], $0[2], $0[5]] }
    return """
      A sweep file is JSON5. Every path of its scenario can be an axis, or be set with --set path=value.

      \(table(["key", "meaning"], Catalogue.sweepKeys))

      The scenario; kinds, ranges and transports: prefetch-sweep list parameters

      \(table(["key", "default", "meaning"], parameters))
      """
  }

  private static func table(_ heads: [String], _ rows: [[String]]) -> String {
    var table = Table(columns: heads.map { Table.Column($0) })
    for row in rows { table.append(row.map { Table.Cell($0) }) }
    return String(table.plainText(hasRule: false).dropLast())
  }
}
