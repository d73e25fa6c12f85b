// A table of measurements in a CSV file, read by the program's own reader.

import Base

/// A file that a study cannot use, or a difference that it found.
package struct StudyProblem: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

package struct MeasurementTable {
  /// The names of the columns, which the first line has.
  package let columns: [String]
  /// The other lines with their numbers in the file. A line may have fewer or more cells than there are columns.
  package let lines: [(number: Int, cells: [String])]

  /// Reads a file.
  /// - Throws: `StudyProblem` if it cannot be read.
  package init(path: String) throws {
    let file: InputFile
    do { file = try InputFile(path: path, remedy: "run in the package's folder") } catch {
      throw StudyProblem(description: "\(path): \(error)")
    }
    var lines: [(number: Int, cells: [String])] = []
    func append(_ record: CSVRecord) { lines.append((record.cells[0].line, record.cells.indices.map { record.text($0) })) }
    var reader = CSVRecordReader()
    reader.read(file.bytes, append)
    reader.finish(append)
    columns = lines.first?.cells ?? []
    self.lines = Array(lines.dropFirst())
  }

  /// The lines as texts by column.
  package var rows: [[String: String]] {
    lines.map { Dictionary(zip(columns, $0.cells), uniquingKeysWith: { first, _ in first }) }
  }
}

extension Dictionary where Key == String, Value == String {
  /// Returns a column's number; NaN if the row has none.
  package func number(_ name: String) -> Double { Double(self[name] ?? "") ?? .nan }
  /// Returns a column's number, truncated to an integer; the row must have one.
  package func whole(_ name: String) -> Int { Int(number(name)) }
  /// Returns a column's text; empty if the row has none.
  package func text(_ name: String) -> String { self[name] ?? "" }
}

/// Returns the median; the mean of the two middle values for an even number.
package func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
