// Names in sentences, XML and pages, escaped so that nothing in them is markup or controls the screen (`SafeText`).

import Base

/// The medium of a sentence, which decides how names are emphasised and escaped.
package enum Markup {
  case plain, markdown
  case page

  /// Returns the emphasised name of a sentence's subject.
  package func strong(_ name: String) -> String {
    let text = text(name)
    return self == .plain ? text : self == .markdown ? "**\(text)**" : "<strong>\(text)</strong>"
  }

  /// Returns an escaped text from outside.
  func text(_ text: String) -> String {
    switch self {
    case .plain: SafeText.line(text)
    case .markdown: SafeText.markdown(text)
    case .page: XMLText.isolated(text)
    }
  }

  /// Returns a command for the reader to paste.
  func code(_ command: String) -> String {
    let text = SafeText.line(command)
    switch self {
    case .plain: return text
    case .markdown:
      let runs = text.split { $0 != "`" }.map(\.count)
      let fence = String(repeating: "`", count: (1...(runs.count + 1)).first { !runs.contains($0) } ?? 1)
      return runs.isEmpty ? "`\(text)`" : "\(fence) \(text) \(fence)"
    case .page: return "<code>\(XMLText.line(text))</code>"
    }
  }
}

package enum XMLText {
  /// Returns a text for use between tags (XML 1.0, 2.4); characters that XML does not allow (2.2) become �.
  package static func content(_ text: String) -> String { escaped(text, isAttribute: false) }

  /// Returns a text for use in double quotes; line ends and tabs are escaped, because a parser would turn them into spaces (3.3.3).
  static func attribute(_ text: String) -> String { escaped(text, isAttribute: true) }

  private static func escaped(_ text: String, isAttribute: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result += "&amp;"
      case 0x3C: result += "&lt;"
      case 0x3E: result += "&gt;"
      case 0x22 where isAttribute: result += "&quot;"
      // A parser would turn a bare carriage return into a line feed (2.11).
      case 0x0D: result += "&#13;"
      case 0x09 where isAttribute, 0x0A where isAttribute: result += "&#\(scalar.value);"
      case 0x09, 0x0A, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: result.unicodeScalars.append(scalar)
      default: result += "\u{FFFD}"
      }
    }
    return result
  }

  /// Returns a text from outside for use between tags, in one line and without control characters.
  package static func line(_ text: String) -> String { content(SafeText.line(text)) }

  /// Returns a line in an element that isolates its direction of writing from its neighbours.
  package static func isolated(_ text: String) -> String { "<bdi>\(line(text))</bdi>" }

  /// Returns the start of an element with its attributes, whose values are escaped.
  static func start(_ name: String, _ attributes: [(String, String)] = []) -> String {
    "<" + name + attributes.map { " \($0.0)=\"\(attribute($0.1))\"" }.joined()
  }

  static func element(_ name: String, _ attributes: [(String, String)] = [], _ markup: String) -> String {
    "\(start(name, attributes))>\(markup)</\(name)>"
  }
}
