// The runs of a sweep in a folder of results: those that an earlier start kept, those that are made now, and their rows.

import Analysis
import Import
import Synchronization

/// What to do with runs that an earlier start left behind.
package enum ResumeRule: Sendable {
  /// Take them; refuse if scenario or program have changed.
  case resume
  /// Take those that still fit, whatever has changed.
  case resumeAnyway
  case fresh
}

/// The runs of a sweep that a journal holds.
struct KeptRuns: Sendable {
  struct Counts: Sendable {
    /// Runs of the sweep that are done, earlier starts included.
    var done = 0
    /// Runs that confirm the winner and are done, likewise.
    var confirmed = 0
    /// Runs that failed at this start.
    var failed = 0
  }

  let runner: SweepRunner
  /// The points' ids by place; 0 for one that is not known.
  var ids: [UInt64]
  /// Where the journal has the runs that are done.
  private(set) var records: JournalIndex
  private(set) var counts = Counts()
  /// The failures of this start, at most `FailedRun.limit`.
  private(set) var failures: [FailedRun] = []
  /// The failed tries on devices, of earlier starts and of this one, with the places of their points, ascending.
  private(set) var tries: [(points: [Int], run: FinishedRun)] = []

  init(_ runner: SweepRunner, shard: Shard) {
    self.runner = runner
    ids = [UInt64](repeating: 0, count: runner.sweep.pointCount)
    records = JournalIndex(limit: runner.sweep.pointCount * runner.lastRepetition, shard: shard)
  }

  func index(_ point: Int, _ repetition: Int) -> Int { (repetition - 1) * ids.count + point }

  /// Takes note of a run that is done, by the place of its record.
  mutating func add(_ run: FinishedRun, of point: Int, at record: Int) {
    ids[point] = run.key.point
    records[index(point, run.key.repetition)] = record
    if run.key.repetition > runner.repeats { counts.confirmed += 1 } else { counts.done += 1 }
  }

  /// Takes note of a failed try that held a device.
  mutating func addFailure(_ run: FinishedRun, of points: [Int]) {
    if runner.executor != nil, !points.isEmpty { tries.append((points, run)) }
  }

  /// Takes note of a run that failed at this start.
  mutating func add(_ run: FinishedRun, of point: Int, failedFor reason: String) {
    counts.failed += 1
    addFailure(run, of: [point])
    // The point itself is found by its id also where none of its runs went well yet.
    if run.key.point != 0 { ids[point] = run.key.point }
    guard failures.count < FailedRun.limit else { return }
    failures.append(
      FailedRun(
        point: point, repetition: run.key.repetition, reason: reason, id: run.key.point == 0 ? nil : run.key.pointText,
        axisValues: runner.sweep.axisValues(point)))
  }
}

/// The runs of a shard, kept as they end; may be shared by threads. It holds the folder's lock for as long as it lives.
final class JournaledRuns: Sendable {
  let runner: SweepRunner
  let shard: Shard
  let notes: [String]
  let resumed: KeptRuns.Counts

  private let path: String
  private let folder: String
  private let lock: FolderLock
  private let journal: Journal
  private let state: Mutex<KeptRuns>

  /// Takes the folder's lock, reads its journal and decides what is left to run.
  ///
  /// - Throws: `Refusal` where another process holds the folder, or its runs belong to something else; `OutputProblem`.
  init(_ runner: SweepRunner, shard: Shard, folder: ResultsFolder, rule: ResumeRule) throws {
    (self.runner, self.shard, self.folder) = (runner, shard, folder.path)
    lock = try folder.lock()
    let inner = "\(folder.path)/\(ResultsFolder.journalName)"
    path = "\(inner)/runs"
    var recovery = try JournalRecovery(path: path, isFresh: rule == .fresh)
    let identity = SweepIdentity(runner.sweep, build: runner.build)
    try recovery.check(identity, runner.sweep, folder: folder.path, isResumedAnyway: rule == .resumeAnyway)
    var kept = KeptRuns(runner, shard: shard)
    try recovery.resume(&kept, runner, shard: shard, isChecked: rule == .resume)
    journal = try Journal(path: path, folder: folder.path, size: recovery.size)
    notes = recovery.notes
    resumed = kept.counts
    state = Mutex(kept)
    if recovery.identity != identity { try journal.append(.identity(identity.sortedJSON(isIndented: false))) }
    try journal.sync()
    SystemFile.syncFolder(inner)
    SystemFile.syncFolder(folder.path)
  }

