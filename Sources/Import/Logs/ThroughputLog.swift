// The throughput logs that the public 3G and 4G datasets and iperf write: lines in, periods out.

/// Six columns between spaces: two clocks, latitude, longitude, bytes received, and milliseconds since the line before.
///
/// The form of the HSDPA logs of Riiser et al. (MMSys 2013, first column in seconds) and of the 4G logs of van der Hooft et al. (IEEE
/// Communications Letters 2016, first column in milliseconds). Only the last two columns are used, so that both are read alike.
struct SixColumnLog: ThroughputLog {
  var trace: TraceWriter
  private var columns: [Range<Int>] = []

  init(_ trace: TraceWriter) { self.trace = trace }

  /// - Throws: `LineProblem` if the line is malformed, and what writing throws.
  mutating func take(_ line: TextLine) throws -> Bool {
    line.split(into: &columns)
    if columns.isEmpty { return false }
    guard columns.count == 6 else {
      throw LineProblem(
        "has \(columns.count) columns, not six", remedy: "it must end with the bytes and the milliseconds since the line before")
    }
    guard let bytes = line.number(columns[4]), bytes <= TraceWriter.bitsLimit / 8 else {
      throw LineProblem("has \(line.shown(columns[4])) for its bytes", remedy: "write a whole number of bytes")
    }
    guard let duration = line.number(columns[5], places: 6), duration <= TraceWriter.durationLimit else {
      throw LineProblem("has \(line.shown(columns[5])) for its milliseconds", remedy: "write a number of at most a day")
    }
    if duration > 0 {
      try trace.add(duration: duration, bits: bytes * 8)
    } else if bytes > 0 {
      throw LineProblem("has \(bytes) bytes in no time", remedy: "write the milliseconds since the line before")
    }
    return true
  }
}

/// The reports of iperf 2 and 3: `[  5]   1.00-2.00   sec   384 KBytes  3.15 Mbits/sec`. Of several streams the sum is taken, and the
/// summary at the end, which covers what came before, is passed over.
struct IperfLog: ThroughputLog {
  private struct Report {
    var start: Int64
    var end: Int64
    var bits: Int64
    /// True for the interval's own [SUM] line; the streams' lines are in it.
    var isSum: Bool
  }

  private static let units: [(name: StaticString, shift: Int128)] = [("Bytes", 0), ("KBytes", 10), ("MBytes", 20), ("GBytes", 30)]

  var trace: TraceWriter
  /// The interval that is open.
  private var open: Report?

  init(_ trace: TraceWriter) { self.trace = trace }

  /// - Throws: `LineProblem` if the line is malformed, and what writing throws.
  mutating func take(_ line: TextLine) throws -> Bool {
    guard line.bytes.count > 2, line.bytes[0] == UInt8(ascii: "["), let report = try Self.report(line) else { return false }
    if var sum = open, report.start == sum.start, report.end == sum.end {
      if report.isSum { sum = report } else if !sum.isSum { sum.bits = min(1 << 60, sum.bits + report.bits) }
      open = sum
      return true
    }
    // A report that begins before the last one ended sums up others.
    if let open, report.start < open.end { return false }
    if let open, report.start > open.end {
      throw LineProblem("begins later than the interval before it ends", remedy: "restore the lines between")
    }
    try close()
    open = report
    return true
  }

  /// - Throws: what writing throws.
  mutating func close() throws {
    if let open, open.end > open.start { try trace.add(duration: open.end - open.start, bits: open.bits) }
  }

  /// A report; nil for other lines that begin with a bracket, such as the head and `connected with`.
  /// - Throws: `LineProblem` if the report is malformed.
  private static func report(_ line: TextLine) throws(LineProblem) -> Report? {
    guard let close = line.bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    var words = line.words.drop { $0.lowerBound <= close }
    // `0.0- 1.0` is two words, `0.00-1.00` one.
    guard let first = words.popFirst(), let dash = line.bytes[first].firstIndex(of: UInt8(ascii: "-")), dash > first.lowerBound else {
      return nil
    }
    let second = dash + 1 < first.upperBound ? dash + 1..<first.upperBound : words.popFirst()
    guard let second, let unit = words.popFirst(), line.equals(unit, "sec") else { return nil }
    guard let amount = words.popFirst(), let size = words.popFirst(), let start = line.number(first.lowerBound..<dash, places: 9),
      let end = line.number(second, places: 9), start < end, end - start <= TraceWriter.durationLimit
    else { throw LineProblem("is cut short, or has no interval", remedy: "restore the line as iperf printed it") }
    // iperf counts 1024 bytes for a KByte.
    guard let thousandths = line.number(amount, places: 3), let shift = units.first(where: { line.equals(size, $0.name) })?.shift,
      case let bits = (Int128(thousandths) << shift) * 8 / 1000, bits <= Int128(TraceWriter.bitsLimit)
    else {
      throw LineProblem(
        "has \(line.shown(amount.lowerBound..<size.upperBound)) for what was transferred", remedy: "write such as 384 KBytes")
    }
    return Report(start: start, end: end, bits: Int64(bits), isSum: line.equals(0..<close + 1, "[SUM]"))
  }
}
