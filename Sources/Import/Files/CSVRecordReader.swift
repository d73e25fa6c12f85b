// Comma separated values on the way in (RFC 4180), fed in pieces of any size; what the columns mean is left to others.

/// One record of a file: its cells and where they stand.
package struct CSVRecord {
  /// One cell's place in the file and its bytes' end in `bytes`.
  package struct Cell {
    package let line: Int
    package let column: Int
    package var end: Int
  }

  package fileprivate(set) var cells: [Cell] = []
  fileprivate(set) var bytes: [UInt8] = []

  /// The bytes of a cell, unquoted.
  package func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : cells[index - 1].end)..<cells[index].end] }

  /// A cell as text.
  package func text(_ index: Int) -> String { String(decoding: slice(index), as: UTF8.self) }

  /// Whether the line held nothing at all.
  fileprivate var isBlank: Bool { cells.count == 1 && bytes.isEmpty }
}

/// Splits a stream of bytes into records; blank lines are passed over.
package struct CSVRecordReader {
  /// What the quoting of a file can have wrong.
  package struct Fault {
    package let line: Int
    package let column: Int
    package let problem: String
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private enum State { case cellStart, plain, quoted, afterQuote }

  private var state = State.cellStart
  private var record = CSVRecord()
  private var line = 1
  private var column = 1
  private var isFirstByte = true
  package private(set) var faults: [Fault] = []

  package init() {}

  /// Takes the next bytes and hands on each record that they complete.
  package mutating func read(_ bytes: [UInt8], _ body: (CSVRecord) -> Void) {
    var start = 0
    if isFirstByte, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
    if !bytes.isEmpty { isFirstByte = false }
    bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index < bytes.count {
        let end = endOfPlainText(bytes, from: index)
        if end > index { takePlainText(bytes[index..<end]) }
        if end < bytes.count { take(bytes[end], body) }
        index = end + 1
      }
    }
  }

  /// Where text ends that means nothing but itself; `start` where the reader is inside quotes or after them.
  private func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard state == .plain || state == .cellStart else { return start }
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == Self.comma || byte == Self.lineFeed || byte == Self.quote || byte == Self.carriageReturn { break }
      end += 1
    }
    return end
  }

  /// Takes text that means nothing but itself, all at once.
  private mutating func takePlainText(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
    if state == .cellStart { startCell() }
    state = .plain
    record.bytes.append(contentsOf: text)
    for byte in text where byte & 0xC0 != 0x80 { column += 1 }
  }

  /// Hands on the last record, where the file does not end with a line's end.
  package mutating func finish(_ body: (CSVRecord) -> Void) {
    if state == .quoted { addFault("the quote is not closed") }
    if state != .cellStart || !record.cells.isEmpty { endRecord(body) }
  }

  private mutating func take(_ byte: UInt8, _ body: (CSVRecord) -> Void) {
    switch state {
    case .cellStart, .plain, .afterQuote:
      if byte == Self.comma {
        endCell()
      } else if byte == Self.lineFeed {
        endRecord(body)
      } else if byte == Self.quote {
        takeQuote()
      } else if byte != Self.carriageReturn {
        // Other text has been taken all at once.
        addFault("text follows the closing quote")
        state = .plain
        record.bytes.append(byte)
      }
    case .quoted:
      if byte == Self.quote { state = .afterQuote } else { record.bytes.append(byte) }
    }
    if byte == Self.lineFeed {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }

  private mutating func takeQuote() {
    switch state {
    case .cellStart:
      startCell()
      state = .quoted
    case .afterQuote:
      record.bytes.append(Self.quote)
      state = .quoted
    default:
      addFault("a quote stands inside a cell that is not quoted")
    }
  }

  private mutating func startCell() {
    record.cells.append(CSVRecord.Cell(line: line, column: column, end: record.bytes.count))
  }

  private mutating func endCell() {
    if state == .cellStart { startCell() }
    record.cells[record.cells.count - 1].end = record.bytes.count
    state = .cellStart
  }

  private mutating func endRecord(_ body: (CSVRecord) -> Void) {
    endCell()
    if !record.isBlank { body(record) }
    record.cells.removeAll(keepingCapacity: true)
    record.bytes.removeAll(keepingCapacity: true)
  }

  private mutating func addFault(_ problem: String) {
    if faults.count < DiagnosticSink.keptLimit { faults.append(Fault(line: line, column: column, problem: problem)) }
  }
}
