// Rows as lines of runs.csv, written one at a time, so that a runner need not hold them all.

import Analysis
import Base

/// A writer of `runs.csv`: RFC 4180 quoting, line feeds, numbers as the shortest text that reads back as the same value.
package struct RunWriter: Sendable {
  /// The name of the file of confirmation runs, which has the format of `runs.csv`.
  package static let confirmationName = "confirmation.csv"
  package static let keyColumns = ["point", "repetition", "seed"]
  /// The last column, and the hexadecimal digits of its cells.
  package static let digestColumn = "digest", digestWidth = 13

  private let axes: [String]
  private let metrics: [Metric]

  package init(axes: [String], schema: RunSchema = .feed) { (self.axes, metrics) = (axes, schema.metrics) }

  package var header: [UInt8] { CSVText.line(RunWriter.keyColumns + axes + metrics.map(\.rawValue) + [RunWriter.digestColumn]) }

  /// Appends a row's line to `bytes`. The row has a value for each axis, and its metrics are finite.
  package func append(_ row: RunRow, to bytes: inout [UInt8]) {
    precondition(row.axisValues.count == axes.count, "a row has one value for each axis")
    CSVText.append(row.point, isFirst: true, to: &bytes)
    CSVText.append(String(row.repetition), isFirst: false, to: &bytes)
    CSVText.append(String(row.seed), isFirst: false, to: &bytes)
    for value in row.axisValues { CSVText.append(value, isFirst: false, to: &bytes) }
    for metric in metrics {
      bytes.append(CSVText.comma)
      if let value = row[metric] { DecimalText.append(exact: value, to: &bytes) }
    }
    bytes.append(CSVText.comma)
    if let digest = row.metrics.digest { bytes += RunWriter.text(ofDigest: digest).utf8 }
    bytes.append(CSVText.lineFeed)
  }

  package static func text(ofDigest digest: UInt64) -> String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: max(0, digestWidth - digits.count)) + digits
  }

  package func line(_ row: RunRow) -> [UInt8] {
    var bytes: [UInt8] = []
    append(row, to: &bytes)
    return bytes
  }
}
