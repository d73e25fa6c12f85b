// The tables of errors as Markdown: sessions of a real client, single requests over the kernel's TCP, and what each transport costs.

import Foundation
import Simulation

/// Makes the tables, the same bytes every time.
struct FidelityTables {
  let reference: ReferenceTables
  /// Whether each row is printed, not only their summary.
  let hasRows: Bool

  private static let transports: [NetworkConfiguration.TransportKind] = [.fluid, .tcp, .packet]
  private static let groups = ["no drop", "queue overflow", "random loss"]

  /// Loaders of whole sessions, in percent of the items.
  func sessions(_ transport: NetworkConfiguration.TransportKind) throws -> String {
    let table = try CellTable(reference: reference, transport: transport)
    var text = ""
    if hasRows {
      for cell in table.cells { text += "\(cell.name): truth \(cell.truth), ours \(cell.ours), error \(rounded(cell.errorPercent)) %\n" }
    }
    text += "\(transport.rawValue): mean error \(rounded(table.meanError)) % of the items over \(table.cells.count) rows, "
    return text + "\(rounded(table.hardError)) % over those with 5–95 %; \(table.pairsKept) of \(table.pairs) clear pairs in order\n"
  }

  /// Completion times of requests, relative errors in percent.
  func kernel(_ transport: NetworkConfiguration.TransportKind) throws -> String {
    let comparisons = try KernelCases(reference: reference, transport: transport).all()
    var text = ""
    if hasRows {
      for row in comparisons {
        text += "\(row.table),\(row.name),\(row.category),\(row.group),\(row.truthMs),\(row.oursMs),\(row.errorPercent)\n"
      }
    }
    text += "| drops | category | cases | median % | 90th % | worst % |\n|---|---|--:|--:|--:|--:|\n"
    for group in Self.groups {
      let rows = comparisons.filter { $0.group == group }
      text += line(group, "all", rows)
      for category in categories(of: rows) { text += line(group, category, rows.filter { $0.category == category }) }
    }
    return text
  }

  /// All of it as a page.
  func report() throws -> String {
    var text = """
      # Fidelity of the transports

      How far each transport is from measurements that it has not made: whole feed sessions of a real HTTP client over the kernel's
      TCP, and single requests over shaped links. Made by `Scripts/fidelity`; the measurements are not part of this repository.

      ## Whole sessions

      Error of the number of loaders, in percent of the items, against the median of the real client's repeats. A clear pair is two
      settings of one link that the client tells apart by more than 5 % of the items.

      | transport | all rows | rows with 5–95 % loaders | clear pairs in the right order |
      |---|--:|--:|--:|

      """
    for transport in Self.transports {
      let table = try CellTable(reference: reference, transport: transport)
      text += "| \(transport.rawValue) | \(rounded(table.meanError)) % of \(table.cells.count) | \(rounded(table.hardError)) % | "
      text += "\(table.pairsKept) of \(table.pairs) |\n"
    }
    text += """

      ## Single requests

      The fluid has no connections, queues or losses: it is held against whole sessions only, above.

      Relative error of completion times in percent, median / 90th percentile, by what the link did to the packets. `h1` and `h2`
      are HTTP/1.1 and HTTP/2; `first`, `mean` and `last` are of transfers that ran together. CUBIC senders only.


      """
    text += try comparison()
    let missing = try reference.missing().map { "`\($0.rawValue)`" }
    return missing.isEmpty ? text : text + "\nNot compared, because the table is missing: \(missing.joined(separator: ", ")).\n"
  }

  /// All transports side by side, a line a category.
  private func comparison() throws -> String {
    let transports = Self.transports.filter { $0 != .fluid }
    let all = try transports.map { try KernelCases(reference: reference, transport: $0).all() }
    var text = "| drops | category | cases | \(transports.map(\.rawValue).joined(separator: " | ")) |\n"
    text += "|---|---|--:|\(String(repeating: "--:|", count: transports.count))\n"
    for group in Self.groups {
      for category in ["all"] + categories(of: all[1].filter { $0.group == group }) {
        let rows = all.map { $0.filter { $0.group == group && (category == "all" || $0.category == category) } }
        let figures = rows.map { rows in
          let errors = rows.map(\.errorPercent)
          return errors.isEmpty ? "–" : "\(rounded(median(errors))) / \(rounded(quantile(errors, 0.9)))"
        }
        text += "| \(group) | \(category) | \(rows[1].count) | \(figures.joined(separator: " | ")) |\n"
      }
    }
    return text
  }

  private func line(_ group: String, _ category: String, _ rows: [Comparison]) -> String {
    let errors = rows.map(\.errorPercent)
    let figures = [median(errors), quantile(errors, 0.9), errors.max() ?? 0].map(rounded)
    return "| \(group) | \(category) | \(rows.count) | \(figures.joined(separator: " | ")) |\n"
  }

  private func categories(of rows: [Comparison]) -> [String] {
    var categories: [String] = []
    for row in rows where !categories.contains(row.category) { categories.append(row.category) }
    return categories.sorted()
  }

  private func rounded(_ value: Double) -> String {
    // Where a table is missing there is nothing to average.
    guard value.isFinite else { return "–" }
    let hundredths = Int((value * 100).rounded())
    let cents = hundredths % 100
    return "\(hundredths / 100).\(cents < 10 ? "0" : "")\(cents)"
  }
}
