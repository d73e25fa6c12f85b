// The whole blocks of a gate on devices, in the folder of the gate: a killed one continues, and half a block is never seen.

import Analysis
import Base
import Synchronization

/// A whole block: its runs in their order, four in each stratum.
struct DeviceBlock: Sendable {
  let number: Int
  let runs: [FinishedRun]

  /// Returns the values of a metric in a stratum; nil if a run has none.
  func values(_ metric: Metric, stratum: Int) -> [Double]? {
    let values = runs[4 * stratum..<4 * stratum + 4].compactMap { $0.metrics?[metric] }
    return values.count == 4 ? values : nil
  }

  var bytes: [UInt8] { runs.flatMap { RecordCoding.bytes(.run($0)) } }

  /// Calls `receive` with the blocks of `size` runs in a journal, the offsets at their ends and, between them, its other records.
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
      runs.append(run)
      guard runs.count == size else { return }
      receive(DeviceBlock(number: run.key.repetition, runs: runs), nil, end)
      runs = []
    }
  }
}

/// The journal of a gate's blocks, open for appending; threads may share it. It holds the folder's lock until it is deallocated.
package final class BlockJournal: Sendable {
  package let folder: String
  /// The blocks that an earlier start completed.
  let found: [DeviceBlock]
  private let lock: FolderLock
  private let journal: Journal

  /// Locks the folder and reads the blocks of the last gate, unless that has ended or `isFresh`.
  /// - Throws: `Refusal` if the folder is in use or has blocks of another gate; `OutputProblem` if the disk refuses.
  package init(folder: ResultsFolder, _ scenarios: GateScenarios, isFresh: Bool) throws {
    lock = try folder.lock()
    self.folder = folder.path
    let path = "\(folder.path)/\(ResultsFolder.journalName)/runs"
    let identity = scenarios.blockIdentity
    var (known, blocks, size): ([UInt8]?, [DeviceBlock], Int) = (nil, [], 0)
    if SystemFile.exists(path) {
      let reader = try JournalReader(path: path)
      DeviceBlock.read(reader, size: 4 * scenarios.members.count) { block, other, end in
        size = end
        switch other {
        case nil: blocks += block.map { [$0] } ?? []
        case .identity(let json): (known, blocks) = (json, [])
        // A gate that ended is no part of the next one.
        case .description: (known, blocks) = (nil, [])
        default: break
        }
      }
      if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    }
    if known != identity, !blocks.isEmpty, !isFresh {
      throw Refusal(
        "\(folder.path): holds \(blocks.count) blocks of another check, with other settings, devices, metrics or another seed; finish it with its "
          + "own command, discard them with --fresh, or name another folder with --output", isOfOlderRuns: true)
    }
    found = isFresh || known != identity ? [] : blocks
    journal = try Journal(path: path, folder: folder.path, size: size, fault: folder.fault)
    if isFresh || known != identity { try journal.append(.identity(identity)) }
    try journal.sync()
  }

  /// Adds a whole block, and syncs it to the disk.
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
      guard let index = indices[run.key.point] else {
        throw Refusal(
          "\(folder): a side of its check is no point of \(sweep.path); add the settings of production and candidate to the axes, or name the "
            + "sweep of the check with --sweep")
      }
      let found = rows.lastIndex { $0.point == run.key.pointText && $0.repetition == run.key.repetition }
      if found == nil {
        let values = sweep.axisValues(index)
        rows.append(RunRow(point: run.key.pointText, repetition: run.key.repetition, seed: run.key.seed, axisValues: values))
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
  /// The values that decide the runs of blocks and their order, as JSON.
  fileprivate var blockIdentity: [UInt8] {
    let sides = members.flatMap { [$0.baseline.point, $0.candidate.point] }
    let parts = (sweep.backend.identity ?? []).map { "\($0.key) \($0.hash)" }
    return Array(JSONText.strings(["blocks 1", sweep.backend.name, "\(seed)"] + sides + parts).indented.utf8)
  }
}

/// The null blocks of earlier gates with the same production settings, which judge the instrument of the next ones.
package struct NullBlocks: Sendable {
  /// The most blocks that are kept, the newest.
  private static let limit = 60

  let blocks: [DeviceBlock]
  private let folder: String
  private let name: String

  /// Reads the blocks of a folder. A damaged file has fewer.
  package init(folder: String, _ scenarios: GateScenarios) {
    (self.folder, name) = (folder, "\(ContentHash.of(lines: scenarios.members.map(\.baseline.point))).blocks")
    var blocks: [DeviceBlock] = []
    if let reader = try? JournalReader(path: "\(folder)/\(name)") {
      DeviceBlock.read(reader, size: 4 * scenarios.members.count) { block, _, _ in blocks += block.map { [$0] } ?? [] }
    }
    self.blocks = blocks
  }

  /// Adds blocks to the file.
  /// - Throws: `OutputProblem` if the folder cannot be written.
  func add(_ new: [DeviceBlock]) throws(OutputProblem) {
    if new.isEmpty { return }
    let folder = try ResultsFolder(path: folder)
    try folder.add(name, (blocks + new).suffix(Self.limit).flatMap(\.bytes))
    try folder.publish()
  }
}
