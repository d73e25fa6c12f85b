// The ends of axes: a best point that lies at one of them says that the axis was too short.

import Analysis

/// The sentences on a best point at the ends of numeric axes.
struct AxisEdges {
  let sweep: SweepDescription
  let names: PointNames
  let markup: Markup

  /// Returns a sentence for each numeric axis at whose end the winner lies, or the baseline where no mean is lower; none otherwise.
  func sentences(_ summary: SweepSummary) -> [String] {
    guard let point = summary.provenWinner ?? summary.unbeatenBaseline else { return [] }
    let tied = summary.points.filter { !$0.isDropped && $0.hasSameMean(as: point) }
    return zip(summary.axes.indices, names.axes).compactMap { index, name in
      guard let swept = sweep.axes.first(where: { $0.path == summary.axes[index] }), let axis = NumericAxis(swept.values),
        let end = axis.end(of: point.axisValues[index]), tied.allSatisfy({ axis.end(of: $0.axisValues[index]) == end })
      else { return nil }
      let others = Dictionary(zip(summary.axes, point.axisValues), uniquingKeysWith: { first, _ in first })
      let subject =
        "\(point.isBaseline ? "The baseline's" : "The winner's") \(markup.strong("\(name) \(point.axisValues[index])"))"
      let text = "\(subject) lies at the \(end == .upper ? "upper" : "lower") end of the axis (\(markup.text(axis.range)))"
      return "\(text)\(advice(swept, axis, end, value: point.axisValues[index], beside: others))."
    }
  }

  /// The values to try next, as a clause with the command in brackets; those of the sweep file where the command line left them out.
  private func advice(
    _ swept: SweepDescription.Axis, _ axis: NumericAxis, _ end: NumericAxis.End, value: String, beside others: [String: String]
  ) -> String {
    let inFile = axis.values(of: swept.fileValues ?? [], beyond: end)
    if !inFile.isEmpty { return ", which --set narrows: the sweep file also has \(markup.text(list(inFile)))" }
    // Without the program that knows the key's bounds, zero is taken to be beyond them.
    let known = end == .upper ? swept.valuesAbove : swept.valuesBelow
    let next =
      known?.filter { !isExcluded($0, swept.exclusions ?? [], others) }
      ?? axis.proposals(beyond: end) { text in text.contains { ("1"..."9").contains($0) } }
    guard let last = next.last else { return "" }
    // A folder of its own: these results stay, and so do those of other proposals.
    let folder = "\(sweep.name)-\(AxisNames.short([swept.path])[0])-\(last)".replacing("/", with: "-")
    let options = ["--set \(ShellText.quoted(setting(swept.path, value, next)))", "--output \(ShellText.quoted("Results/\(folder)"))"]
    return ": try \(markup.text(list(next))) next (\(markup.code(options)))"
  }

  /// True if the point with a value in its axis' place is refused; values of other axes that it does not have count as refused.
  private func isExcluded(_ value: String, _ exclusions: [SweepDescription.Exclusion], _ others: [String: String]) -> Bool {
    exclusions.contains { exclusion in
      exclusion.value == value
        && exclusion.combinations.contains { zip(exclusion.paths, $0).allSatisfy { path, text in others[path].map { $0 == text } ?? true } }
    }
  }

  /// `11…20`, or the values one by one where `…` would not say the step.
  private func list(_ values: [String]) -> String {
    if values.count > 2, let axis = NumericAxis(values), axis.isCountedByOne { return axis.range }
    if values.count > 4 { return "\(values[0]), \(values[1]), … \(values[values.count - 1])" }
    return values.count < 2 ? values.joined() : "\(values.dropLast().joined(separator: ", ")) and \(values[values.count - 1])"
  }

  /// The setting that runs values together with the end itself: a range or a list.
  private func setting(_ path: String, _ value: String, _ next: [String]) -> String {
    if let axis = NumericAxis([value] + next), axis.isCountedByOne { return "\(path)=\(axis.range.replacing("…", with: "..."))" }
    let numbers = ([value] + next).map { $0.allSatisfy { "0123456789.".contains($0) } ? $0 : "\"\($0)\"" }
    return "\(path)=[\(numbers.joined(separator: ","))]"
  }
}

extension PointSummary {
  /// True if two means are equal but for rounding.
  func hasSameMean(as other: PointSummary) -> Bool {
    guard let mean = headlineMean, let otherMean = other.headlineMean else { return false }
    return (mean - otherMean).magnitude <= 1e-9 * max(1, otherMean.magnitude)
  }
}

extension SweepSummary {
  /// The baseline where no other point has a lower mean; nil otherwise.
  var unbeatenBaseline: PointSummary? {
    guard let baseline, let best = best.first, let mean = baseline.headlineMean, let least = best.headlineMean else { return nil }
    return points.count > 1 && (best.isBaseline || mean <= least) ? baseline : nil
  }
}
