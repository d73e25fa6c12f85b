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

  /// The mark of a note, as GitHub's Markdown has it.
  mutating func mark(_ text: String) -> String { "[^\(number(text))]" }

  /// All notes, one a line.
  var definitions: String { texts.enumerated().map { "[^\($0 + 1)]: \(SafeText.markdown($1))\n" }.joined() }
}
