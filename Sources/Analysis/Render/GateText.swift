// What a person sees on a terminal or in a log.

/// A gate as plain text.
public enum GateText {
  /// The word and the sentence, the guards, what differs, and how it was judged; lines of at most `width` columns but for the table and
  /// the settings. Ends with a line feed.
  public static func text(_ result: GateResult, width: Int = 100, isColored: Bool = false) -> String {
    let sentence = GateSentence(result: result)
    let style: Table.Style =
      switch result.outcome {
      case .passed: .good
      case .inconclusive: .strong
      default: .bad
      }
    let width = max(20, width)
    var lines = TerminalSummary.wrapped("\(sentence.word): \(SafeText.line(sentence.headline))", to: width)
    if isColored, lines[0].hasPrefix(sentence.word) {
      lines[0] = Table.colored(sentence.word, style) + lines[0].dropFirst(sentence.word.count)
    }
    if !result.pairs.isEmpty { lines += ["", String(sentence.table.plainText(isColored: isColored).dropLast())] }
    lines += ["", "baseline:  \(SafeText.line(result.baseline.source))", "candidate: \(SafeText.line(result.candidate.source))"]
    lines += sentence.changes.map { "  \(SafeText.line($0))" }
    for line in result.head { lines.append("\(SafeText.line(line.label)): \(SafeText.line(line.text))") }
    lines.append("seed: \(result.seed)")
    lines += [""] + TerminalSummary.wrapped(sentence.method, to: width)
    for note in result.failures + sentence.notes { lines += TerminalSummary.wrapped(SafeText.line(note), to: width) }
    return lines.joined(separator: "\n") + "\n"
  }
}
