// The 4G and 5G logs of the Irish datasets: comma-separated values as G-NetTrack Pro writes them.

/// Rows under a header of which `Timestamp` (`2017.11.22_10.07.03`), `DL_bitrate` (kbit/s) and, where there is one, `State` are used:
/// Raca et al., MMSys 2018 and 2020. A rate holds from its row's second to the next row's; of rows of one second the mean is taken.
///
/// Rows whose state is `I` were measured while nothing was downloaded and say nothing of the network: they and the time until the next
/// row are left out, and so is what lies beyond ten seconds between two rows.
struct NetTrackLog: ThroughputLog {
  private static let gapLimit: Int64 = 10

  private var time = -1
  private var rate = -1
  private var state: Int?
  private var columnCount = 0
  private var cells: [Range<Int>] = []
  /// The second that is open, and the sum of its rates in bits a second.
  private var second: Int64 = -1
  private var sum: Int64 = 0
  private var rows: Int64 = 0
  /// The last second that was read, idle or not.
  private var last: Int64 = -1

  package mutating func take(_ line: UnsafeRawBufferPointer, _ trace: inout TraceWriter) throws -> Bool {
    if line.isEmpty { return false }
    LineFields.cells(of: line, into: &cells)
    if columnCount == 0 {
      try readHeader(line)
      return false
    }
    guard cells.count == columnCount else {
      throw LineProblem("has \(cells.count) cells, the header \(columnCount)", remedy: "write a cell for each column")
    }
    guard let now = Self.seconds(line, cells[time]) else {
      throw LineProblem("has the time \(LineFields.shown(line, cells[time]))", remedy: "write such as 2017.11.22_10.07.03")
    }
    guard now >= last else { throw LineProblem("is earlier than the row before", remedy: "sort the rows by time") }
    if let state, LineFields.equals(line, cells[state], "I") {
      try close(until: now, &trace)
      (second, last) = (-1, now)
      return false
    }
    guard let bitsPerSecond = LineFields.number(line, cells[rate], places: 3), bitsPerSecond <= 1_000_000_000_000 else {
      throw LineProblem("has the rate \(LineFields.shown(line, cells[rate]))", remedy: "write kbit/s")
    }
    if now != second {
      try close(until: now, &trace)
      (second, sum, rows) = (now, 0, 0)
    }
    sum = min(1 << 60, sum + bitsPerSecond)
    rows += 1
    last = now
    return true
  }

  package mutating func finish(_ trace: inout TraceWriter) throws { try close(until: second + 1, &trace) }

  /// Hands on the second that is open.
  private mutating func close(until now: Int64, _ trace: inout TraceWriter) throws {
    guard second >= 0, rows > 0, now > second else { return }
    let seconds = now - second > Self.gapLimit ? 1 : now - second
    try trace.add(duration: seconds * 1_000_000_000, bits: (sum + rows / 2) / rows * seconds)
  }

  private mutating func readHeader(_ line: UnsafeRawBufferPointer) throws(LineProblem) {
    for (index, cell) in cells.enumerated() {
      if LineFields.equals(line, cell, "Timestamp") { time = index }
      if LineFields.equals(line, cell, "DL_bitrate") { rate = index }
      if LineFields.equals(line, cell, "State") { state = index }
    }
    guard time >= 0, rate >= 0 else {
      throw LineProblem("has no columns Timestamp and DL_bitrate", remedy: "begin the file with the names of the columns")
    }
    columnCount = cells.count
  }

  /// Seconds since 1970 of `2017.11.22_10.07.03`.
  private static func seconds(_ line: UnsafeRawBufferPointer, _ part: Range<Int>) -> Int64? {
    guard part.count == 19 else { return nil }
    func number(_ place: Int, _ count: Int) -> Int64? {
      LineFields.number(line, part.lowerBound + place..<part.lowerBound + place + count)
    }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2), let minute = number(14, 2),
      let second = number(17, 2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    return CivilTime.days(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
  }
}

/// Dates as numbers of days.
enum CivilTime {
  /// Days since 1970-01-01 in the Gregorian calendar.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
