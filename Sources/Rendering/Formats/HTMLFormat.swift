// Tables of pages.

import Analysis
import Base

/// XHTML with a caption for screen readers.
struct HTMLFormat: TableFormat {
  let caption: String
  /// True to let the script sort and filter.
  let isSortable: Bool

  func text(_ table: Table) -> String {
    let heads = table.columns.map { column in
      let isFiltered = isSortable && column.id == .headline
      let style = (column.alignment == .right ? " class=\"n\"" : "") + (isFiltered ? " data-main=\"\"" : "")
      return "<th scope=\"col\"\(style)>\(XMLText.isolated(column.heading))</th>"
    }.joined()
    let keys = table.columns.indices.map { isSortable ? sortKeys(table, $0) : table.rows.map { _ in nil } }
    let body = table.rows.enumerated().map { row, cells in
      let isStrong = cells.first?.style == .strong
      let texts = cells.indices.map { cell(cells[$0], table.columns[$0], key: keys[$0][row], isRowStrong: isStrong) }
      return "<tr\(isStrong ? " class=\"strong\"" : "")\(run(row, of: table))>\(texts.joined())</tr>"
    }
    let classes = (isSortable ? ["sortable"] : []) + (table.columns.last?.id == .verdict ? ["verdicts"] : [])
    let style =
      (classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\"")
      + (table.commands.isEmpty || !isSortable ? "" : " data-commands=\"\(XMLText.attribute(table.commands.joined(separator: "\n")))\"")
    let label = XMLText.attribute(SafeText.line(caption))
    // A wide table scrolls in its own region, which the keyboard can reach.
    return
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"\(label)\"><table\(style)><caption>\(XMLText.line(caption))</caption>\n"
      + "<thead><tr>\(heads)</tr></thead>\n<tbody>\n\(body.joined(separator: "\n"))\n</tbody></table></div>\n"
  }

  /// Returns the numbers by which the rows sort in a column: the order of an axis as it is, of other columns the ranks from 0, because texts
  /// are rounded; equal ones share a rank. O(n log n).
  private func sortKeys(_ table: Table, _ column: Int) -> [Int?] {
    let orders = table.rows.map { $0[column].order }
    if case .axis = table.columns[column].id { return orders.map { $0.map { Int($0) } } }
    var ranks: [Double: Int] = [:]
    for order in orders.compactMap(\.self).sorted() where ranks[order] == nil { ranks[order] = ranks.count }
    return orders.map { $0.flatMap { ranks[$0] } }
  }

  /// Returns the attributes of a row that the script puts into the commands.
  private func run(_ row: Int, of table: Table) -> String {
    guard table.runs.indices.contains(row) else { return "" }
    let (point, repetition) = table.runs[row]
    return " data-p=\"\(XMLText.attribute(point))\"" + (repetition == 1 ? "" : " data-r=\"\(repetition)\"")
  }

  private static let classes: [Table.Style: String] = [.strong: "top", .good: "good", .bad: "bad"]

  private func cell(_ cell: Table.Cell, _ column: Table.Column, key: Int?, isRowStrong: Bool) -> String {
    let name = cell.style == .strong && isRowStrong ? nil : Self.classes[cell.style]
    let styles = [column.alignment == .right ? "n" : nil, name].compactMap { $0 }
    let style = styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
    let notes = cell.footnotes.map(Footnotes.link).joined()
    let line = XMLText.line(cell.text)
    let text = cell.target.isEmpty ? line : XMLText.element("a", [("href", "#\(cell.target)")], line)
    // Only characters of right-to-left scripts need isolation from their neighbours.
    let isPlain = cell.text.unicodeScalars.allSatisfy { $0.value < 0x590 }
    return "<td\(style)\(key.map { " data-k=\"\($0)\"" } ?? "")>\(isPlain ? text : "<bdi>\(text)</bdi>")\(notes)</td>"
  }
}

extension Table {
  /// Returns the table as XHTML; `isSortable` lets the script of the page sort and filter it.
  package func html(caption: String, isSortable: Bool = false) -> String { HTMLFormat(caption: caption, isSortable: isSortable).text(self) }
}
