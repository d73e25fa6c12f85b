// Texts between tags and quotes, so that nothing in them is markup: for JUnit's XML, SVG and the page, which is XML too.

import Analysis

/// Texts in XML.
enum XMLText {
  /// A text between tags (XML 1.0, 2.4): the characters that XML has no place for (2.2) become �.
  static func content(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result += "&amp;"
      case 0x3C: result += "&lt;"
      case 0x3E: result += "&gt;"
      // A parser would turn a bare carriage return into a line feed (2.11).
      case 0x0D: result += "&#13;"
      case 0x09, 0x0A, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: result.unicodeScalars.append(scalar)
      default: result += "\u{FFFD}"
      }
    }
    return result
  }

  /// A text between double quotes: a parser would turn bare line ends and tabs into spaces (3.3.3).
  static func attribute(_ text: String) -> String {
    var result = ""
    for scalar in content(text).unicodeScalars {
      switch scalar {
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A text from outside, in one line and without control of the reader's screen, between tags.
  static func line(_ text: String) -> String { content(SafeText.line(text)) }

  /// The start of an element with its attributes; the values are escaped.
  static func start(_ name: String, _ attributes: [(String, String)] = []) -> String {
    "<" + name + attributes.map { " \($0.0)=\"\(attribute($0.1))\"" }.joined()
  }

  /// A whole element whose contents are markup already.
  static func element(_ name: String, _ attributes: [(String, String)] = [], _ markup: String) -> String {
    "\(start(name, attributes))>\(markup)</\(name)>"
  }
}
