// Tables of Markdown pages.

import Analysis
import Base

/// GitHub-flavored Markdown (GFM 4.10), padded to be legible as plain text. Intervals have no-break spaces.
struct MarkdownFormat: TableFormat {
  func text(_ table: Table) -> String {
    let lines = table.texts { cell in
      let text = Words.unbroken(SafeText.markdown(cell.text))
      let notes = cell.footnotes.map(Footnotes.mark).joined()
      return (cell.style == .strong && !text.isEmpty ? "**\(text)**" : text) + notes
    }
    let widths = TextFormat.widths(lines).map { max(3, $0) }
    func row(_ texts: [String]) -> String {
      let cells = texts.enumerated().map { TextFormat.padded($1, to: widths[$0], table.columns[$0].alignment) }
      return "| " + cells.joined(separator: " | ") + " |\n"
    }
    let rule = zip(table.columns, widths).map { column, width in
      column.alignment == .left ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return row(lines[0]) + row(rule) + lines.dropFirst().map(row).joined()
  }
}

extension Table {
  package var markdown: String { MarkdownFormat().text(self) }

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
