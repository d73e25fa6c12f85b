// The table of points, best first, in reports and on the terminal, and the table of the confirmed points.

import Analysis
import Base

struct PointTable {
  /// The most points of which all are shown.
  static let rowLimit = 40
  /// The number of best points shown if there are more than `rowLimit`.
  static let topCount = 10
  /// The largest number of missing repetitions that is shown.
  static let neededLimit = 9999

  /// A column of the table; narrow terminals omit some.
  enum Part: CaseIterable { case rank, axes, loaders, difference, percent, megabytes, front, headroom, verdict }

  var part: ReportPart
  /// True for the short headings of terminals.
  var isNarrow = false
  /// True for differences, and those in per cent, without their intervals.
  var isDifferencePlain = false, isPercentPlain = false
  /// The most terminal columns of an axis' heading and values; longer texts are truncated.
  var axisWidth = Int.max
  /// The axes without a column: the shown points share their values, or the rows' numbers name the points.
  var hiddenAxes: Set<Int> = []
  /// True for verdicts of one word.
  var isVerdictShort = false

  private var summary: SweepSummary { part.summary }
  static let styles: [Verdict.Outcome: Table.Style] = [.better: .good, .worse: .bad]

  /// The columns with contents: no comparison if there is only one point, nothing that no point has.
  var usefulParts: [Part] {
    var useless: [Part] = summary.familySize == 0 ? [.difference, .percent, .verdict, .front] : []
    if summary.points.allSatisfy({ $0.comparison?.percent == nil }) { useless.append(.percent) }
    if summary.points.allSatisfy({ $0.mean(summary.schema.cost) == nil }) { useless += [.megabytes, .front] }
    if summary.points.allSatisfy({ $0.headroomMean == nil }) { useless.append(.headroom) }
    return Part.allCases.filter { !useless.contains($0) }
  }

  /// Returns the table of some points; `marks` returns the footnote numbers of a point.
  func table(_ shown: [Int], parts: [Part], marks: (PointSummary) -> [Int] = { _ in [] }) -> Table {
    var (table, builder) = (Table(columns: parts.flatMap(columns)), self)
    builder.part = part.listing(shown)
    table.runs = shown.map { summary.shownRun(of: summary.points[$0]) }.map { ($0.point, $0.repetition, $0.seed) }
    table.commands = [part.sweep.explainCommand ?? "", part.sweep.reproduceCommand].filter { !$0.isEmpty }
    for index in shown {
      let point = summary.points[index]
      let (rank, notes) = ((summary.ranking.firstIndex(of: index) ?? 0) + 1, marks(point))
      table.append(parts.flatMap { builder.cells($0, point, rank: rank, notes: notes) })
    }
    return table
  }

  /// A step that makes the table narrower.
  enum Saving {
    case omit(Part), shortenHeads, shortenDifference, shortenPercent, shortenVerdict, omitSharedAxes, shortenAxes(Int), omitAxes
  }

  /// Returns the number of steps after which the table of some points fits and names each point differently; all of them if it never does.
  func count(of savings: [Saving], for shown: [Int], fits: (Table) -> Bool) -> Int {
    (0..<savings.count).first { count in
      let narrowed = narrowed(by: savings.prefix(count), for: shown)
      return narrowed.builder.distinguishes(shown) && fits(narrowed.builder.table(shown, parts: narrowed.parts))
    } ?? savings.count
  }

  /// True if no two points have the same texts in the columns of axes, or none has any.
  private func distinguishes(_ shown: [Int]) -> Bool {
    let names = shown.map { nameCells(summary.points[$0]) }
    return Set(names).count == names.count || names.allSatisfy(\.isEmpty)
      || Set(shown.map { summary.points[$0].axisValues }).count < names.count
  }

  private func nameCells(_ point: PointSummary) -> [String] {
    part.nameCells(point).enumerated().filter { !hiddenAxes.contains($0.offset) }.map { shortened($0.element) }
  }

