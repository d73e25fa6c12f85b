// Traces in rows of text: a time in seconds and a rate in Mbit/s, or comma-separated values with named columns.

import Simulation

/// A row that has a time of its own.
private struct TimedRow {
  var timeNs: Int64
  var bitsPerSecond: Int64
  var location: SourceLocation
}

extension TraceReader {
  /// Reads lines of `time_s Mbps`; blank lines and those that start with # are passed over.
  mutating func readRows() {
    var rows: [TimedRow] = []
    file.bytes.withUnsafeBytes { bytes in
      for line in TextLines(bytes) {
        let words = line.words
        guard let first = words.first, line.bytes[first.lowerBound] != UInt8(ascii: "#") else { continue }
        let location = line.location(first.lowerBound, file: file.name)
        guard words.count == 2 else {
          sink.report(
            at: location, problem: "the line has \(words.count) columns, not two",
            remedy: "write a time in seconds and a rate in Mbit/s, or use the format \"csv\"")
          continue
        }
        let timeNs = whole(line, first, unit: 1_000_000_000, limit: Instant.never.nanoseconds, key: "time")
        let bitsPerSecond = rate(line, words[1], unit: 1_000_000, key: "rate")
        if let timeNs, let bitsPerSecond { append(TimedRow(timeNs: timeNs, bitsPerSecond: bitsPerSecond, location: location), to: &rows) }
      }
    }
    appendPeriods(of: rows)
  }

  /// Reads comma-separated values under a header.
  mutating func readCSV() {
    let bytes = file.bytes
    bytes.withUnsafeBytes { readCSV(TextLines($0)) }
  }

  private mutating func readCSV(_ lines: TextLines) {
    var lines = lines
    var header = lines.next()
    while let line = header, line.isBlank { header = lines.next() }
    guard let header else {
      return sink.report(at: file.start, problem: "the trace has no header", remedy: "begin it with the names of the columns")
    }
    let names = header.cells.map(header.text)
    let spanName = options.timeColumn ?? options.durationColumn
    let (span, rate) = (column(spanName, names, header), column(options.rateColumn, names, header))
    guard let span, let rate, let timeUnit = options.timeUnit.flatMap({ QuantityUnit.named($0) }),
      let rateUnit = TraceOptions.rateUnits.first(where: { $0.name == options.rateUnit })
    else { return }
    var rows: [TimedRow] = []
    while let line = lines.next() {
      if line.isBlank { continue }
      let cells = line.cells
      let location = line.location(0, file: file.name)
      guard cells.count == names.count else {
        sink.report(
          at: location, problem: "the line has \(cells.count) cells, the header \(names.count)", remedy: "write a cell for each column")
        continue
      }
      let limit = options.timeColumn == nil ? Self.lengthLimitNs : Instant.never.nanoseconds
      let spanNs = whole(line, cells[span], unit: timeUnit.worth, limit: limit, key: names[span])
      let bitsPerSecond = self.rate(line, cells[rate], unit: rateUnit.worth, key: names[rate])
      guard let spanNs, let bitsPerSecond else { continue }
      if options.timeColumn == nil {
        let location = line.location(cells[span].lowerBound, file: file.name)
        append(durationNs: spanNs, bitsPerSecond: bitsPerSecond, at: location, key: names[span])
      } else {
        append(TimedRow(timeNs: spanNs, bitsPerSecond: bitsPerSecond, location: location), to: &rows)
      }
    }
    if options.timeColumn != nil { appendPeriods(of: rows) }
  }

  /// The index of a named column; nil after a report.
  private func column(_ name: String?, _ names: [String], _ header: TextLine) -> Int? {
    guard let name else { return nil }
    if let index = names.firstIndex(of: name) { return index }
    sink.report(
      at: header.location(0, file: file.name), problem: "there is no column \(quoted(name))",
      remedy: NearestName.remedy(for: name, among: names, what: "columns"))
    return nil
  }

  private func whole(
    _ line: TextLine, _ part: Range<Int>, unit: Int64, factor: ExactDecimal = ExactDecimal(1), limit: Int64, key: String
  ) -> Int64? {
    whole(line.text(part), unit: unit, factor: factor, limit: limit, key: key) { line.location(part.lowerBound, file: file.name) }
  }

  private func rate(_ line: TextLine, _ part: Range<Int>, unit: Int64, key: String) -> Int64? {
    whole(line, part, unit: unit, factor: options.scale, limit: Self.rateLimitBps, key: key)
  }

  /// Adds a row if its time is later than the row's before.
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

  /// Adds the periods of rows with times, by the side that `rowsApply` says.
  private mutating func appendPeriods(of rows: [TimedRow]) {
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
      // The last one lasts as long as the one before it.
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
