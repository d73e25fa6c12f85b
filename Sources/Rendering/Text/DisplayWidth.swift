// The width of texts: in terminal columns, from fixed ranges, so that tables do not change with the system's Unicode version; and in a
// proportional font, for tables whose rows must not wrap on a page of fixed width.

package enum DisplayWidth {
  /// Returns the number of columns: wide East Asian characters and pictographs take two, combining and invisible ones none.
  static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

  /// Returns a text of at most `width` columns, with an ellipsis if it was truncated.
  static func truncated(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var result = String.UnicodeScalarView()
    var used = 1
    for scalar in text.unicodeScalars {
      used += of(scalar)
      if used > width { break }
      result.append(scalar)
    }
    return width > 0 ? String(result) + "…" : ""
  }

  /// A space at which a line breaks only if the joined words do not fit.
  static let unbrokenSpace = "\u{A0}"

  /// Returns the text in lines of at most `width` columns, broken between words; a longer word takes several lines.
  package static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    let words = text.split(separator: " ").flatMap { of(String($0)) <= width ? [$0] : $0.split(separator: unbrokenSpace) }
    for piece in words.flatMap({ pieces($0.replacing(unbrokenSpace, with: " ")[...], of: width) }) {
      if line.isEmpty {
        line = piece
      } else if of(line) + 1 + of(piece) <= width {
        line += " " + piece
      } else {
        lines.append(line)
        line = piece
      }
    }
    return lines + [line]
  }

  /// Returns a word in pieces of at most `width` columns.
  private static func pieces(_ word: Substring, of width: Int) -> [String] {
    var pieces = [""]
    for character in word {
      let longer = pieces[pieces.count - 1] + String(character)
      if of(longer) > width { pieces.append(String(character)) } else { pieces[pieces.count - 1] = longer }
    }
    return pieces
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    if invisible.contains(where: { $0.contains(value) }) { return 0 }
    return wide.contains { $0.contains(value) } ? 2 : 1
  }

  private static let invisible: [ClosedRange<UInt32>] = [
    0x0300...0x036F, 0x0483...0x0489, 0x0591...0x05BD, 0x0610...0x061A, 0x064B...0x065F, 0x200B...0x200F, 0x202A...0x202E,
    0x2060...0x2069, 0x20D0...0x20F0, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xFEFF...0xFEFF, 0xE0100...0xE01EF,
  ]

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x1F300...0x1F64F, 0x1F680...0x1FAFF, 0x20000...0x3FFFD,
  ]
}

/// Widths in pixels at 16 pixels a line, as of DejaVu Sans; the usual fonts of Windows, macOS and Android are narrower.
enum PageWidth {
  /// The width of a page of Markdown on GitHub.
  static let markdown = 1012.0
  static let padding = 27.0

  static func of(_ text: String, isBold: Bool = false) -> Double { text.unicodeScalars.reduce(0) { $0 + of($1) } * (isBold ? 17.9 : 16) }

  /// Returns the width of a character in units of the font's size; unknown ones count as wide.
  private static func of(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", "J", "'": 0.3
    case " ", ",", ".", "\u{A0}", ":", ";", "|", "/", "\\": 0.34
    case "f", "-", "(", ")", "[", "]", "t", "!", "r", "\"": 0.41
    case "s", "z", "c", "?", "_", "`", "*": 0.55
    case "a", "e", "k", "o", "v", "x", "y", "L", "F", "P", "T", "Y": 0.615
    case "m", "M", "W", "%", "@": 1
    case "w", "#", "+", "<", "=", ">", "^", "~", "A"..."Z", "&": 0.84
    case " "..."~": 0.645
    default: 0.65 * Double(DisplayWidth.of(String(scalar)) + 1)
    }
  }
}
