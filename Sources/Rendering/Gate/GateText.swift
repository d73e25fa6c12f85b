// The gate's result for people: on a terminal, in a log, and on the page of a CI service.

import Analysis
import Base

/// The gate's result as plain text.
package enum GateText {
  /// The most rows of the table; JSON, JUnit and Markdown have all.
  static let rowLimit = 40
  /// The most strata that are described.
  static let headLimit = 12
  /// The most failed runs that are named.
  private static let failureLimit = 20

  /// Returns outcome, guards, changed settings and method, in lines of at most `width` columns except for the table; ends with a line feed.
  package static func text(_ result: GateResult, width: Int = 100, isColored: Bool = false) -> String {
    let sentence = GateSentence(result: result)
    let style: Table.Style =
      switch result.outcome {
      case .passed: .good
      case .inconclusive, .unfit: .strong
      default: .bad
      }
    let width = max(20, width)
    let safe = SafeText.line
    var lines = DisplayWidth.wrapped("\(sentence.word): \(safe(sentence.headline))", to: width)
    if isColored, lines[0].hasPrefix(sentence.word) { lines[0] = style.colored(sentence.word) + lines[0].dropFirst(sentence.word.count) }
    if result.pairCount > 0 {
      let narrow = sentence.table(limit: rowLimit).narrowed(by: GateSentence.steps) { $0.plainWidth <= width }
      lines += ["", String(narrow.table.plainText(isColored: isColored).dropLast())]
      let omitted = Words.list(narrow.omitted)
      if !omitted.isEmpty { lines += DisplayWidth.wrapped("Not shown in \(width) columns: \(omitted).", to: width) }
      if let rest = sentence.rest(limit: rowLimit) { lines.append(rest) }
    }
    func add(_ label: String, _ text: String, indent: String = "") {
      let wrapped = DisplayWidth.wrapped(safe("\(label):\(text.isEmpty ? "" : " \(text)")"), to: width - indent.count - 2)
      lines += wrapped.enumerated().map { indent + ($0.offset == 0 ? "" : "  ") + $0.element }
    }
    lines.append("")
    add("baseline", result.baseline.source)
    add("candidate", result.candidate.source)
    for change in result.changes { add(change.path, change.text, indent: "  ") }
    for line in result.head { add(line.label, line.text) }
    for (name, own) in sentence.heads(limit: headLimit) {
      add("stratum \(name)", "")
      for line in own { add(line.label, line.text, indent: "  ") }
    }
    lines.append("seed: \(result.seed)")
    lines += [""] + DisplayWidth.wrapped(sentence.method, to: width)
    for note in shownFailures(result) + sentence.notes { lines += DisplayWidth.wrapped(safe(note), to: width) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the first failed runs, and the number of the others.
  static func shownFailures(_ result: GateResult) -> [String] {
    let more = result.failures.count - failureLimit
    return result.failures.prefix(failureLimit) + (more > 0 ? ["… and \(more) more failed."] : [])
  }
}

/// The gate's result as GitHub-flavored Markdown.
package enum GateMarkdown {
  /// The longest comment on a pull request that GitHub takes, in UTF-16 code units.
  private static let commentLimit = 65_536

  /// Returns heading, headline, a table of guards and the rest folded, without what a comment has no room for; ends with a line feed.
  package static func text(_ result: GateResult) -> String {
    let whole = text(result, isShort: false)
    return whole.utf16.count <= commentLimit ? whole : text(result, isShort: true)
  }

  private static func text(_ result: GateResult, isShort: Bool) -> String {
    let sentence = GateSentence(result: result)
    let mark =
      switch result.outcome {
      case .passed: "✅"
      case .regression, .failed: "❌"
      case .inconclusive, .unfit: "⚠️"
      }
    var parts = [
      "### \(mark) Prefetch gate: \(Words.capitalized(sentence.word.lowercased()))", SafeText.markdown(sentence.headline, opensBlock: true),
    ]
    if result.pairCount > 0 { parts.append(String(sentence.table(limit: GateText.rowLimit).markdown.dropLast())) }
    parts += (GateText.shownFailures(result) + sentence.notes).map { SafeText.markdown($0, opensBlock: true) }
    let count = sentence.items.count
    if count > GateText.rowLimit, isShort, let rest = sentence.rest(limit: GateText.rowLimit) {
      parts.append(SafeText.markdown(rest, opensBlock: true))
    } else if count > GateText.rowLimit {
      parts += ["<details><summary>All \(count) comparisons</summary>", String(sentence.table().markdown.dropLast()), "</details>"]
    }
    var lines = [("baseline", result.baseline.source), ("candidate", result.candidate.source)]
    lines += result.changes.map { ($0.path, $0.text) }
    lines += result.head.map { ($0.label, $0.text) }
    for (name, own) in sentence.heads(limit: isShort ? GateText.headLimit : .max) { lines += own.map { ("\(name): \($0.label)", $0.text) } }
    lines += [("sweep", result.sweep), ("seed", "\(result.seed)"), ("program", result.program.description)]
    var table = Table(columns: ["", ""])
    for line in lines { table.append([line.0, line.1]) }
    parts += [
      "<details><summary>Comparison and method</summary>", String(table.markdown.dropLast()),
      SafeText.markdown(sentence.method, opensBlock: true), "</details>",
    ]
    return parts.joined(separator: "\n\n") + "\n"
  }
}
