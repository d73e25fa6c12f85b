// An abstract table: typed cells in columns that steps and formats find by identity (as in hyperfine and benchstat's benchtab).

import Analysis
import Base

package struct Table {
  package enum Alignment { case left, right }

  /// The emphasis of a cell, for formats that can show it.
  package enum Style { case plain, strong, good, bad }

  /// The identity of a column that a step or a format looks for.
  package enum ID: Hashable {
    case rank, axis(Int), headline, difference, percent, cost, front, headroom, verdict
    case stratum, guarded, baseline, candidate, better, worse, lowerMean, inSweep, percentInScenario
    case metric(Metric)
  }

  /// A column's heading and alignment; a string literal is aligned left.
  package struct Column: ExpressibleByStringInterpolation {
    let id: ID?
    var title: String
    /// The heading where there is less room.
    let short: String
    /// The confidence of the intervals in the cells; empty without intervals.
    var level: String
    let alignment: Alignment

    var heading: String { level.isEmpty ? title : "\(title) [\(level)]" }

    package init(_ title: String, _ alignment: Alignment = .left, id: ID? = nil, short: String? = nil, level: String = "") {
      (self.id, self.title, self.short, self.level, self.alignment) = (id, title, short ?? title, level, alignment)
    }

    package init(stringLiteral title: String) { self.init(title) }

    package static func right(_ title: String, id: ID? = nil, short: String? = nil, level: String = "") -> Column {
      Column(title, .right, id: id, short: short, level: level)
    }
  }

  /// The value of a cell, until a format renders it; a string literal is a text.
  package enum Value: ExpressibleByStringInterpolation {
    case text(String)
    case count(Int)
    case flag(Bool)
    case number(ShownNumber)
    /// The words of a verdict, and fewer words; no verdict of the baseline.
    case verdict(Verdict?, String, short: String)

    package init(stringLiteral text: String) { self = .text(text) }

    var text: String {
      switch self {
      case .text(let text), .verdict(_, let text, _): text
      case .count(let count): String(count)
      case .flag(let flag): flag ? "true" : "false"
      case .number(let number): number.description
      }
    }
  }

  package struct Cell {
    var value: Value, style: Style
    var footnotes: [Int] = []
    /// The id of the element that the text links to; empty for no link.
    var target = ""
    /// The number by which a page sorts the row; nil to sort by the text.
    var order: Double?

    package init(_ value: Value, style: Style = .plain, order: Double? = nil) {
      (self.value, self.style, self.order) = (value, style, order)
      if order == nil, case .number(let number) = value { self.order = number.value }
    }

    package init(_ text: String, style: Style = .plain, target: String = "") {
      self.init(.text(text), style: style)
      self.target = target
    }

    /// The value for people, unescaped.
    var text: String { value.text }
  }

  private(set) var columns: [Column]
  private(set) var rows: [[Cell]] = []
  /// The point and its first run of each row, and the commands about one, with placeholders; empty for tables of other things.
  var runs: [(point: String, repetition: Int)] = []
  var commands: [String] = []

  package init(columns: [Column], rows: [[String]] = []) {
    self.columns = columns
    for row in rows { append(row) }
  }

  package mutating func append(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for each column")
    rows.append(row)
  }

  package mutating func append(_ texts: [String], _ style: Style = .plain) { append(texts.map { Cell($0, style: style) }) }
  package mutating func append(_ values: [Value], _ style: Style = .plain) { append(values.map { Cell($0, style: style) }) }

  var ids: Set<ID> { Set(columns.compactMap(\.id)) }

  /// The texts of all cells under the headings, for formats that align columns.
  func texts(_ transform: (Cell) -> String) -> [[String]] { [columns.map { transform(Cell($0.heading)) }] + rows.map { $0.map(transform) } }

  /// A step that makes a table narrower; what it names may be missing.
  enum Step: Equatable {
    case shortenHeading(ID), shortenVerdicts, omitIntervals(ID), omit([ID])
    /// Truncates the texts of columns, and the headings of axes, to a number of terminal columns.
    case truncate([ID], Int)
  }

  /// A table after some steps, and the names of what they left out.
  struct Narrowed { fileprivate(set) var table: Table, steps: [Step] = [], omitted: [String] = [] }

  /// Returns the table after the fewest steps with which it fits; after all of them if it never does.
  func narrowed(by steps: some Sequence<Step>, fits: (Table) -> Bool = { _ in false }) -> Narrowed {
    var narrowed = Narrowed(table: self)
    for step in steps where !fits(narrowed.table) {
      narrowed.omitted += narrowed.table.apply(step)
      narrowed.steps.append(step)
    }
    return narrowed
  }

  /// Makes a step and returns the names of what it left out.
  private mutating func apply(_ step: Step) -> [String] {
    var omitted: [String] = []
    switch step {
    case .shortenHeading(let id): for index in indices(of: [id]) { columns[index].title = columns[index].short }
    case .shortenVerdicts:
      change(columns.indices) { if case .verdict(let verdict, _, let short) = $0 { $0 = .verdict(verdict, short, short: short) } }
    case .omitIntervals(let id):
      for index in indices(of: [id]) where !columns[index].level.isEmpty {
        omitted.append("the intervals of \(columns[index].title)")
        columns[index].level = ""
      }
      change(indices(of: [id])) { if case .number(let number) = $0 { $0 = .number(number.plain) } }
    case .omit(let ids):
      omitted = ids.flatMap { id in indices(of: [id]).map { columns[$0].heading } }
      let kept = columns.indices.filter { index in columns[index].id.map { !ids.contains($0) } ?? true }
      columns = kept.map { columns[$0] }
      rows = rows.map { row in kept.map { row[$0] } }
    case .truncate(let ids, let width):
      func truncated(_ text: String) -> String { DisplayWidth.truncated(SafeText.line(text), to: width) }
      for index in indices(of: ids) {
        // Names of settings may be long; our own words are short.
        if case .axis = columns[index].id { columns[index].title = truncated(columns[index].title) }
      }
      change(indices(of: ids)) { $0 = .text(truncated($0.text)) }
    }
    return omitted
  }

  private func indices(of ids: [ID]) -> [Int] { columns.indices.filter { index in columns[index].id.map(ids.contains) ?? false } }

  private mutating func change(_ columns: some Sequence<Int>, _ change: (inout Value) -> Void) {
    for column in columns { for row in rows.indices { change(&rows[row][column].value) } }
  }
}

/// A format that writes each row without the others, so that a table may have a million of them; each is a file of Rendering/Formats.
package protocol LineFormat: Sendable {
  /// Returns the lines before the rows; empty for none.
  func head(_ columns: [Table.Column]) -> [UInt8]
  /// Returns the line of a row, ended by a line feed.
  func line(_ row: [Table.Cell], _ columns: [Table.Column]) -> [UInt8]
}
