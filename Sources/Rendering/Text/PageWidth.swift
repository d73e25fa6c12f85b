// The width of texts in a proportional font, for tables whose rows must not wrap on a page of fixed width.

/// Widths in pixels at 16 pixels a line, as of DejaVu Sans; the usual fonts of Windows, macOS and Android are narrower.
enum PageWidth {
  /// The width of a page of Markdown on GitHub.
  static let markdown = 1012.0
  static let padding = 27.0

  static func of(_ text: String, isBold: Bool = false) -> Double {
    text.unicodeScalars.reduce(0) { $0 + of($1) } * (isBold ? 17.9 : 16)
  }

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
