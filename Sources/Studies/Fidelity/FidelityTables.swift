// The tables of errors as Markdown: sessions of a real client, single requests over the kernel's TCP, and what each transport costs.

import Analysis
import Simulation

/// Makes the tables, the same bytes every time.
struct FidelityTables {
  let reference: ReferenceTables

  private static let groups = ["no drop", "queue overflow", "random loss"]

  /// Each measurement beside one transport's, a line of CSV each: sessions in loaders, requests in milliseconds.
  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  func rows(_ transport: NetworkConfiguration.TransportKind) throws -> String {
    let sessions = try CellTable(reference: reference, transport: transport).cells.map { cell in
      "sessions,\(cell.name),loaders,\(cell.group),\(cell.truth),\(cell.ours),\(cell.errorPercent)\n"
    }
    let requests = try KernelCases(reference: reference, transport: transport).all().map { row in
      "\(row.table),\(row.name),\(row.category),\(row.group),\(row.truthMs),\(row.oursMs),\(row.errorPercent)\n"
    }
    return (["table,case,category,group,measured,ours,errorPercent\n"] + sessions + requests).joined()
  }

  /// All of it as a page.
  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
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
    for transport in [NetworkConfiguration.TransportKind.fluid, .tcp, .packet] {
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

  /// The transports side by side, a line a category.
  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func comparison() throws -> String {
    let transports: [NetworkConfiguration.TransportKind] = [.tcp, .packet]
    let all = try transports.map { try KernelCases(reference: reference, transport: $0).all() }
    var text = "| drops | category | cases | \(transports.map(\.rawValue).joined(separator: " | ")) |\n"
    text += "|---|---|--:|\(String(repeating: "--:|", count: transports.count))\n"
    for group in Self.groups {
      for category in ["all"] + Set(all[1].filter { $0.group == group }.map(\.category)).sorted() {
        let errors = all.map { $0.filter { $0.group == group && (category == "all" || $0.category == category) }.map(\.errorPercent) }
        let figures = errors.map { errors in
          Sample.quantile(errors, share: 0.9).map { "\(rounded(median(errors))) / \(rounded($0))" } ?? "–"
        }
        text += markdownRow([group, category, "\(errors[1].count)"] + figures) + "\n"
      }
    }
    return text
  }

  private func rounded(_ value: Double) -> String {
    // Where a table is missing there is nothing to average.
    guard value.isFinite else { return "–" }
    let hundredths = Int((value * 100).rounded())
    let cents = hundredths % 100
    return "\(hundredths / 100).\(cents < 10 ? "0" : "")\(cents)"
  }
}
