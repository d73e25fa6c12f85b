// What a person sees on a terminal or in a log.

import Analysis

/// A gate as plain text.
package enum GateText {
  /// So many rows of the table are shown; a file of JSON, JUnit or Markdown has all.
  private static let rowLimit = 40
  /// So many strata are described.
  private static let headLimit = 12
  /// So many failed runs are named.
  private static let failureLimit = 20

  /// The word and the sentence, the guards, what differs, and how it was judged; lines of at most `width` columns but for the table and
  /// the settings. Ends with a line feed.
  package static func text(_ result: GateResult, width: Int = 100, isColored: Bool = false) -> String {
    let sentence = GateSentence(result: result)
    let style: Table.Style =
      switch result.outcome {
      case .passed: .good
      case .inconclusive: .strong
      default: .bad
      }
    let width = max(20, width)
    var lines = DisplayWidth.wrapped("\(sentence.word): \(SafeText.line(sentence.headline))", to: width)
    if isColored, lines[0].hasPrefix(sentence.word) {
      lines[0] = Table.colored(sentence.word, style) + lines[0].dropFirst(sentence.word.count)
    }
    let table = GateTable(sentence: sentence)
    if result.pairCount > 0 {
      lines += ["", String(table.table(limit: rowLimit).plainText(isColored: isColored).dropLast())]
      if let rest = table.rest(limit: rowLimit) { lines.append(rest) }
    }
    lines += ["", "baseline:  \(SafeText.line(result.baseline.source))", "candidate: \(SafeText.line(result.candidate.source))"]
    lines += sentence.changes.map { "  \(SafeText.line($0))" }
    for line in result.head { lines.append("\(SafeText.line(line.label)): \(SafeText.line(line.text))") }
    for (name, own) in table.heads(limit: headLimit) {
      lines.append("stratum \(SafeText.line(name)):")
      lines += own.map { "  \(SafeText.line($0.label)): \(SafeText.line($0.text))" }
    }
    lines.append("seed: \(result.seed)")
    lines += [""] + DisplayWidth.wrapped(sentence.method, to: width)
    for note in shownFailures(result) + sentence.notes { lines += DisplayWidth.wrapped(SafeText.line(note), to: width) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The first failed runs, and how many more there are.
  static func shownFailures(_ result: GateResult) -> [String] {
    let more = result.failures.count - failureLimit
    return result.failures.prefix(failureLimit) + (more > 0 ? ["… and \(more) more failed."] : [])
  }
}
