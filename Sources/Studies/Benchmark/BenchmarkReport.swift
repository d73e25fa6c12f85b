// The results for people and for tools.

import Foundation

/// All that one call of the benchmark found out.
struct BenchmarkReport: Codable {
  var machine: Machine
  var rounds: Int
  var results: [CaseResult]
  var scaling: [Scaling] = []
  var runner: [RunnerCost] = []
  /// Nil where there is no tool beside the benchmark.
  var start: StartCost?

  /// What is measured beside single sessions, a line each.
  var lines: [String] {
    let cores = scaling.filter { $0.cores == 2 }.map { two in
      let one = scaling.first { $0.cores == 1 && $0.transport == two.transport }
      return "\(two.transport), sessions/s with metrics: \(whole(one?.sessionsPerSecond ?? 0)) on one core, "
        + "\(whole(two.sessionsPerSecond)) on two (\(hundredths(two.speedup)) ×); processor time a session, µs: "
        + "\(tenths(one?.processorUs ?? 0)) and \(tenths(two.processorUs))"
    }
    let costs = runner.map {
      "\($0.transport), µs a run of 1000 items: session \(tenths($0.sessionUs)), runner beside it \(tenths($0.runnerUs)) "
        + "(\(tenths($0.share * 100)) %)"
    }
    let starts = start.map {
      ["ms from a start to the version: \(tenths($0.versionMs)); to the tables of a sweep of one run: \(tenths($0.firstRunMs))"]
    }
    return cores + costs + (starts ?? [])
  }

  private func hundredths(_ value: Double) -> String { String((value * 100).rounded() / 100) }

  /// A Markdown table, a section after the other.
  var table: String {
    let head = ["section", "case", "loop µs", "median", "row µs", "median", "sessions/s", "requests/s", "ns/event", "ns/packet", "× base"]
    let rows = results.map { result in
      [
        result.section, result.name, tenths(result.loopUsMin), tenths(result.loopUsMedian), tenths(result.rowUsMin),
        tenths(result.rowUsMedian), whole(result.sessionsPerSecond), whole(result.requestsPerSecond), tenths(result.nanosecondsPerEvent),
        result.nanosecondsPerPacket.map(tenths) ?? "", String((result.ratioToBase * 100).rounded() / 100),
      ]
    }
    let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
    let rule = "|" + widths.indices.map { $0 < 2 ? dashes(widths[$0] + 2) : dashes(widths[$0] + 1) + ":" }.joined(separator: "|") + "|"
    let about = "\(machine.model), \(machine.cores) cores, one used; minimum and median of \(rounds) rounds; an event is an activation, "
    return about + "a request or its end; a packet is one to the client, with its acknowledgement.\n\n"
      + ([line(head, widths), rule] + rows.map { line($0, widths) }).joined(separator: "\n")
  }

  /// Writes all as JSON.
  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: file), options: .atomic)
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: cell.1 - cell.0.count)
      return column < 2 ? cell.0 + space : space + cell.0
    }
    return "| " + padded.joined(separator: " | ") + " |"
  }

  private func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }
  private func whole(_ value: Double) -> String { String(Int(value)) }
  private func dashes(_ count: Int) -> String { String(repeating: "-", count: count) }
}
