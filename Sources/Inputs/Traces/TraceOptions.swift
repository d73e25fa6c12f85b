// The options of a trace file, from the sweep file.

import Base

/// The format of a trace, and the options that it leaves open.
package struct TraceOptions: Hashable, Sendable {
  package enum Format: String, CaseIterable, Sendable {
    /// A JSON list of `duration_ms`, `bandwidth_kbps`, `latency_ms`.
    case sabre
    /// A time in milliseconds on each line, for one packet of 1500 bytes.
    case mahimahi
    /// A time and a rate on each line, in seconds and Mbit/s if nothing else is given.
    case rows
    /// Comma-separated values with named columns.
    case csv
  }

  /// The side of a row's time on which its rate applies.
  enum RowsApply: String, CaseIterable, Sendable {
    /// Each rate applies from its row's time to the next; the trace starts at the first. The last row lasts as long as the one before it.
    case forward
    /// Each rate applies from the time of the row before it (or 0) to its own. A first row at time 0 only marks the start.
    case backward
  }

  package var format: Format
  /// The side of rows with times; nil for formats without times.
  var rowsApply: RowsApply?
  /// The factor of every rate; positive, at most nine significant digits.
  package var scale = ExactDecimal(1)
  /// The column of times (csv). Either this or `durationColumn` is given.
  var timeColumn: String?
  var durationColumn: String?
  var rateColumn: String?
  /// The unit of times or durations (rows, csv): "ns", "us", "ms", "s", "min", "h".
  var timeUnit: String?
  /// The unit of rates (rows, csv): "bps", "kbps", "Mbps", "Gbps", or bytes: "B/s", "KB/s", "MB/s".
  var rateUnit: String?

  package init(format: Format) { self.format = format }

  static let scaleLimit = ExactDecimal(1_000_000)
  private static let timeUnits = ["ns", "us", "ms", "s", "min", "h"]
  /// The units of rates and their worth in bits a second.
  package static let rateUnits: [(name: String, worth: Int64)] = [
    ("bps", 1), ("kbps", 1000), ("Mbps", 1_000_000), ("Gbps", 1_000_000_000), ("B/s", 8), ("KB/s", 8000), ("MB/s", 8_000_000),
  ]

  /// Reads and records `format`, `scale` and the format's own options; reports problems.
  package static func decode(from reader: inout ObjectReader, defaultFormat: Format? = nil) -> TraceOptions {
    var options = TraceOptions(format: reader.choice("format", default: defaultFormat))
    options.scale = scale(from: &reader)
    switch options.format {
    case .sabre, .mahimahi: break
    case .rows:
      options.rowsApply = reader.choice("rowsApply")
      if reader.has("timeUnit") { options.timeUnit = reader.choice("timeUnit", of: timeUnits) }
      if reader.has("rateUnit") { options.rateUnit = reader.choice("rateUnit", of: rateUnits.map(\.name)) }
    case .csv:
      options.timeColumn = reader.optionalText("timeColumn")
      options.durationColumn = reader.optionalText("durationColumn")
      options.rateColumn = reader.text("rateColumn")
      options.timeUnit = reader.choice("timeUnit", of: timeUnits)
      options.rateUnit = reader.choice("rateUnit", of: rateUnits.map(\.name))
      if (options.timeColumn == nil) == (options.durationColumn == nil) {
        let problem = options.timeColumn == nil ? "is missing, and so is durationColumn" : "is given beside durationColumn"
        reader.report("timeColumn", problem: problem, remedy: "give one of the two, as the file's header names it")
      }
      if options.timeColumn != nil { options.rowsApply = reader.choice("rowsApply") }
    }
    return options
  }

  /// Reads the factor of rates, 1 by default.
  package static func scale(from reader: inout ObjectReader) -> ExactDecimal {
    guard let value = reader.value("scale") else {
      reader.record("scale", "1")
      return ExactDecimal(1)
    }
    guard case .number(let text) = value.kind, let scale = try? ExactDecimal(json5: text), scale > ExactDecimal(0),
      scale <= scaleLimit, scale.coefficient < 1_000_000_000
    else {
      reader.report(
        "scale", problem: "is \(value.found), not a factor of rates",
        remedy: "write a number above 0, at most \(scaleLimit), of at most nine digits, such as 1.5")
      return ExactDecimal(1)
    }
    reader.record("scale", scale.description)
    return scale
  }
}
