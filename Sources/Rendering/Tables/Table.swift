// An abstract table, and its exporters to Markdown, CSV, terminals and pages (as in hyperfine).

import Analysis
import Base

package struct Table {
  /// The alignment of a column: texts left, numbers right.
  package enum Alignment { case left, right }

  /// The emphasis of a cell, for exporters that can show it.
  package enum Style { case plain, strong, good, bad }

  /// A column's heading and alignment; a string literal is aligned left.
  package struct Column: ExpressibleByStringInterpolation {
    let title: String, alignment: Alignment
    /// True for the column that filters such as `>50` are about.
    var isHeadline = false

    package init(_ title: String, _ alignment: Alignment = .left) { (self.title, self.alignment) = (title, alignment) }

    package init(stringLiteral title: String) { self.init(title) }

    package static func right(_ title: String) -> Column { Column(title, .right) }

    static func headline(_ title: String) -> Column {
      var column = Column(title, .right)
      column.isHeadline = true
      return column
    }
  }

  /// A cell's unescaped text with its emphasis and marks.
  package struct Cell {
    var text: String, style: Style
    /// The numbers of its footnotes.
    var footnotes: [Int]
    /// The id of the element that the text links to; empty for no link.
    var target: String

    package init(_ text: String, style: Style = .plain, footnotes: [Int] = [], target: String = "") {
      (self.text, self.style, self.footnotes, self.target) = (text, style, footnotes, target)
    }
  }

  let columns: [Column]
  private(set) var rows: [[Cell]] = []
  /// The point and its first run of each row, and the commands about one, with placeholders; empty for tables of other things.
  var runs: [(point: String, repetition: Int, seed: UInt64)] = []
  var commands: [String] = []

  package init(columns: [Column], rows: [[String]] = []) {
    self.columns = columns
    for row in rows { append(row) }
  }

  /// Appends a row, which has a cell for each column.
  package mutating func append(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for each column")
    rows.append(row)
  }

  package mutating func append(_ texts: [String], _ style: Style = .plain) { append(texts.map { Cell($0, style: style) }) }
}

// MARK: Exporters

