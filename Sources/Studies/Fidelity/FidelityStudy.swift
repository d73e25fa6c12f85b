// Holds the transports against the kernel and the real client, and prints the tables; `Scripts/fidelity` keeps them.

import Foundation
import Simulation
import SweepTool

/// `run-studies fidelity`.
package enum FidelityStudy: Study {
  package static let name = "fidelity"
  package static let usage = "report | sessions|kernel [--transport fluid|tcp|packet] [--rows]"
  package static let options: [Option] = [.value("--transport"), .flag("--rows")]

  package static func run(_ arguments: Arguments) throws {
    let named = arguments.value("--transport") ?? "packet"
    guard let transport = NetworkConfiguration.TransportKind(rawValue: named) else {
      throw UsageProblem(description: "--transport: there is no \"\(named)\"")
    }
    let reference = ReferenceTables()
    for table in try reference.missing() { printNote("skipped: there is no \(table.rawValue)") }
    let tables = FidelityTables(reference: reference, hasRows: arguments.has("--rows"))
    switch arguments.words.first {
    case "report": print(try tables.report(), terminator: "")
    case "sessions": print(try tables.sessions(transport), terminator: "")
    case "kernel": print(try tables.kernel(transport), terminator: "")
    default: throw UsageProblem(description: "no table is named")
    }
  }
}
