// How a trace file is to be read, as the sweep file says it.

/// The format of a trace and what the format leaves open.
package struct TraceOptions: Hashable, Sendable {
  /// The formats.
  package enum Format: String, CaseIterable, Sendable {
    /// A JSON list of `duration_ms`, `bandwidth_kbps`, `latency_ms`.
    case sabre
    /// One millisecond stamp a line, for a packet of 1500 bytes each.
    case mahimahi
    /// Lines of a time in seconds and a rate in Mbit/s.
    case rows
    /// Comma-separated values with named columns.
    case csv
  }

  /// From which side of its time the rate of a row holds.
  enum RowsApply: String, CaseIterable, Sendable {
    /// From the row's time to the next row's; the last row lasts as long as the one before it, and the trace starts at the
    /// first row's time.
    case forward
    /// From the row before it, or from time 0, to the row's time; a first row at time 0 only marks the start.
    case backward
  }

  /// The format.
  package var format: Format
  /// The side of rows with times; nil for formats without.
  var rowsApply: RowsApply?
  /// Multiplies every rate; positive, at most nine significant digits.
  package var scale = ExactDecimal(1)
  /// The column of times (csv); this or `durationColumn`.
  var timeColumn: String?
  /// The column of durations (csv).
  var durationColumn: String?
  /// The column of rates (csv).
  var rateColumn: String?
  /// The unit of times or durations (csv): "ns", "us", "ms", "s", "min", "h".
  var timeUnit: String?
  /// The unit of rates (csv): "bps", "kbps", "Mbps", "Gbps", or bytes: "B/s", "KB/s", "MB/s".
  var rateUnit: String?

  /// Options of a format.
  package init(format: Format) { self.format = format }
}

extension TraceOptions {
  /// The largest factor of rates.
  static let scaleLimit = ExactDecimal(1_000_000)
  /// Units of times.
  static let timeUnits = ["ns", "us", "ms", "s", "min", "h"]
  /// Units of rates and their worth in bits a second.
  package static let rateUnits: [(name: String, worth: Int64)] = [
    ("bps", 1), ("kbps", 1000), ("Mbps", 1_000_000), ("Gbps", 1_000_000_000), ("B/s", 8), ("KB/s", 8000), ("MB/s", 8_000_000),
  ]

  /// Reads `format`, `scale` and what the format leaves open (`rowsApply`; `timeColumn` or `durationColumn`, `rateColumn`,
  /// `timeUnit`, `rateUnit`), and records them. Problems are reported.
  package static func decode(from reader: inout ObjectReader, defaultFormat: Format? = nil) -> TraceOptions {
    var options = TraceOptions(format: reader.choice("format", default: defaultFormat))
    options.scale = scale(from: &reader)
    guard options.format == .csv else {
      if options.format == .rows { options.rowsApply = reader.choice("rowsApply") }
      return options
    }
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
    return options
  }

  /// A factor of rates, 1 unless given.
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
