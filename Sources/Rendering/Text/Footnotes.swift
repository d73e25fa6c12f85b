// Warnings beside what they warn of: a mark in the text, the sentence at the report's end.

import Analysis

/// Footnotes in the order of their first mention; the same text is the same note.
struct Footnotes {
  private(set) var texts: [String] = []

  /// The number of a note, from 1.
  mutating func number(_ text: String) -> Int {
    if let known = texts.firstIndex(of: text) { return known + 1 }
    texts.append(text)
    return texts.count
  }

  /// The mark of a note in GitHub's Markdown, and in a page.
  static func mark(_ number: Int) -> String { "[^\(number)]" }
  static func link(_ number: Int) -> String { "<sup><a href=\"#note-\(number)\">\(number)</a></sup>" }

  /// All notes, a line each.
  var markdown: String { texts.enumerated().map { "\(Self.mark($0 + 1)): \(SafeText.markdown($1))\n" }.joined() }

  /// All notes as a list; empty if there are none.
  var html: String {
    let items = texts.enumerated().map { "<li id=\"note-\($0 + 1)\">\(XMLText.isolated($1))</li>" }
    return items.isEmpty ? "" : "<ol>\n\(items.joined(separator: "\n"))\n</ol>\n"
  }
}
