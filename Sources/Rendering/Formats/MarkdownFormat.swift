// Tables of Markdown pages.

import Base

extension Table {
  /// GitHub-flavored Markdown (GFM 4.10), padded to be legible as plain text. Intervals have no-break spaces.
  package var markdown: String {
    let lines = texts { cell in
      let text = Words.unbroken(SafeText.markdown(cell.text))
      let notes = cell.footnotes.map(Footnotes.mark).joined()
      return (cell.style == .strong && !text.isEmpty ? "**\(text)**" : text) + notes
    }
    let widths = Self.widths(lines).map { max(3, $0) }
    func row(_ texts: [String]) -> String {
      let cells = texts.enumerated().map { columns[$0].alignment.padded($1, to: widths[$0]) }
      return "| " + cells.joined(separator: " | ") + " |\n"
    }
    let rule = zip(columns, widths).map { column, width in
      column.alignment == .left ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return row(lines[0]) + row(rule) + lines.dropFirst().map(row).joined()
  }

  /// The width in pixels on a page of Markdown, on which no row of a narrower table wraps.
  var pageWidth: Double {
    columns.indices.reduce(1) { sum, index in
      let cells = rows.map { row in
        PageWidth.of(row[index].text, isBold: row[index].style == .strong) + 9 * Double(row[index].footnotes.count)
      }
      return sum + PageWidth.padding + max(PageWidth.of(columns[index].heading, isBold: true), cells.max() ?? 0)
    }
  }
}
