// Newline-delimited JSON, for programs that read tables.

import Base

/// A JSON object for each row, in a line of its own: axes and metrics are objects by name, and empty cells are absent.
struct NDJSONFormat: LineFormat {
  func head(_ columns: [Table.Column]) -> [UInt8] { [] }

  func line(_ row: [Table.Cell], _ columns: [Table.Column]) -> [UInt8] {
    var members: [(String, JSONText?)] = []
    var groups: [String: [(String, JSONText?)]] = [:]
    for (cell, column) in zip(row, columns) {
      let group: String
      switch column.id {
      case .axis: group = "axes"
      case .metric: group = "metrics"
      default:
        members.append((column.title, Self.json(cell.value, isEstimate: !column.level.isEmpty)))
        continue
      }
      // A group stands where its first column does.
      if groups[group] == nil { members.append((group, nil)) }
      groups[group, default: []].append((column.title, Self.json(cell.value, isEstimate: group == "metrics")))
    }
    let all = members.map { name, value in (name, groups[name].map(JSONText.object) ?? value) }
    return Array((JSONText.object(all).compact + "\n").utf8)
  }

  /// Returns a value; nil for an empty one. An estimate is an object with its mean and, if it has one, its interval.
  private static func json(_ value: Table.Value, isEstimate: Bool) -> JSONText? {
    switch value {
    case .text(let text): return text.isEmpty ? nil : .string(SafeText.line(text))
    case .count(let count): return .number(count)
    case .flag(let flag): return .boolean(flag)
    case .verdict(let verdict, let text, _):
      return verdict.map { ["outcome": .string($0.word), "text": .string(SafeText.line(text))] }
    case .number(let number):
      func json(_ value: Double?) -> JSONText? {
        value.flatMap { $0.isFinite ? .number(DecimalText.trimmed($0, decimals: number.decimals)) : nil }
      }
      guard isEstimate, let mean = json(number.value) else { return json(number.value) }
      let ends = number.interval.flatMap { interval in json(interval.low).flatMap { low in json(interval.high).map { [low, $0] } } }
      return ["mean": mean, "interval": ends.map(JSONText.array)]
    }
  }
}
