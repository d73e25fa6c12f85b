// `list`: what a sweep file may name.

import Analysis
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

  init(_ arguments: Arguments) throws {
    what = try arguments.onlyWord("list")
    prefetchers = arguments.prefetchers
  }

  func run() throws -> ExitStatus {
    let rows: [[String]]
    switch what {
    case "prefetchers": rows = [["kind", "what it does"]] + Catalogue.prefetchers(prefetchers)
    case "strategies": rows = [["kind", "what it does"]] + Catalogue.strategies
    case "networks":
      rows = [["profile", "down", "up", "delay down", "delay up", "loss", "dns", "radio tail", "source"]] + Catalogue.networks
    case "metrics": rows = [["metric", "unit", "meaning"]] + Metric.allCases.map { [$0.rawValue, $0.unit, $0.meaning] }
    default: throw UsageProblem(description: "\(what): no such list; write prefetchers, strategies, networks or metrics")
    }
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
    if what == "networks" { lines += [""] + Catalogue.networkNotes }
    return printLine(lines.joined(separator: "\n")) ? .good : .failed
  }
}
