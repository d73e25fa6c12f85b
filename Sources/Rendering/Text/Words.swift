// Numbers and lists in sentences, and warnings beside what they warn of: a mark in the text, the sentence at the report's end.

import Analysis

enum Words {
  static func percent(_ confidence: Double) -> String { "\(DecimalText.trimmed(confidence * 100, decimals: 2)) %" }

  /// A share, 0 … 1, in whole per cent; above 0 it is never written as 0.
  static func share(_ share: Double) -> String {
    let text = DecimalText.fixed(share * 100, decimals: 0)
    return text == "0" && share > 0 ? "< 1 %" : "\(text) %"
  }

  /// `1 point`, `2 points`.
  static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String { "\(count) \(count == 1 ? one : many ?? one + "s")" }

  /// `5, 10 and 20`.
  static func list(_ texts: [String]) -> String {
    texts.count < 2 ? texts.joined() : "\(texts.dropLast().joined(separator: ", ")) and \(texts[texts.count - 1])"
  }

  static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}

/// Footnotes in the order of their first mention; the same text is the same note.
struct Footnotes {
  private var texts: [String] = []

  /// The numbers of some notes, from 1, each once.
  mutating func numbers(_ notes: [String]) -> [Int] {
    var numbers: [Int] = []
    for note in notes {
      if !texts.contains(note) { texts.append(note) }
      let number = (texts.firstIndex(of: note) ?? 0) + 1
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }

  static func mark(_ number: Int) -> String { "[^\(number)]" }
  static func link(_ number: Int) -> String { "<sup><a href=\"#note-\(number)\">\(number)</a></sup>" }

  var markdown: String { texts.enumerated().map { "\(Self.mark($0 + 1)): \(SafeText.markdown($1))\n" }.joined() }

  var html: String {
    let items = texts.enumerated().map { "<li id=\"note-\($0 + 1)\">\(XMLText.isolated($1))</li>" }
    return items.isEmpty ? "" : "<ol>\n\(items.joined(separator: "\n"))\n</ol>\n"
  }
}
