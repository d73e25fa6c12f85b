// The whole blocks of a gate on devices, in the folder of the gate: a killed one continues, and half a block is never seen.

import Analysis
import Base
import Synchronization

/// A whole block: its runs in their order, four in each stratum. Of a failed block only the run that failed.
struct DeviceBlock: Sendable {
  let number: Int
  let runs: [FinishedRun]

  func values(_ metric: Metric, stratum: Int) -> [Double]? {
    let values = runs[4 * stratum..<4 * stratum + 4].compactMap { $0.metrics?[metric] }
    return values.count == 4 ? values : nil
  }

  var isFailed: Bool { runs.contains { $0.metrics == nil } }

  var bytes: [UInt8] { runs.flatMap { RecordCoding.bytes(.run($0)) } }

  /// Calls `receive` with a journal's blocks of `size` runs and failed ones, and with the other records between them, and where each ends.
  static func read(_ reader: JournalReader, size: Int, _ receive: (_ block: DeviceBlock?, _ other: JournalRecord?, _ end: Int) -> Void) {
    var runs: [FinishedRun] = []
    reader.forEach { payload, offset in
      let (record, end) = (RecordCoding.record(payload), offset + RecordCoding.headerSize + payload.count)
      guard case .run(let run)? = record else {
        runs = []
        return receive(nil, record, end)
      }
      // The runs of a block are written at once; a block of which some are missing ends where another begins.
      if runs.last.map({ $0.key.repetition != run.key.repetition }) == true { runs = [] }
      runs = run.metrics == nil ? [run] : runs + [run]
      guard runs.count == size || run.metrics == nil else { return }
      receive(DeviceBlock(number: run.key.repetition, runs: runs), nil, end)
      runs = []
    }
  }
}

/// The journal of a gate's blocks, open for appending; threads may share it. It holds the folder's lock until it is deallocated.
package final class BlockJournal: Sendable {
  package let folder: String
  /// The blocks that earlier starts completed, in this order, and those that failed.
  let found: [DeviceBlock], failed: [DeviceBlock]
  private let lock: FolderLock
  private let journal: Journal

  /// Locks the folder and reads the blocks of the last gate, of at most `limit` blocks under `rule`, unless that has ended or `isFresh`.
  /// - Throws: `Refusal` if the folder is in use or has a sweep or blocks of another gate; `OutputProblem` if the disk refuses.
  package init(folder: ResultsFolder, _ scenarios: GateScenarios, rule: GateRule, limit: Int, isFresh: Bool) throws {
    lock = try folder.lock()
    self.folder = folder.path
    let path = "\(folder.path)/\(ResultsFolder.journalName)/runs"
    let identity = scenarios.blockIdentity(rule, limit)
    var isOfSweep = SystemFile.exists("\(folder.path)/runs.csv")
    var (known, blocks, size): ([UInt8]?, [DeviceBlock], Int) = (nil, [], 0)
    if SystemFile.exists(path) {
      let reader = try JournalReader(path: path)
      DeviceBlock.read(reader, size: 4 * scenarios.members.count) { block, other, end in
        size = end
        switch other {
        case nil: blocks += block.map { [$0] } ?? []
        case .identity(let json):
          (known, blocks) = (json, [])
          isOfSweep = isOfSweep || !String(decoding: json, as: UTF8.self).contains(GateScenarios.blockFormat)
        // A gate that ended is no part of the next one.
        case .description: (known, blocks) = (nil, [])
        default: break
        }
      }
      if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    }
    if isOfSweep { throw Refusal("\(folder.path): holds the runs of a sweep; name another folder with --output") }
    if known != identity, !blocks.isEmpty, !isFresh {
      throw Refusal(
        "\(folder.path): holds \(blocks.count) blocks of another check, with other settings, guards, devices, metrics or another seed; finish it "
          + "with its own command, discard them with --fresh, or name another folder with --output", isOfOlderRuns: true)
    }
    if isFresh || known != identity { blocks = [] }
    (found, failed) = (blocks.filter { !$0.isFailed }, blocks.filter(\.isFailed))
    journal = try Journal(path: path, folder: folder.path, size: size, fault: folder.fault)
    if isFresh || known != identity { try journal.append(.identity(identity)) }
    try journal.sync()
  }

  /// Adds a whole or a failed block, and syncs it to the disk.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  func add(_ block: DeviceBlock) throws(OutputProblem) {
    try journal.append(block.bytes)
    try journal.sync()
  }

  /// Notes that the gate has its verdict, so that the next start begins anew. One with failed runs or out of time goes on.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  package func end(_ result: GateResult) throws(OutputProblem) {
    guard result.blocks?.isComplete == true else { return }
    try journal.append(.description(Array("{}".utf8)))
    try journal.sync()
  }
}

