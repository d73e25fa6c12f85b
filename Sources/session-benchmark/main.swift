// Times sessions in release on one core: a table for people, JSON for tools. `Scripts/benchmark` builds and runs it.

import Simulation

let arguments = Arguments(CommandLine.arguments.dropFirst())
if let sessions = arguments.sessions {
  BenchmarkCase(items: arguments.items, connections: arguments.connections, transport: arguments.transport)
    .play(sessions: sessions)
} else {
  let report = Report(
    machine: Machine.current, rounds: arguments.rounds,
    results: CaseTimer(rounds: arguments.rounds).measure(
      BenchmarkCase.all.filter { arguments.section == nil || $0.section == arguments.section }))
  print(report.table)
  if let file = arguments.jsonFile { try report.write(to: file) }
}
