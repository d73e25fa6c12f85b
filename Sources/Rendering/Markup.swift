// The same sentence for a terminal, a code host and a browser.

import Analysis

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

  /// A command's options, each on one line where the text is wrapped and has room.
  func code(_ options: [String]) -> String {
    switch self {
    case .plain: return options.map { SafeText.line($0).replacing(" ", with: TerminalSummary.unbrokenSpace) }.joined(separator: " ")
    case .markdown:
      let text = SafeText.line(options.joined(separator: " "))
      let runs = text.split { $0 != "`" }.map(\.count)
      let fence = String(repeating: "`", count: (1...(runs.count + 1)).first { !runs.contains($0) } ?? 1)
      return runs.isEmpty ? "`\(text)`" : "\(fence) \(text) \(fence)"
    case .page: return "<code>\(XMLText.line(options.joined(separator: " ")))</code>"
    }
  }
}
