// The table of points, best first, in reports and on the terminal, and the table of the confirmed points.

import Analysis

struct PointTable {
  /// The most points of which all are shown.
  static let rowLimit = 40
  /// The number of best points shown if there are more than `rowLimit`.
  static let topCount = 10
  /// The largest number of missing repetitions that is shown.
  static let neededLimit = 9999

  static let styles: [Verdict.Outcome: Table.Style] = [.better: .good, .worse: .bad]

  let part: ReportPart
  /// The indices of the points in the table, in its order.
  let shown: [Int]
  private let columns: [Table.Column]

  init(part: ReportPart, shown: [Int]) {
    (self.part, self.shown) = (part, shown)
    let (points, words, level) = (part.summary.points, part.words, part.intervalLevel)
    let isCompared = part.summary.familySize > 0
    func has(_ value: (PointSummary) -> Double?) -> Bool { points.contains { value($0) != nil } }
    let hasCost = has { $0.mean($0.schema.cost) }
    // No comparison if there is only one point, nothing that no point has.
    let others: [(Table.Column, isUseful: Bool)] = [
      (.right(words.headline, id: .headline, short: words.headlineShort), true),
      (.right("difference", id: .difference, level: level), isCompared),
      (.right("%", id: .percent, level: level), isCompared && has { $0.comparison?.percent }),
      (.right(words.cost, id: .cost, short: words.costShort), hasCost),
      (Table.Column("front", id: .front), isCompared && hasCost), (.right("above bound", id: .headroom), has(\.headroomMean)),
      (Table.Column("verdict", id: .verdict), isCompared),
    ]
    let summary = part.summary
    let axes = part.nameColumns.enumerated().map { index, column -> Table.Column in
      // Without axes, points are named by their settings.
      guard summary.axes.indices.contains(index),
        points.allSatisfy({ $0.axisValue(index).first.map { "0123456789-+.".contains($0) } ?? true })
      else { return column }
      return .right(column.title, id: column.id)
    }
    columns = [.right("#", id: .rank)] + axes + others.filter(\.isUseful).map(\.0)
  }

  private var summary: SweepSummary { part.summary }
  private var points: [PointSummary] { shown.map { summary.points[$0] } }

  /// Returns the table; `marks` returns the footnote numbers of a point.
  func table(marks: (PointSummary) -> [Int] = { _ in [] }) -> Table {
    let part = part.listing(shown)
    var table = Table(columns: columns)
    table.runs = points.map { summary.shownRun(of: $0) }.map { ($0.point, $0.repetition) }
    table.commands = [part.sweep.explainCommand(), part.sweep.repeatCommand()].compactMap(\.self)
    // In the sweep file's order: 500ms before 1s.
    let orders = summary.axes.indices.map { axis in
      Dictionary(zip(summary.values(axis: axis, sweep: part.sweep), 0...), uniquingKeysWith: { first, _ in first })
    }
    for index in shown {
      let (point, style) = (summary.points[index], summary.points[index].isBaseline ? Table.Style.strong : .plain)
      let names = part.nameCells(point)
      table.append(
        columns.map { column in
          switch column.id {
          case .axis(let axis):
            let order = orders.indices.contains(axis) ? orders[axis][point.axisValue(axis)].map(Double.init) : nil
            return Table.Cell(names[axis], style: style, order: order)
          case .rank: return Table.Cell(point.isOracle ? "ref." : .count((summary.ranking.firstIndex(of: index) ?? 0) + 1), style: style)
          case .difference where point.isBaseline: return Table.Cell(.text("baseline"), style: style, order: 0)
          case .difference: return Table.Cell(.number(part.explainedDifference(point.comparison)), style: style)
          case .percent: return Table.Cell(.number(part.percent(point.comparison)), style: style, order: point.isBaseline ? 0 : nil)
          case .cost: return Table.Cell(.number(part.cost(point)), style: style)
          case .front: return Table.Cell(point.isOnFront ? "◆" : "", style: style)
          case .headroom: return Table.Cell(.number(part.headroom(point)), style: style)
          case .verdict:
            var cell = Self.verdict(of: point)
            cell.footnotes = marks(point)
            return cell
          default: return Table.Cell(.number(part.mean(point)), style: style)
          }
        })
    }
    return table
  }

  private static func verdict(of point: PointSummary) -> Table.Cell {
    let (comparison, peer) = (point.comparison, point.isAsGoodAsWinner ? " ≈" : "")
    func text(_ word: String?, isShort: Bool) -> String {
      point.withConstraints(point.isBaseline ? "baseline" : word ?? "", isShort: isShort) + peer
    }
    let ofVerdict = point.isBaseline ? .strong : comparison.flatMap { styles[$0.verdict.outcome] } ?? .plain
    return Table.Cell(
      .verdict(comparison?.verdict, text(comparison.map(verdict), isShort: false), short: text(comparison?.verdict.word, isShort: true)),
      style: point.constraints.areBroken ? .bad : point.constraints.areKept ? ofVerdict : .plain)
  }

