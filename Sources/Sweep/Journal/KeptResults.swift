// The results of the runs that a journal keeps, as the program described them that made them. Nothing is simulated, so that the journal may
// be of another model.

import Analysis
import Base
import Simulation

/// The rows of a journal whose sweep has not ended, in the order of the grid. Memory is about 40 bytes a run.
package final class KeptResults: RowSequence {
  package let description: SweepDescription
  package private(set) var notes: [String] = []
  package var count: Int { records.count }

  private let path: String
  /// The values of a run's record; nil for unknown ones.
  private let columns: [JournalColumn?]
  private var records: [Record] = []
  /// The axis values of points by id; points with the same scenario share an id.
  private var points: [UInt64: [[String]]] = [:]

  private struct Record {
    var key: RunKey
    /// The index of the point in the whole grid, and of its axis values among those of its id.
    var order = 0, point = 0
    var offset: Int

    var rank: (Int, UInt64, Int, Int, Int) { (order, key.point, point, key.repetition, offset) }
    var run: (UInt64, Int, Int) { (key.point, point, key.repetition) }
  }

  package static func isIn(_ folder: String) -> Bool {
    !SystemFile.exists("\(folder)/sweep.json") && SystemFile.exists("\(folder)/\(ResultsFolder.journalName)/runs")
  }

  /// Reads the journal of a folder. Runs before a change of the model, the scenario or the seed are left out.
  /// - Throws: `Refusal` if the journal has no runs, or no description of them; `OutputProblem` if it cannot be read.
  package init(folder: String) throws {
    let path = "\(folder)/\(ResultsFolder.journalName)/runs"
    self.path = path
    let reader = try JournalReader(path: path)
    var (identity, json): ([String]?, [UInt8]?) = (nil, nil)
    var (runs, named, leftOut): ([Record], [UInt64: [[String]]], Int) = ([], [:], 0)
    reader.forEach { payload, offset in
      if let key = RecordCoding.completedRun(payload) { return runs.append(Record(key: key, offset: offset)) }
      switch RecordCoding.record(payload) {
      case .description(let bytes): json = bytes
      case .point(let id, let values): if named[id]?.contains(values) != true { named[id, default: []].append(values) }
      case .identity(let bytes):
        // Another build is no change. Identities of any version are compared as they were written.
        let members = JSON5Parser.parse(bytes, file: path, into: DiagnosticSink())?.members
        let new = members?.filter { $0.key != "build" }.map { "\($0.key): \($0.value.canonicalJSON)" }
        if identity != nil, new != identity {
          leftOut += runs.count
          (runs, named) = ([], [:])
        }
        identity = new
      default: break
      }
    }
    if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    // The text of the description is read as that of results is, whatever version wrote it.
    guard let json, let tree = JSON5Parser.parse(json, file: path, into: DiagnosticSink()), let described = tree["sweep"],
      let names = tree["columns"]?.elements?.compactMap(\.text)
    else {
      throw Refusal(
        "\(folder): its runs were made by a program that kept no description of their points; finish them with that program, or discard them "
          + "with `run --fresh`")
    }
    description = try SweepDescription(json: Array(described.canonicalJSON.utf8), file: path)
    columns = names.map(JournalColumn.init)
    let unknown = zip(names, columns).filter { $0.1 == nil }.map(\.0)
    if !unknown.isEmpty { notes.append("\(path): this program does not know \(unknown.joined(separator: ", ")), which are left out") }
    if leftOut > 0 { notes.append("\(path): \(leftOut) runs before a change of model, scenario or seed are left out") }
    points = named
    records = sorted(runs)
    guard !records.isEmpty else { throw Refusal("\(folder): its journal keeps no run; start the sweep again") }
  }

  /// Returns the runs of the description's points, each once, in the order of the grid.
  private func sorted(_ runs: [Record]) -> [Record] {
    let axes = description.axes.map { Dictionary($0.values.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }) }
    let baselines = [description.baseline.axisValues] + (description.strata?.members.map(\.baseline.axisValues) ?? [])
    let repetitions = 1...(description.deterministic ? 1 : description.repeats)
    var found: [Record] = []
    for run in runs where repetitions.contains(run.key.repetition) {
      guard run.key.seed == RandomStream.seed(sweepSeed: description.seed, repetition: run.key.repetition) else { continue }
      for (index, values) in (points[run.key.point] ?? []).enumerated() where values.count == axes.count {
        let positions = zip(axes, values).map { $0[$1] }
        guard !positions.contains(nil) || baselines.contains(values) else { continue }
        var record = run
        // Baselines beside the grid come last.
        record.order = zip(axes, positions).reduce(0) { $0 &* ($1.0.count + 1) &+ ($1.1 ?? $1.0.count) }
        record.point = index
        found.append(record)
      }
    }
    found.sort { $0.rank < $1.rank }
    return found.indices.filter { $0 == 0 || found[$0].run != found[$0 - 1].run }.map { found[$0] }
  }

  /// Calls `receive` with each row.
  /// - Throws: `Refusal` if the journal changed since; any error of `receive`.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    let reader = try JournalReader(path: path, pieceSize: 1 << 9)
    for record in records {
      guard case .run(let run)? = reader.record(at: record.offset, columns: columns), let metrics = run.metrics else {
        throw Refusal("\(path): is damaged, or changed while it was read; try again")
      }
      let (key, values) = (record.key, points[record.key.point]?[record.point] ?? [])
      if let violation = metrics.impossible {
        throw Refusal("\(path): point \(key.pointText), repetition \(key.repetition): \(violation); start the sweep again with --fresh")
      }
      try receive(RunRow(point: key.pointText, repetition: key.repetition, seed: key.seed, axisValues: values, metrics: metrics))
    }
  }
}