  /// Returns the builder of the table of some points after some steps, the columns that are left, and the names of what is left out.
  func narrowed(by savings: some Sequence<Saving>, for shown: [Int]) -> (builder: PointTable, parts: [Part], omitted: [String]) {
    var (builder, parts, left) = (self, usefulParts, [Part]())
    for saving in savings {
      switch saving {
      case .omit(let column):
        if parts.contains(column) { left.append(column) }
        parts.removeAll { $0 == column }
      case .shortenHeads: builder.isNarrow = true
      case .shortenDifference: builder.isDifferencePlain = true
      case .shortenPercent: builder.isPercentPlain = true
      case .shortenVerdict: builder.isVerdictShort = true
      case .omitSharedAxes: builder.hiddenAxes = sharedAxes(shown)
      case .shortenAxes(let width): builder.axisWidth = width
      case .omitAxes: builder.hiddenAxes = Set(0..<max(1, part.axes.count))
      }
    }
    let plain: [(Part, Bool)] = [(.difference, builder.isDifferencePlain), (.percent, builder.isPercentPlain)]
    let intervals = plain.filter { $1 && parts.contains($0) && !summary.isDeterministic }.flatMap { titles(of: [$0.0]) }
    let open = builder.isVerdictShort && summary.points.contains { $0.comparison?.neededRepetitions != nil }
    let texts =
      (intervals.isEmpty ? [] : ["the intervals of \(Words.list(intervals))"]) + (open ? ["the repetitions that would decide"] : [])
    return (builder, parts, titles(of: left) + texts + builder.hiddenNames(shown))
  }

  /// The axes in which the shown points do not differ, unless that is all.
  private func sharedAxes(_ shown: [Int]) -> Set<Int> {
    let same = part.axes.indices.filter { axis in Set(shown.map { summary.points[$0].axisValue(axis) }).count == 1 }
    return same.count < part.axes.count ? Set(same) : []
  }

  /// Returns what is said about axes without a column: the value that the shown points share, or where the points are named.
  private func hiddenNames(_ shown: [Int]) -> [String] {
    let shared = sharedAxes(shown)
    guard !hiddenAxes.isEmpty, hiddenAxes.isSubset(of: shared) else {
      return hiddenAxes.isEmpty ? [] : ["the settings, which follow by #"]
    }
    return hiddenAxes.sorted().compactMap { axis in
      shown.first.map { "\(part.names.setting(summary.points[$0].axisValue(axis), axis: axis)) (all rows)" }
    }
  }

  /// Returns the headings of columns, in the order of the table and without the level of their intervals.
  func titles(of parts: [Part]) -> [String] {
    Part.allCases.filter(parts.contains).flatMap(columns).map { column in column.title.replacing(" [\(part.level)]", with: "") }
  }

  private func columns(_ column: Part) -> [Table.Column] {
    let level = summary.isDeterministic ? "" : " [\(part.level)]"
    return switch column {
    case .rank: [.right("#")]
    case .axes: part.axes.isEmpty ? hiddenAxes.isEmpty ? ["point"] : [] : axisColumns
    case .loaders: [.headline(isNarrow ? part.words.headlineShort : part.words.headline)]
    case .difference: [.right(isDifferencePlain ? "difference" : "difference\(level)")]
    case .percent: [.right(isPercentPlain ? "%" : "%\(level)")]
    case .megabytes: [.right(isNarrow ? part.words.costShort : part.words.cost)]
    case .front: ["front"]
    case .headroom: [.right("above bound")]
    case .verdict: ["verdict"]
    }
  }

  private func cells(_ column: Part, _ point: PointSummary, rank: Int, notes: [Int]) -> [Table.Cell] {
    let comparison = point.comparison
    func cell(_ text: String) -> [Table.Cell] { [Table.Cell(text, style: point.isBaseline ? .strong : .plain)] }
    switch column {
    case .rank: return cell(point.isOracle ? "ref." : String(rank))
    case .axes: return nameCells(point).flatMap(cell)
    case .loaders: return cell(part.mean(point))
    case .difference:
      return cell(point.isBaseline ? "baseline" : isDifferencePlain ? part.difference(comparison) : part.differenceCell(comparison))
    case .percent: return cell(isPercentPlain ? part.percent(comparison) : part.percentWithEnds(comparison))
    case .front: return cell(point.isOnFront ? "◆" : "")
    case .megabytes: return cell(part.cost(point))
    case .headroom: return cell(part.headroom(point))
    case .verdict:
      let word = point.isBaseline ? "baseline" : comparison.map(isVerdictShort ? { $0.verdict.word } : Self.verdict) ?? ""
      let ofVerdict = point.isBaseline ? .strong : comparison.flatMap { Self.styles[$0.verdict.outcome] } ?? .plain
      let style: Table.Style = point.constraints.areBroken ? .bad : point.constraints.areKept ? ofVerdict : .plain
      let text = point.withConstraints(word, isShort: isVerdictShort) + (point.isAsGoodAsWinner ? " ≈" : "")
      return [Table.Cell(text, style: style, footnotes: notes)]
    }
  }

