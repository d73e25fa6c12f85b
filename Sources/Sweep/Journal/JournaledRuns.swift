// The runs of a sweep in a results folder: those of earlier starts, those of this one, and their rows.

import Analysis
import Base
import Synchronization

package enum ResumeRule: Sendable {
  /// Keep them; refuse to start if scenario or program changed.
  case resume
  /// Keep those that still fit, whatever changed.
  case resumeAnyway
  case fresh
}

/// The runs of a sweep that a journal holds.
struct KeptRuns: Sendable {
  struct Counts: Sendable {
    /// The completed runs, including those of earlier starts.
    var done = 0
    /// The completed runs of the confirmation, including those of earlier starts.
    var confirmed = 0
    /// The runs that failed in this start.
    var failed = 0
  }

  let runner: SweepRunner
  /// The ids of the points; 0 for an unknown one.
  var ids: [UInt64]
  private(set) var records: JournalIndex
  private(set) var counts = Counts()
  /// The failures of this start, at most `FailedRun.limit`.
  private(set) var failures: [FailedRun] = []
  /// True if the failed tries of the emulator are kept, too.
  var keepsTries = false
  /// The failed tries on devices in all starts, with the indices of their points, ascending.
  private(set) var tries: [(points: [Int], run: FinishedRun)] = []

  init(_ runner: SweepRunner, shard: Shard) {
    self.runner = runner
    ids = [UInt64](repeating: 0, count: runner.sweep.pointCount)
    records = JournalIndex(limit: runner.sweep.pointCount * runner.lastRepetition, shard: shard)
  }

  func index(_ point: Int, _ repetition: Int) -> Int { (repetition - 1) * ids.count + point }

  mutating func add(_ run: FinishedRun, of point: Int, at record: Int) {
    ids[point] = run.key.point
    records[index(point, run.key.repetition)] = record
    if run.key.repetition > runner.repeats { counts.confirmed += 1 } else { counts.done += 1 }
  }

  /// Adds a failed try that occupied a device.
  mutating func addFailure(_ run: FinishedRun, of points: [Int]) {
    if keepsTries || !runner.executor.isRepeatable, !points.isEmpty { tries.append((points, run)) }
  }

  mutating func add(_ run: FinishedRun, of point: Int, failedFor reason: String) {
    counts.failed += 1
    addFailure(run, of: [point])
    // The id is also needed for a point without a successful run.
    if run.key.point != 0 { ids[point] = run.key.point }
    guard failures.count < FailedRun.limit else { return }
    failures.append(
      FailedRun(
        point: point, repetition: run.key.repetition, reason: reason, id: run.key.point == 0 ? nil : run.key.pointText,
        axisValues: runner.sweep.axisValues(point)))
  }
}

/// The runs of a shard, written to the journal as they end; threads may share them. It holds the folder's lock until it is deallocated.
final class JournaledRuns: Sendable {
  let runner: SweepRunner
  let shard: Shard
  let notes: [String]
  let resumed: KeptRuns.Counts
  private let path: String
  let folder: String
  private let lock: FolderLock
  let journal: Journal
  private let state: Mutex<KeptRuns>
  /// The points whose axis values this start has written; empty without a description.
  private let named: Mutex<[Bool]>
  let failedElsewhere = Mutex<Set<Int>>([])

  /// Locks the folder, reads its journal and determines the missing runs.
  /// - Throws: `Refusal` if the folder is in use or its runs belong to something else; `OutputProblem` if the disk refuses.
  init(_ runner: SweepRunner, shard: Shard, folder: ResultsFolder, rule: ResumeRule, description: SweepDescription?) throws {
    (self.runner, self.shard, self.folder) = (runner, shard, folder.path)
    lock = try folder.lock()
    let inner = "\(folder.path)/\(ResultsFolder.journalName)"
    path = "\(inner)/runs"
    var recovery = try JournalRecovery(path: path, isFresh: rule == .fresh)
    let identity = SweepIdentity(runner.sweep, build: runner.build)
    try recovery.check(identity, runner.sweep, folder: folder.path, isResumedAnyway: rule == .resumeAnyway)
    // The rows of all shards decide the next round, so that a shard keeps those of the others, too.
    let known = runner.hasRounds ? Shard.whole : shard
    var kept = KeptRuns(runner, shard: known)
    try recovery.resume(&kept, runner, shard: known, isChecked: rule == .resume)
    journal = try Journal(path: path, folder: folder.path, size: recovery.size, fault: folder.fault)
    notes = recovery.notes
    resumed = kept.counts
    state = Mutex(kept)
    named = Mutex([Bool](repeating: false, count: description == nil ? 0 : runner.sweep.pointCount))
    if recovery.identity != identity { try journal.append(.identity(identity.sortedJSON(isIndented: false))) }
    if let description { try journal.append(.description(JournalDescription(description).sortedJSON(isIndented: false))) }
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

  /// True if a device has executed any run of a batch in an earlier start. The device time sufficed for it then,
  /// so its results count even if failed runs were retried since.
  func isBegun(_ batch: RunBatch) -> Bool { !runner.executor.isRepeatable && doneCount(batch) > 0 }

  /// Executes the missing runs of a batch. After a cancellation, running ones are finished and kept.
  /// - Returns: The number of runs, from the shard's first on, that have ended.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  @discardableResult func run(_ batch: RunBatch, tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool) throws -> Int {
    let finishedCount = try runner.run(
      batch, shard: shard, folder: folder, isDone: { [self] run in state.withLock { $0.records[run] != nil } },
      finish: { [self] point, run in try add(run, of: point) },
      tick: {
        journal.syncIfDue()
        tick()
      }, isCancelled: isCancelled)
    try journal.sync()
    return finishedCount
  }

