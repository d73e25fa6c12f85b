// Reads comma-separated values (RFC 4180), fed in pieces of any size. It splits records and cells; callers interpret the columns.

package struct CSVRecord {
  /// Each cell's line and column in the file, and the end of its bytes in `bytes`.
  package fileprivate(set) var cells: [(line: Int, column: Int, end: Int)] = []
  fileprivate(set) var bytes: [UInt8] = []

  /// Returns the bytes of a cell, without quotes.
  package func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : cells[index - 1].end)..<cells[index].end] }

  package func text(_ index: Int) -> String { String(decoding: slice(index), as: UTF8.self) }
}

/// Splits a stream of bytes into records; blank lines are skipped.
package struct CSVRecordReader {
  private enum State { case cellStart, plain, quoted, afterQuote }

  private var state = State.cellStart
  private var record = CSVRecord()
  private var line = 1
  private var column = 1
  private var isFirstByte = true
  /// The mistakes in the file's quoting.
  package private(set) var faults: [(line: Int, column: Int, problem: String)] = []

  package init() {}

  /// Reads the next bytes and calls `body` with each record that they complete.
  package mutating func read(_ bytes: [UInt8], _ body: (CSVRecord) -> Void) {
    var start = 0
    if isFirstByte, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
    if !bytes.isEmpty { isFirstByte = false }
    bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index < bytes.count {
        let end = endOfPlainText(bytes, from: index)
        if end > index { appendPlainText(bytes[index..<end]) }
        if end < bytes.count { read(bytes[end], body) }
        index = end + 1
      }
    }
  }

  /// Returns the end of the text without special characters from `start` on; `start` itself inside quotes and after them.
  private func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard state == .plain || state == .cellStart else { return start }
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == CSVText.comma || byte == CSVText.lineFeed || byte == CSVText.quote || byte == CSVText.carriageReturn { break }
      end += 1
    }
    return end
  }

  /// Appends text without special characters to the current cell.
  private mutating func appendPlainText(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
    if state == .cellStart { startCell() }
    state = .plain
    record.bytes.append(contentsOf: text)
    for byte in text where byte & 0xC0 != 0x80 { column += 1 }
  }

  /// Ends the input and calls `body` with the last record, if the file does not end with a line break.
  package mutating func finish(_ body: (CSVRecord) -> Void) {
    if state == .quoted { addFault("the quote is not closed") }
    if state != .cellStart || !record.cells.isEmpty { endRecord(body) }
  }

  private mutating func read(_ byte: UInt8, _ body: (CSVRecord) -> Void) {
    switch state {
    case .cellStart, .plain, .afterQuote:
      if byte == CSVText.comma {
        endCell()
      } else if byte == CSVText.lineFeed {
        endRecord(body)
      } else if byte == CSVText.quote {
        readQuote()
      } else if byte != CSVText.carriageReturn {
        // Plain text was appended by `appendPlainText`, so this byte follows a closing quote.
        addFault("text follows the closing quote")
        state = .plain
        record.bytes.append(byte)
      }
    case .quoted:
      if byte == CSVText.quote { state = .afterQuote } else { record.bytes.append(byte) }
    }
    if byte == CSVText.lineFeed {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }

  private mutating func readQuote() {
    switch state {
    case .cellStart:
      startCell()
      state = .quoted
    case .afterQuote:
      record.bytes.append(CSVText.quote)
      state = .quoted
    default: addFault("a quote stands inside a cell that is not quoted")
    }
  }

  private mutating func startCell() { record.cells.append((line, column, record.bytes.count)) }

  private mutating func endCell() {
    if state == .cellStart { startCell() }
    record.cells[record.cells.count - 1].end = record.bytes.count
    state = .cellStart
  }

  private mutating func endRecord(_ body: (CSVRecord) -> Void) {
    endCell()
    let isBlank = record.cells.count == 1 && record.bytes.isEmpty
    if !isBlank { body(record) }
    record.cells.removeAll(keepingCapacity: true)
    record.bytes.removeAll(keepingCapacity: true)
  }

  private mutating func addFault(_ problem: String) {
    if faults.count < DiagnosticSink.keptLimit { faults.append((line, column, problem)) }
  }
}
