// Holds the transports against the kernel and the real client, and prints the tables; `Scripts/fidelity` keeps them.

import Simulation
import SweepTool

/// `run-studies fidelity`.
package enum FidelityStudy: Study {
  package static let name = "fidelity"
  package static let usage = "[--rows fluid|tcp|packet]     prints Results/fidelity/report.md, or each measurement beside a transport's"
  package static let options: [Option] = [.value("--rows")]

  /// - Throws: `UsageProblem` if the words are wrong, `ReferenceProblem` if a table is.
  package static func run(_ arguments: Arguments) throws {
    let reference = ReferenceTables()
    for table in try reference.missing() { printNote("skipped: there is no \(table.rawValue)") }
    let tables = FidelityTables(reference: reference)
    print(try arguments.value("--rows").map { try tables.rows(transport(named: $0)) } ?? tables.report(), terminator: "")
  }
}