  /// Adds a run, which counts after it is in the journal.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  func add(_ run: FinishedRun, of point: Int) throws {
    let isNew = named.withLock { named in
      guard !named.isEmpty, !named[point], run.key.point != 0 else { return false }
      named[point] = true
      return true
    }
    let name = isNew ? RecordCoding.bytes(.point(run.key.point, runner.sweep.axisValues(point))) : []
    let record = try journal.append(name + RecordCoding.bytes(.run(run))) + name.count
    state.withLock { state in
      if case .failure(let reason) = run.outcome {
        state.add(run, of: point, failedFor: reason)
      } else {
        state.add(run, of: point, at: record)
      }
    }
  }

  /// Returns the indices of points by their ids, ascending. O(points); points with unknown ids are decoded.
  /// - Throws: `InvalidInput` if a point cannot be decoded.
  func points(withIDs names: [String]) throws(InvalidInput) -> [Int] {
    let numbers = Set(names.compactMap { UInt64($0, radix: 16) })
    let ids = try allIDs()
    return ids.indices.filter { numbers.contains(ids[$0]) }
  }

  /// - Throws: `InvalidInput` if a point cannot be decoded.
  func allIDs() throws(InvalidInput) -> [UInt64] {
    var ids = kept.ids
    let decoder = PointDecoder(runner.sweep.grid)
    for index in ids.indices where ids[index] == 0 { ids[index] = try runner.sweep.id(index, decoder) }
    state.withLock { $0.ids = ids }
    return ids
  }

  /// Calls `receive` with the runs of some repetitions, by point and then by repetition, up to each point's limit.
  /// - Throws: `Refusal` if the journal lost runs; any error of `receive`.
  func forEachRun(_ repetitions: ClosedRange<Int>, limits: [Int]?, _ receive: (_ point: Int, _ run: FinishedRun) throws -> Void) throws {
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
      throw Refusal("\(path): has \(count) of \(count + lost) rows; start again, without --fresh, to execute the missing runs")
    }
  }
}

// MARK: Runs of other shards

/// Each shard of a search decides the rounds from the rows of all, without a coordinator.
extension JournaledRuns {
  /// Copies the runs of a batch that other shards have made from their folders, beside this one. Returns the shards that lack some.
  /// - Throws: `Refusal` if a folder belongs to another sweep or program; `OutputProblem` if a journal cannot be read or written.
  func copyOthers(_ batch: RunBatch) throws -> [Int] {
    func lacking() -> [Int] {
      let (records, failed) = (kept.records, failedElsewhere.withLock { $0 })
      let orders = (0..<batch.count).lazy.filter { order in
        let run = batch.index(batch.run(order))
        return order % self.shard.count != self.shard.index && records[run] == nil && !failed.contains(run)
      }
      return Set(orders.map { $0 % self.shard.count }).sorted()
    }
    for other in lacking() { try copyRuns(from: String(folder.dropLast(shard.folderName().count)) + shard.folderName(of: other)) }
    return lacking()
  }

  /// Copies the runs that another folder has and this one lacks; false if that has no journal. A torn end, as of a running shard, is ignored.
  /// - Throws: `Refusal` if the folder belongs to another sweep or program; `OutputProblem` if a journal cannot be read or written.
  @discardableResult func copyRuns(from other: String, isAnyBuild: Bool = false) throws -> Bool {
    let path = "\(other)/\(ResultsFolder.journalName)/runs"
    guard SystemFile.exists(path) else { return false }
    var recovery = try JournalRecovery(path: path, isFresh: false)
    try recovery.check(SweepIdentity(runner.sweep, build: runner.build), runner.sweep, folder: other, isOfOtherShard: true)
    if let build = recovery.identity?.build, build != runner.build, !isAnyBuild {
      throw Refusal(
        "\(other): build \(build) of the program wrote its runs, and this is build \(runner.build); run all shards with one program")
    }
    var found = KeptRuns(runner, shard: .whole)
    (found.keepsTries, found.ids) = (true, try allIDs())
    try recovery.resume(&found, runner, shard: .whole, isChecked: false)
    let (reader, mine) = (try JournalReader(path: path, pieceSize: 1 << 9), kept.records)
    for run in 0..<runner.sweep.pointCount * runner.lastRepetition where mine[run] == nil {
      guard let record = found.records[run], case .run(let finished)? = reader.record(at: record) else { continue }
      try add(finished, of: run % runner.sweep.pointCount)
    }
    failedElsewhere.withLock { failed in
      for attempt in found.tries { failed.formUnion(attempt.points.map { found.index($0, attempt.run.key.repetition) }) }
    }
    try journal.sync()
    return true
  }
}

/// The rows of some repetitions from the journal, in the order of the table.
package struct JournaledRows: RowSequence {
  let runs: JournaledRuns
  let repetitions: ClosedRange<Int>
  /// The last repetition of each point; nil for all repetitions.
  let limits: [Int]?

  /// Calls `receive` with each row.
  /// - Throws: `Refusal` if the journal lost runs; any error of `receive`.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    var last: (point: Int, id: String, axisValues: [String])?
    try runs.forEachRun(repetitions, limits: limits) { point, run in
      if last?.point != point { last = (point, run.key.pointText, runs.runner.sweep.axisValues(point)) }
      guard let last, let metrics = run.metrics else { return }
      try receive(RunRow(point: last.id, repetition: run.key.repetition, seed: run.key.seed, axisValues: last.axisValues, metrics: metrics))
    }
  }
}
