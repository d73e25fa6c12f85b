// Logs that are read line by line, and what those with a header of column names share.

/// One form of log.
protocol LineLog {
  /// What its rows are called, in the plural.
  static var noun: String { get }
  /// Rows written.
  var rowCount: Int { get }
  /// True if the rows carry nothing.
  var isEmpty: Bool { get }
  /// Takes a line.
  ///
  /// - Throws: `LineProblem` where the line is malformed, or what the output throws.
  /// - Returns: true if the line holds a measurement, good or not yet complete, rather than a header or a remark.
  mutating func take(_ line: TextLine) throws -> Bool
  /// Writes what the last line left open.
  /// - Throws: what writing throws.
  mutating func finish() throws
}

/// A log of throughput: lines in, periods of a trace out.
protocol ThroughputLog: LineLog {
  var trace: TraceWriter { get set }
  init(_ trace: TraceWriter)
  /// Adds what the last line left open to the trace.
  /// - Throws: what writing throws.
  mutating func close() throws
}

extension ThroughputLog {
  static var noun: String { "periods" }
  var rowCount: Int { trace.count }
  var isEmpty: Bool { trace.isEmpty }
  mutating func close() {}

  /// - Throws: what writing throws.
  mutating func finish() throws {
    try close()
    try trace.finish()
  }
}

/// The rows of comma-separated values under a header.
struct HeadedRows {
  /// The cells of the line that was taken last.
  private(set) var cells: [Range<Int>] = []
  private var columnCount = 0

  /// Takes a line; the first that is not empty is the header, which `header` reads. True for a row.
  ///
  /// - Throws: `LineProblem` where a row has not as many cells as the header, and what `header` throws.
  mutating func take(_ line: TextLine, header: ([Range<Int>]) throws -> Void) throws -> Bool {
    if line.bytes.isEmpty { return false }
    line.splitCells(into: &cells)
    if columnCount == 0 {
      try header(cells)
      columnCount = cells.count
      return false
    }
    guard cells.count == columnCount else {
      throw LineProblem("has \(cells.count) cells, the header \(columnCount)", remedy: "write a cell for each column")
    }
    return true
  }
}
