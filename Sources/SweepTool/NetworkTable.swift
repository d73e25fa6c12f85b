// The findings of `network` as a table for people, and as CSV and JSON for scripts. Times in milliseconds.

import Analysis
import Import
import Rendering

enum NetworkTable {
  private typealias Row = NetworkFindings.Row
  private typealias Figure = NetworkFindings.Figure

  /// Columns for people; the least and the most only where there are repetitions.
  static func table(_ experiment: NetworkExperiment, _ findings: NetworkFindings) -> String {
    let isRepeated = findings.repeats > 1
    var columns = [Table.Column("request"), Table.Column("bytes", .right), Table.Column("connection")]
    columns += ["start", "connect", "first byte", "end", "received"].map { Table.Column($0, .right) }
    if isRepeated { columns += ["first byte min–max", "end min–max"].map { Table.Column($0) } }
    var table = Table(columns: columns)
    for row in findings.rows {
      let connection = row.connection == .none ? "–" : row.connection.rawValue
      var cells = [row.name, "\(row.size)", connection, shortMs(row.start), shortMs(row.connect), shortMs(row.firstByte)]
      cells += [shortMs(row.end) + mark(row, of: findings.repeats), row.received.map { "\($0.median)" } ?? "–"]
      if isRepeated { cells += [range(row.firstByte), range(row.end)] }
      table.append(cells.map { Table.Cell($0) })
    }
    var lines = [
      "\(experiment.description).", "", table.plainText(hasRule: false),
      "Times in ms from the request's start\(isRepeated ? "; medians of \(findings.repeats) runs" : "").",
    ]
    let drops = findings.packetsDropped?.median ?? 0
    let dead = findings.bytesDead?.median ?? 0
    if drops > 0 { lines.append("Full queues dropped \(drops) packets\(isRepeated ? " (median)" : "").") }
    if dead > 0 { lines.append("\(dead) bytes of payload crossed the link for nobody\(isRepeated ? " (median)" : "").") }
    return (lines + experiment.warnings).joined(separator: "\n")
  }

  /// A line a request, with all figures to the microsecond; empty where something never came.
  static func csv(_ findings: NetworkFindings) -> String {
    let figures = ["startMs", "connectMs", "firstByteMs", "endMs", "received"]
    let head = ["request", "bytes", "connection", "repeats", "cuts", "unfinished"] + figures.flatMap { [$0, $0 + "Min", $0 + "Max"] }
    let rows = findings.rows.map { row in
      let times = [row.start, row.connect, row.firstByte, row.end].flatMap { figure in
        figure.map { [fullMs($0.median), fullMs($0.least), fullMs($0.most)] } ?? ["", "", ""]
      }
      let received = row.received.map { ["\($0.median)", "\($0.least)", "\($0.most)"] } ?? ["", "", ""]
      let counts = [findings.repeats, row.cuts, row.unfinished].map { "\($0)" }
      return [row.name, "\(row.size)", row.connection.rawValue] + counts + times + received
    }
    return ([head] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n")
  }

  /// Everything, with the network in words and the warnings.
  static func json(_ experiment: NetworkExperiment, _ findings: NetworkFindings) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(NetworkReport(experiment, findings)), as: UTF8.self)
  }

  private static func shortMs(_ figure: Figure?) -> String { figure.map { shortMs($0.median) } ?? "–" }
  private static func shortMs(_ nanoseconds: Int64) -> String { DecimalText.fixed(Double(nanoseconds) / 1e6, decimals: 1) }
  private static func fullMs(_ nanoseconds: Int64) -> String { DecimalText.fixed(Double(nanoseconds) / 1e6, decimals: 3) }
  private static func range(_ figure: Figure?) -> String { figure.map { "\(shortMs($0.least))–\(shortMs($0.most))" } ?? "–" }

  private static func mark(_ row: Row, of repeats: Int) -> String {
    if row.unfinished > 0 { return repeats == 1 ? " unfinished" : " (\(row.unfinished) unfinished)" }
    if row.cuts > 0 { return repeats == 1 || row.cuts == repeats ? " cut" : " (\(row.cuts) cut)" }
    return ""
  }
}

/// The JSON of `network`.
private struct NetworkReport: Encodable {
  struct Figure: Encodable {
    var median: Double
    var min: Double
    var max: Double

    init(_ figure: NetworkFindings.Figure, unit: Int64) {
      // Microseconds are enough, and a short decimal reads back as it was written.
      func scaled(_ value: Int64) -> Double { unit == 1 ? Double(value) : (Double(value) / 1000).rounded() / 1000 }
      median = scaled(figure.median)
      min = scaled(figure.least)
      max = scaled(figure.most)
    }
  }

  struct Request: Encodable {
    var request: String
    var bytes: Int64
    var connection: String
    var cuts: Int
    var unfinished: Int
    var startMs: Figure?
    var connectMs: Figure?
    var firstByteMs: Figure?
    var endMs: Figure?
    var received: Figure?
  }

  var network: String
  var repeats: Int
  var seed: UInt64
  var packetsDropped: Figure?
  var bytesDead: Figure?
  var requests: [Request]
  var warnings: [String]

  init(_ experiment: NetworkExperiment, _ findings: NetworkFindings) {
    network = experiment.description
    repeats = findings.repeats
    seed = experiment.pattern.seed
    packetsDropped = findings.packetsDropped.map { Figure($0, unit: 1) }
    bytesDead = findings.bytesDead.map { Figure($0, unit: 1) }
    warnings = experiment.warnings
    requests = findings.rows.map { row in
      func time(_ figure: NetworkFindings.Figure?) -> Figure? { figure.map { Figure($0, unit: 1_000_000) } }
      return Request(
        request: row.name, bytes: row.size, connection: row.connection.rawValue, cuts: row.cuts, unfinished: row.unfinished,
        startMs: time(row.start), connectMs: time(row.connect), firstByteMs: time(row.firstByte), endMs: time(row.end),
        received: row.received.map { Figure($0, unit: 1) })
    }
  }
}
