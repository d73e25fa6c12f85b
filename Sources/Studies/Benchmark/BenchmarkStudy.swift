// Times sessions in release on one core: a table for people, JSON for tools. `Scripts/benchmark` builds and runs it.

import Sweep
import SweepTool

/// `run-studies benchmark`.
package enum BenchmarkStudy: Study {
  package static let name = "benchmark"
  package static let usage =
    "[--json FILE] [--rounds N] [--section NAME] [--sweep FILE] [--sessions N] [--items N] [--connections N] [--transport NAME]"
  package static let options: [Option] =
    ["--json", "--rounds", "--section", "--sweep", "--sessions", "--items", "--connections", "--transport"].map { .value($0) }
  /// The most points of a sweep that are timed.
  private static let pointLimit = 50

  /// - Throws: `UsageProblem` if the words are wrong, and what the runs and files throw.
  package static func run(_ arguments: Arguments) throws {
    /// - Throws: `UsageProblem` if the option is no count.
    func count(_ option: String) throws -> Int? { try arguments.integer(option, in: 1...1_000_000_000) }
    if let sessions = try count("--sessions") {
      // For tools that count instructions and allocations.
      BenchmarkCase(
        items: try count("--items") ?? 1000, connections: try count("--connections") ?? 1,
        transport: try transport(named: arguments.value("--transport") ?? "fluid")
      ).play(sessions: sessions)
      return
    }
    let rounds = try count("--rounds") ?? 101
    let section = arguments.value("--section")
    let sweep = arguments.value("--sweep")
    let cases = try sweep.map(rows) ?? BenchmarkCase.rows.filter { section == nil || $0.section == section }
    if cases.isEmpty { throw UsageProblem(description: "--section: there is no \"\(section ?? "")\"") }
    var report = BenchmarkReport(machine: Machine.current, rounds: rounds, results: CaseTimer(rounds: rounds).measure(cases))
    if sweep == nil {
      report.scaling = Scaling.measure(rounds: max(5, rounds))
      report.runner = try RunnerCost.measure(rounds: max(3, rounds / 10))
      report.start = try StartCost.measure(starts: max(3, rounds / 5))
    }
    print(report.table)
    if !report.lines.isEmpty { print() }
    report.lines.forEach { print($0) }
    if let file = arguments.value("--json") { try report.write(to: file) }
  }

  /// A row for each of a sweep's points that are sessions of a feed.
  /// - Throws: `InvalidInput` if the sweep is none, `UsageProblem` if no point of it is a feed's session.
  private static func rows(of file: String) throws -> [BenchmarkCase.Row] {
    let sweep = try SweepFile(path: file)
    guard sweep.pointCount <= pointLimit else {
      throw UsageProblem(description: "--sweep \(file): has \(sweep.pointCount) points and not at most \(pointLimit)")
    }
    let rows = try (0..<sweep.pointCount).compactMap { point in
      try sweep.feedScenario(point).map {
        BenchmarkCase.Row(section: "sweep", name: sweep.axisValues(point).joined(separator: ", "), scenario: $0)
      }
    }
    guard !rows.isEmpty else { throw UsageProblem(description: "--sweep \(file): has no session of a feed") }
    return rows
  }
}
