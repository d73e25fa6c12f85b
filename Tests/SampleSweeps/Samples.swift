// Small constructed sweeps for the tests of tables and reports.

import Analysis
import Base
import Rendering
import Sweep

/// The rows of a sweep, by point in the grid's order, then by repetition.
package struct RunTable: Hashable {
  package var axes: [String]
  package var rows: [RunRow] = []
  package var schema = RunSchema.feed

  package init(axes: [String], rows: [RunRow] = [], schema: RunSchema = .feed) {
    (self.axes, self.rows, self.schema) = (axes, rows, schema)
  }

  /// The table as `runs.csv`.
  package var csv: [UInt8] {
    let writer = RunWriter(axes: axes, schema: schema)
    return rows.reduce(into: writer.header) { bytes, row in writer.append(row, to: &bytes) }
  }

  /// The rows in memory.
  package var columns: RunColumns {
    get throws(ReportError) {
      let columns = RunColumns(axes: axes, schema: schema)
      for row in rows { columns.add(row) }
      return columns
    }
  }
}

extension RunTable {
  /// Reads a whole `runs.csv`.
  package init(csv bytes: [UInt8], file: String) throws { try self.init(RunReader(name: file, bytes: bytes)) }

  /// Reads all rows.
  package init(_ reader: RunReader) throws {
    var rows: [RunRow] = []
    while let row = try reader.row() { rows.append(row) }
    self.init(axes: reader.axes, rows: rows, schema: reader.schema)
  }
}

extension SweepSummary {
  /// Returns the summary of a table, with its confirmation if there are rows of it.
  package static func of(runs: RunTable, confirmation: RunTable? = nil, sweep: SweepDescription) throws -> SweepSummary {
    try runs.columns.summary(sweep: sweep) { _ in try confirmation?.columns }
  }
}

extension ReportFiles {
  /// Returns the contents of a file; nil if there is none.
  package subscript(name: String) -> String? {
    guard name == SummaryTable.fileName else { return files.first { $0.name == name }?.contents }
    var bytes: [UInt8] = []
    SummaryTable(summary).write(as: CSVFormat()) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Report {
  /// Returns the report of a table, with its confirmation if there are rows of it.
  package static func make(runs: RunTable, confirmation: RunTable? = nil, sweep: SweepDescription) throws -> ReportFiles {
    make(summary: try SweepSummary.of(runs: runs, confirmation: confirmation, sweep: sweep), sweep: sweep)
  }
}

/// A small sweep: points of two axes with given loaders per repetition.
package struct Samples {
  package var axes = ["prefetcher.maxCost", "downloads.cancel"]
  package var points: [(id: String, values: [String], loaders: [Double])] = []
  package var baseline = 0
  package var hasBound = true
  package var deterministic = false
  package var margin: String?
  package var warnings: [String] = []
  package var name = "featured-3g"
  package var viewed = 1000.0
  package var missing: [(point: Int, repetition: Int)] = []

  package init() {}

  /// Three points, the second of which is the baseline, with ten repetitions of one scroll script and seed.
  package static let usual: Samples = {
    var samples = Samples()
    let base: [Double] = [31, 27, 44, 38, 29, 52, 33, 41, 36, 30]
    samples.points = [
      (id(1), ["5", "keep"], zip(base, [-6, -4, -9, -7, -5, -10, -6, -8, -7, -5] as [Double]).map { $0 + $1 }),
      (id(2), ["6", "keep"], base),
      (id(3), ["6", "drop"], zip(base, [410, 420, 399, 431, 405, 388, 415, 422, 409, 400] as [Double]).map { $0 + $1 }),
      (id(4), ["5", "drop"], zip(base, [1, -2, 0, 1, 3, -1, 0, 2, -1, 0] as [Double]).map { $0 + $1 }),
    ]
    samples.baseline = 1
    return samples
  }()

  package static func id(_ number: Int) -> String {
    let digits = String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  package var table: RunTable {
    var table = RunTable(axes: axes)
    for (pointIndex, point) in points.enumerated() {
      for (index, loaders) in point.loaders.enumerated() where !missing.contains(where: { $0 == (pointIndex, index + 1) }) {
        table.rows.append(row(pointIndex, point, repetition: index + 1, loaders: loaders))
      }
    }
    return table
  }

  private func row(_ pointIndex: Int, _ point: (id: String, values: [String], loaders: [Double]), repetition: Int, loaders: Double)
    -> RunRow
  {
    var row = RunRow(
      point: point.id, repetition: repetition, seed: UInt64(repetition) &* 0xD1B5_4A32_D192_ED03, axisValues: point.values)
    for metric in RunSchema.feed.metrics { row[metric] = 0 }
    row[.viewed] = viewed
    row[.loaders] = loaders
    row[.loadersPer1000] = loaders / viewed * 1000
    row[.late] = (loaders / 3).rounded(.down)
    row[.starved] = loaders - (loaders / 3).rounded(.down)
    row[.bound] = hasBound ? (loaders / 8).rounded(.down) : nil
    row[.bytesReceived] = 61_000_000 + Double(pointIndex * 350_000 + repetition * 1777)
    row[.waitMsMean] = 12.25 + Double(repetition) / 8
    return row
  }

  /// Returns the parts of the texts that are JSON objects.
  package static func objects(in texts: some Sequence<String>) -> [String: [SweepDescription.ValuePart]]? {
    SweepDescription.objects(
      among: texts.compactMap { text in
        let sink = DiagnosticSink()
        return JSON5Parser.parse(text, file: "", into: sink).flatMap { sink.isEmpty ? $0 : nil }
      })
  }

  package var sweep: SweepDescription {
    var sweep = SweepDescription(
      program: .init(name: "prefetch-sweep", version: "1.0.0", modelVersion: "1"), name: name,
      question: "Which cost budget shows the fewest loaders on 3G?",
      head: [
        .init(label: "network", text: "3G: 780 kbps down, 330 kbps up, 100 ms each way"),
        .init(label: "user", text: "1000 items, 1 s each"), .init(label: "feed", text: "80 % images, 20 % videos"),
      ],
      transport: "fluid",
      axes: axes.enumerated().map { pointIndex, path in
        .init(path: path, values: points.reduce(into: []) { if !$0.contains($1.values[pointIndex]) { $0.append($1.values[pointIndex]) } })
      },
      pointCount: points.count,
      baseline: .init(
        point: points[baseline].id, axisValues: points[baseline].values, settings: "costBudget, maxCost 6", inGrid: true),
      repeats: deterministic ? 1 : points.map(\.loaders.count).max() ?? 1, seed: 2019, deterministic: deterministic, margin: margin,
      warnings: warnings,
      source: SweepSource(file: "Sweeps/featured-3g.json5", program: "prefetch-sweep"))
    sweep.objects = Self.objects(in: points.flatMap(\.values))
    return sweep
  }

  package var report: ReportFiles {
    get throws { try Report.make(runs: table, sweep: sweep) }
  }

  /// Returns the verdict on one point.
  package func verdict(_ pointIndex: Int) throws -> String {
    let columns = RunColumns(axes: axes)
    for row in table.rows { columns.add(row) }
    return try columns.summary(sweep: sweep).points[pointIndex].comparison?.verdict.description ?? "none"
  }
}
