// Compares the transports with measurements, and prints the tables; `Scripts/results fidelity` stores them.

import Analysis
import Oracles
import Simulation
import StudyParts
import SweepTool

/// Runs `run-studies fidelity`.
/// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` or `InvalidInput` for a malformed table or trace.
package func runFidelity(_ arguments: Arguments) throws {
  let kind = try arguments.value("--rows").map(transport(named:))
  let reference = ReferenceTables(folder: arguments.value("--tables"))
  let missing = try reference.missing().map(\.rawValue)
  for table in missing { printNote("skipped: there is no \(table)") }
  let traces = try reference.missingTraces()
  if !traces.isEmpty {
    printNote("skipped: the traces \(traces.joined(separator: ", ")) are not here; PREFETCH_SWEEP_REFERENCE names them")
  }
  if let kind {
    let rows = try judgedRows(reference, kind).map { row in
      "\(row.table),\(row.name),\(row.category),\(row.group),\(row.truth),\(row.ours),\(row.errorPercent)\n"
    }
    print("table,case,category,group,measured,ours,errorPercent\n\(rows.joined())", terminator: "")
  } else {
    print(try FidelityReport(reference).text(missing: missing + traces.map { "kernel/traces/\($0).down" }), terminator: "")
  }
}

/// A figure beside its measurement: loaders of a session, or milliseconds of a request.
struct JudgedRow {
  var table: String, name: String, category: String, group: String
  var truth: Double, ours: Double, errorPercent: Double
  /// The least and the most of the measurement's repetitions, if known.
  var repeats: ClosedRange<Double>?
  /// The 5th and 95th percentiles of our seeds; nil for one run.
  var seeds: ClosedRange<Double>?

  init(_ row: Comparison) {
    (table, name, category, group) = (row.table, row.name, row.category, row.group)
    (truth, ours, errorPercent, repeats) = (row.truthMs, row.oursMs, row.errorPercent, row.repeatsMs)
    if row.seedsMs.count > 1, let low = Sample.quantile(row.seedsMs, share: 0.05), let high = Sample.quantile(row.seedsMs, share: 0.95) {
      seeds = low...high
    }
  }

  init(_ cell: CellTable.Cell, table: ReferenceTables.Table) {
    (self.table, name, category, group) = ("\(table)", cell.name, "loaders", cell.group)
    (truth, ours, errorPercent, repeats) = (cell.truth, cell.ours, cell.errorPercent, cell.range)
  }
}

/// Returns each measurement beside one transport's figure; requests and other protocols only for packets.
/// - Throws: `StudyProblem` or `InvalidInput` if a table or a trace is malformed.
private func judgedRows(_ reference: ReferenceTables, _ transport: NetworkConfiguration.TransportKind) throws -> [JudgedRow] {
  let sessions = try CellTable(reference: reference, transport: transport).cells.map { JudgedRow($0, table: .sessions) }
  guard transport == .packet else { return sessions }
  let cubic = try KernelCases(reference: reference).all().map { JudgedRow($0) }
  let stacks = try CellTable(reference: reference, table: .stackSessions).cells.map { JudgedRow($0, table: .stackSessions) }
  return try sessions + stacks + cubic
    + (KernelCases(reference: reference, congestion: .bbr).all() + StackCases(reference: reference).all()).map { JudgedRow($0) }
}
