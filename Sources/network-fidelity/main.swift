// Holds the transports against the kernel and the real client, and prints the tables; `Scripts/fidelity` keeps them.

import Fidelity
import Foundation
import Simulation

let words = Array(CommandLine.arguments.dropFirst())
let usage = "usage: network-fidelity report | sessions|kernel [--transport fluid|tcp|packet] [--rows]"

/// Ends with a line on standard error.
func refuse(_ text: String) -> Never {
  FileHandle.standardError.write(Data((text + "\n").utf8))
  exit(2)
}

let named = words.firstIndex(of: "--transport").map { $0 + 1 < words.count ? words[$0 + 1] : "" } ?? "packet"
guard let transport = NetworkConfiguration.TransportKind(rawValue: named) else { refuse("--transport: \"\(named)\" is none; \(usage)") }
let reference = ReferenceTables()
let tables = FidelityTables(reference: reference, hasRows: words.contains("--rows"))

do {
  for table in try reference.missing() { FileHandle.standardError.write(Data("skipped: there is no \(table.rawValue)\n".utf8)) }
  switch words.first {
  case "report": print(try tables.report(), terminator: "")
  case "sessions": print(try tables.sessions(transport), terminator: "")
  case "kernel": print(try tables.kernel(transport), terminator: "")
  default: refuse(usage)
  }
} catch { refuse("\(error)") }
