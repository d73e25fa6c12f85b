// `--write-winner FILE` of `run`, `report` and `merge`: the winner's settings as a candidate for `check`, with the command that checks it.

import Analysis
import Base
import Sweep

struct WinnerFile {
  private let path: String
  private let targets: OutputTargets
  private let sweep: ResolvedSweep
  private let overrides: SweepOverrides
  /// The words that call the program, and the sweep file that the check reads.
  private let program: String, sweepPath: String

  /// Checks the destination before anything runs; nil without the option. `folder` is that of the results.
  /// - Throws: `Refusal` if it cannot be written.
  init?(_ arguments: Arguments, of sweep: ResolvedSweep, overrides: SweepOverrides, folder: String) throws(Refusal) {
    guard let path = arguments.value("--write-winner") else { return nil }
    targets = try OutputTargets([("--write-winner", path, .winner)])
    (self.path, self.sweep, self.overrides) = (path, sweep, overrides)
    program = arguments.program ?? sweep.backend.product
    sweepPath = sweep.standardInput == nil ? sweep.canonicalPath : SystemFile.canonical("\(folder)/\(ResolvedSweep.keptInputName)")
  }

  static let option = Option.output(
    "--write-winner", .winner,
    "Writes the winner's settings to FILE, as a candidate for `check`. Without a winner, an older FILE is removed.")

  /// Writes the winner's settings and prints the closing line. False if there is no winner, or the output is closed. Without a winner an
  /// older file is removed, so that no script takes it for this result's.
  /// - Throws: `Refusal` if the file cannot be written.
  func close(_ summary: SweepSummary, isQuiet: Bool) throws(Refusal) -> Bool {
    guard let text = try write(summary) else {
      let removed = try targets.remove() ? "\(shown(path)), of an earlier result, was removed" : "no file was written"
      let reason = summary.schema.constrained.isEmpty ? "no point is better than the baseline" : "no point wins"
      printError("--write-winner: \(reason), so that \(removed)")
      return false
    }
    return isQuiet || printLine(text)
  }

  /// Writes the file and returns the closing line; nil if no point is better than the baseline.
  /// - Throws: `Refusal` if the file cannot be written.
  private func write(_ summary: SweepSummary) throws(Refusal) -> String? {
    // Models are not ranked against each other: the first one's winner.
    let (stratum, principal) = summary.strata?.kind == .models ? summary.principal : (nil, summary)
    guard let winner = principal.confirmedWinner else { return nil }
    let axes = settings(zip(principal.axes, winner.axisValues).map { (path: $0, text: $1) })
    // A setting of the command line may contain an axis, as `prefetcher` contains `prefetcher.maxCost`.
    let parents = sweep.grid.settings.filter { setting in axes.contains { $0.path.hasPrefix(setting.path + ".") } }
    let shipped = (parents + axes).filter { ScenarioSchema.isShipped($0.path) }
    let keys = Catalogue.sweepKeys.map { $0[0] }
    let named = Set((axes + shipped).map(\.path))
    // Both sides have the other settings of the winner and of the command line.
    let common =
      axes.filter { !ScenarioSchema.isShipped($0.path) }.map { "\($0.path)=\($0.value.canonicalText)" }
      + overrides.settings.filter { !named.contains($0.path) && !keys.contains($0.path) }.map { "\($0.path)=\($0.value)" }
    let command =
      ([program, "check", "--sweep", ShellText.quoted(sweepPath), "--candidate", ShellText.quoted(SystemFile.canonical(path))]
      + (stratum.map { ["--stratum", ShellText.quoted($0)] } ?? []) + common.flatMap { ["--scenario", ShellText.quoted($0)] })
      .joined(separator: " ")
    let lines = shipped.map { "  \(jsonString($0.path)): \($0.value.canonicalJSON)" }.joined(separator: ",\n")
    let check = sweep.backend.isEmulated ? "// \(SafeText.line(command))\n" : ""
    try targets.publish(["// The winner of the sweep \(SafeText.line(sweep.name)), as a candidate.\n\(check){\n\(lines)\n}\n"])
    return "Winner: \(SafeText.line(path))" + (check.isEmpty ? "" : "; check it on new seeds: \(SafeText.line(command))")
  }

  private func settings(_ axes: [(path: String, text: String)]) -> [(path: String, value: JSON5Value)] {
    let columns = Dictionary(zip(sweep.grid.paths, sweep.grid.dimensions.flatMap(\.values)), uniquingKeysWith: { first, _ in first })
    return axes.compactMap { path, text in columns[path]?.first { $0.canonicalText == text }.map { (path, $0) } }
  }
}
