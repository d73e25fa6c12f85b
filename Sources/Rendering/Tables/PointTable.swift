// The table of points, best first, in reports and on the terminal, and the table of the confirmed points.

import Analysis

struct PointTable {
  /// The most points of which all are shown.
  static let rowLimit = 40
  /// The number of best points shown if there are more than `rowLimit`.
  static let topCount = 10
  /// The largest number of missing repetitions that is shown.
  static let neededLimit = 9999

  /// A column of the table; narrow terminals omit some.
  enum Part: CaseIterable { case rank, axes, loaders, difference, percent, megabytes, front, headroom, verdict }

  let part: ReportPart
  /// True for the short headings of terminals.
  var isNarrow = false
  /// True for differences in per cent without their intervals.
  var isPercentPlain = false
  /// The most terminal columns of an axis' heading and values; longer texts are truncated.
  var axisWidth = Int.max
  /// The number of axes that have a column.
  var axisCount = Int.max
  /// True for verdicts of one word.
  var isVerdictShort = false

  private var summary: SweepSummary { part.summary }

  /// The columns with contents: no comparison if there is only one point, no bound and no cost if no run has one.
  var usefulParts: [Part] {
    var useless: [Part] = summary.familySize == 0 ? [.difference, .percent, .verdict, .front] : []
    if summary.points.allSatisfy({ $0.mean(summary.schema.cost) == nil }) { useless += [.megabytes, .front] }
    if summary.points.allSatisfy({ $0.headroomMean == nil }) { useless.append(.headroom) }
    return Part.allCases.filter { !useless.contains($0) }
  }

  /// Returns the table of some points; `marks` returns the footnote numbers of a point.
  func table(_ shown: [Int], parts: [Part], marks: (PointSummary) -> [Int] = { _ in [] }) -> Table {
    var table = Table(columns: parts.flatMap(columns))
    table.runs = shown.map { (summary.points[$0].point, summary.points[$0].firstRun.repetition, summary.points[$0].firstRun.seed) }
    let decimals = baselineDecimals(shown)
    table.commands = [part.sweep.explainCommand ?? "", part.sweep.reproduceCommand].filter { !$0.isEmpty }
    for index in shown {
      let point = summary.points[index]
      let (rank, notes) = ((summary.ranking.firstIndex(of: index) ?? 0) + 1, marks(point))
      table.append(parts.flatMap { cells($0, point, rank: rank, notes: notes, baselineDecimals: decimals) })
    }
    return table
  }

  /// A step that makes the table narrower.
  enum Saving { case omit(Part), shortenHeads, shortenPercent, shortenAxes(Int), shortenVerdict, omitAxis }

  /// Returns the number of steps after which the table of some points fits; all of them if it never does.
  func count(of savings: [Saving], for shown: [Int], fits: (Table) -> Bool) -> Int {
    (0..<savings.count).first { count in
      let narrowed = narrowed(by: savings.prefix(count))
      return fits(narrowed.builder.table(shown, parts: narrowed.parts))
    } ?? savings.count
  }

  /// Returns the builder after some steps, the columns that are left, and the names of what is left out.
  func narrowed(by savings: some Sequence<Saving>) -> (builder: PointTable, parts: [Part], omitted: [String]) {
    var (builder, parts, left) = (self, usefulParts, [Part]())
    for saving in savings {
      switch saving {
      case .omit(let column):
        if parts.contains(column) { left.append(column) }
        parts.removeAll { $0 == column }
      case .shortenHeads: builder.isNarrow = true
      case .shortenPercent: builder.isPercentPlain = true
      case .shortenAxes(let width): builder.axisWidth = width
      case .shortenVerdict: builder.isVerdictShort = true
      case .omitAxis: builder.axisCount = min(builder.axisCount, part.axes.count) - 1
      }
    }
    let hidden = builder.isPercentPlain && parts.contains(.percent) && usefulParts.contains(.percent) && !summary.isDeterministic
    let open = builder.isVerdictShort && summary.points.contains { $0.comparison?.neededRepetitions != nil }
    let texts = (hidden ? ["the intervals of %"] : []) + (open ? ["the repetitions that would decide"] : [])
    return (builder, parts, titles(of: left) + texts + part.axes.dropFirst(builder.axisCount))
  }

  /// Returns the headings of columns, in the order of the table and without the level of their intervals.
  func titles(of parts: [Part]) -> [String] {
    Part.allCases.filter(parts.contains).flatMap(columns).map { column in column.title.replacing(" [\(part.level)]", with: "") }
  }

