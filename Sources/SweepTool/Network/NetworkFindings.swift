// The results of an experiment: a table for people, CSV and JSON for scripts. Times are in milliseconds.

import Base
import Rendering

struct NetworkFindings {
  /// The median, minimum and maximum of a value over the repetitions that have it, in nanoseconds or bytes.
  private struct Figure {
    /// The median; of an even number of values, the mean of the middle two, rounded down.
    let median: Int64
    let least: Int64, most: Int64

    /// Creates the figure of some values; nil for none. O(n log n).
    init?(_ values: [Int64]) {
      let sorted = values.sorted()
      guard let least = sorted.first, let most = sorted.last else { return nil }
      let half = sorted.count / 2
      median = sorted.count % 2 == 1 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2
      (self.least, self.most) = (least, most)
    }
  }

  private struct Row {
    /// The outcome in the first repetition; its connection is the one shown.
    let first: RequestOutcome
    /// The start; then connection ready, first byte and end, from the start; the bytes received. Nil for events that never happened.
    let figures: [Figure?]
    /// The repetitions in which the request was cancelled, and in which it had not ended after `PatternRun.phaseLimit`.
    let cancelled: Int, unfinished: Int
    /// The state of the request at that limit, in the first repetition that reached it; nil if none did.
    let reason: String?

    init(_ outcomes: [RequestOutcome]) {
      first = outcomes[0]
      figures = first.figures.indices.map { figure in Figure(outcomes.compactMap { $0.figures[figure] }) }
      (cancelled, unfinished) = (outcomes.count { $0.isCancelled }, outcomes.count { $0.end == nil })
      reason = outcomes.first { $0.end == nil }.map { outcome in
        let state =
          if outcome.firstByte != nil { "\(outcome.received) of \(outcome.size) bytes had arrived" } else if outcome.connect != nil {
            "its first byte had not arrived"
          } else { outcome.connection == .new ? "its connection was not open" : "it waited for a connection" }
        let limit = Quantity.described(PatternRun.phaseLimit.nanoseconds, .duration)
        return "\(outcome.name) is unfinished: after \(limit) of simulated time \(state)."
      }
    }
  }

  private static let names = ["startMs", "connectMs", "firstByteMs", "endMs", "received"]

  private let experiment: NetworkExperiment
  private let repeats: Int
  private let rows: [Row]
  private let packetsDropped: Figure?, bytesDead: Figure?

  init(_ experiment: NetworkExperiment, runs: [(outcomes: [RequestOutcome], packetsDropped: Int, bytesDead: Int64)]) {
    (self.experiment, repeats) = (experiment, runs.count)
    rows = runs[0].outcomes.indices.map { index in Row(runs.map { $0.outcomes[index] }) }
    packetsDropped = Figure(runs.map { Int64($0.packetsDropped) })
    bytesDead = Figure(runs.map(\.bytesDead))
  }

  /// The table for people. Minimum and maximum appear only if there are repetitions.
  var table: String {
    let isRepeated = repeats > 1
    var columns: [Table.Column] = ["request", .right("bytes"), "connection"]
    columns += ["start", "connect", "first byte", "end", "received"].map { .right($0) }
    if isRepeated { columns += ["first byte min–max", "end min–max"] }
    let cells = rows.map { row in
      let times = row.figures.dropLast().map { $0.map { Self.ms($0.median, decimals: 1) } ?? "–" }
      let ranges = row.figures[2...3].map { figure in
        figure.map { "\(Self.ms($0.least, decimals: 1))–\(Self.ms($0.most, decimals: 1))" } ?? "–"
      }
      return [row.first.name, "\(row.first.size)", row.first.connection == .none ? "–" : row.first.connection.rawValue]
        + times.dropLast() + [times[3] + mark(row), row.figures[4].map { "\($0.median)" } ?? "–"] + (isRepeated ? ranges : [])
    }
    var lines = [
      "\(experiment.description).", "", Table(columns: columns, rows: cells).plainText(hasRule: false),
      "Times in ms from the request's start\(isRepeated ? "; medians of \(repeats) runs" : "").",
    ]
    let median = isRepeated ? " (median)" : ""
    let (drops, dead) = (packetsDropped?.median ?? 0, bytesDead?.median ?? 0)
    if drops > 0 { lines.append("Full queues dropped \(drops) packets\(median).") }
    if dead > 0 { lines.append("\(dead) bytes of payload were sent but not delivered to the client\(median).") }
    return (lines + rows.compactMap(\.reason) + experiment.warnings).joined(separator: "\n")
  }

  /// The CSV: one line for each request, times to the microsecond; empty cells for events that never happened.
  var csv: String {
    let head = ["request", "bytes", "connection", "repeats", "cuts", "unfinished"] + Self.names.flatMap { [$0, $0 + "Min", $0 + "Max"] }
    let lines = rows.map { row in
      let figures = zip(Self.names, row.figures).flatMap { name, figure in
        figure.map { [$0.median, $0.least, $0.most].map { name == "received" ? "\($0)" : Self.ms($0, decimals: 3) } } ?? ["", "", ""]
      }
      return [row.first.name, "\(row.first.size)", row.first.connection.rawValue, "\(repeats)", "\(row.cancelled)", "\(row.unfinished)"]
        + figures
    }
    return ([head] + lines).map { $0.joined(separator: ",") }.joined(separator: "\n")
  }

  /// The JSON: all figures, the network's description and the warnings.
  var json: String {
    func json(_ figure: Figure?, isTime: Bool = false) -> JSONText? {
      // Microseconds are precise enough, and a short decimal survives a round trip.
      func number(_ value: Int64) -> JSONText { isTime ? .number((Double(value) / 1000).rounded() / 1000) : .number(value) }
      return figure.map { ["median": number($0.median), "min": number($0.least), "max": number($0.most)] }
    }
    let requests = rows.map { row in
      let members: [(String, JSONText?)] = [
        ("request", .string(row.first.name)), ("bytes", .number(row.first.size)), ("connection", .string(row.first.connection.rawValue)),
        ("cuts", .number(row.cancelled)), ("unfinished", .number(row.unfinished)), ("reason", row.reason.map(JSONText.string)),
      ]
      return JSONText.object(members + zip(Self.names, row.figures).map { ($0, json($1, isTime: $0 != "received")) })
    }
    let report: JSONText = [
      "network": .string(experiment.description), "repeats": .number(repeats), "seed": .number(experiment.pattern.seed),
      "packetsDropped": json(packetsDropped), "bytesDead": json(bytesDead), "requests": .array(requests),
      "warnings": .strings(experiment.warnings),
    ]
    return report.indented
  }

  private static func ms(_ nanoseconds: Int64, decimals: Int) -> String { DecimalText.fixed(Double(nanoseconds) / 1e6, decimals: decimals) }

  private func mark(_ row: Row) -> String {
    if row.unfinished > 0 { return repeats == 1 ? " unfinished" : " (\(row.unfinished) unfinished)" }
    if row.cancelled > 0 { return row.cancelled == repeats ? " cancelled" : " (\(row.cancelled) cancelled)" }
    return ""
  }
}
