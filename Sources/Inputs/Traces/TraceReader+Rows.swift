// Traces in rows of text: a time in seconds and a rate in Mbit/s, or comma-separated values with named columns.

import Base
import Simulation

/// A row with a time, of a trace without durations.
private struct TimedRow {
  var timeNs: Int64
  var bitsPerSecond: Int64
  var location: SourceLocation
}

/// The meaning of the columns of rows.
private struct RowLayout {
  /// The number of columns, and the indices of the column of times or durations and of the column of rates.
  var count = 2, span = 0, rate = 1
  var spanName = "time", rateName = "rate"
  /// The units of both columns, in nanoseconds and in bits a second.
  var spanUnit: Int64 = 1_000_000_000, rateUnit: Int64 = 1_000_000
}

extension TraceReader {
  /// Reads lines of a time and a rate (blank lines and lines that start with # are skipped), or comma-separated values under a header.
  mutating func readRows() {
    var rows: [TimedRow] = []
    let bytes = file.bytes
    bytes.withUnsafeBytes { bytes in
      var lines = TextLines(bytes)
      let isCSV = options.format == .csv
      guard var layout = isCSV ? header(&lines) : RowLayout() else { return }
      if let unit = options.timeUnit.flatMap({ QuantityUnit.named($0) }) { layout.spanUnit = unit.worth }
      if let unit = TraceOptions.rateUnits.first(where: { $0.name == options.rateUnit }) { layout.rateUnit = unit.worth }
      while let line = lines.next() {
        let parts = isCSV ? line.cells : line.words
        if line.isBlank || !isCSV && line.bytes[parts[0].lowerBound] == UInt8(ascii: "#") { continue }
        let location = line.location(isCSV ? 0 : parts[0].lowerBound, file: file.name)
        guard parts.count == layout.count else {
          let (problem, remedy) =
            isCSV
            ? ("cells, the header \(layout.count)", "write a cell for each column")
            : ("columns, not two", "write a time in seconds and a rate in Mbit/s, or use the format \"csv\"")
          sink.report(at: location, problem: "the line has \(parts.count) \(problem)", remedy: remedy)
          continue
        }
        /// Returns the number in a column; nil after a report.
        func whole(_ index: Int, unit: Int64, factor: ExactDecimal = ExactDecimal(1), limit: Int64, key: String) -> Int64? {
          self.whole(line.text(parts[index]), unit: unit, factor: factor, limit: limit, key: key) {
            line.location(parts[index].lowerBound, file: file.name)
          }
        }
        let limit = options.durationColumn == nil ? Instant.never.nanoseconds : Self.lengthLimitNs
        let spanNs = whole(layout.span, unit: layout.spanUnit, limit: limit, key: layout.spanName)
        let bitsPerSecond = whole(layout.rate, unit: layout.rateUnit, factor: options.scale, limit: Self.rateLimitBps, key: layout.rateName)
        guard let spanNs, let bitsPerSecond else { continue }
        if options.durationColumn == nil {
          append(TimedRow(timeNs: spanNs, bitsPerSecond: bitsPerSecond, location: location), to: &rows)
        } else {
          let location = line.location(parts[layout.span].lowerBound, file: file.name)
          append(durationNs: spanNs, bitsPerSecond: bitsPerSecond, at: location, key: layout.spanName)
        }
      }
    }
    appendPeriods(of: rows)
  }

  /// Returns the columns that a header names; nil after a report.
  private func header(_ lines: inout TextLines) -> RowLayout? {
    var line = lines.next()
    while line?.isBlank == true { line = lines.next() }
    guard let line else {
      sink.report(at: file.start, problem: "the trace has no header", remedy: "begin it with the names of the columns")
      return nil
    }
    let names = line.cells.map(line.text)
    let (span, rate) = (options.timeColumn ?? options.durationColumn ?? "", options.rateColumn ?? "")
    for name in [span, rate] where !names.contains(name) {
      sink.report(
        at: line.location(0, file: file.name), problem: "there is no column \(quoted(name))",
        remedy: NearestName.remedy(for: name, among: names, what: "columns"))
    }
    guard let spanIndex = names.firstIndex(of: span), let rateIndex = names.firstIndex(of: rate) else { return nil }
    return RowLayout(count: names.count, span: spanIndex, rate: rateIndex, spanName: span, rateName: rate)
  }

  /// Reports columns without a unit whose numbers would also be likely in another common one: times in ms, rates in kbit/s.
  private func checkUnits(of rows: [TimedRow]) {
    guard options.format == .rows, let first = rows.first, let last = rows.last else { return }
    func ask(_ key: String, _ what: String, _ usual: String, _ other: String) {
      sink.report(
        at: first.location, key: key, problem: "is missing, and \(what) may be in \(usual) or \(other)",
        remedy: "write \(key): \(quoted(usual)) or \(key): \(quoted(other)) beside trace")
    }
    let step = (last.timeNs - first.timeNs) / Int64(max(1, rows.count - 1))
    if options.timeUnit == nil, step >= 10_000_000_000 { ask("timeUnit", "times \(step / 1_000_000_000) apart", "s", "ms") }
    let highest = rows.lazy.map(\.bitsPerSecond).max() ?? 0
    if options.rateUnit == nil, highest >= 100_000_000 { ask("rateUnit", "rates up to \(highest / 1_000_000)", "Mbps", "kbps") }
  }

  /// Appends a row if its time is later than the previous row's.
  private func append(_ row: TimedRow, to rows: inout [TimedRow]) {
    if let last = rows.last, row.timeNs <= last.timeNs {
      let text = Quantity.described(row.timeNs, .duration)
      let problem =
        row.timeNs == last.timeNs ? "has the time of line \(last.location.line)" : "is \(text), before line \(last.location.line)"
      return sink.report(at: row.location, key: "time", problem: problem, remedy: "sort the rows by time, each time once")
    }
    guard rows.count <= Self.periodLimit else { return }
    rows.append(row)
  }

  /// Appends the periods of rows with times; `rowsApply` selects the side.
  private mutating func appendPeriods(of rows: [TimedRow]) {
    if isClean { checkUnits(of: rows) }
    guard isClean, let first = rows.first else { return }
    func add(_ row: TimedRow, lasting durationNs: Int64) {
      append(durationNs: durationNs, bitsPerSecond: row.bitsPerSecond, at: row.location, key: "time")
    }
    switch options.rowsApply {
    case .forward:
      guard rows.count > 1 else {
        return sink.report(
          at: first.location, problem: "there is one row, which has no length", remedy: "add a row, or apply rows backward")
      }
      for (row, next) in zip(rows, rows.dropFirst()) { add(row, lasting: next.timeNs - row.timeNs) }
      // The last row lasts as long as the one before it.
      add(rows[rows.count - 1], lasting: rows[rows.count - 1].timeNs - rows[rows.count - 2].timeNs)
    case .backward:
      if first.timeNs > 0 { add(first, lasting: first.timeNs) }
      for (row, next) in zip(rows, rows.dropFirst()) { add(next, lasting: next.timeNs - row.timeNs) }
    case nil:
      sink.report(
        at: file.start, key: "rowsApply", problem: "is missing",
        remedy: "say \"forward\" if a row's rate holds from its time on, \"backward\" if until its time")
    }
  }
}
