// Lines of text as bytes. Nothing is copied, and numbers are read without a String.

/// A line without its line break. It is valid while the underlying bytes are.
package struct TextLine {
  /// The line number, from 1.
  package let number: Int
  package let bytes: UnsafeRawBufferPointer

  package init(number: Int, bytes: UnsafeRawBufferPointer) { (self.number, self.bytes) = (number, bytes) }

  /// True if the line has only spaces and tabs.
  package var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

  /// The words between spaces and tabs.
  package var words: [Range<Int>] {
    var words: [Range<Int>] = []
    split(into: &words)
    return words
  }

  /// Stores the words between spaces and tabs in an array, reusing its memory.
  package func split(into words: inout [Range<Int>]) {
    words.removeAll(keepingCapacity: true)
    var start = 0
    for index in 0...bytes.count where index == bytes.count || Self.isSpace(bytes[index]) {
      if start < index { words.append(start..<index) }
      start = index + 1
    }
  }

  /// The parts between commas, without surrounding spaces and quotes. A part in quotes may contain commas.
  /// Two quotes inside quotes stay two; numbers and column names need no more.
  package var cells: [Range<Int>] {
    var cells: [Range<Int>] = []
    cells.reserveCapacity(16)
    var (start, isQuoted) = (0, false)
    for index in 0...bytes.count {
      if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard index == bytes.count || (bytes[index] == UInt8(ascii: ",") && !isQuoted) else { continue }
      var (from, to) = (start, index)
      while from < to, Self.isSpace(bytes[from]) { from += 1 }
      while from < to, Self.isSpace(bytes[to - 1]) { to -= 1 }
      if to - from >= 2, bytes[from] == UInt8(ascii: "\""), bytes[to - 1] == UInt8(ascii: "\"") { (from, to) = (from + 1, to - 1) }
      cells.append(from..<to)
      start = index + 1
    }
    return cells
  }

  /// Returns the cells of a row; the header has `count` cells.
  /// - Throws: `ValueProblem` if there are more or fewer.
  package func cells(_ count: Int) throws(ValueProblem) -> [Range<Int>] {
    let cells = cells
    if cells.count == count { return cells }
    throw ValueProblem("has \(cells.count) cells, the header \(count)", remedy: "write a cell for each column")
  }

  package func text(_ part: Range<Int>) -> String { String(decoding: UnsafeRawBufferPointer(rebasing: bytes[part]), as: UTF8.self) }

  /// Returns a part in quotes for a message, shortened if it is long.
  package func shown(_ part: Range<Int>) -> String { quoted(text(part.prefix(40)) + (part.count > 40 ? "…" : "")) }

  @inline(__always) package func equals(_ part: Range<Int>, _ text: StaticString) -> Bool {
    guard part.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<part.count where bytes[part.lowerBound + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Returns a non-negative decimal number × 10^`decimals`, truncated; nil for anything else.
  @inline(__always) package func number(_ part: Range<Int>, decimals: Int = 0) -> Int64? {
    var value: Int64 = 0
    var index = part.lowerBound
    while index < part.upperBound {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit > 9 { break }
      // 18 digits fit an Int64; the digits before the point and the decimals together must not exceed them.
      if index - part.lowerBound >= 18 { return nil }
      value = value &* 10 &+ Int64(digit)
      index += 1
    }
    let whole = index - part.lowerBound
    guard whole + decimals <= 18 else { return nil }
    var read = 0
    if index < part.upperBound {
      guard bytes[index] == UInt8(ascii: "."), whole > 0 || index + 1 < part.upperBound else { return nil }
      index += 1
      while index < part.upperBound {
        let digit = bytes[index] &- UInt8(ascii: "0")
        if digit > 9 { return nil }
        if read < decimals { (value, read) = (value &* 10 &+ Int64(digit), read + 1) }
        index += 1
      }
    } else if whole == 0 {
      return nil
    }
    while read < decimals { (value, read) = (value &* 10, read + 1) }
    return value
  }

  /// Returns minutes since 1970-01-01 00:00 (Gregorian calendar) of a text like `2024-05-01T10:07`, with any separators.
  package func minutes(_ part: Range<Int>) -> Int64? {
    guard part.count >= 16 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64? { self.number(part.lowerBound + offset..<part.lowerBound + offset + count) }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2), let minute = number(14, 2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60
    else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return (days * 24 + hour) * 60 + minute
  }

  /// Returns the location of an offset in the line. O(line).
  package func location(_ offset: Int, file: String) -> SourceLocation {
    SourceLocation(file: file, line: number, column: bytes[..<offset].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
  }

  @inline(__always) private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The lines of a file, ended by LF, CR LF or CR. A byte order mark is skipped.
package struct TextLines: Sequence, IteratorProtocol {
  private let bytes: UnsafeRawBufferPointer
  private var position: Int
  private var number = 0

  /// Creates the lines of a file's bytes, which must outlive them.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  package mutating func next() -> TextLine? {
    guard position < bytes.count else { return nil }
    var end = position
    while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += 1 }
    number += 1
    let line = TextLine(number: number, bytes: UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
    let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
    position = end + (isPair ? 2 : 1)
    return line
  }
}
