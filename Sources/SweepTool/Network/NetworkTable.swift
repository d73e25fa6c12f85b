// The findings of `network` as a table for people, and as CSV and JSON for scripts. Times in milliseconds.

import Analysis
import Rendering

enum NetworkTable {
  private typealias Figure = NetworkFindings.Figure

  /// Columns for people; the least and the most only where there are repetitions.
  static func table(_ experiment: NetworkExperiment, _ findings: NetworkFindings) -> String {
    let isRepeated = findings.repeats > 1
    var columns: [Table.Column] = ["request", .right("bytes"), "connection"]
    columns += ["start", "connect", "first byte", "end", "received"].map { .right($0) }
    if isRepeated { columns += ["first byte min–max", "end min–max"] }
    var table = Table(columns: columns)
    for row in findings.rows {
      let connection = row.connection == .none ? "–" : row.connection.rawValue
      var cells = [row.name, "\(row.size)", connection, shortMs(row.start), shortMs(row.connect), shortMs(row.firstByte)]
      cells += [shortMs(row.end) + mark(row, of: findings.repeats), row.received.map { "\($0.median)" } ?? "–"]
      if isRepeated { cells += [range(row.firstByte), range(row.end)] }
      table.append(cells)
    }
    var lines = [
      "\(experiment.description).", "", table.plainText(hasRule: false),
      "Times in ms from the request's start\(isRepeated ? "; medians of \(findings.repeats) runs" : "").",
    ]
    let median = isRepeated ? " (median)" : ""
    let (drops, dead) = (findings.packetsDropped?.median ?? 0, findings.bytesDead?.median ?? 0)
    if drops > 0 { lines.append("Full queues dropped \(drops) packets\(median).") }
    if dead > 0 { lines.append("\(dead) bytes of payload were sent but not delivered\(median).") }
    return (lines + experiment.warnings).joined(separator: "\n")
  }

  /// A line a request, with all figures to the microsecond; empty where something never came.
  static func csv(_ findings: NetworkFindings) -> String {
    let figures = ["startMs", "connectMs", "firstByteMs", "endMs", "received"]
    let head = ["request", "bytes", "connection", "repeats", "cuts", "unfinished"] + figures.flatMap { [$0, $0 + "Min", $0 + "Max"] }
    func cells(_ figure: Figure?, _ text: (Int64) -> String) -> [String] {
      figure.map { [text($0.median), text($0.least), text($0.most)] } ?? ["", "", ""]
    }
    let rows = findings.rows.map { row in
      [row.name, "\(row.size)", row.connection.rawValue] + [findings.repeats, row.cuts, row.unfinished].map { "\($0)" }
        + [row.start, row.connect, row.firstByte, row.end].flatMap { cells($0) { ms($0, decimals: 3) } } + cells(row.received) { "\($0)" }
    }
    return ([head] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n")
  }

  /// Everything, with the network in words and the warnings.
  static func json(_ experiment: NetworkExperiment, _ findings: NetworkFindings) -> String {
    func figure(_ figure: Figure?, _ number: (Int64) -> JSONText) -> JSONText? {
      figure.map { ["median": number($0.median), "min": number($0.least), "max": number($0.most)] }
    }
    // Microseconds are enough, and a short decimal reads back as it was written.
    func time(_ value: Figure?) -> JSONText? { figure(value) { .number((Double($0) / 1000).rounded() / 1000) } }
    func count(_ value: Figure?) -> JSONText? { figure(value) { .number($0) } }
    let requests = findings.rows.map { row -> JSONText in
      [
        "request": .string(row.name), "bytes": .number(row.size), "connection": .string(row.connection.rawValue),
        "cuts": .number(row.cuts), "unfinished": .number(row.unfinished), "startMs": time(row.start), "connectMs": time(row.connect),
        "firstByteMs": time(row.firstByte), "endMs": time(row.end), "received": count(row.received),
      ]
    }
    let report: JSONText = [
      "network": .string(experiment.description), "repeats": .number(findings.repeats), "seed": .number(experiment.pattern.seed),
      "packetsDropped": count(findings.packetsDropped), "bytesDead": count(findings.bytesDead), "requests": .array(requests),
      "warnings": .strings(experiment.warnings),
    ]
    return report.indented
  }

  private static func ms(_ nanoseconds: Int64, decimals: Int) -> String {
    DecimalText.fixed(Double(nanoseconds) / 1e6, decimals: decimals)
  }
  private static func shortMs(_ figure: Figure?) -> String { figure.map { ms($0.median, decimals: 1) } ?? "–" }
  private static func range(_ figure: Figure?) -> String {
    figure.map { "\(ms($0.least, decimals: 1))–\(ms($0.most, decimals: 1))" } ?? "–"
  }

  private static func mark(_ row: NetworkFindings.Row, of repeats: Int) -> String {
    if row.unfinished > 0 { return repeats == 1 ? " unfinished" : " (\(row.unfinished) unfinished)" }
    if row.cuts > 0 { return repeats == 1 || row.cuts == repeats ? " cut" : " (\(row.cuts) cut)" }
    return ""
  }
}
