// One line on a terminal's standard error that is written over while something runs.

import Import

/// What a command is at, shown on a terminal and nowhere else.
struct StatusLine {
  /// What takes away the line that the cursor is on.
  static let erasing = "\r\u{1B}[K"

  private let isShown: Bool

  init(isQuiet: Bool) { isShown = isatty(STDERR_FILENO) == 1 && !isQuiet }

  /// Writes over what was shown before.
  func show(_ text: String) {
    if isShown { writeAll(Self.erasing + text, to: STDERR_FILENO) }
  }

  /// Takes the line away.
  func clear() { show("") }
}
