// Texts from files and command lines, made harmless before they are shown.

package enum SafeText {
  /// Returns the text in one line: line ends and tabs become spaces; control characters, those that turn the direction of writing
  /// (Unicode's Bidi_Control) and invisible ones (zero-width characters, tags) become �.
  package static func line(_ text: String) -> String { safe(text, keeping: []) }

  /// Returns the text in one line of at most 500 Unicode scalars. A longer one ends with its hash, so that different texts stay different.
  package static func bounded(_ text: String) -> String {
    let line = line(text)
    guard line.unicodeScalars.count > 500 else { return line }
    // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
    let hash = line.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(String.UnicodeScalarView(line.unicodeScalars.prefix(480))) + "… \(String(hash, radix: 16))"
  }

  /// Returns the text with its line feeds and tabs; other characters that could control a terminal are replaced as in `line`.
  package static func lines(_ text: String) -> String { safe(text, keeping: ["\n", "\t"]) }

  /// Returns the first 200 characters (Unicode scalars) of the text in one line, for messages.
  package static func excerpt(_ text: String) -> String { shortened(line(text), to: 200) }

  private static func safe(_ text: String, keeping kept: [Unicode.Scalar]) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case _ where kept.contains(scalar): result.append(scalar)
      case 0x0A, 0x0D: if result.last != " " { result.append(" ") }
      case 0x09, 0x0B, 0x0C, 0x85, 0x2028, 0x2029: result.append(" ")
      case 0x00...0x1F, 0x7F...0x9F, 0x00AD, 0x061C, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x206F, 0xFEFF,
        0xE0000...0xE007F:
        result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Returns the text as one line of Markdown that shows exactly its characters: no markup, no HTML, no end of a table cell. If it
  /// `opensBlock`, it does not look like a heading, a list or a quotation either (CommonMark 0.31, 4 and 5).
  package static func markdown(_ text: String, opensBlock: Bool = false) -> String {
    // Only characters with a meaning in their position are escaped, so that numbers and intervals stay legible in the source.
    let scalars = Array(line(text).unicodeScalars)
    var result = ""
    for (index, scalar) in scalars.enumerated() {
      let previous = index > 0 ? scalars[index - 1] : " "
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      switch scalar {
      case "<": result += "&lt;"
      case "&": result += isWord(next) || next == "#" ? "&amp;" : "&"
      // GitHub turns @name into a link to that account.
      case "@": result += isWord(next) && !isWord(previous) ? "&#64;" : "@"
      case "|", "\\", "`", "*", "~", "$": result += "\\\(scalar)"
      // Inside a word an underscore is no markup.
      case "_": result += isWord(previous) && isWord(next) ? "_" : "\\_"
      // There are no link definitions, so that brackets have a meaning only in footnotes and before an address.
      case "[": result += next == "^" ? "\\[" : "["
      case "]": result += next == "(" ? "\\]" : "]"
      case "#", "+", "-", "=", ">": result += opensBlock && index == 0 ? "\\\(scalar)" : String(scalar)
      case ".", ")":
        let endsNumber = opensBlock && index > 0 && scalars[..<index].allSatisfy { ("0"..."9").contains($0) }
        result += endsNumber ? "\\\(scalar)" : String(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// True for an ASCII letter or digit.
  package static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}

/// Quotes words for a shell (POSIX 2.2).
package enum ShellText {
  /// Returns a word as a shell takes it: bare if no character has a meaning, else in single quotes.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./=:,+".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}
