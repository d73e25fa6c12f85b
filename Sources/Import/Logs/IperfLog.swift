// The output of iperf 2 and 3: text, with or without time stamps, or JSON.

import Base

/// The reports of iperf 2 and 3: `[  5]   1.00-2.00   sec   384 KBytes  3.15 Mbits/sec`. The rates of several streams are added.
/// Summaries of a whole test and omitted intervals are skipped; several tests follow one another.
struct IperfLog: LineLog {
  private struct Report {
    var start: Int64
    var end: Int64
    var bits: Int64
    /// The number of the stream; -1 for an interval's [SUM] line, which contains the streams' lines.
    var stream: Int64
    /// True for a line of a whole test, as iperf 3 marks it.
    var isSummary = false
  }

  private static let units: [(name: StaticString, shift: Int128)] = [
    ("Bytes", 0), ("KBytes", 10), ("MBytes", 20), ("GBytes", 30), ("TBytes", 40),
  ]

  /// The interval whose lines are being read, and its streams so far.
  private var open: Report?
  private var streams: [Int64] = []
  /// The direction of the test, such as `[TX-C]`; empty if it has one only.
  private var direction: String?
  /// True between the head of a test and its first interval.
  private var isAtHead = true
  private var testCount = 0
  private var hasSummary = false
  /// The JSON read so far; empty in a log of text.
  private var document: [UInt8] = []

  var note: String? { testCount > 1 ? "the log has \(testCount) tests, which follow one another" : nil }

