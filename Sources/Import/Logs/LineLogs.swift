// Logs that are read line by line: the public 3G and 4G datasets, and sessions of users.

import Base
import Inputs

/// A format of logs. A measurement is two numbers: nanoseconds and bits of a period, or item and nanoseconds of a visit.
protocol LineLog {
  typealias Emit = (Int64, Int64) throws -> Void
  /// Reads a line; returns true if it holds a measurement, complete or not, and false for headers and remarks.
  /// - Throws: `ValueProblem` if the line is malformed; any error of `emit`.
  mutating func read(_ line: TextLine, _ emit: Emit) throws -> Bool
  /// Emits the measurement that the last line left open.
  /// - Throws: any error of `emit`.
  mutating func finish(_ emit: Emit) throws
  /// A note about the log for the user.
  var note: String? { get }
}

extension LineLog {
  func finish(_ emit: Emit) {}
  var note: String? { nil }
}

/// Six columns between spaces: two clocks, latitude, longitude, bytes received, and milliseconds since the line before.
/// Only the last two columns are used, so one reader serves both datasets.
/// Sources: Riiser et al., MMSys 2013 (clock in s); van der Hooft et al., IEEE Communications Letters 2016 (clock in ms).
struct SixColumnLog: LineLog {
  private var columns: [Range<Int>] = []

  /// - Throws: `ValueProblem` if the line is malformed; any error of `emit`.
  mutating func read(_ line: TextLine, _ emit: Emit) throws -> Bool {
    line.split(into: &columns)
    if columns.isEmpty { return false }
    guard columns.count == 6 else {
      throw ValueProblem(
        "has \(columns.count) columns, not six", remedy: "it must end with the bytes and the milliseconds since the line before")
    }
    guard let bytes = line.number(columns[4]), bytes <= TraceWriter.bitsLimit / 8 else {
      throw ValueProblem("has \(line.shown(columns[4])) for its bytes", remedy: "write a whole number of bytes")
    }
    guard let duration = line.number(columns[5], decimals: 6), duration <= TraceWriter.durationLimit else {
      throw ValueProblem("has \(line.shown(columns[5])) for its milliseconds", remedy: "write a number of at most a day")
    }
    if duration > 0 {
      try emit(duration, bytes * 8)
    } else if bytes > 0 {
      throw ValueProblem("has \(bytes) bytes in no time", remedy: "write the milliseconds since the line before")
    }
    return true
  }
}

/// The Irish 4G and 5G logs of G-NetTrack Pro. The mean rate of a second applies until the next row, or for 1 s if that is over 10 s later.
/// Rows with state `I` (idle), and the time until the next row, say nothing about the network and are left out.
/// Columns: `Timestamp` (`2017.11.22_10.07.03`), `DL_bitrate` (kbit/s), `State`. Source: Raca et al., MMSys 2018 and 2020.
struct NetTrackLog: LineLog {
  private static let gapLimit: Int64 = 10

  private var columns: (count: Int, time: Int, rate: Int, state: Int?)?
  /// The second being read, the sum of its rates in bits a second, and their number.
  private var second: Int64 = -1, sum: Int64 = 0, count: Int64 = 0
  /// The last second read, idle or not.
  private var last: Int64 = -1

  /// - Throws: `ValueProblem` if the line is malformed, `FormatProblem` if a column is missing; any error of `emit`.
  mutating func read(_ line: TextLine, _ emit: Emit) throws -> Bool {
    if line.bytes.isEmpty { return false }
    guard let columns else {
      let names = line.cells.map(line.text)
      guard let time = names.lastIndex(of: "Timestamp"), let rate = names.lastIndex(of: "DL_bitrate") else {
        throw FormatProblem("has no columns Timestamp and DL_bitrate", remedy: "begin the file with the names of the columns")
      }
      columns = (names.count, time, rate, names.lastIndex(of: "State"))
      return false
    }
    let cells = try line.cells(columns.count)
    guard let now = Self.seconds(line, cells[columns.time]) else {
      throw ValueProblem("has the time \(line.shown(cells[columns.time]))", remedy: "write such as 2017.11.22_10.07.03")
    }
    guard now >= last else { throw ValueProblem("is earlier than the row before", remedy: "sort the rows by time") }
    if let state = columns.state, line.equals(cells[state], "I") {
      try close(until: now, emit)
      (second, last) = (-1, now)
      return false
    }
    guard let bitsPerSecond = line.number(cells[columns.rate], decimals: 3), bitsPerSecond <= TraceReader.rateLimitBps else {
      throw ValueProblem("has the rate \(line.shown(cells[columns.rate]))", remedy: "write kbit/s")
    }
    if now != second {
      try close(until: now, emit)
      (second, sum, count) = (now, 0, 0)
    }
    sum = min(1 << 60, sum + bitsPerSecond)
    count += 1
    last = now
    return true
  }

