// The results for people and for tools.

import Foundation

/// All that one call of the benchmark found out.
struct Report: Codable {
  var machine: Machine
  var rounds: Int
  var results: [CaseResult]

  /// A Markdown table, a section after the other.
  var table: String {
    let head = ["section", "case", "loop µs", "median", "row µs", "median", "sessions/s", "requests/s", "ns/event", "× base"]
    let rows = results.map { result in
      [
        result.section, result.name, tenths(result.loopUsMin), tenths(result.loopUsMedian), tenths(result.rowUsMin),
        tenths(result.rowUsMedian), whole(result.sessionsPerSecond), whole(result.requestsPerSecond), tenths(result.nanosecondsPerEvent),
        String((result.ratioToBase * 100).rounded() / 100),
      ]
    }
    let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
    let rule = "|" + widths.indices.map { $0 < 2 ? dashes(widths[$0] + 2) : dashes(widths[$0] + 1) + ":" }.joined(separator: "|") + "|"
    let about = "\(machine.model), \(machine.cores) cores, one used; minimum and median of \(rounds) rounds; an event is an activation, "
    return about + "a request or its end.\n\n" + ([line(head, widths), rule] + rows.map { line($0, widths) }).joined(separator: "\n")
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
