// Times sessions in release on one core: a table for people, JSON for tools. `Scripts/benchmark` builds and runs it.

let arguments = Arguments(CommandLine.arguments.dropFirst())
if let sessions = arguments.sessions {
  BenchmarkCase(items: arguments.items, connections: arguments.connections, transport: arguments.transport)
    .play(sessions: sessions)
} else {
  let rows =
    arguments.sweep.map(BenchmarkCase.rows) ?? BenchmarkCase.rows.filter { arguments.section == nil || $0.section == arguments.section }
  var report = Report(
    machine: Machine.current, rounds: arguments.rounds, results: CaseTimer(rounds: arguments.rounds).measure(rows))
  if arguments.sweep == nil {
    report.scaling = Scaling.measure(rounds: max(5, arguments.rounds))
    report.runner = try RunnerCost.measure(rounds: max(3, arguments.rounds / 10))
    report.start = try StartCost.measure(starts: max(3, arguments.rounds / 5))
  }
  print(report.table)
  if !report.lines.isEmpty { print() }
  report.lines.forEach { print($0) }
  if let file = arguments.jsonFile { try report.write(to: file) }
}