  /// - Throws: any error of `emit`.
  func finish(_ emit: Emit) throws { try close(until: second + 1, emit) }

  /// Emits the second being read.
  /// - Throws: any error of `emit`.
  private func close(until now: Int64, _ emit: Emit) throws {
    guard second >= 0, count > 0, now > second else { return }
    let seconds = now - second > Self.gapLimit ? 1 : now - second
    try emit(seconds * 1_000_000_000, (sum + count / 2) / count * seconds)
  }

  /// Returns seconds since 1970 of a text like `2017.11.22_10.07.03`.
  private static func seconds(_ line: TextLine, _ part: Range<Int>) -> Int64? {
    guard part.count == 19, let minutes = line.minutes(part), let second = line.number(part.lowerBound + 17..<part.upperBound), second < 61
    else { return nil }
    return minutes * 60 + second
  }
}

/// Rows under a header, with the dwell of a user at each item, as apps log them.
struct SessionLog: LineLog {
  private static let dwellNames: [(name: String, unitMs: Int64)] = [
    ("dwellMs", 1), ("dwell_ms", 1), ("dwell", 1), ("dwellSeconds", 1000), ("dwell_s", 1000),
  ]
  private static let dayMs: Int64 = 86_400_000

  /// The import; its options may name the columns.
  let job: ImportJob
  private var columns: (count: Int, item: Int?, dwell: Int, unitMs: Int64)?
  private var rowCount: Int64 = 0

  init(_ job: ImportJob) { self.job = job }

  /// - Throws: `ValueProblem` if the line is malformed, `FormatProblem` if a column is missing; any error of `emit`.
  mutating func read(_ line: TextLine, _ emit: Emit) throws -> Bool {
    if line.bytes.isEmpty { return false }
    guard let columns else {
      try readHeader(line.cells.map(line.text))
      return false
    }
    let cells = try line.cells(columns.count)
    // Without a column of items, each row is the next item.
    guard let item = columns.item.map({ line.number(cells[$0]) }) ?? rowCount, item < 1_000_000_000 else {
      throw ValueProblem("has the item \(line.shown(cells[columns.item ?? 0]))", remedy: "write a whole number, counted from 0")
    }
    guard let dwell = line.number(cells[columns.dwell], decimals: 6), dwell > 0, dwell / 1_000_000 <= Self.dayMs / columns.unitMs else {
      throw ValueProblem("has the dwell \(line.shown(cells[columns.dwell]))", remedy: "write more than 0 and at most a day")
    }
    try emit(item, dwell * columns.unitMs)
    rowCount += 1
    return true
  }

  /// - Throws: `FormatProblem` if a column is missing.
  private mutating func readHeader(_ names: [String]) throws(FormatProblem) {
    let known = job.dwellColumn.map { [(name: $0, unitMs: Int64(1))] } ?? Self.dwellNames
    guard let found = known.first(where: { names.contains($0.name) }), let dwell = names.firstIndex(of: found.name) else {
      throw FormatProblem(
        "has no column \(known.map { quoted($0.name) }.joined(separator: " or "))",
        remedy: "name it with --dwell-column; the columns are \(shortened(names.joined(separator: ", "), to: 400))")
    }
    let item = names.firstIndex(of: job.itemColumn ?? "item")
    if let column = job.itemColumn, item == nil {
      throw FormatProblem("has no column \(quoted(column))", remedy: "leave out --item-column, or correct it")
    }
    columns = (names.count, item, dwell, job.dwellUnitMs ?? found.unitMs)
  }
}