extension Table {
  /// The table as GitHub-flavored Markdown (GFM 4.10), padded to be legible as plain text. Intervals have no-break spaces.
  package var markdown: String {
    let lines = mapTexts { cell in
      let text = Words.unbroken(SafeText.markdown(cell.text))
      let notes = cell.footnotes.map(Footnotes.mark).joined()
      return (cell.style == .strong && !text.isEmpty ? "**\(text)**" : text) + notes
    }
    let widths = Table.widths(lines).map { max(3, $0) }
    func row(_ texts: [String]) -> String {
      let cells = texts.enumerated().map { Table.padded($1, to: widths[$0], columns[$0].alignment) }
      return "| " + cells.joined(separator: " | ") + " |\n"
    }
    let rule = zip(columns, widths).map { column, width in
      column.alignment == .left ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return row(lines[0]) + row(rule) + lines.dropFirst().map(row).joined()
  }

  /// The table as comma-separated values (RFC 4180), with the headings in the first line.
  package var csv: String {
    var bytes: [UInt8] = []
    for line in mapTexts({ SafeText.line($0.text) }) { CSVText.appendLine(line, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the table as plain text, with two spaces between columns; `hasRule` adds a rule below the headings, `isColored` colours
  /// styles.
  package func plainText(isColored: Bool = false, hasRule: Bool = true) -> String {
    let lines = mapTexts { SafeText.line($0.text) }
    let widths = Table.widths(lines)
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    var text = ""
    for (number, line) in lines.enumerated() {
      var row = ""
      for (index, cell) in line.enumerated() {
        let padded = Table.padded(cell, to: widths[index], columns[index].alignment)
        let style = number == 0 ? Style.plain : rows[number - 1][index].style
        row += (index == 0 ? "" : "  ") + (isColored ? Table.colored(padded, style) : padded)
      }
      while row.hasSuffix(" ") { row.removeLast() }
      text += row + "\n" + (number == 0 && hasRule ? rule + "\n" : "")
    }
    return text
  }

  /// The width in pixels on a page of Markdown, on which no row of a narrower table wraps.
  var pageWidth: Double {
    columns.indices.reduce(1) { sum, index in
      let cells = rows.map { row in
        PageWidth.of(row[index].text, isBold: row[index].style == .strong) + 9 * Double(row[index].footnotes.count)
      }
      return sum + PageWidth.padding + max(PageWidth.of(columns[index].title, isBold: true), cells.max() ?? 0)
    }
  }

  /// A step that makes a table narrower, about the columns of titles.
  enum Step { case rename(String, String), omitIntervals(String), omit([String]), shorten(String, Int) }

  /// Returns the table after the fewest steps with which it fits, and the names of what is left out.
  func narrowed(by steps: [Step], fits: (Table) -> Bool) -> (table: Table, omitted: [String]) {
    var (table, omitted) = (self, [String]())
    for step in steps where !fits(table) {
      switch step {
      case .rename(let title, let short): table = table.changed(title) { $0 == title ? short : $0 }
      case .omitIntervals(let title):
        table = table.changed(title, Self.withoutInterval)
        omitted.append("the intervals of \(Self.withoutInterval(title))")
      case .omit(let titles):
        let kept = table.columns.indices.filter { !titles.contains(table.columns[$0].title) }
        omitted += titles
        var rest = Table(columns: kept.map { table.columns[$0] })
        for row in table.rows { rest.append(kept.map { row[$0] }) }
        table = rest
      case .shorten(let title, let width):
        table = table.changed(title) { $0 == title ? $0 : DisplayWidth.truncated(SafeText.line($0), to: width) }
      }
    }
    return (table, omitted)
  }

  private static func withoutInterval(_ text: String) -> String { text.firstRange(of: " [").map { String(text[..<$0.lowerBound]) } ?? text }

  /// Returns the table with other texts in the column of a title.
  private func changed(_ title: String, _ transform: (String) -> String) -> Table {
    guard let index = columns.firstIndex(where: { $0.title == title }) else { return self }
    var heads = columns
    heads[index] = Column(transform(title), heads[index].alignment)
    var table = Table(columns: heads)
    for row in rows {
      var cells = row
      cells[index].text = transform(cells[index].text)
      table.append(cells)
    }
    return table
  }

  package var plainWidth: Int {
    let widths = Table.widths(mapTexts { SafeText.line($0.text) })
    return widths.reduce(0, +) + 2 * max(0, widths.count - 1)
  }

  /// Returns a text between the codes that start and end a style (ECMA-48, SGR).
  static func colored(_ text: String, _ style: Style) -> String {
    let codes: [Style: String] = [.strong: "1", .good: "32", .bad: "31"]
    return codes[style].map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
  }

  /// Returns the table as XHTML with a caption for screen readers. `sortKeys` has a number per row for each column that does not sort by
  /// its text; `isSortable` lets the script sort and filter.
  package func html(caption: String, sortKeys: [[Int?]?]? = nil, isSortable: Bool = false) -> String {
    let heads = columns.map { column in
      let style = (column.alignment == .right ? " class=\"n\"" : "") + (column.isHeadline ? " data-main=\"\"" : "")
      return "<th scope=\"col\"\(style)>\(XMLText.isolated(column.title))</th>"
    }.joined()
    let body = rows.enumerated().map { row, cells in
      let isStrong = cells.first?.style == .strong
      let texts = cells.indices.map { html(cells[$0], columns[$0], key: sortKeys?[$0]?[row], isRowStrong: isStrong) }
      return "<tr\(isStrong ? " class=\"strong\"" : "")\(run(row))>\(texts.joined())</tr>"
    }
    let classes = (isSortable ? ["sortable"] : []) + (columns.last?.title.hasSuffix("verdict") == true ? ["verdicts"] : [])
    let style =
      (classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\"")
      + (commands.isEmpty || !isSortable ? "" : " data-commands=\"\(XMLText.attribute(commands.joined(separator: "\n")))\"")
    let label = XMLText.attribute(SafeText.line(caption))
    // A wide table scrolls in its own region, which the keyboard can reach.
    return
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"\(label)\"><table\(style)><caption>\(XMLText.line(caption))</caption>\n"
      + "<thead><tr>\(heads)</tr></thead>\n<tbody>\n\(body.joined(separator: "\n"))\n</tbody></table></div>\n"
  }

  /// Returns the attributes of a row that the script puts into the commands.
  private func run(_ row: Int) -> String {
    guard runs.indices.contains(row) else { return "" }
    let (point, repetition, seed) = runs[row]
    let others =
      (repetition == 1 ? "" : " data-r=\"\(repetition)\"") + (commands.contains { $0.contains("{seed}") } ? " data-s=\"\(seed)\"" : "")
    return " data-p=\"\(XMLText.attribute(point))\"\(others)"
  }

  private static let classes: [Style: String] = [.strong: "top", .good: "good", .bad: "bad"]

  private func html(_ cell: Cell, _ column: Column, key: Int?, isRowStrong: Bool) -> String {
    let name = cell.style == .strong && isRowStrong ? nil : Table.classes[cell.style]
    let styles = [column.alignment == .right ? "n" : nil, name].compactMap { $0 }
    let style = styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
    let notes = cell.footnotes.map(Footnotes.link).joined()
    let line = XMLText.line(cell.text)
    let text = cell.target.isEmpty ? line : XMLText.element("a", [("href", "#\(cell.target)")], line)
    // Only characters of right-to-left scripts need isolation from their neighbours.
    let isPlain = cell.text.unicodeScalars.allSatisfy { $0.value < 0x590 }
    return "<td\(style)\(key.map { " data-k=\"\($0)\"" } ?? "")>\(isPlain ? text : "<bdi>\(text)</bdi>")\(notes)</td>"
  }

  // MARK: Layout

  private func mapTexts(_ transform: (Cell) -> String) -> [[String]] {
    [columns.map { transform(Cell($0.title)) }] + rows.map { $0.map(transform) }
  }

  private static func widths(_ lines: [[String]]) -> [Int] {
    guard let first = lines.first else { return [] }
    return first.indices.map { column in lines.reduce(0) { max($0, DisplayWidth.of($1[column])) } }
  }

  private static func padded(_ text: String, to width: Int, _ alignment: Alignment) -> String {
    let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    return alignment == .left ? text + space : space + text
  }
}