  /// - Throws: `ValueProblem` if the line is malformed, `FormatProblem` if the log cannot be read; any error of `emit`.
  mutating func read(_ line: TextLine, _ emit: Emit) throws -> Bool {
    if !document.isEmpty || open == nil && line.bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      try readJSON(line, emit)
      return true
    }
    guard let (stream, end) = Self.stream(line) else { return false }
    guard let report = try Self.report(line, of: stream, after: end) else {
      if line.text(end..<line.bytes.count).contains(" connected ") { (isAtHead, direction) = (true, nil) }
      return false
    }
    let mark =
      line.bytes[end...].first == UInt8(ascii: "[") ? line.text(end..<(line.words.first { $0.lowerBound >= end }?.upperBound ?? end)) : ""
    guard direction ?? mark == mark else { throw Self.twoDirections }
    direction = mark
    if line.bytes.suffix(9).elementsEqual("(omitted)".utf8) { return false }
    if report.isSummary {
      hasSummary = true
      return false
    }
    if var sum = open, !isAtHead {
      if report.start == sum.start {
        // A stream's second line for an interval is the summary of a test of one interval.
        if streams.contains(report.stream) { return false }
        streams.append(report.stream)
        if report.stream < 0 { sum = report } else if sum.stream >= 0 { sum.bits = min(1 << 60, sum.bits + report.bits) }
        open = sum
        return true
      }
      // Another report that begins before the last one ended is a summary, or the first of the next test.
      if report.start < sum.end, report.end >= sum.end { return false }
      if report.start < sum.end { isAtHead = true }
      if report.start > sum.end { throw ValueProblem("begins later than the interval before it ends", remedy: "restore the lines between") }
    }
    try close(emit)
    if isAtHead { testCount += 1 }
    (open, streams, isAtHead) = (report, [report.stream], false)
    return true
  }

  /// - Throws: `FormatProblem` if the log ends too early; any error of `emit`.
  mutating func finish(_ emit: Emit) throws {
    try close(emit)
    if !document.isEmpty { try readDocument(emit) }
    if testCount == 0, hasSummary {
      throw FormatProblem("has only the summaries of whole tests", remedy: "run iperf with -i 1, for a line each second")
    }
  }

  /// Emits the open interval.
  /// - Throws: any error of `emit`.
  private mutating func close(_ emit: Emit) throws {
    if let open { try emit(open.end - open.start, open.bits) }
    open = nil
  }

  private static let twoDirections = FormatProblem(
    "has both directions of a test with --bidir", remedy: "keep the lines of one, such as with grep -F RX-C")

  /// Returns the stream that a line reports, -1 for their sum, and the index after it; nil for other lines. Any time stamp may precede it.
  private static func stream(_ line: TextLine) -> (stream: Int64, end: Int)? {
    for start in line.bytes.indices where line.bytes[start] == UInt8(ascii: "[") {
      guard let end = line.bytes[start...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let id = line.bytes[start + 1..<end].drop { $0 == 0x20 || $0 == UInt8(ascii: "*") }
      if id.starts(with: "SUM".utf8) { return (-1, end + 1) }
      if let number = line.number(id.startIndex..<end) { return (number, end + 1) }
    }
    return nil
  }

  /// Returns the report of a stream's line; nil for other lines, such as `connected with`.
  /// - Throws: `ValueProblem` if the report is malformed.
  private static func report(_ line: TextLine, of stream: Int64, after index: Int) throws(ValueProblem) -> Report? {
    var words = line.words.drop { $0.lowerBound < index }
    // `0.0- 1.0` is two words, `0.00-1.00` one.
    guard let first = words.popFirst(), let dash = line.bytes[first].firstIndex(of: UInt8(ascii: "-")), dash > first.lowerBound else {
      return nil
    }
    let second = dash + 1 < first.upperBound ? dash + 1..<first.upperBound : words.popFirst()
    guard let second, let unit = words.popFirst(), line.equals(unit, "sec") else { return nil }
    guard let amount = words.popFirst(), let size = words.popFirst(), let start = line.number(first.lowerBound..<dash, decimals: 9),
      let end = line.number(second, decimals: 9), start < end, end - start <= TraceWriter.durationLimit
    else { throw ValueProblem("is incomplete, or has no interval", remedy: "restore the line as iperf printed it") }
    // iperf counts 1024 bytes for a KByte.
    guard let thousandths = line.number(amount, decimals: 3), let shift = units.first(where: { line.equals(size, $0.name) })?.shift,
      case let bits = (Int128(thousandths) << shift) * 8 / 1000, bits <= Int128(TraceWriter.bitsLimit)
    else {
      throw ValueProblem(
        "has \(line.shown(amount.lowerBound..<size.upperBound)) for the transferred bytes", remedy: "write such as 384 KBytes")
    }
    let isSummary = words.last.map { line.equals($0, "sender") || line.equals($0, "receiver") } ?? false
    return Report(start: start, end: end, bits: Int64(bits), stream: stream, isSummary: isSummary)
  }

  /// Reads a line of `-J`, or a document of `--json-stream`.
  /// - Throws: `FormatProblem` if it cannot be read; any error of `emit`.
  private mutating func readJSON(_ line: TextLine, _ emit: Emit) throws {
    // A document ends in its only line, or in a line with nothing but its last bracket.
    let text = Array(line.bytes.reversed().drop { $0 <= 0x20 })
    let isWhole = text.first == UInt8(ascii: "}") && (document.isEmpty || text.count == 1)
    document += line.bytes
    document.append(0x0A)
    guard document.count <= JSON5Parser.sizeLimit else {
      throw FormatProblem("is JSON of more than \(JSON5Parser.sizeLimit) bytes", remedy: "run iperf without -J")
    }
    if isWhole { try readDocument(emit) }
  }

  /// - Throws: `FormatProblem` if it cannot be read; any error of `emit`.
  private mutating func readDocument(_ emit: Emit) throws {
    func number(_ value: JSON5Value?) -> Double? {
      if case .number(let text)? = value?.kind { Double(text).flatMap { $0 >= 0 && $0.isFinite ? $0 : nil } } else { nil }
    }
    let remedy = "restore the file as iperf wrote it"
    guard let root = JSON5Parser.parse(document, file: "", into: DiagnosticSink()) else {
      throw FormatProblem("has JSON that cannot be parsed", remedy: remedy)
    }
    document = []
    if let error = root["error"]?.text { throw FormatProblem("is of a test that failed: \(quoted(error))", remedy: "run the test again") }
    let event = root["event"]?.text
    let intervals: [JSON5Value?] = event == "interval" ? [root["data"]] : root["intervals"]?.elements ?? []
    if event == "start" || event == nil && !intervals.isEmpty { testCount += 1 }
    for interval in intervals {
      guard interval?["sum_bidir_reverse"] == nil else { throw Self.twoDirections }
      let sum = interval?["sum"]
      if sum?["omitted"]?.kind == .boolean(true) { continue }
      guard let seconds = number(sum?["seconds"]), let bytes = number(sum?["bytes"]), seconds > 0, bytes <= 1e14, seconds <= 86_400 else {
        throw FormatProblem("has an interval without seconds and bytes", remedy: remedy)
      }
      try emit(max(1, Int64((seconds * 1e9).rounded())), Int64((bytes * 8).rounded()))
    }
  }
}