  private func columns(_ column: Part) -> [Table.Column] {
    let level = summary.isDeterministic ? "" : " [\(part.level)]"
    return switch column {
    case .rank: [.right("#")]
    case .axes: part.axes.isEmpty ? ["point"] : axisColumns
    case .loaders: [.headline(isNarrow ? part.words.headlineShort : part.words.headline)]
    case .difference: [.right("difference\(level)")]
    case .percent: [.right(isPercentPlain ? "%" : "%\(level)")]
    case .megabytes: [.right(isNarrow ? part.words.costShort : part.words.cost)]
    case .front: ["front"]
    case .headroom: [.right("above bound")]
    case .verdict: ["verdict"]
    }
  }

  /// Returns the decimals of the baseline's mean beside some points: at least those of every difference.
  private func baselineDecimals(_ shown: [Int]) -> Int {
    shown.reduce(-15) { max($0, part.meanDecimals(summary.points[$1])) }
  }

  private func cells(_ column: Part, _ point: PointSummary, rank: Int, notes: [Int], baselineDecimals: Int) -> [Table.Cell] {
    let comparison = point.comparison
    func cell(_ text: String) -> [Table.Cell] { [Table.Cell(text, style: point.isBaseline ? .strong : .plain)] }
    switch column {
    case .rank: return cell(String(rank))
    case .axes: return part.nameCells(point).prefix(axisCount).flatMap { cell(shortened($0)) }
    case .loaders:
      let decimals = point.isBaseline ? baselineDecimals : part.meanDecimals(point, baselineDecimals: baselineDecimals)
      return cell(part.mean(point, beside: decimals))
    case .difference: return cell(point.isBaseline ? "baseline" : Self.difference(comparison))
    case .percent: return cell((isPercentPlain ? comparison?.percentText : comparison?.percentWithEnds()) ?? "")
    case .front: return cell(point.isOnFront ? "◆" : "")
    case .megabytes: return cell(part.cost(point))
    case .headroom: return cell(part.headroom(point))
    case .verdict:
      if point.isBaseline { return [Table.Cell("baseline", style: .strong, footnotes: notes)] }
      let styles: [Verdict.Outcome: Table.Style] = [.better: .good, .worse: .bad]
      let style = comparison.flatMap { styles[$0.verdict.outcome] } ?? .plain
      return [Table.Cell(comparison.map(isVerdictShort ? { $0.verdict.word } : Self.verdict) ?? "", style: style, footnotes: notes)]
    }
  }

  static func verdict(_ comparison: PointComparison) -> String {
    let word = comparison.verdict.description
    if comparison.verdict.ground == .dropped { return "\(word) (\(Words.count(comparison.pairs, "repetition")))" }
    guard let needed = comparison.neededRepetitions else { return word }
    let more = Words.roundedUp(needed - comparison.pairs)
    return more > neededLimit ? "\(word) (over \(neededLimit) more)" : "\(word) (\(more) more)"
  }

  private var axisColumns: [Table.Column] {
    part.axes.prefix(axisCount).enumerated().map { index, name in
      let isNumeric = summary.points.allSatisfy { $0.axisValue(index).first.map { "0123456789-+.".contains($0) } ?? true }
      return Table.Column(shortened(name), isNumeric ? .right : .left)
    }
  }

  private func shortened(_ text: String) -> String {
    axisWidth == Int.max ? text : DisplayWidth.truncated(SafeText.line(text), to: axisWidth)
  }

  static func difference(_ comparison: PointComparison?) -> String {
    guard let comparison, comparison.pairs > 0 else { return "" }
    let value = comparison.differenceText
    switch comparison.intervalState {
    case .interval: return "\(value) \(comparison.differenceEnds)"
    case .equalPairs: return "\(value) (\(comparison.pairs) equal pairs)"
    case .tooFewRepetitions: return "\(value) (too few repetitions)"
    case .tooFewDiffering: return "\(value) (too few pairs differ)"
    case .fewerThanTwoPairs: return value
    }
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
    let (level, baseline) = (part.level, confirmation.points.first(where: \.isBaseline))
    var table = Table(
      columns: part.nameColumns + [
        .right("in the sweep [\(level)]"), .right("\(part.words.headline), confirmed"), .right("difference, confirmed [\(level)]"),
        .right("%, confirmed [\(level)]"), "verdict, confirmed",
      ])
    for point in summary.best {
      guard let rerun = confirmation.point(like: point) else { continue }
      let beside = rerun.isBaseline ? confirmation.points.map { part.meanDecimals($0, of: baseline) }.max() : nil
      let mean = part.mean(rerun, beside: beside ?? part.meanDecimals(rerun, of: baseline))
      let texts =
        part.nameCells(point) + [
          point.isBaseline ? "baseline" : Self.difference(point.comparison), mean, Self.difference(rerun.comparison),
          rerun.comparison?.percentWithEnds() ?? "", rerun.verdictText,
        ]
      var cells = texts.map { Table.Cell($0, style: point.isBaseline ? .strong : .plain) }
      cells[cells.count - 1].footnotes = notes.numbers(Notes.row(rerun, confidence: summary.confidence))
      table.append(cells)
    }
    return table
  }
}
