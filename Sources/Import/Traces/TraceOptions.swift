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
