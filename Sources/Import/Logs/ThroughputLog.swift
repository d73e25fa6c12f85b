// The throughput logs that the public 3G and 4G datasets and iperf write: lines in, periods out.

/// One form of log, read line by line.
protocol ThroughputLog {
  init()
  /// Takes a line.
  ///
  /// - Throws: `LineProblem` where the line is malformed, or what the trace throws.
  /// - Returns: whether the line holds a measurement, good or not yet complete, rather than a header or a remark.
  mutating func take(_ line: UnsafeRawBufferPointer, _ trace: inout TraceWriter) throws -> Bool
  /// Hands on what the last line left open.
  mutating func finish(_ trace: inout TraceWriter) throws
}

/// Six columns between spaces: two clocks, latitude, longitude, bytes received, and milliseconds since the line before.
///
/// The form of the HSDPA logs of Riiser et al. (MMSys 2013, first column in seconds) and of the 4G logs of van der Hooft et al. (IEEE
/// Communications Letters 2016, first column in milliseconds). Only the last two columns are used, so that both are read alike.
struct SixColumnLog: ThroughputLog {
  package mutating func take(_ line: UnsafeRawBufferPointer, _ trace: inout TraceWriter) throws -> Bool {
    var fields = LineFields(line)
    guard let first = fields.word() else { return false }
    var parts = (first, first, first)
    var count = 1
    while let word = fields.word() {
      count += 1
      parts = (parts.1, parts.2, word)
    }
    guard count == 6 else {
      throw LineProblem("has \(count) columns, not six", remedy: "it must end with the bytes and the milliseconds since the line before")
    }
    guard let bytes = LineFields.number(line, parts.1), bytes <= TraceWriter.bitsLimit / 8 else {
      throw LineProblem("has \(LineFields.shown(line, parts.1)) for its bytes", remedy: "write a whole number of bytes")
    }
    guard let duration = LineFields.number(line, parts.2, places: 6), duration <= TraceWriter.durationLimit else {
      throw LineProblem("has \(LineFields.shown(line, parts.2)) for its milliseconds", remedy: "write a number of at most a day")
    }
    if duration > 0 {
      try trace.add(duration: duration, bits: bytes * 8)
    } else if bytes > 0 {
      throw LineProblem("has \(bytes) bytes in no time", remedy: "write the milliseconds since the line before")
    }
    return true
  }

  package mutating func finish(_ trace: inout TraceWriter) {}
}

/// The reports of iperf 2 and 3: `[  5]   1.00-2.00   sec   384 KBytes  3.15 Mbits/sec`. Of several streams the sum is taken, and the
/// summary at the end, which covers what came before, is passed over.
struct IperfLog: ThroughputLog {
  private var start: Int64 = -1
  private var end: Int64 = 0
  private var bits: Int64 = 0
  /// Whether the interval's own [SUM] line has been seen; then the streams' lines are in it.
  private var hasSum = false

  package mutating func take(_ line: UnsafeRawBufferPointer, _ trace: inout TraceWriter) throws -> Bool {
    var fields = LineFields(line)
    guard line.count > 2, line[0] == UInt8(ascii: "["), let row = try Self.row(&fields) else { return false }
    if row.start == start, row.end == end {
      if row.isSum { (bits, hasSum) = (row.bits, true) } else if !hasSum { bits = min(1 << 60, bits + row.bits) }
      return true
    }
    // A report that begins before the last one ended sums up others.
    if start >= 0, row.start < end { return false }
    if start >= 0, row.start > end {
      throw LineProblem("begins later than the interval before it ends", remedy: "restore the lines between")
    }
    try finish(&trace)
    (start, end, bits, hasSum) = (row.start, row.end, row.bits, row.isSum)
    return true
  }

  package mutating func finish(_ trace: inout TraceWriter) throws {
    if start >= 0, end > start { try trace.add(duration: end - start, bits: bits) }
  }

  private struct Row {
    var start: Int64
    var end: Int64
    var bits: Int64
    var isSum: Bool
  }

  /// A report; nil for other lines that begin with a bracket, such as the head and `connected with`.
  private static func row(_ fields: inout LineFields) throws(LineProblem) -> Row? {
    let line = fields.bytes
    guard let close = line.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let isSum = LineFields.equals(line, 0..<close + 1, "[SUM]")
    while fields.place <= close { if fields.word() == nil { return nil } }
    // `0.0- 1.0` is two words, `0.00-1.00` one.
    guard let first = fields.word(), let dash = line[first].firstIndex(of: UInt8(ascii: "-")), dash > first.lowerBound else { return nil }
    var second = dash + 1..<first.upperBound
    if second.isEmpty {
      guard let word = fields.word() else { return nil }
      second = word
    }
    guard let unit = fields.word(), LineFields.equals(line, unit, "sec") else { return nil }
    guard let amount = fields.word(), let size = fields.word(), let start = LineFields.number(line, first.lowerBound..<dash, places: 9),
      let end = LineFields.number(line, second, places: 9), start < end, end - start <= TraceWriter.durationLimit
    else { throw LineProblem("is cut short, or has no interval", remedy: "restore the line as iperf printed it") }
    guard let bits = bits(line, amount, size) else {
      throw LineProblem(
        "has \(LineFields.shown(line, amount.lowerBound..<size.upperBound)) for what was transferred", remedy: "write such as 384 KBytes")
    }
    return Row(start: start, end: end, bits: bits, isSum: isSum)
  }

  /// What was transferred, in bits; iperf counts 1024 bytes for a KByte.
  private static func bits(_ line: UnsafeRawBufferPointer, _ amount: Range<Int>, _ unit: Range<Int>) -> Int64? {
    guard let thousandths = LineFields.number(line, amount, places: 3) else { return nil }
    let shifts: [(StaticString, Int64)] = [("Bytes", 0), ("KBytes", 10), ("MBytes", 20), ("GBytes", 30)]
    guard let shift = shifts.first(where: { LineFields.equals(line, unit, $0.0) })?.1 else { return nil }
    let bits = (Int128(thousandths) << Int128(shift)) * 8 / 1000
    return bits <= Int128(TraceWriter.bitsLimit) ? Int64(bits) : nil
  }
}
