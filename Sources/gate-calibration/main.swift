// Prints Results/calibration/report.md: how often the gate and the intervals are wrong, by the simulator's own runs.

import Foundation

let words = Array(CommandLine.arguments.dropFirst())
let usage = "usage: gate-calibration FOLDER OF SCENARIOS [--gates N] [--only SCENARIO | --distributions]"

/// The word after an option.
func value(_ option: String) -> String? {
  words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
}

guard let folder = words.first, !folder.hasPrefix("-"), let gates = Int(value("--gates") ?? "2000"), gates > 0 else {
  FileHandle.standardError.write(Data((usage + "\n").utf8))
  exit(2)
}
if words.contains("--distributions") {
  print(DifferenceReport(gates: gates * 2, tables: gates).text)
  exit(0)
}
do {
  print(try GateStudyReport(folder: folder, gates: gates, only: value("--only")).text, terminator: "")
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
