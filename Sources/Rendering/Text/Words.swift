// Numbers and lists in sentences, and footnotes.

import Base

package enum Words {
  static func percent(_ confidence: Double) -> String { "\(DecimalText.trimmed(confidence * 100, decimals: 2)) %" }

  /// Returns a share, 0 … 1, in whole per cent; `< 1 %` for a positive share that rounds to 0.
  static func share(_ share: Double) -> String {
    let text = DecimalText.fixed(share * 100, decimals: 0)
    return text == "0" && share > 0 ? "< 1 %" : "\(text) %"
  }

  /// Returns a number with its noun, e.g. `1 point` or `2 points`.
  package static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }

  /// Returns a list in words, e.g. `5, 10 and 20`.
  static func list(_ texts: [String]) -> String {
    texts.count < 2 ? texts.joined() : "\(texts.dropLast().joined(separator: ", ")) and \(texts[texts.count - 1])"
  }

  /// Returns the first of some texts, and the number of the others.
  static func first(_ limit: Int, of texts: [String], others: String = "") -> String {
    texts.prefix(limit).joined(separator: "; ") + (texts.count > limit ? "; and \(texts.count - limit) more\(others)" : "")
  }

  /// Returns a sentence in which a line ends neither before `%` nor inside an interval.
  static func unbroken(_ text: String) -> String {
    text.replacing(" %", with: "\u{A0}%").replacing(#/ (\[[-+0-9][^ \]]*), /#) { "\u{A0}\($0.1),\u{A0}" }
  }

  /// Returns a positive number rounded up to two digits: predictions have no more.
  static func roundedUp(_ number: Int) -> Int {
    var unit = 1
    while number / unit >= 100 { unit *= 10 }
    return (number + unit - 1) / unit * unit
  }

  static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}

/// The footnotes in the order of their first mention; equal texts are one note.
struct Footnotes {
  private var texts: [String] = []

  /// Returns the numbers of some notes, from 1, without repeats; adds those that are new.
  mutating func numbers(_ notes: [String]) -> [Int] {
    for note in notes where !texts.contains(note) { texts.append(note) }
    return notes.distinct.compactMap { texts.firstIndex(of: $0).map { $0 + 1 } }
  }

  static func mark(_ number: Int) -> String { "[^\(number)]" }
  static func link(_ number: Int) -> String { "<sup><a href=\"#note-\(number)\">\(number)</a></sup>" }

  var markdown: String { texts.enumerated().map { "\(Self.mark($0 + 1)): \(SafeText.markdown($1))\n" }.joined() }

  var html: String {
    let items = texts.enumerated().map { "<li id=\"note-\($0 + 1)\">\(XMLText.isolated($1))</li>" }
    return items.isEmpty ? "" : "<ol>\n\(items.joined(separator: "\n"))\n</ol>\n"
  }
}
