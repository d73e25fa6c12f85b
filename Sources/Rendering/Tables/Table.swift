// One abstract table; the exporters beside it are all that know of Markdown, terminals, pages and commas (as in hyperfine).

/// A table of texts with aligned columns.
package struct Table {
  /// On which side a column's texts are flush: texts left, numbers right.
  package enum Alignment { case left, right }

  /// What a cell's text is, for exporters that can show it: to be seen first, good news, bad news.
  package enum Style { case plain, strong, good, bad }

  /// A column's head; a literal is flush left.
  package struct Column: ExpressibleByStringInterpolation {
    let title: String, alignment: Alignment

    package init(_ title: String, _ alignment: Alignment = .left) { (self.title, self.alignment) = (title, alignment) }

    package init(stringLiteral title: String) { self.init(title) }

    /// A column of numbers.
    package static func right(_ title: String) -> Column { Column(title, .right) }
  }

  /// One text of the table, as it is: the exporters escape it.
  package struct Cell {
    var text: String, style: Style
    /// The numbers of its footnotes, for exporters that have any.
    var footnotes: [Int]
    /// The id of what its text leads to, for exporters whose page holds that; empty where it leads nowhere.
    var target: String

    package init(_ text: String, style: Style = .plain, footnotes: [Int] = [], target: String = "") {
      (self.text, self.style, self.footnotes, self.target) = (text, style, footnotes, target)
    }
  }

  let columns: [Column]
  /// The rows from top to bottom, each with a cell a column.
  private(set) var rows: [[Cell]] = []

  package init(columns: [Column], rows: [[String]] = []) {
    self.columns = columns
    for row in rows { append(row) }
  }

  /// Adds a row, which has a cell for each column.
  package mutating func append(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for each column")
    rows.append(row)
  }

  /// Adds a row of texts in one style.
  package mutating func append(_ texts: [String], _ style: Style = .plain) { append(texts.map { Cell($0, style: style) }) }
}
