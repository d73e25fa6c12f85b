// The table of points, best first, as the report and the terminal show it.

import Analysis

/// Builds the table of points.
struct PointTable {
  /// Up to so many points are all shown.
  static let rowLimit = 40
  /// So many of the best are shown where there are more.
  static let topCount = 10

  /// A column of the table, so that narrow places can leave some out.
  enum Part: Hashable {
    case rank, axes, loaders, difference, percent, megabytes, front, headroom, verdict
  }

  let summary: SweepSummary
  let names: PointNames
  /// Shorter heads, for terminals.
  var isNarrow = false
  /// The most terminal columns of an axis' head and values; longer ones are cut.
  var axisWidth = Int.max

  /// The places of the points to show, best first: all up to `limit`, else the first `top` and the baseline.
  func shown(limit: Int, top: Int) -> [Int] {
    guard summary.ranking.count > limit else { return summary.ranking }
    let first = Array(summary.ranking.prefix(top))
    guard let baseline = summary.baselineIndex, !first.contains(baseline) else { return first }
    return first + [baseline]
  }

  /// All columns that have something to say: no comparisons where there is one point only, no bound and no cost where
  /// no run has one.
  var usefulParts: [Part] {
    var parts: [Part] = [.rank, .axes, .loaders, .difference, .percent, .megabytes, .front, .headroom, .verdict]
    if summary.familySize == 0 { parts.removeAll { $0 == .difference || $0 == .percent || $0 == .verdict || $0 == .front } }
    if summary.points.allSatisfy({ $0.mean(summary.schema.cost) == nil }) { parts.removeAll { $0 == .megabytes || $0 == .front } }
    if summary.points.allSatisfy({ $0.headroomMean == nil }) { parts.removeAll { $0 == .headroom } }
    return parts
  }

  /// The table of some points; `marks` are the numbers of each one's footnotes.
  func table(_ shown: [Int], parts: [Part], marks: [[Int]] = []) -> Table {
    var table = Table(columns: parts.flatMap(columns))
    for (row, index) in shown.enumerated() {
      let rank = (summary.ranking.firstIndex(of: index) ?? 0) + 1
      let notes = row < marks.count ? marks[row] : []
      table.append(parts.flatMap { cells($0, summary.points[index], rank: rank, notes: notes) })
    }
    return table
  }

  private func columns(_ part: Part) -> [Table.Column] {
    let level = ConfidenceText.percent(summary.confidence)
    let words = summary.schema.words
    return switch part {
    case .rank: [Table.Column("#", .right)]
    case .axes: names.axes.isEmpty ? [Table.Column("point")] : axisColumns
    case .loaders: [Table.Column(isNarrow ? words.headlineShort : words.headline, .right)]
    case .difference: [Table.Column(summary.isDeterministic ? "difference" : "difference [\(level)]", .right)]
    case .percent: [Table.Column(summary.isDeterministic ? "%" : "% [\(level)]", .right)]
    case .megabytes: [Table.Column(isNarrow ? words.costShort : words.cost, .right)]
    case .front: [Table.Column("front")]
    case .headroom: [Table.Column("above bound", .right)]
    case .verdict: [Table.Column("verdict")]
    }
  }

  private func cells(_ part: Part, _ point: PointSummary, rank: Int, notes: [Int]) -> [Table.Cell] {
    let comparison = point.comparison
    let confidence = summary.confidence
    let plain = point.isBaseline ? Table.Style.strong : .plain
    func cell(_ text: String) -> [Table.Cell] { [Table.Cell(text, style: plain)] }
    switch part {
    case .rank: return cell(String(rank))
    case .axes: return names.axes.isEmpty ? cell(names.name(of: point)) : point.axisValues.flatMap { cell(cut($0)) }
    case .loaders:
      // The baseline's mean stands beside all differences.
      let beside = point.isBaseline ? summary.points.compactMap(\.comparison) : nil
      return cell(HeadlineText.mean(point, confidence: confidence, beside: beside))
    case .difference:
      return cell(point.isBaseline ? "baseline" : Self.difference(comparison))
    case .percent:
      return cell(Self.percent(comparison))
    case .front: return cell(point.isOnFront ? "◆" : "")
    case .megabytes: return cell(CostText.mean(point, confidence: confidence))
    case .headroom:
      return cell(Precision.text(point.headroomMean, point.headroomInterval(confidence: confidence), limit: Digits.headroom))
    case .verdict:
      let text = point.isBaseline ? "baseline" : comparison.map(Self.verdict) ?? ""
      return [Table.Cell(text, style: point.isBaseline ? .strong : style(comparison), footnotes: notes)]
    }
  }

  /// More repetitions than this are not counted: another setting would tell sooner.
  static let neededLimit = 9999

  /// The verdict, and how many more repetitions an inconclusive one would need.
  static func verdict(_ comparison: PointComparison) -> String {
    let word = comparison.verdict.description
    if comparison.verdict.ground == .dropped { return "\(word) (\(CountText.text(comparison.pairs, "repetition")))" }
    guard let needed = comparison.neededRepetitions else { return word }
    let more = needed - comparison.pairs
    return more > neededLimit ? "\(word) (over \(neededLimit) more)" : "\(word) (\(more) more)"
  }

  /// One column an axis; numbers are flush right.
  private var axisColumns: [Table.Column] {
    names.axes.enumerated().map { index, name in
      let isNumeric = summary.points.allSatisfy { $0.axisValues[index].first.map { "0123456789-+.".contains($0) } ?? true }
      return Table.Column(cut(name), isNumeric ? .right : .left)
    }
  }

  private func cut(_ text: String) -> String {
    axisWidth == Int.max ? text : DisplayWidth.truncated(SafeText.line(text), to: axisWidth)
  }

  private func style(_ comparison: PointComparison?) -> Table.Style {
    switch comparison?.verdict.outcome {
    case .better: .good
    case .worse: .bad
    default: .plain
    }
  }

  /// The difference with its interval, or why it has none.
  static func difference(_ comparison: PointComparison?) -> String {
    guard let comparison, comparison.pairs > 0 else { return "" }
    let value = comparison.differenceText
    switch comparison.intervalState {
    case .interval(let interval): return "\(value) \(Precision.signedEnds(interval, limit: Digits.difference))"
    case .equalPairs: return "\(value) (\(comparison.pairs) equal pairs)"
    case .tooFewRepetitions: return "\(value) (too few repetitions)"
    case .fewerThanTwoPairs: return value
    }
  }

  /// The per cent with its interval, if it has one; empty where none is supported.
  static func percent(_ comparison: PointComparison?) -> String {
    let ends = Precision.signedEnds(comparison?.percentInterval, limit: Digits.percent)
    return (comparison?.percentText ?? "") + (ends.isEmpty ? "" : " " + ends)
  }
}