  var kept: KeptRuns { state.withLock { $0 } }
  var counts: KeptRuns.Counts { state.withLock { $0.counts } }

  func doneCount(_ batch: RunBatch) -> Int {
    let records = kept.records
    return (0..<batch.count).count { records[batch.index(batch.run($0))] != nil }
  }

  /// True if a device has made any run of a batch that this start has not come to. Then there was time for it, and what it measured is not
  /// hidden because runs that had failed were tried again since.
  func isBegun(_ batch: RunBatch) -> Bool { runner.executor != nil && doneCount(batch) > 0 }

  /// Runs what of a batch is not done. Returns when all is done or `isCancelled` says so; then what was in hand has been finished and kept.
  ///
  /// - Returns: how many of the shard's runs, from its first on, have been dealt with.
  /// - Throws: `OutputProblem` where runs could no longer be kept.
  @discardableResult
  func run(_ batch: RunBatch, tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool) throws -> Int {
    let finishedCount = try runner.run(
      batch, shard: shard, folder: folder, isDone: { [self] run in state.withLock { $0.records[run] != nil } },
      finish: { [self] point, run in
        // Kept, then counted.
        let record = try journal.append(.run(run))
        state.withLock { state in
          if case .failure(let reason) = run.outcome {
            state.add(run, of: point, failedFor: reason)
          } else {
            state.add(run, of: point, at: record)
          }
        }
      },
      tick: {
        journal.syncIfDue()
        tick()
      }, isCancelled: isCancelled)
    try journal.sync()
    return finishedCount
  }

  /// The places of points by their ids, ascending. O(points), each decoded whose id is not known yet.
  /// - Throws: `InvalidInput` if a point cannot be decoded.
  func points(withIDs names: [String]) throws(InvalidInput) -> [Int] {
    let numbers = Set(names.compactMap { UInt64($0, radix: 16) })
    var ids = kept.ids
    for index in ids.indices where ids[index] == 0 { ids[index] = try runner.sweep.decoded(index).pointNumber }
    state.withLock { $0.ids = ids }
    return ids.indices.filter { numbers.contains(ids[$0]) }
  }

  /// Hands on the runs of some repetitions in the order of the table, by point and then by repetition; of each point up to its limit.
  ///
  /// - Throws: `Refusal` where the journal does not hold what it held, and whatever `receive` throws.
  func forEachRun(
    _ repetitions: ClosedRange<Int>, limits: [Int]?, _ receive: (_ point: Int, _ run: FinishedRun) throws -> Void
  ) throws {
    let (kept, reader) = (kept, try JournalReader(path: path, pieceSize: 1 << 9))
    var (count, lost) = (0, 0)
    for point in 0..<runner.sweep.pointCount {
      for repetition in repetitions.prefix(while: { $0 <= limits?[point] ?? .max }) {
        guard let record = kept.records[kept.index(point, repetition)] else { continue }
        if case .run(let run)? = reader.record(at: record), run.key.repetition == repetition, run.metrics != nil {
          count += 1
          try receive(point, run)
        } else {
          lost += 1
        }
      }
    }
    if lost > 0 {
      throw Refusal("\(path): has \(count) rows where \(count + lost) were kept; start again, what is missing will be run")
    }
  }
}

/// Rows of some repetitions out of the journal, in the order of the table.
package struct JournaledRows: RowSequence {
  let runs: JournaledRuns
  let repetitions: ClosedRange<Int>
  /// The last repetition of each point, where they differ.
  let limits: [Int]?

  /// Hands on each row.
  ///
  /// - Throws: `Refusal` where the journal does not hold what it held, and whatever `receive` throws.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    var last: (point: Int, id: String, axisValues: [String])?
    try runs.forEachRun(repetitions, limits: limits) { point, run in
      if last?.point != point { last = (point, run.key.pointText, runs.runner.sweep.axisValues(point)) }
      guard let last, let metrics = run.metrics else { return }
      try receive(
        RunRow(point: last.id, repetition: run.key.repetition, seed: run.key.seed, axisValues: last.axisValues, metrics: metrics))
    }
  }
}
