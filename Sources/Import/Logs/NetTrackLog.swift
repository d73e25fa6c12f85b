// The 4G and 5G logs of the Irish datasets: comma-separated values as G-NetTrack Pro writes them.

/// Rows under a header of which `Timestamp` (`2017.11.22_10.07.03`), `DL_bitrate` (kbit/s) and, where there is one, `State` are used:
/// Raca et al., MMSys 2018 and 2020. A rate holds from its row's second to the next row's; of rows of one second the mean is taken.
///
/// Rows whose state is `I` were measured while nothing was downloaded and say nothing of the network: they and the time until the next
/// row are left out, and so is what lies beyond ten seconds between two rows.
struct NetTrackLog: ThroughputLog {
  private static let gapLimit: Int64 = 10

  var trace: TraceWriter
  private var rows = HeadedRows()
  private var time = -1, rate = -1
  private var state: Int?
  /// The second that is open, the sum of its rates in bits a second, and the number of them.
  private var second: Int64 = -1, sum: Int64 = 0, count: Int64 = 0
  /// The last second that was read, idle or not.
  private var last: Int64 = -1

  init(_ trace: TraceWriter) { self.trace = trace }

  /// - Throws: `LineProblem` if the line is malformed, and what writing throws.
  mutating func take(_ line: TextLine) throws -> Bool {
    var columns: (time: Int?, rate: Int?, state: Int?)?
    let isRow = try rows.take(line) { cells in
      func column(_ name: StaticString) -> Int? { cells.lastIndex { line.equals($0, name) } }
      let found = (time: column("Timestamp"), rate: column("DL_bitrate"), state: column("State"))
      guard found.time != nil, found.rate != nil else {
        throw LineProblem("has no columns Timestamp and DL_bitrate", remedy: "begin the file with the names of the columns")
      }
      columns = found
    }
    if let columns { (time, rate, state) = (columns.time ?? -1, columns.rate ?? -1, columns.state) }
    guard isRow else { return false }
    let cells = rows.cells
    guard let now = Self.seconds(line, cells[time]) else {
      throw LineProblem("has the time \(line.shown(cells[time]))", remedy: "write such as 2017.11.22_10.07.03")
    }
    guard now >= last else { throw LineProblem("is earlier than the row before", remedy: "sort the rows by time") }
    if let state, line.equals(cells[state], "I") {
      try close(until: now)
      (second, last) = (-1, now)
      return false
    }
    guard let bitsPerSecond = line.number(cells[rate], places: 3), bitsPerSecond <= 1_000_000_000_000 else {
      throw LineProblem("has the rate \(line.shown(cells[rate]))", remedy: "write kbit/s")
    }
    if now != second {
      try close(until: now)
      (second, sum, count) = (now, 0, 0)
    }
    sum = min(1 << 60, sum + bitsPerSecond)
    count += 1
    last = now
    return true
  }

  /// - Throws: what writing throws.
  mutating func close() throws { try close(until: second + 1) }

  /// Adds the second that is open.
  /// - Throws: what writing throws.
  private mutating func close(until now: Int64) throws {
    guard second >= 0, count > 0, now > second else { return }
    let seconds = now - second > Self.gapLimit ? 1 : now - second
    try trace.add(duration: seconds * 1_000_000_000, bits: (sum + count / 2) / count * seconds)
  }

  /// Seconds since 1970 of `2017.11.22_10.07.03`.
  private static func seconds(_ line: TextLine, _ part: Range<Int>) -> Int64? {
    guard part.count == 19, let minutes = line.minutes(part), let second = line.number(part.lowerBound + 17..<part.upperBound), second < 61
    else { return nil }
    return minutes * 60 + second
  }
}
