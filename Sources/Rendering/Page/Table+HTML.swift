// The table as HTML that is XML too; the page's script makes it sortable, without which it is whole all the same.

import Analysis

extension Table {
  /// The table with a caption for those who hear it.
  ///
  /// - Parameters:
  ///   - sortKeys: for some columns, by their places, the number that each row is sorted by where its text would not do.
  ///   - isSortable: whether the page's script may sort and filter it.
  func html(caption: String, sortKeys: [Int: [Int?]] = [:], isSortable: Bool = false) -> String {
    let heads = columns.map { column in
      let style = column.alignment == .right ? " class=\"n\"" : ""
      return "<th scope=\"col\"\(style)><bdi>\(XMLText.line(column.title))</bdi></th>"
    }.joined()
    let body = rows.enumerated().map { row, cells in
      let isStrong = cells.first?.style == .strong
      let texts = cells.indices.map { cell(cells[$0], $0, key: sortKeys[$0]?[row] ?? nil, isRowStrong: isStrong) }
      return "<tr\(isStrong ? " class=\"strong\"" : "")>\(texts.joined())</tr>"
    }
    let style = isSortable ? " class=\"sortable\"" : ""
    let label = XMLText.attribute(SafeText.line(caption))
    // A wide table scrolls by itself; the keyboard reaches it as a region of its own.
    return
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"\(label)\"><table\(style)><caption>\(XMLText.line(caption))</caption>\n"
      + "<thead><tr>\(heads)</tr></thead>\n<tbody>\n\(body.joined(separator: "\n"))\n</tbody></table></div>\n"
  }

  private func cell(_ cell: Cell, _ column: Int, key: Int?, isRowStrong: Bool) -> String {
    var styles: [String] = columns[column].alignment == .right ? ["n"] : []
    if cell.style == .strong, !isRowStrong { styles.append("top") }
    if cell.style == .good { styles.append("good") }
    if cell.style == .bad { styles.append("bad") }
    let style = styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
    let notes = cell.footnotes.map { "<sup><a href=\"#note-\($0)\">\($0)</a></sup>" }.joined()
    let line = XMLText.line(cell.text)
    let text = cell.target.isEmpty ? line : XMLText.element("a", [("href", "#\(cell.target)")], line)
    // Only what may be written from right to left needs to be kept apart from its neighbours.
    let isPlain = cell.text.unicodeScalars.allSatisfy { $0.value < 0x590 }
    return "<td\(style)\(key.map { " data-k=\"\($0)\"" } ?? "")>\(isPlain ? text : "<bdi>\(text)</bdi>")\(notes)</td>"
  }
}
