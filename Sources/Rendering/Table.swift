// One abstract table; the exporters beside it are all that know of Markdown, terminals and commas (as in hyperfine).

/// A table of texts with aligned columns.
package struct Table: Hashable, Sendable {
  /// On which side a column's texts are flush.
  package enum Alignment: Hashable, Sendable {
    /// Text.
    case left
    /// Numbers.
    case right
  }

  /// What a cell's text is, for exporters that can show it.
  package enum Style: Hashable, Sendable {
    /// Nothing in particular.
    case plain
    /// To be seen first.
    case strong
    /// Good news.
    case good
    /// Bad news.
    case bad
  }

  /// A column's head.
  package struct Column: Hashable, Sendable {
    /// The head's text.
    package var title: String
    /// The side on which the column is flush.
    package var alignment: Alignment

    /// A column.
    package init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  /// One text of the table, as it is: the exporters escape it.
  package struct Cell: Hashable, Sendable {
    /// The text.
    package var text: String
    /// What it is.
    package var style: Style
    /// The numbers of its footnotes, for exporters that have any.
    package var footnotes: [Int]
    /// The id of what its text leads to, for exporters whose page holds that; empty where it leads nowhere.
    package var target: String

    /// A cell.
    package init(_ text: String, style: Style = .plain, footnotes: [Int] = [], target: String = "") {
      self.text = text
      self.style = style
      self.footnotes = footnotes
      self.target = target
    }
  }

  /// The columns from left to right.
  package let columns: [Column]
  /// The rows from top to bottom, each with a cell a column.
  package private(set) var rows: [[Cell]] = []

  /// An empty table.
  package init(columns: [Column]) { self.columns = columns }

  /// Adds a row, which has a cell for each column.
  package mutating func append(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for each column")
    rows.append(row)
  }

  /// The table with each text replaced, heads included.
  func mapTexts(_ transform: (Cell) -> String) -> [[String]] {
    [columns.map { transform(Cell($0.title)) }] + rows.map { $0.map(transform) }
  }

  /// The width of each column in terminal columns, the widest text's.
  static func widths(_ lines: [[String]]) -> [Int] {
    guard let first = lines.first else { return [] }
    return first.indices.map { column in lines.reduce(0) { max($0, DisplayWidth.of($1[column])) } }
  }

  /// A text filled with spaces to `width`.
  static func padded(_ text: String, to width: Int, _ alignment: Alignment) -> String {
    let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    return alignment == .left ? text + space : space + text
  }
}
