// The same sentence for a terminal and for a code host.

/// Where a sentence will be read, and hence how names in it are set off.
enum Markup {
  /// A terminal or a log.
  case plain
  /// A code host.
  case markdown

  /// A name that is the sentence's subject.
  func strong(_ text: String) -> String { self == .plain ? SafeText.line(text) : "**\(SafeText.markdown(text))**" }

  /// Any other text from outside.
  func text(_ text: String) -> String { self == .plain ? SafeText.line(text) : SafeText.markdown(text) }
}