  static func verdict(_ comparison: PointComparison) -> String {
    let word = comparison.verdict.description
    if comparison.verdict.ground == .dropped { return "\(word) (\(Words.count(comparison.pairs, "repetition")))" }
    guard let needed = comparison.neededRepetitions else { return word }
    let count = Words.roundedUp(needed - comparison.pairs)
    let more = count > neededLimit ? "over \(neededLimit) more" : "\(count) more"
    return word.hasSuffix(")") ? "\(word.dropLast()), \(more))" : "\(word) (\(more))"
  }

  private var axisColumns: [Table.Column] {
    part.axes.enumerated().filter { !hiddenAxes.contains($0.offset) }.map { index, name in
      let isNumeric = summary.points.allSatisfy { $0.axisValue(index).first.map { "0123456789-+.".contains($0) } ?? true }
      return Table.Column(shortened(name), isNumeric ? .right : .left)
    }
  }

  private func shortened(_ text: String) -> String {
    axisWidth == Int.max ? text : DisplayWidth.truncated(SafeText.line(text), to: axisWidth)
  }

  // MARK: Sorting in a page

  /// Returns the sort keys of each row of `shown`, for columns that do not sort by their text: texts are rounded, and axes have the sweep
  /// file's order. Keys are whole numbers; nil if a row has no number.
  func sortKeys(_ shown: [PointSummary], _ parts: [Part]) -> [[Int?]?] {
    parts.flatMap { part -> [[Int?]?] in
      guard part == .axes, !summary.axes.isEmpty else { return [values(of: shown, part).map(ranks)] }
      return summary.axes.indices.map { axis in
        // In the sweep file's order: 500ms before 1s.
        let order = Dictionary(zip(summary.values(axis: axis, sweep: self.part.sweep), 0...), uniquingKeysWith: { first, _ in first })
        return shown.map { order[$0.axisValue(axis)] }
      }
    }
  }

  /// Returns the numbers behind a column's texts; nil for a column that sorts by its texts.
  private func values(of shown: [PointSummary], _ part: Part) -> [Double?]? {
    switch part {
    case .rank, .axes, .front, .verdict: nil
    case .loaders: shown.map(\.headlineMean)
    case .difference: shown.map { $0.isBaseline ? 0 : $0.comparison?.difference }
    case .percent: shown.map { $0.isBaseline ? 0 : $0.comparison?.percent }
    case .megabytes: shown.map { $0.mean(summary.schema.cost) }
    case .headroom: shown.map(\.headroomMean)
    }
  }

  /// Returns the rank of each number from 0; equal numbers share a rank. O(n log n).
  private func ranks(_ values: [Double?]) -> [Int?] {
    let sorted = values.compactMap { $0 }.sorted()
    var ranks: [Double: Int] = [:]
    for value in sorted where ranks[value] == nil { ranks[value] = ranks.count }
    return values.map { $0.flatMap { ranks[$0] } }
  }

  // MARK: Confirmation

  /// Returns the table of the confirmed points, with their results in the sweep beside; nil without a confirmation.
  func confirmed(notes: inout Footnotes) -> Table? {
    guard let confirmation = summary.confirmation else { return nil }
    let (level, new) = (part.level, part.ofConfirmation)
    var table = Table(
      columns: part.nameColumns + [
        .right("in the sweep [\(level)]"), .right("\(part.words.headline), confirmed"), .right("difference, confirmed [\(level)]"),
        .right("%, confirmed [\(level)]"), "verdict, confirmed",
      ])
    for point in summary.best {
      guard let rerun = confirmation.point(like: point) else { continue }
      let texts =
        part.nameCells(point) + [
          point.isBaseline ? "baseline" : part.differenceCell(point.comparison), new.mean(rerun), new.differenceCell(rerun.comparison),
          new.percentWithEnds(rerun.comparison), rerun.withConstraints(rerun.verdictText),
        ]
      var cells = texts.map { Table.Cell($0, style: point.isBaseline ? .strong : .plain) }
      cells[cells.count - 1].footnotes = notes.numbers(Notes.row(rerun, confidence: summary.confidence))
      table.append(cells)
    }
    return table
  }
}

extension ReportPart {
  /// Returns a difference with its interval, or the reason why it has none; empty without a pair.
  func differenceCell(_ comparison: PointComparison?) -> String {
    guard let comparison, comparison.pairs > 0 else { return "" }
    let value = difference(comparison)
    switch comparison.intervalState {
    case .interval: return "\(value) \(differenceEnds(comparison))"
    case .equalPairs: return "\(value) (\(comparison.pairs) equal pairs)"
    case .tooFewRepetitions: return "\(value) (too few repetitions)"
    case .tooFewDiffering:
      return "\(value) (\(comparison.verdict.outcome == .inconclusive ? "too few pairs differ" : "all pairs on one side"))"
    case .fewerThanTwoPairs: return value
    }
  }
}
