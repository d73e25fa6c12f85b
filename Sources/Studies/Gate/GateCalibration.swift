// Prints Results/calibration: how often the gate and the intervals are wrong, by the simulator's own runs and by given distributions.

import SweepTool

/// `run-studies gate`.
package enum GateCalibration: Study {
  package static let name = "gate"
  package static let usage = "FOLDER OF SCENARIOS [--gates N] [--only SCENARIO | --distributions]"
  package static let options: [Option] = [.value("--gates"), .value("--only"), .flag("--distributions")]

  /// - Throws: `UsageProblem` if the words are wrong, and what the scenarios and their runs throw.
  package static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder of scenarios")
    let gates = try arguments.integer("--gates", in: 1...100_000) ?? 2000
    if arguments.has("--distributions") {
      print(DifferenceReport(gates: gates * 2, tables: gates).text)
    } else {
      print(try GateReport(folder: folder, gates: gates, only: arguments.value("--only")).text, terminator: "")
    }
  }
}
