// Numbers and lists in sentences.

import Analysis

enum Words {
  /// A confidence: `95 %`.
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