extension BlockJournal {
  /// True if a folder has the blocks of a check, and no table of runs.
  package static func isIn(_ folder: String) -> Bool {
    SystemFile.exists("\(folder)/\(ResultsFolder.journalName)/runs") && !SystemFile.exists("\(folder)/runs.csv")
  }

  /// Returns the points of the last check in a folder, a row for each side of a block with the means of its runs, in order. The values of
  /// axes are those of the points of `sweep`, the sweep of the check.
  /// - Throws: `Refusal` if a side is no point of the sweep; `InvalidInput` if a point is invalid; `OutputProblem` if the disk refuses.
  package static func rows(in folder: String, of sweep: ResolvedSweep) throws -> [RunRow] {
    let reader = try JournalReader(path: "\(folder)/\(ResultsFolder.journalName)/runs")
    var runs: [FinishedRun] = []
    reader.forEach { payload, _ in
      switch RecordCoding.record(payload) {
      case .identity: runs = []
      case .run(let run): runs.append(run)
      default: break
      }
    }
    let decoder = PointDecoder(sweep.grid)
    var indices: [UInt64: Int] = [:]
    for index in (0..<sweep.pointCount).reversed() { indices[try sweep.id(index, decoder)] = index }
    var (rows, sides): ([RunRow], [[RunMetrics]]) = ([], [])
    for run in runs {
      let key = run.key
      guard let index = indices[key.point] else {
        throw Refusal(
          "\(folder): a side of its check is no point of \(sweep.path); add the settings of production and candidate to the axes, or name the "
            + "sweep of the check with --sweep")
      }
      let found = rows.lastIndex { $0.point == key.pointText && $0.repetition == key.repetition }
      if found == nil {
        rows.append(RunRow(point: key.pointText, repetition: key.repetition, seed: key.seed, axisValues: sweep.axisValues(index)))
        sides.append([])
      }
      if let metrics = run.metrics { sides[found ?? rows.count - 1].append(metrics) }
    }
    for (index, side) in sides.enumerated() {
      for metric in Metric.allCases {
        let values = side.compactMap { $0[metric] }
        if values.count == side.count, !values.isEmpty { rows[index][metric] = values.reduce(0, +) / Double(values.count) }
      }
    }
    return rows
  }
}

extension GateScenarios {
  /// The first word of the identity of a journal of blocks.
  fileprivate static let blockFormat = "blocks 2"

  /// Returns the values that decide the runs of blocks, their order and how they are judged, as JSON.
  fileprivate func blockIdentity(_ rule: GateRule, _ limit: Int) -> [UInt8] {
    let sides = members.flatMap { [$0.baseline.point, $0.candidate.point] }
    let parts = (sweep.backend.identity ?? []).map { "\($0.key) \($0.hash)" }
    let guards = rule.guards.map { "\($0.text) \($0.floor.map { "\($0)" } ?? "")" }
    let judged = guards + ["\(limit)", "\(rule.confidence)", "\(rule.comparisons)"]
    return Array(JSONText.strings([Self.blockFormat, sweep.backend.name, "\(seed)"] + sides + parts + judged).indented.utf8)
  }
}

/// The null blocks of earlier gates with the same production settings, which judge the instrument of the next ones.
package struct NullBlocks: Sendable {
  /// The most blocks that are kept, the newest.
  private static let limit = 60

  private(set) var blocks: [DeviceBlock] = []
  private let folder: String, name: String
  private let size: Int

  /// Reads the blocks of a folder. A damaged file has fewer.
  package init(folder: String, _ scenarios: GateScenarios) {
    (self.folder, name) = (folder, "\(ContentHash.of(lines: scenarios.members.map(\.baseline.point))).blocks")
    size = 4 * scenarios.members.count
    blocks = read()
  }

  private func read() -> [DeviceBlock] {
    var blocks: [DeviceBlock] = []
    if let reader = try? JournalReader(path: "\(folder)/\(name)") {
      DeviceBlock.read(reader, size: size) { block, _, _ in blocks += block.map { [$0] } ?? [] }
    }
    return blocks
  }

  /// Adds blocks to the file, each once: the seed tells blocks of different checks apart.
  /// - Throws: `OutputProblem` if the folder cannot be written.
  func add(_ new: [DeviceBlock]) throws(OutputProblem) {
    if new.isEmpty { return }
    let folder = try ResultsFolder(path: folder)
    let seeds = new.map { $0.runs[0].key.seed }
    let others = read().filter { !seeds.contains($0.runs[0].key.seed) }
    try folder.add(name, (others + new).suffix(Self.limit).flatMap(\.bytes))
    try folder.publish()
  }
}
