// runs.csv as rows, fed in pieces and handed on one by one; everything wrong with the file is collected and reported at once.

/// Reads `runs.csv` from its bytes in pieces of any size.
///
///     var reader = RunReader(file: "Results/featured-3g/runs.csv")
///     while let piece = next() { reader.read(piece) { row in summarizer.add(row) } }
///     try reader.finish { row in summarizer.add(row) }
package struct RunReader {
  /// The file as the user named it, for messages.
  package let file: String
  /// The axes found in the header; empty before it has been read.
  package private(set) var axes: [String] = []
  /// What the rows measure, found in the header; the feed's before it has been read.
  package private(set) var schema = RunSchema.feed

  private var records = CSVRecordReader()
  private var layout: Layout?
  private var problems = FileProblems()
  /// What the last good row has before its metrics; the next row is mostly of the same point and shares these texts.
  private var previous: (point: String, axisValues: [String], place: Int)?
  /// The places of points in `repetitions`.
  private var points: [PointKey: Int] = [:]
  /// By point, the repetitions that have been read.
  private var repetitions: [RepetitionSet] = []
  private var seeds = RepetitionSeeds()
  private var expected: ExpectedRows?

  /// The largest repetition.
  static let repetitionLimit = 1_000_000_000

  /// Points that resolve to one scenario share an id and stay two points.
  private struct PointKey: Hashable {
    let point: String
    let axisValues: [String]
  }

  private struct Layout {
    let axisCount: Int
    /// The places of the columns' metrics in a row.
    let places: [Int]
    var metricCount: Int { places.count }
    var columnCount: Int { RunWriter.keyColumns.count + axisCount + metricCount }
  }

  /// A reader of the file called `file` in its messages; with `sweep` its rows must be runs of that sweep.
  package init(file: String, sweep: SweepDescription? = nil) {
    self.file = file
    expected = sweep.map(ExpectedRows.init)
  }

  /// Takes the next bytes and hands on each whole row in them. Rows with something wrong are not handed on.
  package mutating func read(_ bytes: [UInt8], row body: (RunRow) -> Void) {
    // Taken out, because each record is looked at while the next is on its way; a copy of it would cost more than its reading.
    var records = self.records
    self.records = CSVRecordReader()
    records.read(bytes) { take($0, body) }
    self.records = records
  }

  /// Hands on the last row and ends the reading.
  ///
  /// - Throws: everything that was wrong with the file, in the order of its lines, up to `FileProblems.limit`.
  package mutating func finish(row body: (RunRow) -> Void) throws(FileProblems) {
    var pending: [CSVRecord] = []
    records.finish { pending.append($0) }
    for record in pending { take(record, body) }
    for fault in records.faults {
      add(fault.line, fault.column, key: "quote", fault.problem, "double the quotes inside a cell and quote the whole of it")
    }
    if layout == nil, problems.isEmpty {
      add(1, 1, key: "header", "the file is empty", "run the sweep again")
    }
    if !problems.isEmpty { throw problems }
  }

  private mutating func take(_ record: CSVRecord, _ body: (RunRow) -> Void) {
    if let layout {
      if let row = row(record, layout) { body(row) }
    } else if axes.isEmpty, problems.isEmpty {
      readHeader(record)
    }
  }

  // MARK: The header

  private mutating func readHeader(_ record: CSVRecord) {
    let names = record.cells.indices.map(record.text)
    let keys = RunWriter.keyColumns
    for (index, name) in keys.enumerated() where index >= names.count || names[index] != name {
      let found = index < names.count ? "column \(index + 1) is `\(Excerpt.text(names[index]))`" : "the column is missing"
      add(1, record.cells[min(index, names.count - 1)].column, key: name, found, "the header begins with \(keys.joined(separator: ","))")
    }
    let known = Metric.allCases.map(\.rawValue)
    let first = names.indices.first { $0 >= keys.count && known.contains(names[$0]) } ?? names.count
    if first < names.count, let kind = RunSchema.beginning(with: names[first]) { schema = kind }
    let metrics = schema.metrics.map(\.rawValue)
    let fixedCount = (schema.metrics.firstIndex(of: schema.lastFixed) ?? 0) + 1
    let axisNames = first > keys.count ? Array(names[keys.count..<first]) : []
    for (index, name) in axisNames.enumerated() where axisNames.firstIndex(of: name) != index {
      add(1, record.cells[keys.count + index].column, key: name, "the axis stands there twice", "keep one of the two columns")
    }
    for (offset, metric) in metrics.enumerated() {
      let index = first + offset
      if index >= names.count {
        guard offset < fixedCount else { break }
        add(1, record.cells[names.count - 1].column, key: metric, "the column is missing", "run the sweep again, or restore the header")
      } else if names[index] != metric {
        add(
          1, record.cells[index].column, key: metric, "`\(Excerpt.text(names[index]))` stands in its place",
          "restore the order of the columns")
        break
      }
    }
    for index in names.indices.dropFirst(first + metrics.count) {
      add(1, record.cells[index].column, key: names[index], "this version knows no such metric", "use the program that wrote the file")
    }
    guard problems.isEmpty else { return }
    axes = axisNames
    layout = Layout(axisCount: axisNames.count, places: schema.metrics.prefix(names.count - first).map(\.index))
  }

  // MARK: A row

  private mutating func row(_ record: CSVRecord, _ layout: Layout) -> RunRow? {
    let line = record.cells[0].line
    guard record.cells.count == layout.columnCount else {
      let column = record.cells[min(record.cells.count - 1, layout.columnCount)].column
      add(
        line, column, key: "row", "it has \(record.cells.count) cells where the header has \(layout.columnCount)",
        "remove the row, or run the sweep again")
      return nil
    }
    let known = previous.flatMap { record.slice(0).elementsEqual($0.point.utf8) ? $0 : nil }
    let point = known?.point ?? record.text(0)
    let repetition = Int(record.text(1)) ?? 0
    let seed = UInt64(record.text(2))
    var isGood = true
    if known == nil, point.utf8.count != 16 || !point.utf8.allSatisfy(RunReader.isHexDigit) {
      isGood = reject(record, 0, key: "point", "is not an id", "an id has 16 hexadecimal digits")
    }
    if !(1...Self.repetitionLimit).contains(repetition) {
      isGood = reject(record, 1, key: "repetition", "is not a repetition", "write a whole number from 1 to \(Self.repetitionLimit)")
    }
    if seed == nil { isGood = reject(record, 2, key: "seed", "is not a seed", "a seed is a whole number from 0 to \(UInt64.max)") }
    let firstMetric = RunWriter.keyColumns.count + layout.axisCount
    let metrics = metrics(record, layout, from: firstMetric)
    guard isGood, let seed, let metrics else { return nil }
    let axisPlaces = RunWriter.keyColumns.count..<firstMetric
    let values: [String]
    let place: Int
    if let known, zip(axisPlaces, known.axisValues).allSatisfy({ record.slice($0).elementsEqual($1.utf8) }) {
      (values, place) = (known.axisValues, known.place)
    } else {
      values = axisPlaces.map { CSVText.text(ofCell: record.text($0)) }
      let key = PointKey(point: point, axisValues: values)
      if points[key] == nil, let (axis, problem) = expected?.problem(point: point, axisValues: values) {
        _ = reject(record, RunWriter.keyColumns.count + axis, key: axes[axis], problem, Self.remedy)
        return nil
      }
      place = points[key] ?? repetitions.count
      if place == repetitions.count {
        points[key] = place
        repetitions.append(RepetitionSet())
      }
      previous = (point, values, place)
    }
    if !repetitions[place].insert(repetition) {
      isGood = reject(record, 1, key: "repetition", "of this point is in the file twice", "remove one of the two rows")
    }
    if let other = seeds.add(seed, repetition: repetition, line: line) {
      isGood = reject(
        record, 2, key: "seed", "is not the seed of repetition \(repetition) in line \(other.line), \(other.seed)",
        "rows of one repetition have one seed; take all rows from the same sweep")
    }
    return isGood ? RunRow(point: point, repetition: repetition, seed: seed, axisValues: values, metrics: metrics) : nil
  }

  /// The values of a row's metrics; nil after a report.
  private mutating func metrics(_ record: CSVRecord, _ layout: Layout, from firstMetric: Int) -> [Double?]? {
    var metrics = RunRow.noMetrics
    var isGood = true
    for index in 0..<layout.metricCount {
      let metric = schema.metrics[index]
      if record.slice(firstMetric + index).isEmpty {
        if expected?.requires(metric) == true {
          isGood = reject(record, firstMetric + index, key: metric.rawValue, "is empty, and every emulated run has a value", Self.remedy)
        }
        continue
      }
      guard let value = RunReader.number(record.slice(firstMetric + index)) else {
        isGood = reject(
          record, firstMetric + index, key: metric.rawValue, "is not a number", "write digits with a decimal point, or leave it empty")
        continue
      }
      metrics[layout.places[index]] = value
      if let problem = metric.violation(of: value) {
        isGood = reject(record, firstMetric + index, key: metric.rawValue, problem, Self.remedy)
      }
    }
    if isGood, let problem = MetricViolation.loaders(metrics[Metric.loaders.index], viewed: metrics[Metric.viewed.index]) {
      let index = schema.metrics.firstIndex(of: .loaders) ?? 0
      isGood = reject(record, firstMetric + index, key: Metric.loaders.rawValue, problem, Self.remedy)
    }
    return isGood ? metrics : nil
  }

  private static let remedy = "restore the cell, or run the sweep again"

  private mutating func reject(_ record: CSVRecord, _ index: Int, key: String, _ problem: String, _ remedy: String) -> Bool {
    add(record.cells[index].line, record.cells[index].column, key: key, "`\(Excerpt.text(record.text(index)))` \(problem)", remedy)
    return false
  }

  private mutating func add(_ line: Int?, _ column: Int?, key: String, _ problem: String, _ remedy: String) {
    problems.add(FileProblem(file: file, line: line, column: column, key: Excerpt.text(key), problem: problem, remedy: remedy))
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// A decimal number; nil for anything else that `Double.init` would take, such as `nan`, `inf` and hexadecimals.
  package static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
    var whole: Int64 = 0
    var isWhole = bytes.count <= 15
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): if isWhole { whole = whole * 10 + Int64(byte - UInt8(ascii: "0")) }
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"): isWhole = false
      default: return nil
      }
    }
    if isWhole { return bytes.isEmpty ? nil : Double(whole) }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}

extension RunTable {
  /// Reads a whole `runs.csv`.
  ///
  /// - Throws: everything that is wrong with the file, up to `FileProblems.limit`.
  package init(csv bytes: [UInt8], file: String) throws(FileProblems) {
    var reader = RunReader(file: file)
    var rows: [RunRow] = []
    reader.read(bytes) { rows.append($0) }
    try reader.finish { rows.append($0) }
    self.init(axes: reader.axes, rows: rows, schema: reader.schema)
  }
}
