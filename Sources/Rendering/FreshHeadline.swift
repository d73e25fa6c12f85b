// The headline on fresh seeds: what the sweep chose, judged by runs that had no part in choosing it.

import Analysis

/// The sentence of a confirmed sweep.
struct FreshHeadline {
  let summary: SweepSummary
  let confirmation: Confirmation
  let names: PointNames
  let markup: Markup

  /// The sentence, without a line's end; nil where the leader was not confirmed.
  var text: String? {
    guard let leader = summary.leader, let its = leader.comparison, let baseline = confirmation.points.first(where: \.isBaseline),
      let fresh = confirmation.point(like: leader), let comparison = fresh.comparison
    else { return nil }
    let name = markup.strong(names.name(of: leader))
    let words = summary.schema.words
    let basis =
      comparison.differenceInterval == nil ? "" : ", paired \(ConfidenceText.percent(summary.confidence)) interval"
    let numbers =
      "\(words.counted(loaders(fresh))) against \(HeadlineText.mean(baseline, confidence: summary.confidence, beside: [comparison])) of the baseline, \(Self.change(comparison)) "
      + "(\(CountText.text(comparison.pairs, "fresh repetition"))\(basis))"
    let start: String
    switch (comparison.verdict.outcome, comparison.verdict.ground) {
    case (.better, _): start = "\(name) wins on fresh seeds: \(numbers)" + family(comparison)
    case (.equivalent, _): start = "\(name) is within the margin of the baseline (\(MarginText.text(summary))) on fresh seeds: \(numbers)"
    case (.identical, _): start = "\(name) shows the same as the baseline on fresh seeds: \(numbers)"
    case (.worse, _): start = "\(name) looked best and is worse on fresh seeds: \(numbers)" + family(comparison)
    case (.inconclusive, .interval), (.inconclusive, .zeroBaseline):
      let beyond = summary.margin == .none ? "the noise" : "the noise and the margin of \(MarginText.text(summary))"
      start = "Nothing is shown to beat the baseline beyond \(beyond) on fresh seeds: the sweep's best, \(name), shows \(numbers)"
    case (.inconclusive, _):
      start = "The fresh seeds do not tell whether \(name) beats the baseline (\(comparison.verdict.description)): it shows \(numbers)"
    }
    return start + own(its) + rival(of: leader, fresh)
  }

  private func family(_ comparison: PointComparison) -> String {
    FamilyText.clause(
      summary, pairs: comparison.pairs, subject: "confirmed points", familySize: confirmation.familySize,
      hasInterval: comparison.equalPairs == nil)
  }

  /// The sweep's own estimate, and what of it selection alone would explain.
  private func own(_ comparison: PointComparison) -> String {
    let text = ". The sweep's own \(CountText.text(comparison.pairs, "repetition")) showed \(Self.change(comparison))"
    guard summary.familySize > 1, comparison.standardError > 0 else { return text }
    let bias = SelectionBias.expected(ofBest: summary.familySize, standardError: comparison.standardError)
    let digits = Precision.decimals(halfWidth: bias, limit: Digits.difference)
    return text
      + "; the best of \(summary.familySize) equal settings would look \(summary.schema.words.counted(DecimalText.fixed(bias, decimals: digits))) better than it is on average"
  }

  /// Another finalist with fewer loaders on the fresh seeds: it is named, but what is chosen now would be chosen by these seeds.
  private func rival(of leader: PointSummary, _ fresh: PointSummary) -> String {
    let mean = fresh.headlineMean ?? .infinity
    let rival = confirmation.points.filter { !$0.isBaseline }.min {
      ($0.headlineMean ?? .infinity) < ($1.headlineMean ?? .infinity)
    }
    guard let rival, let its = rival.headlineMean, its < mean - 1e-9 * max(1, mean), loaders(rival) != loaders(fresh) else { return "" }
    return "; on the fresh seeds \(markup.strong(names.name(of: rival))) shows fewer, \(loaders(rival))"
  }

  private func loaders(_ point: PointSummary) -> String { HeadlineText.mean(point, confidence: summary.confidence) }

  /// The difference with its interval and the per cent.
  static func change(_ comparison: PointComparison) -> String {
    let interval = comparison.differenceInterval
    let ends = Precision.signedEnds(interval, limit: Digits.difference)
    var text = comparison.differenceText + (ends.isEmpty ? "" : " \(ends)")
    if let equal = comparison.equalPairs { text += " in each of \(equal) equal pairs" }
    if comparison.percent != nil {
      text += ", \(comparison.percentText) %" + (comparison.equalPairs == nil ? "" : " of the mean")
    }
    return text
  }

  /// The confirmed points beside what the sweep itself had shown of them.
  static func table(_ summary: SweepSummary, _ confirmation: Confirmation, names: PointNames, notes: inout Footnotes) -> Table {
    let level = ConfidenceText.percent(summary.confidence)
    let axes = names.axes.isEmpty ? ["point"] : names.axes
    var table = Table(
      columns: axes.map { Table.Column($0) } + [
        Table.Column("in the sweep [\(level)]", .right), Table.Column("\(summary.schema.words.headline), fresh", .right),
        Table.Column("difference, fresh [\(level)]", .right), Table.Column("%, fresh [\(level)]", .right), Table.Column("verdict, fresh"),
      ])
    let order = summary.best.compactMap { point in confirmation.point(like: point).map { (point, $0) } }
    for (point, fresh) in order {
      let cells =
        (names.axes.isEmpty ? [names.name(of: point)] : point.axisValues)
        + [
          point.isBaseline ? "baseline" : PointTable.difference(point.comparison),
          HeadlineText.mean(
            fresh, confidence: summary.confidence,
            beside: fresh.isBaseline ? confirmation.points.compactMap(\.comparison) : nil),
          PointTable.difference(fresh.comparison), PointTable.percent(fresh.comparison),
          point.isBaseline ? "baseline" : fresh.comparison?.verdict.description ?? "",
        ]
      let marks = MarkdownReport.rowNotes(fresh, confidence: summary.confidence).map { notes.number($0) }
      table.append(
        cells.enumerated().map { index, text in
          Table.Cell(text, style: point.isBaseline ? .strong : .plain, footnotes: index == cells.count - 1 ? marks : [])
        })
    }
    return table
  }
}
