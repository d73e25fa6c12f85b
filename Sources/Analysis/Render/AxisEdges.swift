// The ends of axes: a best point that lies at one of them says that the axis was too short.

/// The sentences on a best point at the ends of numeric axes.
struct AxisEdges {
  let sweep: SweepDescription
  let names: PointNames
  let markup: Markup

  /// Returns a sentence for each numeric axis at whose end the winner lies, or the baseline where no mean is lower; none otherwise.
  func sentences(_ summary: SweepSummary) -> [String] {
    guard let point = summary.provenWinner ?? summary.unbeatenBaseline else { return [] }
    return zip(summary.axes.indices, names.axes).compactMap { index, name in
      sentence(summary.axes[index], name, value: point.axisValues[index], isBaseline: point.isBaseline)
    }
  }

  private func sentence(_ path: String, _ name: String, value: String, isBaseline: Bool) -> String? {
    guard let swept = sweep.axes.first(where: { $0.path == path }), let axis = NumericAxis(swept.values), let end = axis.end(of: value)
    else { return nil }
    let known = end == .upper ? swept.valuesAbove : swept.valuesBelow
    // Without the program that knows the key's bounds, zero is taken to be beyond them.
    let next = known ?? axis.proposals(beyond: end).filter { text in text.contains { ("1"..."9").contains($0) } }
    // The key itself ends here.
    if known?.isEmpty == true || (next.isEmpty && end == .lower) { return nil }
    let subject = "\(isBaseline ? "The baseline's" : "The winner's") \(markup.strong("\(name) \(value)"))"
    let place = "\(subject) lies at the \(end == .upper ? "upper" : "lower") end of the axis (\(markup.text(axis.range)))"
    guard !next.isEmpty else { return "\(place)." }
    return "\(place): try \(markup.text(list(next, axis))) next\(command(path, value, next, axis, end))."
  }

  /// `11…20`, or the values one by one where `…` would not say the step.
  private func list(_ values: [String], _ axis: NumericAxis) -> String {
    guard axis.isCountedByOne, values.count > 2 else {
      return values.count > 4 ? "\(values[0]), \(values[1]), … \(values[values.count - 1])" : values.joined(separator: ", ")
    }
    let ends = [values[0], values[values.count - 1]]
    return NumericAxis(ends)?.range ?? ends.joined(separator: "…")
  }

  /// The option that runs them together with the end itself: a range, or a list in quotes for a shell.
  private func command(_ path: String, _ value: String, _ next: [String], _ axis: NumericAxis, _ end: NumericAxis.End) -> String {
    guard axis.isCountedByOne, let last = next.last else {
      let numbers = ([value] + next).map { $0.allSatisfy { "0123456789.".contains($0) } ? $0 : "\"\($0)\"" }
      return ", with \(markup.text("--set '\(path)=[\(numbers.joined(separator: ", "))]'"))"
    }
    let range = end == .upper ? "\(value)...\(last)" : "\(last)...\(value)"
    return ", with \(markup.text("--set \(path)=\(range)"))"
  }
}

extension SweepSummary {
  /// The baseline where no other point has a lower mean; nil otherwise.
  var unbeatenBaseline: PointSummary? {
    guard let baseline, let best = best.first, let mean = baseline.headlineMean, let least = best.headlineMean else { return nil }
    return points.count > 1 && (best.isBaseline || mean <= least) ? baseline : nil
  }
}
