// Reads the rows of runs.csv one by one and reports all problems of the file at its end.

import Analysis
import Base

/// Reads `runs.csv` row by row. Memory is a chunk of the file.
package final class RunReader {
  private static let pieceSize = 1 << 16
  static let repetitionLimit = 1_000_000_000

  /// The file's name as the user wrote it.
  package let name: String
  /// The axes in the header; valid after the first row is read.
  package private(set) var axes: [String] = []
  /// The schema of the rows; valid after the first row is read.
  package private(set) var schema = RunSchema.feed
  /// True if numbers must be written as the program writes them: a changed digit may be beyond a number's precision.
  package var isExact = false
  /// The number of points of the sweep; 0 if unknown.
  let pointCount: Int
  /// Returns the next bytes of the file; none at its end.
  private let nextBytes: () throws -> [UInt8]
  private var file: SystemFile?
  private var records = CSVRecordReader()
  private var rows: [RunRow] = []
  private var next = 0
  private var isAtEnd = false
  private let sink = DiagnosticSink()
  /// The number of columns before the metrics, and the metrics; nil before the header.
  private var layout: (firstMetric: Int, metrics: [Metric])?
  /// True if the last column has digests; tables of version 1.0.0 have none.
  private var hasDigests = false
  /// The key columns of the last valid row. The next row mostly has the same point and reuses these strings.
  private var previous: (point: String, axisValues: [String], index: Int)?
  /// The indices in `repetitions` by id and axis values. Points with the same scenario share an id but stay separate.
  private var points: [[String]: Int] = [:]
  private var repetitions: [RepetitionSet] = []
  private var seeds = RepetitionSeeds()
  private var expected: ExpectedRows?

  /// Creates a reader of chunks. With `sweep`, rows must be runs of that sweep.
  package init(name: String, sweep: SweepDescription? = nil, nextBytes: @escaping () throws -> [UInt8]) {
    (self.name, self.nextBytes) = (name, nextBytes)
    (expected, pointCount) = (sweep.map(ExpectedRows.init), sweep?.pointCount ?? 0)
  }

  package convenience init(name: String, bytes: [UInt8]) {
    var rest = bytes
    self.init(name: name) {
      defer { rest = [] }
      return rest
    }
  }

  /// Opens a file whose rows must be runs of the sweep.
  /// - Throws: `Refusal` if the file cannot be read.
  package convenience init(path: String, sweep: SweepDescription) throws(Refusal) {
    let file: SystemFile
    do { file = try SystemFile(regular: path, flags: O_RDONLY) } catch { throw Refusal("\(path): \(error.problem); run it again") }
    InputFile.noteInput(path)
    self.init(name: path, sweep: sweep) {
      guard let piece = file.read(Self.pieceSize) else { throw Refusal("\(path): \(SystemFile.message)") }
      return piece
    }
    self.file = file
  }

  deinit { file?.close() }

  /// Returns the next valid row; nil at the end.
  /// - Throws: `InvalidInput` at the end, with all problems of the file.
  package func row() throws -> RunRow? {
    while next == rows.count, !isAtEnd {
      rows.removeAll(keepingCapacity: true)
      next = 0
      let bytes = try nextBytes()
      // Moved out, because a copy would cost more than reading.
      var records = self.records
      self.records = CSVRecordReader()
      if bytes.isEmpty { records.finish(receive) } else { records.read(bytes, receive) }
      self.records = records
      if bytes.isEmpty { try finish() }
    }
    guard next < rows.count else { return nil }
    next += 1
    return rows[next - 1]
  }

  /// Reads the remaining rows, since a missing row may be malformed.
  /// - Throws: `InvalidInput` if the file is malformed.
  func checkRest() throws { while try row() != nil {} }

  /// - Throws: `InvalidInput` with all problems of the file.
  private func finish() throws {
    isAtEnd = true
    for fault in records.faults {
      add(fault.line, fault.column, key: "quote", fault.problem, "double the quotes inside a cell and quote the whole of it")
    }
    if layout == nil, sink.isEmpty { add(1, 1, key: "header", "the file is empty", "run the sweep again") }
    try sink.throwIfAny()
  }

  private func receive(_ record: CSVRecord) {
    if let (firstMetric, metrics) = layout {
      if let row = row(record, firstMetric, metrics) { rows.append(row) }
    } else if axes.isEmpty, sink.isEmpty {
      readHeader(record)
    }
  }

  // MARK: The header

  private func readHeader(_ record: CSVRecord) {
    var names = record.cells.indices.map(record.text)
    hasDigests = names.last == RunWriter.digestColumn
    if hasDigests { names.removeLast() }
    let keys = RunWriter.keyColumns
    for (index, name) in keys.enumerated() where index >= names.count || names[index] != name {
      let found = index < names.count ? "column \(index + 1) is `\(shortened(names[index], to: 200))`" : "the column is missing"
      add(1, record.cells[min(index, names.count - 1)].column, key: name, found, "the header begins with \(keys.joined(separator: ","))")
    }
    let known = Metric.allCases.map(\.rawValue)
    let first = names.indices.first { $0 >= keys.count && known.contains(names[$0]) } ?? names.count
    if first < names.count, let kind = RunSchema.beginning(with: names[first]) { schema = kind }
    schema = schema.naming(names.dropFirst(first))
    let metrics = schema.metrics.map(\.rawValue)
    let axisNames = first > keys.count ? Array(names[keys.count..<first]) : []
    for (index, name) in axisNames.enumerated() where axisNames.firstIndex(of: name) != index {
      add(1, record.cells[keys.count + index].column, key: name, "the axis occurs twice", "keep one of the two columns")
    }
    for (offset, metric) in metrics.enumerated() {
      let index = first + offset
      if index >= names.count {
        add(1, record.cells[names.count - 1].column, key: metric, "the column is missing", "run the sweep again, or restore the header")
      } else if names[index] != metric {
        add(
          1, record.cells[index].column, key: metric, "`\(shortened(names[index], to: 200))` is in its column",
          "restore the order of the columns")
        break
      }
    }
    for index in names.indices.dropFirst(first + metrics.count) {
      add(1, record.cells[index].column, key: names[index], "this version knows no such metric", "use the program that wrote the file")
    }
    guard sink.isEmpty else { return }
    axes = axisNames
    layout = (first, Array(schema.metrics.prefix(names.count - first)))
  }

  // MARK: A row

  private func row(_ record: CSVRecord, _ firstMetric: Int, _ columns: [Metric]) -> RunRow? {
    let (line, columnCount) = (record.cells[0].line, firstMetric + columns.count + (hasDigests ? 1 : 0))
    guard record.cells.count == columnCount else {
      let column = record.cells[min(record.cells.count - 1, columnCount)].column
      add(
        line, column, key: "row", "it has \(record.cells.count) cells where the header has \(columnCount)",
        "remove the row, or run the sweep again")
      return nil
    }
    let known = previous.flatMap { record.slice(0).elementsEqual($0.point.utf8) ? $0 : nil }
    let point = known?.point ?? record.text(0)
    let repetition = Int(record.text(1)) ?? 0
    let seed = UInt64(record.text(2))
    var isGood = true
    if known == nil, point.utf8.count != 16 || !point.utf8.allSatisfy(Self.hexDigits.contains) {
      isGood = reject(record, 0, key: "point", "is not an id", "an id has 16 hexadecimal digits")
    }
    if !(1...Self.repetitionLimit).contains(repetition) {
      isGood = reject(record, 1, key: "repetition", "is not a repetition", "write a whole number from 1 to \(Self.repetitionLimit)")
    }
    if seed == nil { isGood = reject(record, 2, key: "seed", "is not a seed", "a seed is a whole number from 0 to \(UInt64.max)") }
    let metrics = metrics(record, columns, from: firstMetric).flatMap { withDigest($0, record, firstMetric + columns.count) }
    guard isGood, let seed, let metrics else { return nil }
    let axisCells = RunWriter.keyColumns.count..<firstMetric
    let values: [String]
    let index: Int
    if let known, zip(axisCells, known.axisValues).allSatisfy({ record.slice($0).elementsEqual($1.utf8) }) {
      (values, index) = (known.axisValues, known.index)
    } else {
      values = axisCells.map { CSVText.text(ofCell: record.text($0)) }
      let key = [point] + values
      if points[key] == nil, let (axis, problem) = expected?.problem(point: point, axisValues: values) {
        _ = reject(record, RunWriter.keyColumns.count + axis, key: axes[axis], problem, Self.remedy)
        return nil
      }
      index = points[key] ?? repetitions.count
      if index == repetitions.count {
        points[key] = index
        repetitions.append(RepetitionSet())
      }
      previous = (point, values, index)
    }
    if !repetitions[index].insert(repetition) {
      isGood = reject(record, 1, key: "repetition", "of this point is in the file twice", "remove one of the two rows")
    }
    if let other = seeds.add(seed, repetition: repetition, line: line) {
      isGood = reject(
        record, 2, key: "seed", "is not the seed of repetition \(repetition) in line \(other.line), \(other.seed)",
        "rows of one repetition have one seed; take all rows from the same sweep")
    }
    return isGood ? RunRow(point: point, repetition: repetition, seed: seed, axisValues: values, metrics: metrics) : nil
  }

  private func metrics(_ record: CSVRecord, _ columns: [Metric], from firstMetric: Int) -> RunMetrics? {
    var metrics = RunMetrics()
    var isGood = true
    for (index, metric) in columns.enumerated() {
      if record.slice(firstMetric + index).isEmpty {
        if expected?.requires(metric) == true {
          isGood = reject(record, firstMetric + index, key: metric.rawValue, "is empty, and every emulated run has a value", Self.remedy)
        }
        continue
      }
      guard let value = DecimalText.number(record.slice(firstMetric + index)) else {
        isGood = reject(
          record, firstMetric + index, key: metric.rawValue, "is not a number", "write digits with a decimal point, or leave it empty")
        continue
      }
      metrics[metric] = value
      if isExact, !record.slice(firstMetric + index).elementsEqual(DecimalText.exact(value).utf8) {
        isGood = reject(
          record, firstMetric + index, key: metric.rawValue, "is not how the program writes \(DecimalText.exact(value))", Self.remedy)
      }
      if let problem = metric.violation(of: value) {
        isGood = reject(record, firstMetric + index, key: metric.rawValue, problem, Self.remedy)
      }
    }
    if isGood, let problem = metrics.excessOfLoaders {
      let index = schema.metrics.firstIndex(of: .loaders) ?? 0
      isGood = reject(record, firstMetric + index, key: Metric.loaders.rawValue, problem, Self.remedy)
    }
    return isGood ? metrics : nil
  }

  /// Returns metrics with the digest in a cell, which must be that of a device's metrics; nil after a report.
  private func withDigest(_ metrics: RunMetrics, _ record: CSVRecord, _ cell: Int) -> RunMetrics? {
    guard hasDigests, !record.slice(cell).isEmpty else { return metrics }
    let text = record.text(cell)
    var metrics = metrics
    let isDigest = text.utf8.count == RunWriter.digestWidth && text.utf8.allSatisfy(Self.hexDigits.contains)
    metrics.digest = isDigest ? UInt64(text, radix: 16) : nil
    guard isDigest else {
      _ = reject(record, cell, key: RunWriter.digestColumn, "is not a digest", "a digest has \(RunWriter.digestWidth) hexadecimal digits")
      return nil
    }
    guard expected?.isEmulated == false, metrics.digest != metrics.resultDigest else { return metrics }
    _ = reject(record, cell, key: RunWriter.digestColumn, "is not the digest of the row's values; one of them was changed", Self.remedy)
    return nil
  }

  private static let remedy = "restore the cell, or run the sweep again"

  private func reject(_ record: CSVRecord, _ index: Int, key: String, _ problem: String, _ remedy: String) -> Bool {
    add(record.cells[index].line, record.cells[index].column, key: key, "`\(shortened(record.text(index), to: 200))` \(problem)", remedy)
    return false
  }

  private func add(_ line: Int, _ column: Int, key: String, _ problem: String, _ remedy: String) {
    sink.report(at: SourceLocation(file: name, line: line, column: column), key: key, problem: problem, remedy: remedy)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// The repetitions of a point read so far. An unbroken sequence from 1 takes no memory.
private struct RepetitionSet {
  private var last = 0
  private var others: Set<Int> = []

  /// Inserts a repetition, at least 1; false if it was present.
  mutating func insert(_ repetition: Int) -> Bool {
    if repetition <= last { return false }
    guard repetition == last + 1, others.isEmpty else { return others.insert(repetition).inserted }
    last = repetition
    return true
  }
}

/// Validates the points of rows against the description of their sweep.
private struct ExpectedRows {
  private let axes: [Set<String>]
  private let baselines: [String: [String]]
  let isEmulated: Bool
  /// The ids of the grid's points, by axis values.
  private var points: [[String]: String] = [:]

  init(_ sweep: SweepDescription) {
    axes = sweep.axes.map { Set($0.values) }
    let all = [sweep.baseline] + (sweep.strata?.members.map(\.baseline) ?? [])
    baselines = Dictionary(all.map { ($0.point, $0.axisValues) }, uniquingKeysWith: { first, _ in first })
    isEmulated = sweep.backend == nil
  }

  func requires(_ metric: Metric) -> Bool { isEmulated && (metric == .loaders || metric == .viewed) }

  /// Returns the axis whose value does not fit a new point, and the problem; nil if all fit. O(axes).
  mutating func problem(point: String, axisValues: [String]) -> (axis: Int, problem: String)? {
    guard axisValues.count == axes.count, !axisValues.isEmpty else { return nil }
    let own = baselines[point]
    if own == axisValues { return nil }
    if let axis = axes.indices.first(where: { !axes[$0].contains(axisValues[$0]) }) {
      return (axis, own == nil ? "is no value of this axis in sweep.json" : "is not the value of the baseline in sweep.json")
    }
    if let other = points[axisValues], other != point {
      return (0, "and the other axis values of the row are those of point \(other); one of the two rows was changed")
    }
    points[axisValues] = point
    return nil
  }
}

extension RunColumns {
  /// Reads all rows of a file, to be judged by an objective.
  /// - Throws: `Refusal` if the file cannot be read, `InvalidInput` if it is malformed.
  package convenience init(_ reader: RunReader, objective: Objective? = nil) throws {
    // The header is read with the first row.
    var row = try reader.row()
    self.init(axes: reader.axes, schema: reader.schema.judged(by: objective), pointCount: reader.pointCount)
    while let next = row {
      add(next)
      row = try reader.row()
    }
  }
}
