// The ends of axes: a best point that lies at one of them says that the axis was too short.

import Analysis

extension Headline {
  /// The whole's best point at the ends of axes, and what strata say beside that.
  var edges: [String] {
    let sentences = edges(summary)
    var parts: [(sentence: String, names: [String])] = []
    for member in summary.strata?.members ?? [] {
      for sentence in edges(member.summary) where !sentences.contains(sentence) {
        if let index = parts.firstIndex(where: { $0.sentence == sentence }) {
          parts[index].names.append(member.name)
        } else {
          parts.append((sentence, [member.name]))
        }
      }
    }
    guard summary.strata?.members.count ?? 0 <= Self.namedLimit else { return sentences }
    return sentences + parts.map { "For \(markup.text($0.names.joined(separator: "; "))): \(Self.lowercased($0.sentence))" }
  }

  /// A sentence for each numeric axis at whose end the winner lies, or the baseline where no mean is lower.
  private func edges(_ summary: SweepSummary) -> [String] {
    guard let point = summary.provenWinner ?? summary.unbeatenBaseline else { return [] }
    let tied = summary.points.filter { !$0.isDropped && $0.hasSameMean(as: point) }
    let values = Dictionary(zip(summary.axes, point.axisValues), uniquingKeysWith: { first, _ in first })
    return zip(summary.axes.indices, part.axes).compactMap { index, name in
      let value = point.axisValues[index]
      guard let swept = part.sweep.axes.first(where: { $0.path == summary.axes[index] }), let axis = NumericAxis(swept.values),
        let end = axis.end(of: value), tied.allSatisfy({ axis.end(of: $0.axisValues[index]) == end })
      else { return nil }
      let subject = "\(point.isBaseline ? "The baseline's" : "The winner's") \(markup.strong("\(name) \(value)"))"
      return "\(subject) lies at the \(end == .upper ? "upper" : "lower") end of the axis (\(markup.text(axis.range)))"
        + "\(advice(swept, axis, end, value: value, beside: values))."
    }
  }

  /// The values to try next, as a clause with the command in brackets; those of the sweep file where the command line left them out.
  private func advice(
    _ swept: SweepDescription.Axis, _ axis: NumericAxis, _ end: NumericAxis.End, value: String, beside others: [String: String]
  ) -> String {
    let inFile = axis.values(of: swept.fileValues ?? [], beyond: end)
    if !inFile.isEmpty { return ", which --set narrows: the sweep file also has \(markup.text(Self.list(inFile)))" }
    /// True if the point with a value in its axis' place is refused; values of other axes that it does not have count as refused.
    func isExcluded(_ value: String) -> Bool {
      (swept.exclusions ?? []).contains { exclusion in
        exclusion.value == value
          && exclusion.combinations.contains {
            zip(exclusion.paths, $0).allSatisfy { path, text in others[path].map { $0 == text } ?? true }
          }
      }
    }
    // Without the program that knows the key's bounds, zero is taken to be beyond them.
    let known = end == .upper ? swept.valuesAbove : swept.valuesBelow
    let next =
      known?.filter { !isExcluded($0) }
      ?? axis.proposals(beyond: end) { text in text.contains { ("1"..."9").contains($0) } }
    guard let last = next.last else { return "" }
    // A folder of its own: these results stay, and so do those of other proposals.
    let folder = "\(part.sweep.name)-\(AxisNames.short([swept.path])[0])-\(last)".replacing("/", with: "-")
    let options = [
      "--set \(ShellText.quoted(Self.setting(swept.path, value, next)))", "--output \(ShellText.quoted("Results/\(folder)"))",
    ]
    return ": try \(markup.text(Self.list(next))) next (\(markup.code(options)))"
  }

  /// `11…20`, or the values one by one where `…` would not say the step.
  private static func list(_ values: [String]) -> String {
    if values.count > 2, let axis = NumericAxis(values), axis.isCountedByOne { return axis.range }
    return values.count > 4 ? "\(values[0]), \(values[1]), … \(values[values.count - 1])" : Words.list(values)
  }

  /// The setting that runs values together with the end itself: a range or a list.
  private static func setting(_ path: String, _ value: String, _ next: [String]) -> String {
    if let axis = NumericAxis([value] + next), axis.isCountedByOne { return "\(path)=\(axis.range.replacing("…", with: "..."))" }
    let numbers = ([value] + next).map { $0.allSatisfy { "0123456789.".contains($0) } ? $0 : "\"\($0)\"" }
    return "\(path)=[\(numbers.joined(separator: ","))]"
  }
}
