// The baseline's rows of earlier gates, so that a pull request runs its candidate alone.

import Analysis
import Base
import Foundation

/// Rows of runs in a folder, a file for each scenario and build of the program. A file that is damaged counts as missing.
package struct GateCache: Sendable {
  private let folder: String
  /// The known rows by scenario and seed.
  private let rows: [String: [UInt64: RunMetrics]]

  /// Reads the rows of some scenarios, by their ids.
  package init(folder: String, points: [String]) {
    self.folder = folder
    rows = Dictionary(points.map { ($0, Self.read("\(folder)/\(Self.name(of: $0))")) }) { first, _ in first }
  }

  /// Returns the row of a run; nil if it is not known.
  func row(point: String, seed: UInt64) -> RunMetrics? { rows[point]?[seed] }

  /// Adds the baseline's runs of a gate. Two gates at once replace each other's file as a whole; each is right.
  /// - Throws: `OutputProblem` if the folder cannot be written.
  package func add(_ result: GateResult) throws(OutputProblem) {
    // Rows are kept without further metrics, which depend on the guards.
    guard result.rule.furtherMetrics.isEmpty else { return }
    let folder = try ResultsFolder(path: folder)
    for stratum in result.strata where !stratum.isWhole {
      let known = rows[stratum.baseline] ?? [:]
      let new = Dictionary(stratum.pairs.map { ($0.seed, $0.baseline) }) { first, _ in first }
      if new.keys.allSatisfy({ known[$0] != nil }) { continue }
      try folder.add(Self.name(of: stratum.baseline), Self.text(known.merging(new) { first, _ in first }).utf8)
    }
    try folder.publish()
  }

  /// Returns the file's name: rows are those of one build, whose model may differ from another's.
  private static func name(of point: String) -> String { "\(ContentHash.of(lines: [point, Program.build])).rows" }

  // MARK: The file: the hash of the other lines, then a line for each run: the seed, the digest and the bits of each metric

  private static func text(_ rows: [UInt64: RunMetrics]) -> String {
    let lines = rows.sorted { $0.key < $1.key }.map { seed, row in
      let cells = [seed, row.digest] + Metric.allCases.map { row[$0]?.bitPattern }
      return cells.map { $0.map { String($0, radix: 16) } ?? "" }.joined(separator: ",") + "\n"
    }
    let text = lines.joined()
    return "\(ContentHash.of(text.utf8))\n\(text)"
  }

  private static func read(_ path: String) -> [UInt64: RunMetrics] {
    guard let bytes = try? SystemFile.contents(path), let end = bytes.firstIndex(of: 0x0A) else { return [:] }
    guard ContentHash.of(bytes[(end + 1)...]) == String(decoding: bytes[..<end], as: UTF8.self) else { return [:] }
    var rows: [UInt64: RunMetrics] = [:]
    for line in String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: "\n") {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { UInt64($0, radix: 16) }
      guard let seed = cells[0], cells.count == Metric.allCases.count + 2 else { return [:] }
      var row = RunMetrics()
      row.digest = cells[1]
      for (metric, bits) in zip(Metric.allCases, cells[2...]) { row[metric] = bits.map { Double(bitPattern: $0) } }
      rows[seed] = row
    }
    return rows
  }
}
