// Texts from files and command lines, made harmless before they are shown: they may hold anything.

/// Texts that others wrote, in one line and without control of the reader's screen.
package enum SafeText {
  /// The text in one line: line ends and tabs become spaces; control characters and those that turn the direction of
  /// writing (Unicode's Bidi_Control) or cannot be seen (zero-width characters, tags) become �.
  package static func line(_ text: String) -> String { safe(text, keeping: []) }

  /// The text with its line feeds and tabs; whatever else could control a terminal is replaced as in `line`.
  package static func lines(_ text: String) -> String { safe(text, keeping: ["\n", "\t"]) }

  /// The text, cut after 200 characters (Unicode scalars): as much of a file or command line as a message repeats.
  package static func excerpt(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 200, limitedBy: scalars.endIndex), end < scalars.endIndex else {
      return text
    }
    return String(scalars[..<end]) + "…"
  }

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

  /// The text as one line of Markdown that shows exactly its characters: nothing in it is markup, HTML or the end of a table's cell.
  ///
  /// Only what would mean something where it stands is escaped, so that numbers and intervals read well in the source. A text that
  /// opens a block (`opensBlock`) must not look like a heading, a list or a quotation either (CommonMark 0.31, 4 and 5).
  package static func markdown(_ text: String, opensBlock: Bool = false) -> String {
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
      // There are no link definitions, so that brackets mean something in footnotes and before an address only.
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

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}

/// Quotes words for a shell (POSIX 2.2).
package enum ShellText {
  /// Returns a word as a shell takes it: bare where nothing in it has a meaning, else in single quotes.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./=:,+".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}