  static func verdict(_ comparison: PointComparison) -> String {
    let word = comparison.verdict.description
    if comparison.verdict.ground == .dropped { return "\(word) (\(Words.count(comparison.pairs, "repetition")))" }
    guard let needed = comparison.neededRepetitions else { return word }
    let count = Words.roundedUp(needed - comparison.pairs)
    let more = count > neededLimit ? "over \(neededLimit) more" : "\(count) more"
    return word.hasSuffix(")") ? "\(word.dropLast()), \(more))" : "\(word) (\(more))"
  }

  var names: [Table.ID] { part.nameColumns.compactMap(\.id) }

  /// The columns of axes in which the shown points do not differ, unless that is all.
  var sharedNames: [Table.ID] {
    let same = part.axes.indices.filter { axis in Set(points.map { $0.axisValue(axis) }).count == 1 }
    return same.count < part.axes.count ? same.map { .axis($0) } : []
  }

  /// True if no two points have the same texts in the columns of axes, or none has any.
  func distinguishes(_ table: Table) -> Bool {
    let columns = table.columns.indices.filter { index in table.columns[index].id.map(names.contains) ?? false }
    let texts = table.rows.map { row in columns.map { row[$0].text } }
    return columns.isEmpty || Set(texts).count == texts.count || Set(points.map(\.axisValues)).count < texts.count
  }

  /// Returns the names of what a narrower form of a table leaves out: columns, intervals, repetitions that would decide, and settings.
  func omissions(from table: Table, in narrow: Table.Narrowed) -> [String] {
    func kept(_ column: Table.Column) -> Table.Column? { narrow.table.columns.first { $0.id == column.id } }
    let columns = table.columns.filter { column in column.id.map { !names.contains($0) } ?? true }
    let intervals = columns.filter { !$0.level.isEmpty && kept($0)?.level.isEmpty == true }.map(\.title)
    let isOpen = narrow.steps.contains(.shortenVerdicts) && summary.points.contains { $0.comparison?.neededRepetitions != nil }
    return columns.filter { kept($0) == nil }.map(\.title) + (intervals.isEmpty ? [] : ["the intervals of \(Words.list(intervals))"])
      + (isOpen ? ["the repetitions that would decide"] : []) + hiddenNames(names.filter { !narrow.table.ids.contains($0) })
  }

  /// Returns what is said about axes without a column: the value that the shown points share, or where the points are named.
  private func hiddenNames(_ hidden: [Table.ID]) -> [String] {
    let shared = sharedNames
    guard hidden.allSatisfy(shared.contains), let point = points.first else { return ["the settings, which follow by #"] }
    return part.axes.indices.filter { hidden.contains(.axis($0)) }.map { axis in
      "\(part.names.setting(point.axisValue(axis), axis: axis)) (all rows)"
    }
  }

  static let confirmedSteps: [Table.Step] = [.shortenHeading(.headline), .omitIntervals(.percent), .omit([.inSweep])]

  /// Returns the table of the confirmed points, with their results in the sweep beside; nil without a confirmation.
  static func confirmed(_ part: ReportPart, notes: inout Footnotes) -> Table? {
    let (summary, words, level, new) = (part.summary, part.words, part.level, part.ofConfirmation)
    guard let confirmation = summary.confirmation else { return nil }
    var table = Table(
      columns: part.nameColumns + [
        .right("in the sweep", id: .inSweep, level: level),
        .right("\(words.headline), confirmed", id: .headline, short: "\(words.headlineShort), confirmed"),
        .right("difference, confirmed", level: level), .right("%, confirmed", id: .percent, level: level), "verdict, confirmed",
      ])
    for point in summary.best {
      guard let rerun = confirmation.points.first(like: point) else { continue }
      let values: [Table.Value] =
        part.nameCells(point) + [
          point.isBaseline ? "baseline" : .number(part.explainedDifference(point.comparison)), .number(new.mean(rerun)),
          .number(new.explainedDifference(rerun.comparison)), .number(new.percent(rerun.comparison)),
          .text(rerun.withConstraints(rerun.verdictText)),
        ]
      var cells = values.map { Table.Cell($0, style: point.isBaseline ? .strong : .plain) }
      cells[cells.count - 1].footnotes = notes.numbers(Notes.row(rerun, confidence: summary.confidence))
      table.append(cells)
    }
    return table
  }
}
