// A line of text as bytes: nothing is copied, and numbers become whole ones without a detour by text.

/// A line without its line break. It is valid for as long as the bytes that it is part of.
struct TextLine {
  /// Counted from 1.
  let number: Int
  let bytes: UnsafeRawBufferPointer

  /// True if there is nothing but spaces and tabs in it.
  var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

  /// The parts between spaces and tabs.
  var words: [Range<Int>] {
    var words: [Range<Int>] = []
    split(into: &words)
    return words
  }

  /// Puts the parts between spaces and tabs into an array, whose memory is used again.
  func split(into words: inout [Range<Int>]) {
    words.removeAll(keepingCapacity: true)
    var start = 0
    for index in 0...bytes.count where index == bytes.count || Self.isSpace(bytes[index]) {
      if start < index { words.append(start..<index) }
      start = index + 1
    }
  }

  /// The parts between commas, without the spaces and quotes around them. A part in quotes may have commas; two quotes within it stay two,
  /// which no number or column name needs.
  var cells: [Range<Int>] {
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

  /// The cells of a row under a header of `count`.
  /// - Throws: `ValueProblem` if there are more or fewer.
  func cells(_ count: Int) throws(ValueProblem) -> [Range<Int>] {
    let cells = cells
    if cells.count == count { return cells }
    throw ValueProblem("has \(cells.count) cells, the header \(count)", remedy: "write a cell for each column")
  }

  /// A part as text.
  func text(_ part: Range<Int>) -> String { String(decoding: UnsafeRawBufferPointer(rebasing: bytes[part]), as: UTF8.self) }

  /// A part as text for a message, cut where it is long.
  func shown(_ part: Range<Int>) -> String { quoted(text(part.prefix(40)) + (part.count > 40 ? "…" : "")) }

  /// True if a part is these characters.
  @inline(__always)
  func equals(_ part: Range<Int>, _ text: StaticString) -> Bool {
    guard part.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<part.count where bytes[part.lowerBound + index] != text.utf8Start[index] { return false }
    return true
  }

  /// A decimal number that is not negative, times 10^`places`; further decimals are cut. Nil for anything else.
  @inline(__always)
  func number(_ part: Range<Int>, places: Int = 0) -> Int64? {
    var value: Int64 = 0
    var index = part.lowerBound
    while index < part.upperBound {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit > 9 { break }
      // Eighteen digits fit; what comes before the point and the places behind it must be no more.
      if index - part.lowerBound >= 18 { return nil }
      value = value &* 10 &+ Int64(digit)
      index += 1
    }
    let whole = index - part.lowerBound
    guard whole + places <= 18 else { return nil }
    var decimals = 0
    if index < part.upperBound {
      guard bytes[index] == UInt8(ascii: "."), whole > 0 || index + 1 < part.upperBound else { return nil }
      index += 1
      while index < part.upperBound {
        let digit = bytes[index] &- UInt8(ascii: "0")
        if digit > 9 { return nil }
        if decimals < places { (value, decimals) = (value &* 10 &+ Int64(digit), decimals + 1) }
        index += 1
      }
    } else if whole == 0 {
      return nil
    }
    while decimals < places { (value, decimals) = (value &* 10, decimals + 1) }
    return value
  }

  /// Minutes since 1970-01-01 00:00, in the Gregorian calendar, of a text that begins as `2024-05-01T10:07`, whatever separates its parts.
  func minutes(_ part: Range<Int>) -> Int64? {
    guard part.count >= 16 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64? {
      self.number(part.lowerBound + offset..<part.lowerBound + offset + count)
    }
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

  /// The location of an offset in the line. O(line).
  func location(_ offset: Int, file: String) -> SourceLocation {
    SourceLocation(file: file, line: number, column: bytes[..<offset].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
  }

  @inline(__always)
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The lines of a file, ended by LF, CR LF or CR; a byte order mark is skipped.
struct TextLines: Sequence, IteratorProtocol {
  private let bytes: UnsafeRawBufferPointer
  private var position: Int
  private var number = 0

  /// The lines of a file's bytes, which must outlive them.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next line; nil after the last.
  mutating func next() -> TextLine? {
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
