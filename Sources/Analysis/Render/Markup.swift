// The same sentence for a terminal, a code host and a browser.

/// Where a sentence will be read, and hence how names in it are set off.
enum Markup {
  /// A terminal or a log.
  case plain
  /// A code host.
  case markdown

  /// A page of HTML that is XML too.
  case page

  /// A name that is the sentence's subject.
  func strong(_ text: String) -> String {
    switch self {
    case .plain: SafeText.line(text)
    case .markdown: "**\(SafeText.markdown(text))**"
    case .page: "<strong><bdi>\(XMLText.line(text))</bdi></strong>"
    }
  }

  /// Any other text from outside.
  func text(_ text: String) -> String {
    switch self {
    case .plain: SafeText.line(text)
    case .markdown: SafeText.markdown(text)
    case .page: "<bdi>\(XMLText.line(text))</bdi>"
    }
  }
}
