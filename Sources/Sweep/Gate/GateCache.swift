// The baseline's rows of earlier gates, so that a pull request runs its candidate alone.

import Analysis
import Base

/// Runs in a folder, a file of journal records for each scenario and build of the program. A file that is damaged counts as missing.
package struct GateCache: Sendable {
  private let folder: String
  private let runs: [String: [UInt64: FinishedRun]]

  /// Reads the runs of some scenarios, by their ids.
  package init(folder: String, points: [String]) {
    self.folder = folder
    runs = Dictionary(points.map { ($0, Self.read("\(folder)/\(Self.name(of: $0))")) }) { first, _ in first }
  }

  func row(point: String, seed: UInt64) -> RunMetrics? { runs[point]?[seed]?.metrics }

  /// Adds the baseline's runs of a gate. Two gates at once replace each other's file as a whole; each is right.
  /// - Throws: `OutputProblem` if the folder cannot be written.
  package func add(_ result: GateResult) throws(OutputProblem) {
    // Rows are kept without further metrics, which depend on the guards.
    guard result.rule.furtherMetrics.isEmpty else { return }
    let folder = try ResultsFolder(path: folder)
    for stratum in result.strata where !stratum.isWhole {
      guard let point = UInt64(stratum.baseline, radix: 16) else { continue }
      var all = runs[stratum.baseline] ?? [:]
      let known = all.count
      for pair in stratum.pairs where all[pair.seed] == nil {
        let key = RunKey(point: point, repetition: pair.repetition, seed: pair.seed)
        all[pair.seed] = FinishedRun(key: key, outcome: .metrics(pair.baseline))
      }
      if all.count == known { continue }
      let records = all.values.sorted { $0.key.seed < $1.key.seed }.flatMap { RecordCoding.bytes(.run($0)) }
      try folder.add(Self.name(of: stratum.baseline), records)
    }
    try folder.publish()
  }

  /// Returns the file's name: rows are those of one build, whose model may differ from another's.
  private static func name(of point: String) -> String { "\(ContentHash.of(lines: [point, Program.build])).rows" }

  private static func read(_ path: String) -> [UInt64: FinishedRun] {
    guard let reader = try? JournalReader(path: path) else { return [:] }
    var runs: [UInt64: FinishedRun] = [:]
    reader.forEach { payload, _ in if case .run(let run)? = RecordCoding.record(payload) { runs[run.key.seed] = run } }
    return reader.damages.isEmpty ? runs : [:]
  }
}
