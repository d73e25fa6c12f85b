// Reads telemetry as it lies around, line by line: rows as CSV or JSON, OTLP, and logs with CMCD; else the program's own JSON.

import Base

/// The telemetry of a file of any form, by class of network.
package struct TelemetryLog {
  /// The longest line, and the longest JSON document over several lines, in bytes.
  private static let lineLimit = 32_000_000

  private enum Form { case unknown, document, json, rows, fields }

  private let name: String
  private var form = Form.unknown
  /// The bytes of a JSON document over several lines.
  private var document: [UInt8] = []
  /// The index of each column by name.
  private var columns: [String: Int] = [:]
  /// The columns that hold Common Media Client Data.
  private var clientColumns: [Int] = []
  private var counts: TelemetryCounts
  private var own: [NetworkTelemetry]?

  /// Reads a file of any size; `-` is standard input. Memory grows with the number of sessions alone.
  /// `classKey` names the column, key or attribute that tells the class of network; nil for the usual names.
  /// - Throws: `InvalidInput` with all problems, `ImportCancelled` after `isCancelled` returns true.
  package static func read(
    path: String, classKey: String? = nil, isCancelled: @escaping () -> Bool = { false }
  ) throws -> (networks: [NetworkTelemetry], notes: [String]) {
    let source = try ImportSource(path: path, progress: { _ in }, isCancelled: isCancelled)
    let malformed = MalformedLines(file: source.name, isSkipping: false)
    var log = TelemetryLog(name: source.name, counts: TelemetryCounts(classKey: classKey))
    _ = try source.forEachLine(malformed, limit: lineLimit) { try log.read($0) }
    try malformed.finish()
    if log.form == .document { try log.readDocument(InputFile(name: source.name, bytes: Array(log.document.dropLast()))) }
    if let own = log.own {
      guard log.counts.isEmpty else { throw malformed.fatal("has telemetry by class and other rows", remedy: "give one file a form") }
      if classKey == nil { return (own, []) }
      throw malformed.fatal("is telemetry by class already", remedy: "leave --class out")
    }
    do throws(ValueProblem) { return try log.counts.networks() } catch { throw malformed.fatal(error.problem, remedy: error.remedy) }
  }

  private init(name: String, counts: TelemetryCounts) { (self.name, self.counts) = (name, counts) }

  /// - Throws: `ValueProblem` if the line is malformed, `InvalidInput` if the document is.
  private mutating func read(_ line: TextLine) throws {
    if form == .document {
      guard document.count + line.bytes.count < Self.lineLimit else {
        throw FormatProblem("has a JSON document of more than \(Self.lineLimit) bytes", remedy: "write a document or a row a line")
      }
      document += Array(line.bytes)
      return document.append(0x0A)
    }
    if line.isBlank { return document.append(0x0A) }
    switch form {
    case .json: try readJSON(line)
    case .rows, .fields: try readRow(line)
    default: try readFirst(line)
    }
  }

  /// Finds the form by the first line.
  /// - Throws: `ValueProblem` if the line is malformed, `InvalidInput` if the document is.
  private mutating func readFirst(_ line: TextLine) throws {
    let start = line.bytes.drop { $0 == 0x20 || $0 == 0x09 }
    if "{[".utf8.contains(start.first ?? 0) || start.starts(with: "//".utf8) || start.starts(with: "/*".utf8) {
      let isWhole = JSON5Parser.parse(Array(line.bytes), file: name, into: DiagnosticSink()) != nil
      form = isWhole ? .json : .document
      return try read(line)
    }
    form = start.first == UInt8(ascii: "#") ? .fields : .rows
    let cells = line.cells.map(line.text)
    if form == .rows,
      TelemetryCounts.names.contains(where: cells.contains) || counts.classKey.map(cells.contains) ?? false
        || cells.contains(where: { $0.lowercased().contains("cmcd") && !$0.contains("=") })
    {
      name(cells)
    } else {
      try readRow(line)
    }
  }

  /// - Throws: `ValueProblem` if the line is malformed.
  private mutating func readJSON(_ line: TextLine) throws {
    let sink = DiagnosticSink()
    let bytes = Array(line.bytes)
    let value = JSON5Parser.parse(bytes, file: name, allowsHalfPairs: true, into: sink)
    if let problem = sink.sorted.first { throw ValueProblem(problem.problem, remedy: problem.remedy) }
    if let value { try read(value, InputFile(name: name, bytes: document + bytes)) }
  }

  /// - Throws: `InvalidInput` if the document is malformed.
  private mutating func readDocument(_ file: InputFile) throws {
    let sink = DiagnosticSink()
    guard let value = JSON5Parser.parse(file.bytes, file: name, allowsHalfPairs: true, into: sink) else { throw sink.found }
    try sink.throwIfAny()
    do { try read(value, file) } catch let error as ValueProblem {
      throw InvalidInput(at: value.location, key: "", problem: error.problem, remedy: error.remedy)
    }
  }

  /// Reads a document: telemetry by class, OTLP, a row, or a list of rows.
  /// - Throws: `ValueProblem` if a row is malformed, `InvalidInput` if the telemetry is.
  private mutating func read(_ value: JSON5Value, _ file: InputFile) throws {
    if let elements = value.elements {
      for element in elements {
        do { try readRow(element) } catch let error as ValueProblem {
          throw InvalidInput(at: element.location, key: "", problem: error.problem, remedy: error.remedy)
        }
      }
    } else if value["resourceMetrics"] != nil || value["resource_metrics"] != nil {
      try counts.read(metrics: value)
    } else if counts.isEmpty, own == nil,
      value["networks"] != nil || value["event_type"] == nil && TelemetryCounts.names.allSatisfy({ value.lookup($0) == nil })
    {
      own = try TelemetryReader.read(file)
    } else {
      try readRow(value)
    }
  }

  /// - Throws: `ValueProblem` if a value is malformed.
  private mutating func readRow(_ value: JSON5Value) throws {
    try counts.read { name in
      guard let found = value[name] ?? value.lookup(name), found.kind != .null else { return nil }
      return found.canonicalText
    }
  }

  private mutating func name(_ names: [String]) {
    columns = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    clientColumns = names.indices.filter { names[$0].lowercased().contains("cmcd") }
  }

  /// - Throws: `ValueProblem` if the line is malformed.
  private mutating func readRow(_ line: TextLine) throws {
    let cells: [Range<Int>]
    if form == .fields {
      if line.bytes.first == UInt8(ascii: "#") {
        let words = line.words.map(line.text)
        if words.first == "#Fields:" { name(Array(words.dropFirst())) }
        return
      }
      cells = line.words
    } else {
      cells = columns.isEmpty ? [] : try line.cells(columns.count)
    }
    let clientData = clientData(in: line, cells)
    try counts.read(of: clientData.isEmpty ? columns : nil) { [columns] name in
      clientData[name] ?? columns[name].flatMap { $0 < cells.count ? line.text(cells[$0]) : nil }
    }
  }

  /// Returns the keys of Common Media Client Data in a line: those of a query, `CMCD=`, and of headers. Source: CTA-5004.
  private func clientData(in line: TextLine, _ cells: [Range<Int>]) -> [String: String] {
    var texts = clientColumns.filter { $0 < cells.count }.map { line.text(cells[$0]) }
    let bytes = line.bytes
    for start in bytes.indices.dropLast(4) where bytes[start] | 0x20 == 0x63 && starts(bytes[start...], with: "cmcd") {
      let ends = ["=", "-object", "-request", "-status", "-session"]
      guard let end = ends.first(where: { starts(bytes[(start + 4)...], with: $0) }) else { continue }
      let value = bytes[(start + 4 + end.utf8.count)...].drop { ":=\" ".utf8.contains($0) }.prefix { !" \t&".utf8.contains($0) }
      texts.append(String(decoding: value, as: UTF8.self))
    }
    var values: [String: String] = [:]
    for text in texts {
      for part in Self.decoded(text).split(separator: ",") {
        let pair = part.split(separator: "=", maxSplits: 1)
        let value = pair.count == 2 ? pair[1].filter { $0 != "\"" && $0 != "\\" } : "true"
        if let key = pair.first { values[key.filter { $0 != "\"" }] = value }
      }
    }
    return values
  }

  /// Returns true if bytes start with a text in lower case, whatever their case.
  private func starts(_ bytes: Slice<UnsafeRawBufferPointer>, with text: String) -> Bool {
    bytes.count >= text.utf8.count && zip(bytes, text.utf8).allSatisfy { ($0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0) == $1 }
  }

  /// Returns a text without percent encoding (RFC 3986).
  private static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
