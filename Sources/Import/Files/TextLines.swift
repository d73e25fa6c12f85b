// Walks over the lines and fields of a text file without copying them.

/// A line of a text file, without its line break.
package struct TextLine {
  /// Counted from 1.
  package let number: Int
  /// The bytes of the whole file.
  package let bytes: [UInt8]
  /// Where the line lies in them.
  package let range: Range<Int>

  /// Whether there is nothing but spaces and tabs in it.
  package var isBlank: Bool { bytes[range].allSatisfy(Self.isSpace) }

  /// The parts between spaces and tabs.
  package var words: [Range<Int>] {
    var words: [Range<Int>] = []
    var start = range.lowerBound
    for index in range.lowerBound...range.upperBound where index == range.upperBound || Self.isSpace(bytes[index]) {
      if start < index { words.append(start..<index) }
      start = index + 1
    }
    return words
  }

  /// The parts between commas, without the spaces around them; a part in double quotes may have commas. The quotes of
  /// such a part are left out; two of them within it stay two, which no number or column name needs.
  package var cells: [Range<Int>] {
    bytes[range].withUnsafeBytes { line in
      var cells: [Range<Int>] = []
      LineFields.cells(of: line, into: &cells)
      return cells.map { $0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound }
    }
  }

  /// The text of a part.
  package func text(_ part: Range<Int>) -> String { String(decoding: bytes[part], as: UTF8.self) }

  /// The place of an offset in the line. O(line).
  package func location(_ offset: Int, file: String) -> SourceLocation {
    let column = bytes[range.lowerBound..<offset].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    return SourceLocation(file: file, line: number, column: column)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The lines of a file, ended by LF, CR LF or CR; a byte order mark is skipped.
package struct TextLines: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var position: Int
  private var number = 0

  /// The lines of a file's bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next line; nil after the last.
  package mutating func next() -> TextLine? {
    guard position < bytes.count else { return nil }
    var end = position
    while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += 1 }
    number += 1
    let line = TextLine(number: number, bytes: bytes, range: position..<end)
    let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
    position = end + (isPair ? 2 : 1)
    return line
  }
}
