// Compares the transports with the kernel and the real client, and prints the tables; `Scripts/fidelity` stores them.

import Analysis
import Simulation
import SweepTool

/// Runs `run-studies fidelity`.
/// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` or `InvalidInput` for a malformed table or trace.
func runFidelity(_ arguments: Arguments) throws {
  let kind = try arguments.value("--rows").map(transport(named:))
  let reference = ReferenceTables()
  let missing = try reference.missing().map(\.rawValue)
  for table in missing { printNote("skipped: there is no \(table)") }
  if let kind {
    print(try fidelityRows(reference, kind), terminator: "")
  } else {
    print(try fidelityReport(reference, missing: missing), terminator: "")
  }
}

/// Returns each measurement beside one transport's, as CSV lines: sessions in loaders, requests in milliseconds.
/// - Throws: `StudyProblem` or `InvalidInput` if a table or a trace is malformed.
private func fidelityRows(_ reference: ReferenceTables, _ transport: NetworkConfiguration.TransportKind) throws -> String {
  let sessions = try CellTable(reference: reference, transport: transport).cells.map { cell in
    "sessions,\(cell.name),loaders,\(cell.group),\(cell.truth),\(cell.ours),\(cell.errorPercent)\n"
  }
  let requests = try KernelCases(reference: reference, transport: transport).all().map { row in
    "\(row.table),\(row.name),\(row.category),\(row.group),\(row.truthMs),\(row.oursMs),\(row.errorPercent)\n"
  }
  return (["table,case,category,group,measured,ours,errorPercent\n"] + sessions + requests).joined()
}

/// Returns the report, which is reproducible.
/// - Throws: `StudyProblem` or `InvalidInput` if a table or a trace is malformed.
private func fidelityReport(_ reference: ReferenceTables, missing: [String]) throws -> String {
  let sessions = try [NetworkConfiguration.TransportKind.fluid, .tcp, .packet].map { transport in
    let table = try CellTable(reference: reference, transport: transport)
    return markdownRow([
      transport.rawValue, "\(rounded(table.meanError)) % of \(table.cells.count)", "\(rounded(table.hardError)) %",
      "\(table.pairsKept) of \(table.pairs)",
    ])
  }
  let requests = try [NetworkConfiguration.TransportKind.tcp, .packet].map { try KernelCases(reference: reference, transport: $0).all() }
  let comparison = ["no drop", "queue overflow", "random loss"].flatMap { group in
    (["all"] + Set(requests[1].filter { $0.group == group }.map(\.category)).sorted()).map { category in
      let errors = requests.map { rows in
        rows.filter { $0.group == group && (category == "all" || $0.category == category) }.map(\.errorPercent)
      }
      let figures = errors.map { errors in
        Sample.quantile(errors, share: 0.9).map { "\(rounded(median(errors))) / \(rounded($0))" } ?? "–"
      }
      return markdownRow([group, category, "\(errors[1].count)"] + figures)
    }
  }
  let tables = missing.map { "`\($0)`" }.joined(separator: ", ")
  return """
    # Fidelity of the transports

    How far each transport is from measurements that it has not made: whole feed sessions of a real HTTP client over the kernel's
    TCP, and single requests over shaped links. Made by `Scripts/fidelity`; the measurements are not part of this repository.

    ## Whole sessions

    Error of the number of loaders, in percent of the items, against the median of the real client's repeats. A clear pair is two
    settings of one link that the client tells apart by more than 5 % of the items.

    | transport | all rows | rows with 5–95 % loaders | clear pairs in the right order |
    |---|--:|--:|--:|
    \(sessions.joined(separator: "\n"))

    ## Single requests

    The fluid has no connections, queues or losses: it is held against whole sessions only, above.

    Relative error of completion times in percent, median / 90th percentile, by what the link did to the packets. `h1` and `h2`
    are HTTP/1.1 and HTTP/2; `first`, `mean` and `last` are of transfers that ran together. CUBIC senders only.

    | drops | category | cases | tcp | packet |
    |---|---|--:|--:|--:|
    \(comparison.joined(separator: "\n"))
    \(missing.isEmpty ? "" : "\nNot compared, because the table is missing: \(tables).\n")
    """
}

/// Returns a value with two decimals; a dash if a table is missing, so that there is nothing to average.
private func rounded(_ value: Double) -> String { value.isFinite ? DecimalText.fixed(value, decimals: 2) : "–" }
