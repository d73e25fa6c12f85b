// Tables of pages.

import Base

extension Table {
  /// Returns the table as XHTML with a caption for screen readers; `isSortable` lets the script of the page sort and filter it.
  package func html(caption: String, isSortable: Bool = false) -> String {
    let heads = columns.map { column in
      let isFiltered = isSortable && column.id == .headline
      let style = (column.alignment == .right ? " class=\"n\"" : "") + (isFiltered ? " data-main=\"\"" : "")
      return "<th scope=\"col\"\(style)>\(XMLText.isolated(column.heading))</th>"
    }.joined()
    let keys = columns.indices.map { isSortable ? sortKeys($0) : rows.map { _ in nil } }
    let body = rows.enumerated().map { row, cells in
      let isStrong = cells.first?.style == .strong
      let texts = cells.indices.map { cells[$0].html(columns[$0], key: keys[$0][row], isRowStrong: isStrong) }
      return "<tr\(isStrong ? " class=\"strong\"" : "")\(runAttributes(row))>\(texts.joined())</tr>"
    }
    let classes = (isSortable ? ["sortable"] : []) + (columns.last?.id == .verdict ? ["verdicts"] : [])
    let style =
      (classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\"")
      + (commands.isEmpty || !isSortable ? "" : " data-commands=\"\(XMLText.attribute(commands.joined(separator: "\n")))\"")
    let label = XMLText.attribute(SafeText.line(caption))
    // A wide table scrolls in its own region, which the keyboard can reach.
    return
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"\(label)\"><table\(style)><caption>\(XMLText.line(caption))</caption>\n"
      + "<thead><tr>\(heads)</tr></thead>\n<tbody>\n\(body.joined(separator: "\n"))\n</tbody></table></div>\n"
  }

  /// Returns the numbers by which rows sort: an axis's order, else ranks from 0, because texts are rounded; equal ones share a rank.
  private func sortKeys(_ column: Int) -> [Int?] {
    let orders = rows.map { $0[column].order }
    if case .axis = columns[column].id { return orders.map { $0.map { Int($0) } } }
    var ranks: [Double: Int] = [:]
    for order in orders.compactMap(\.self).sorted() where ranks[order] == nil { ranks[order] = ranks.count }
    return orders.map { $0.flatMap { ranks[$0] } }
  }

  /// Returns the attributes of a row that the script puts into the commands.
  private func runAttributes(_ row: Int) -> String {
    guard runs.indices.contains(row) else { return "" }
    let (point, repetition) = runs[row]
    return " data-p=\"\(XMLText.attribute(point))\"" + (repetition == 1 ? "" : " data-r=\"\(repetition)\"")
  }
}

extension Table.Cell {
  fileprivate func html(_ column: Table.Column, key: Int?, isRowStrong: Bool) -> String {
    let names: [Table.Style: String] = [.strong: "top", .good: "good", .bad: "bad"]
    let styles = [column.alignment == .right ? "n" : nil, style == .strong && isRowStrong ? nil : names[style]].compactMap { $0 }
    let classes = styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
    let notes = footnotes.map(Footnotes.link).joined()
    let line = XMLText.line(text)
    let content = target.isEmpty ? line : XMLText.element("a", [("href", "#\(target)")], line)
    // Only characters of right-to-left scripts need isolation from their neighbours.
    let isPlain = text.unicodeScalars.allSatisfy { $0.value < 0x590 }
    return "<td\(classes)\(key.map { " data-k=\"\($0)\"" } ?? "")>\(isPlain ? content : "<bdi>\(content)</bdi>")\(notes)</td>"
  }
}
