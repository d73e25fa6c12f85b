// The fields of a line as bytes: nothing is copied, and numbers become whole ones without a detour by text.

/// What is wrong with a line.
struct LineProblem: Error {
  package var problem: String
  package var remedy: String

  package init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// A line and how far it has been read.
struct LineFields {
  package let bytes: UnsafeRawBufferPointer
  private(set) var place = 0

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next part between spaces and tabs; nil at the end.
  @inline(__always)
  package mutating func word() -> Range<Int>? {
    while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    let start = place
    while place < bytes.count, !Self.isSpace(bytes[place]) { place += 1 }
    return start < place ? start..<place : nil
  }

  /// Puts the parts between commas into `cells`, without the spaces and quotes around them; a part in quotes may have commas.
  @inline(__always)
  package static func cells(of bytes: UnsafeRawBufferPointer, into cells: inout [Range<Int>]) {
    cells.removeAll(keepingCapacity: true)
    var (start, isQuoted) = (0, false)
    for index in 0...bytes.count {
      if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard index == bytes.count || (bytes[index] == UInt8(ascii: ",") && !isQuoted) else { continue }
      var (from, to) = (start, index)
      while from < to, isSpace(bytes[from]) { from += 1 }
      while from < to, isSpace(bytes[to - 1]) { to -= 1 }
      if to - from >= 2, bytes[from] == UInt8(ascii: "\""), bytes[to - 1] == UInt8(ascii: "\"") { (from, to) = (from + 1, to - 1) }
      cells.append(from..<to)
      start = index + 1
    }
  }

  /// A decimal number that is not negative, times 10^`places`; further decimals are cut. Nil for anything else.
  @inline(__always)
  package static func number(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>, places: Int = 0) -> Int64? {
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

  /// A part as text.
  package static func text(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[part]), as: UTF8.self)
  }

  /// A part as text for a message, cut where it is long.
  package static func shown(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>) -> String {
    quoted(text(bytes, part.lowerBound..<min(part.upperBound, part.lowerBound + 40)) + (part.count > 40 ? "…" : ""))
  }

  /// Whether a part is these characters.
  @inline(__always)
  package static func equals(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>, _ text: StaticString) -> Bool {
    guard part.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<part.count where bytes[part.lowerBound + index] != text.utf8Start[index] { return false }
    return true
  }

  @inline(__always)
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
