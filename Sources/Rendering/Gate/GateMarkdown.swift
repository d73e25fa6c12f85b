// What a CI service shows on a run's page.

import Analysis

/// A gate as GitHub-flavored Markdown.
package enum GateMarkdown {
  /// So many rows of the table are shown unfolded.
  private static let rowLimit = 40

  /// A heading, the sentence, the guards as a table, and the rest folded away. Ends with a line feed.
  package static func text(_ result: GateResult) -> String {
    let sentence = GateSentence(result: result)
    let mark =
      switch result.outcome {
      case .passed: "✅"
      case .regression, .failed: "❌"
      case .inconclusive: "⚠️"
      }
    let word = sentence.word.prefix(1) + sentence.word.dropFirst().lowercased()
    var parts = ["### \(mark) Prefetch gate: \(word)", SafeText.markdown(sentence.headline, opensBlock: true)]
    let findings = GateTable(sentence: sentence)
    if result.pairCount > 0 { parts.append(String(findings.table(limit: rowLimit).markdown.dropLast())) }
    parts += (GateText.shownFailures(result) + sentence.notes).map { SafeText.markdown($0, opensBlock: true) }
    if findings.count > rowLimit {
      parts += [
        "<details><summary>All \(findings.count) comparisons</summary>", String(findings.table().markdown.dropLast()), "</details>",
      ]
    }
    var table = Table(columns: [Table.Column(""), Table.Column("")])
    func add(_ label: String, _ text: String) { table.append([Table.Cell(label), Table.Cell(text)]) }
    add("baseline", result.baseline.source)
    add("candidate", result.candidate.source)
    for change in result.changes { add(change.path, "\(change.baseline ?? "none") → \(change.candidate ?? "none")") }
    for line in result.head { add(line.label, line.text) }
    for (name, own) in findings.heads(limit: .max) {
      for line in own { add("\(name): \(line.label)", line.text) }
    }
    add("sweep", result.sweep)
    add("seed", "\(result.seed)")
    add("program", "\(result.program.name), model \(result.program.modelVersion)")
    parts += ["<details><summary>What was compared, and how</summary>", String(table.markdown.dropLast())]
    parts += [SafeText.markdown(sentence.method, opensBlock: true), "</details>"]
    return parts.joined(separator: "\n\n") + "\n"
  }
}
