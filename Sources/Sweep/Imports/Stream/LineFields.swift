// The fields of a line as bytes: nothing is copied, and numbers become whole ones without a detour by text.

/// What is wrong with a line.
struct LineProblem: Error {
  var problem: String
  var remedy: String

  init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// A line and how far it has been read.
struct LineFields {
  let bytes: UnsafeRawBufferPointer
  private(set) var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next part between spaces and tabs; nil at the end.
  @inline(__always)
  mutating func word() -> Range<Int>? {
    while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    let start = place
    while place < bytes.count, !Self.isSpace(bytes[place]) { place += 1 }
    return start < place ? start..<place : nil
  }

  /// Puts the parts between commas into `cells`, without the spaces and quotes around them; a part in quotes may have commas.
  @inline(__always)
  static func cells(of bytes: UnsafeRawBufferPointer, into cells: inout [Range<Int>]) {
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
  static func number(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>, places: Int = 0) -> Int64? {
    var (value, decimals, hasPoint, hasDigits): (Int64, Int, Bool, Bool) = (0, 0, false, false)
    for index in part {
      let byte = bytes[index]
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      let digit = byte &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      hasDigits = true
      if hasPoint {
        if decimals == places { continue }
        decimals += 1
      }
      guard value < 900_000_000_000_000_000 / 10 else { return nil }
      value = value * 10 + Int64(digit)
    }
    guard hasDigits else { return nil }
    while decimals < places {
      guard value < 900_000_000_000_000_000 / 10 else { return nil }
      value *= 10
      decimals += 1
    }
    return value
  }

  /// A part as text.
  static func text(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[part]), as: UTF8.self)
  }

  /// A part as text for a message, cut where it is long.
  static func shown(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>) -> String {
    quoted(text(bytes, part.lowerBound..<min(part.upperBound, part.lowerBound + 40)) + (part.count > 40 ? "…" : ""))
  }

  /// Whether a part is these characters.
  @inline(__always)
  static func equals(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>, _ text: StaticString) -> Bool {
    guard part.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<part.count where bytes[part.lowerBound + index] != text.utf8Start[index] { return false }
    return true
  }

  @inline(__always)
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
