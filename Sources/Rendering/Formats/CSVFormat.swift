// Comma-separated values: the format of summary.csv.

import Base

/// Comma-separated values (RFC 4180) with the headings in the first line; a column with intervals is followed by those of their ends.
package struct CSVFormat: LineFormat {
  package init() {}

  package func head(_ columns: [Table.Column]) -> [UInt8] {
    line(columns.flatMap { $0.level.isEmpty ? [$0.title] : [$0.title, "\($0.title)Low", "\($0.title)High"] })
  }

  package func line(_ row: [Table.Cell], _ columns: [Table.Column]) -> [UInt8] {
    line(
      zip(row, columns).flatMap { cell, column in
        guard case .number(let number) = cell.value else { return [cell.text] + (column.level.isEmpty ? [] : ["", ""]) }
        let numbers = [number.value] + (column.level.isEmpty ? [] : [number.interval?.low, number.interval?.high])
        return numbers.map { value in value.map { DecimalText.trimmed($0, decimals: number.decimals) } ?? "" }
      })
  }

  private func line(_ texts: [String]) -> [UInt8] { CSVText.line(texts.map(SafeText.lines)) }
}

extension Table {
  package var csv: String {
    let format = CSVFormat()
    return String(decoding: format.head(columns) + rows.flatMap { format.line($0, columns) }, as: UTF8.self)
  }
}
