// Reads a recorded session: a CSV of visits in order, with the columns `item` (from 0) and `dwellMs`.

import Base
import Simulation

package enum RecordingReader {
  static let visitLimit = 1_000_000
  private static let columns = ["item", "dwellMs"]

  /// Reads and checks a recording; other columns are ignored. O(size).
  package static func read(_ file: InputFile, into sink: DiagnosticSink) -> ContiguousArray<Visit> {
    file.bytes.withUnsafeBytes { bytes in
      var lines = TextLines(bytes)
      var visits: ContiguousArray<Visit> = []
      let names = lines.next().map { line in line.cells.map(line.text) } ?? []
      for column in columns where !names.contains(column) {
        sink.report(
          at: file.start, key: column, problem: "there is no such column", remedy: "begin the file with \(columns.joined(separator: ","))")
      }
      guard let item = names.firstIndex(of: "item"), let dwell = names.firstIndex(of: "dwellMs") else { return [] }
      while let line = lines.next(), visits.count < visitLimit {
        if line.isBlank { continue }
        let cells = line.cells
        guard cells.count == names.count, let index = Int(line.text(cells[item])), 0 <= index,
          let dwellMs = Double(line.text(cells[dwell])), dwellMs > 0, dwellMs <= 86_400_000
        else {
          sink.report(
            at: line.location(0, file: file.name), problem: "is no visit",
            remedy: "write an item counted from 0 and a dwell of more than 0 ms, at most a day")
          continue
        }
        visits.append(Visit(item: index, dwell: Interval(nanoseconds: max(1, Int64((dwellMs * 1e6).rounded())))))
      }
      if visits.isEmpty, sink.isEmpty {
        sink.report(at: file.start, problem: "has no visits", remedy: "add a row for each visit of an item")
      }
      return visits
    }
  }
}
