// Times sessions on one core in release builds: a table for people, JSON for tools. `Scripts/benchmark` builds and runs it.

import Base
import Foundation
import Oracles
import Rendering
import Simulation
import StudyParts
import Sweep
import SweepTool

/// Runs `run-studies benchmark`.
/// - Throws: `UsageProblem` for invalid arguments, and the errors of the runs and files.
package func runBenchmark(_ arguments: Arguments) throws {
  let items = try arguments.integer("--items", in: 1...1_000_000)
  let connections = try arguments.integer("--connections", in: 1...256)
  let kind = try arguments.value("--transport").map(transport(named:))
  let sessions = try arguments.integer("--sessions", in: 1...1_000_000_000)
  let rounds = try arguments.integer("--rounds", in: 1...1_000_000) ?? 101
  let (ofSessions, ofTables) = (["--items", "--connections", "--transport"], ["--json", "--rounds", "--section", "--sweep"])
  if let option = (sessions == nil ? ofSessions : ofTables).first(where: arguments.has) {
    throw UsageProblem("\(option): is \(sessions == nil ? "only" : "not") for --sessions; take it out")
  }
  if let sessions {
    // This mode is for tools that count instructions and allocations.
    let scenario = BenchmarkCase(items: items ?? 1000, connections: connections ?? 1, transport: kind ?? .fluid).scenario
    for seed in 0..<sessions { _ = scenario.play(seed: UInt64(seed)) }
    return
  }
  let section = arguments.value("--section")
  let sweep = arguments.value("--sweep")
  if section != nil, sweep != nil { throw UsageProblem("--section: is not for --sweep; take one of them out") }
  let cases = try sweep.map(rows) ?? BenchmarkCase.rows.filter { section == nil || $0.section == section }
  if cases.isEmpty { throw UsageProblem("--section: there is no \"\(section ?? "")\"") }
  var report = BenchmarkReport(machine: Machine(), rounds: rounds, results: CaseTimer(rounds: rounds).measure(cases))
  if sweep == nil {
    report.scaling = Scaling.measure(rounds: max(5, rounds))
    report.runner = try RunnerCost.measure(rounds: max(3, rounds / 10))
    report.start = try StartCost.measure(starts: max(3, rounds / 5))
  }
  print(report.table)
  if !report.lines.isEmpty { print() }
  report.lines.forEach { print($0) }
  if let file = arguments.value("--json") {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(report).write(to: URL(fileURLWithPath: file), options: .atomic)
  }
}

/// Returns a row for each of a sweep's points that is a feed session, at most 50.
/// - Throws: `InvalidInput` if the file is not a sweep, `UsageProblem` if no point is a feed session.
private func rows(of file: String) throws -> [BenchmarkCase.Row] {
  let sweep = try ResolvedSweep(path: file)
  guard sweep.pointCount <= 50 else {
    throw UsageProblem("--sweep \(file): has \(sweep.pointCount) points and not at most 50")
  }
  let rows = try (0..<sweep.pointCount).compactMap { point in
    (try sweep.decoded(point).scenario as? Scenario).map {
      BenchmarkCase.Row(section: "sweep", name: sweep.axisValues(point).joined(separator: ", "), scenario: $0)
    }
  }
  guard !rows.isEmpty else { throw UsageProblem("--sweep \(file): has no session of a feed") }
  return rows
}

private struct BenchmarkReport: Codable {
  var machine: Machine
  var rounds: Int
  var results: [CaseResult]
  var scaling: [Scaling] = []
  var runner: [RunnerCost] = []
  /// The cost of a start; nil if the tool is not beside the benchmark.
  var start: StartCost?

  /// The measurements other than single sessions, one line each.
  var lines: [String] {
    // The results alternate: one core, two cores.
    let cores = stride(from: 0, to: scaling.count, by: 2).map { index -> String in
      let (one, two) = (scaling[index], scaling[index + 1])
      return """
        \(two.transport), sessions/s with metrics: \(Int(one.sessionsPerSecond)) on one core, \(Int(two.sessionsPerSecond)) on two \
        (\(hundredths(two.speedup)) ×); processor time a session, µs: \(tenths(one.processorUs)) and \(tenths(two.processorUs))
        """
    }
    let costs = runner.map { cost -> String in
      let (session, runner, share) = (tenths(cost.sessionUs), tenths(cost.runnerUs), tenths(cost.share * 100))
      return "\(cost.transport), µs a run of 1000 items: session \(session), runner beside it \(runner) (\(share) %)"
    }
    let starts = start.map {
      "ms from a start to the version: \(tenths($0.versionMs)); to the tables of a sweep of one run: \(tenths($0.firstRunMs))"
    }
    return cores + costs + [starts].compactMap(\.self)
  }

  /// The Markdown table, section by section.
  var table: String {
    let heads = ["loop µs", "median", "row µs", "median", "sessions/s", "requests/s", "ns/event", "ns/packet", "× base"]
    let rows = results.map { row -> [String] in
      let times = [row.loopUsMin, row.loopUsMedian, row.rowUsMin, row.rowUsMedian].map(tenths)
      let rates = [row.sessionsPerSecond, row.requestsPerSecond].map { "\(Int($0))" }
      let costs = [tenths(row.nanosecondsPerEvent), row.nanosecondsPerPacket.map(tenths) ?? "", hundredths(row.ratioToBase)]
      return [row.section, row.name] + times + rates + costs
    }
    return """
      \(machine.model), \(machine.cores) cores, one used; minimum and median of \(rounds) rounds; an event is an activation, \
      a request or its end; a packet is one to the client, with its acknowledgement.

      \(markdownTable(["section", "case"] + heads.map { .right($0) }, rows))
      """
  }

  private func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }
  private func hundredths(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}

private struct Machine: Codable {
  /// The processor's model name, as the system reports it.
  var model = Platform.processor ?? "unknown"
  /// The number of active logical processors.
  var cores = ProcessInfo.processInfo.activeProcessorCount
}
