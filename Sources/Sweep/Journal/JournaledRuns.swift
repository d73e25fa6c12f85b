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
  /// Throw them away.
  case fresh
}

/// The runs of a shard, kept as they end; may be shared by threads. It holds the folder's lock for as long as it lives.
package final class JournaledRuns: Sendable {
  /// How many runs have ended.
  struct Counts: Sendable {
    /// Runs of the sweep that are done, earlier starts included.
    var done = 0
    /// Runs that confirm the winner and are done, likewise.
    var confirmed = 0
    /// Runs that failed at this start.
    var failed = 0
  }

  /// A failed try on a device, of an earlier start or of this one.
  struct Try: Sendable {
    /// The places of its point, ascending.
    var points: [Int]
    var repetition: Int
    /// In milliseconds; nil where nobody kept it.
    var deviceMs: Int?
  }

  private struct State {
    /// The points' ids by place; 0 for one that is not known.
    var ids: [UInt64]
    var index: JournalIndex
    var counts = Counts()
    var failures: [FailedRun] = []
    var tries: [Try] = []

    /// Takes note of a failed try that held a device.
    mutating func add(_ failure: FailureRecord, of points: [Int], _ runner: SweepRunner) {
      guard runner.maker != nil else { return }
      tries.append(Try(points: points, repetition: failure.key.repetition, deviceMs: failure.deviceMs))
    }
  }

  /// What runs.
  package let runner: SweepRunner
  /// Which part of it.
  package let shard: Shard
  /// What was found in the folder that its owner should know, a line each.
  package let notes: [String]
  /// What was done before this start.
  let resumed: Counts

  private let path: String
  private let folder: String
  private let lock: FolderLock
  private let journal: Journal
  private let state: Mutex<State>

  /// Takes the folder's lock, reads its journal and decides what is left to run.
  ///
  /// - Throws: `Refusal` where another process holds the folder, or its runs belong to something else; `OutputProblem`.
  package init(_ runner: SweepRunner, shard: Shard, folder: ResultsFolder, rule: ResumeRule) throws {
    (self.runner, self.shard, self.folder) = (runner, shard, folder.path)
    lock = try folder.lock()
    let inner = "\(folder.path)/\(ResultsFolder.journalName)"
    let path = "\(inner)/runs"
    self.path = path
    var recovery = rule == .fresh ? JournalRecovery() : try JournalRecovery(path: path, folder: folder.path)
    let identity = SweepIdentity(runner.sweep, build: runner.build)
    if rule == .resume { try recovery.check(identity, runner.sweep, folder: folder.path) }
    var found = State(ids: [], index: JournalIndex(limit: runner.sweep.pointCount * runner.lastRepetition, shard: shard))
    var reader: RecordReader?
    found.ids = try recovery.resume(
      runner, shard: shard, isChecked: rule == .resume,
      run: { point, run, place in
        let index = Self.index(point, run.key.repetition, runner)
        guard let known = found.index[index] else {
          found.index[index] = place
          found.counts.add(run.key.repetition, of: runner)
          return
        }
        reader = try reader ?? RecordReader(path: path)
        if case .run(let earlier)? = reader?.record(known), earlier.metrics == run.metrics { return }
        throw Refusal(
          "\(path): point \(run.key.pointText), repetition \(run.key.repetition), stands there twice with different rows; "
            + "make all runs again with --fresh")
      }, failure: { found.add($1, of: $0, runner) })
    journal = try Journal(path: path, folder: folder.path, size: recovery.size)
    notes = recovery.notes
    resumed = found.counts
    state = Mutex(found)
    if recovery.identity != identity { try journal.append(.identity(identity.json)) }
    try journal.sync()
    SystemFile.syncFolder(inner)
    SystemFile.syncFolder(folder.path)
  }

  /// How many runs have ended.
  var counts: Counts { state.withLock { $0.counts } }

  /// The failures of this start in the order of the table, at most `FailedRun.limit`.
  var failures: [FailedRun] { state.withLock { $0.failures }.sorted { ($0.point, $0.repetition) < ($1.point, $1.repetition) } }

  /// The failed tries on devices, in the order of the journal.
  var tries: [Try] { state.withLock { $0.tries } }

  /// How many runs of a batch are done.
  func doneCount(_ batch: RunBatch) -> Int {
    let index = state.withLock { $0.index }
    return (0..<batch.count).count { index[batch.index(batch.run($0))] != nil }
  }

  /// True if a device has made any run of a batch that this start has not come to. Then there was time for it, and what it measured is not
  /// hidden because runs that had failed were tried again since.
  func isBegun(_ batch: RunBatch) -> Bool { runner.maker != nil && doneCount(batch) > 0 }

  /// The place of a run among all runs of a sweep.
  private static func index(_ point: Int, _ repetition: Int, _ runner: SweepRunner) -> Int {
    (repetition - 1) * runner.sweep.pointCount + point
  }

  /// Runs what of a batch is not done. Returns when all is done or `isCancelled` says so; then what was in hand has been finished and kept.
  ///
  /// - Returns: how many of the shard's runs, from its first on, have been dealt with.
  /// - Throws: `OutputProblem` where runs could no longer be kept.
  @discardableResult
  func run(_ batch: RunBatch, tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool) throws -> Int {
    let dealtWith = try runner.run(
      batch, shard: shard, folder: folder,
      isDone: { [self] run in state.withLock { $0.index[run] != nil } }, finish: { [self] in try take($0) },
      tick: {
        journal.syncIfDue()
        tick()
      }, isCancelled: isCancelled)
    try journal.sync()
    return dealtWith
  }

  /// Keeps a run, then counts it.
  private func take(_ run: FinishedRun) throws(OutputProblem) {
    switch run.outcome {
    case .metrics(let metrics):
      let place = try journal.append(.run(RunRecord(key: run.key, metrics: metrics, deviceMs: run.deviceMs)))
      state.withLock { state in
        state.ids[run.pointIndex] = run.key.point
        state.index[Self.index(run.pointIndex, run.key.repetition, runner)] = place
        state.counts.add(run.key.repetition, of: runner)
      }
    case .failure(let reason):
      let record = FailureRecord(key: run.key, reason: reason, deviceMs: run.deviceMs)
      try journal.append(.failure(record))
      state.withLock { state in
        state.counts.failed += 1
        state.add(record, of: [run.pointIndex], runner)
        // The point itself is found by its id also where none of its runs went well yet.
        if run.key.point != 0 { state.ids[run.pointIndex] = run.key.point }
        guard state.failures.count < FailedRun.limit else { return }
        state.failures.append(
          FailedRun(
            point: run.pointIndex, repetition: run.key.repetition, reason: reason, id: run.key.point == 0 ? nil : run.key.pointText,
            axisValues: runner.sweep.axisValues(run.pointIndex)))
      }
    }
  }

  /// The id of a point as it is printed.
  func id(of point: Int) -> String { PointID.text(state.withLock { $0.ids[point] }) }

  /// The places of points by their ids, ascending. O(points), each decoded whose id is not known yet.
  func places(of names: [String]) throws(InvalidInput) -> [Int] {
    let wanted = Set(names.compactMap { UInt64($0, radix: 16) })
    var ids = state.withLock { $0.ids }
    for place in ids.indices where ids[place] == 0 { ids[place] = try runner.sweep.decoded(place).pointNumber }
    state.withLock { $0.ids = ids }
    return ids.indices.filter { wanted.contains(ids[$0]) }
  }

  /// Hands on the runs of some repetitions in the order of the table, by point and then by repetition; of each point up to its limit.
  ///
  /// - Throws: `Refusal` where the journal does not hold what it held, and whatever `receive` throws.
  func forEachRun(
    _ repetitions: ClosedRange<Int>, limits: [Int]? = nil, _ receive: (_ point: Int, _ run: RunRecord) throws -> Void
  ) throws {
    let (index, reader) = (state.withLock { $0.index }, try RecordReader(path: path))
    var (count, lost) = (0, 0)
    for point in 0..<runner.sweep.pointCount {
      let last = min(repetitions.upperBound, limits?[point] ?? .max)
      var repetition = repetitions.lowerBound
      while repetition <= last {
        defer { repetition += 1 }
        guard let place = index[Self.index(point, repetition, runner)] else { continue }
        guard case .run(let run)? = reader.record(place), run.key.repetition == repetition else {
          lost += 1
          continue
        }
        count += 1
        try receive(point, run)
      }
    }
    if lost > 0 {
      throw Refusal("\(path): has \(count) rows where \(count + lost) were kept; start again, what is missing will be run")
    }
  }

  /// Hands on the same runs as rows.
  func forEachRow(_ repetitions: ClosedRange<Int>, limits: [Int]? = nil, _ receive: (RunRow) throws -> Void) throws {
    var last: (point: Int, id: String, axisValues: [String])?
    try forEachRun(repetitions, limits: limits) { point, run in
      if last?.point != point { last = (point, run.key.pointText, runner.sweep.axisValues(point)) }
      try receive(
        RunRow(
          point: last?.id ?? "", repetition: run.key.repetition, seed: run.key.seed, axisValues: last?.axisValues ?? [],
          metrics: run.metrics))
    }
  }
}

extension JournaledRuns.Counts {
  /// Counts a run that is done.
  fileprivate mutating func add(_ repetition: Int, of runner: SweepRunner) {
    if repetition > runner.repeats { confirmed += 1 } else { done += 1 }
  }
}
