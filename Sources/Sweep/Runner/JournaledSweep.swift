// A sweep over a results folder: what is in its journal is taken, what is missing is run, and the tables are made from all of it.

import Analysis
import Import

/// What to do with runs that an earlier start left behind.
package enum ResumeRule: Sendable {
  /// Take them; refuse if scenario or program have changed.
  case resume
  /// Take those that still fit, whatever has changed.
  case resumeAnyway
  /// Throw them away.
  case fresh
}

/// A sweep that can be stopped at any moment and gone on with. It holds the folder's lock for as long as it lives.
package final class JournaledSweep: RowSequence {
  /// A run that failed at this start.
  package struct Failure: Sendable {
    /// Its point's place in the grid.
    package var pointIndex: Int
    /// Its point's id; nil for a point that is no valid scenario.
    package var point: String?
    /// From 1.
    package var repetition: Int
    /// The repetition's seed.
    package var seed: UInt64
    /// Why.
    package var reason: String
  }

  /// The most failures that are listed; all are counted, and each is in the journal.
  package static let failureLimit = 10_000

  /// What runs.
  package let runner: SweepRunner
  /// Which part of it.
  package let shard: Shard
  /// What was found in the folder that its owner should know, a line each.
  package private(set) var notes: [String] = []
  /// How many repetitions, from the first on, all points have; known once `run` has returned.
  package private(set) var completeRepetitions = 0
  /// Runs that were done before this start, without those that confirm the winner.
  package let resumedCount: Int
  /// Runs of this shard, and those that confirm the winner once they are known.
  package var total: Int { shard.size(of: runner.total) + confirmingTotal }
  /// Why a race, or what confirms its winner, ended before its last block, a line each; none where the device time sufficed.
  package private(set) var budgetNotes: [String] = []
  private var confirmingTotal = 0
  private var confirmingResumed = 0
  /// The last repetition of each point, where rounds have decided it.
  private var limits: [Int]?
  /// The places of the points that are confirmed.
  private var confirming: [Int] = []
  /// The last repetition that confirms them.
  private var lastConfirming = 0

  private let path: String
  private let folder: String
  private let lock: AnyObject
  private let journal: Journal
  private let done: RunSet
  private let isVerified: Bool
  private let confirmedBefore: Int
  private let tally: RunTally

  /// Takes the folder's lock, reads its journal and decides what is left to run.
  ///
  /// - Throws: `Refusal` where another process holds the folder, or its runs belong to something else; `OutputProblem`.
  package init(_ runner: SweepRunner, shard: Shard = .whole, folder: ResultsFolder, rule: ResumeRule = .resume) throws {
    self.runner = runner
    self.shard = shard
    lock = try folder.lock()
    let inner = "\(folder.path)/\(ResultsFolder.journalName)"
    path = "\(inner)/runs"
    self.folder = folder.path
    var found = rule == .fresh ? FoundJournal() : try FoundJournal(path: path, folder: folder.path)
    let identity = SweepIdentity(runner.sweep, build: runner.build)
    if rule == .resume { try found.check(identity, runner.sweep, folder: folder.path) }
    let resumed = try found.resumed(runner, shard: shard, isChecked: rule == .resume)
    notes = found.notes
    isVerified = found.damages.isEmpty
    done = resumed.done
    let confirmed = resumed.done.count(from: runner.total)
    resumedCount = resumed.done.count - confirmed
    journal = try Journal(path: path, folder: folder.path, size: found.size)
    tally = RunTally(journal: journal, ids: resumed.ids, repeats: runner.repeats, done: resumedCount, confirmed: confirmed)
    confirmedBefore = confirmed
    if found.identity != identity { try journal.append(.identity(identity.json)) }
    try journal.sync()
    SystemFile.syncFolder(inner)
    SystemFile.syncFolder(folder.path)
  }

  /// Runs that are done and failed so far.
  package var progress: SweepRunner.Progress {
    let (done, confirmed, failed) = tally.counts
    let confirming = confirmingTotal == 0 ? 0 : confirmed - confirmedBefore + confirmingResumed
    return SweepRunner.Progress(
      done: done + confirming, total: total, failed: failed, resumed: resumedCount + confirmingResumed)
  }

  /// The failures of this start in the order of the table, at most `failureLimit`.
  package var failures: [Failure] {
    tally.failures.sorted { ($0.pointIndex, $0.repetition) < ($1.pointIndex, $1.repetition) }
  }

  /// Runs what is missing. Returns when all is done or `isCancelled` says so; then what was in hand has been finished and kept.
  ///
  /// - Throws: `OutputProblem` where runs could no longer be kept.
  package func run(report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
    if runner.sweep.plan.needsResults, !runner.isDeterministic {
      try runInRounds(report, isCancelled)
      return
    }
    if resumedCount == shard.size(of: runner.total) { return }
    let all = RunBatch(repetitions: 1...runner.repeats, pointCount: runner.sweep.pointCount)
    let dealtWith = try run(all, shard, report, isCancelled)
    completeRepetitions = shard == .whole ? dealtWith / runner.sweep.pointCount : 0
  }

  /// Runs round by round: after each, the rows so far decide which points go on.
  private func runInRounds(_ report: (SweepRunner.Progress) -> Void, _ isCancelled: @escaping @Sendable () -> Bool) throws {
    let (plan, pointCount) = (runner.sweep.plan, runner.sweep.pointCount)
    let rounds = self.rounds
    let description = try SweepDescription(runner, overrides: SweepFile.Overrides())
    var active = plan.race?.starting(in: runner.sweep)
    var limits = [Int](repeating: active == nil ? rounds[0] : 0, count: pointCount)
    for place in active ?? [] { limits[place] = rounds[0] }
    var done = 0
    for (index, round) in rounds.enumerated() {
      let batch = RunBatch(points: active, repetitions: done + 1...round, pointCount: pointCount)
      _ = try run(batch, .whole, report, isCancelled)
      self.limits = limits
      if isCancelled() || index + 1 == rounds.count || tally.counts.done == 0 { return }
      var columns = RunColumns(description)
      var spent = plan.race?.until.map { DeviceTime(runner, limit: $0) }
      var rows = sorter(1...round, limits: limits)
      rows.willReceive = { spent?.add($1, of: $0) }
      if spent != nil { try rows.forEachFailure { spent?.add($1, of: $0) } }
      let ids: [String]
      try rows.forEach { try columns.add($0) }
      if plan.race != nil {
        let started = (active ?? Array(0..<pointCount)).map { PointID.text(tally.ids[$0]) }
        ids = columns.goingOn(in: description, blocks: plan.rounds.count, among: Set(started))
      } else {
        ids = plan.goingOn(try columns.summary(sweep: description), confirmed: runner.sweep.confirm?.best ?? 1)
      }
      if ids.isEmpty { return }
      var next = try places(of: ids)
      // A baseline whose first runs failed has no rows, and every later block needs it.
      if plan.race != nil { next = Set(next + runner.sweep.baselinePlaces).sorted() }
      let reserve = spent?.expected(runs: confirmingRuns(among: next), of: next) ?? 0
      if let spent, !spent.hasRoom(for: next, blocks: rounds[index + 1] - round, reserve: reserve),
        !isBegun(round + 1...rounds[index + 1], of: next)
      {
        budgetNotes.append(spent.note(next, reserve: reserve))
        return
      }
      for place in next { limits[place] = rounds[index + 1] }
      active = next
      done = round
    }
  }

  /// Whether a device has made any of these runs for an earlier start. Then there was time for them, and what it measured is not hidden
  /// because runs that had failed were tried again since.
  private func isBegun(_ repetitions: ClosedRange<Int>, of points: [Int]) -> Bool {
    guard runner.maker != nil else { return false }
    let batch = RunBatch(points: points, repetitions: repetitions, pointCount: runner.sweep.pointCount)
    return (0..<batch.count).contains { done.contains(batch.index(batch.run($0))) }
  }

  /// When it is looked who goes on. A race on several devices looks once each of them has made a block: a repetition is made in one lane.
  private var rounds: [Int] {
    let plan = runner.sweep.plan
    guard plan.race != nil, let lanes = runner.maker?.laneCount else { return plan.rounds }
    return plan.rounds.filter { $0 % lanes == 0 || $0 == plan.rounds.last }
  }

  /// How many runs confirm the winner of some points: the best, and a baseline, in each stratum.
  private func confirmingRuns(among points: [Int]) -> Int {
    guard let confirm = runner.sweep.confirm, let repetitions = runner.confirmingRepetitions else { return 0 }
    return min(points.count, (confirm.best + 1) * (runner.sweep.strata?.members.count ?? 1)) * repetitions.count
  }

  /// Runs what is missing of the repetitions that confirm the winner, for points by their ids; none of them may be missing from the
  /// sweep. Where a race has a limit to its device time, as many repetitions as that has room for. O(points) where the ids are not known
  /// yet.
  package func confirm(
    _ ids: [String], report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    guard let repetitions = runner.confirmingRepetitions else { return }
    confirming = try places(of: ids)
    lastConfirming = repetitions.upperBound
    takeConfirming(repetitions)
    guard let limit = runner.sweep.plan.race?.until else {
      let batch = RunBatch(points: confirming, repetitions: repetitions, pointCount: runner.sweep.pointCount)
      if confirmingResumed < confirmingTotal { _ = try run(batch, .whole, report, isCancelled) }
      return
    }
    lastConfirming = repetitions.lowerBound - 1
    var spent = DeviceTime(runner, limit: limit)
    try add(sorter(1...runner.repeats, limits: limits), to: &spent)
    while lastConfirming < repetitions.upperBound {
      // Each device makes a block at a time, as in the race.
      let next = min(repetitions.upperBound, lastConfirming + (runner.maker?.laneCount ?? 1))
      let block = RunBatch(points: confirming, repetitions: lastConfirming + 1...next, pointCount: runner.sweep.pointCount)
      guard spent.hasRoom(for: confirming, blocks: block.repetitions.count) || isBegun(block.repetitions, of: confirming) else {
        let made = lastConfirming - repetitions.lowerBound + 1
        budgetNotes.append(spent.note(confirming, confirmed: made, of: repetitions.count))
        takeConfirming(repetitions.prefix(made))
        return
      }
      _ = try run(block, .whole, report, isCancelled)
      if isCancelled() { return }
      lastConfirming = next
      try add(confirmingSorter(block.repetitions), to: &spent)
    }
  }

  /// Takes note of the runs that confirm the winner, and of those of them that are done.
  private func takeConfirming(_ repetitions: some Collection<Int>) {
    let pointCount = runner.sweep.pointCount
    confirmingTotal = confirming.count * repetitions.count
    confirmingResumed = repetitions.reduce(0) { sum, repetition in
      sum + confirming.count { done.contains((repetition - 1) * pointCount + $0) }
    }
  }

  /// Takes rows into account, and what has failed of them.
  private func add(_ rows: RowSorter, to spent: inout DeviceTime) throws {
    var (rows, time) = (rows, spent)
    rows.willReceive = { time.add($1, of: $0) }
    try rows.forEach { _ in }
    try rows.forEachFailure { time.add($1, of: $0) }
    spent = time
  }

  private func run(
    _ batch: RunBatch, _ shard: Shard, _ report: (SweepRunner.Progress) -> Void, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Int {
    let dealtWith = try runner.run(
      batch, shard: shard, folder: folder, done: done, finish: { [tally] in try tally.take($0) },
      tick: {
        journal.syncIfDue()
        report(progress)
      }, isCancelled: isCancelled)
    try journal.sync()
    return dealtWith
  }

  /// The places of points, ascending.
  private func places(of names: [String]) throws(InvalidInput) -> [Int] {
    let wanted = Set(names.compactMap { UInt64($0, radix: 16) })
    var places: [Int] = []
    let ids = tally.ids
    for place in 0..<runner.sweep.pointCount {
      let known = ids[place]
      let id = known == 0 ? try runner.sweep.decoded(place).pointNumber : known
      if known == 0 { tally.learn(id, of: place) }
      if wanted.contains(id) { places.append(place) }
    }
    return places
  }

  /// Hands on all rows in the order of the table: by point, then by repetition.
  ///
  /// - Throws: `Refusal` where the journal does not hold what it held, and whatever `receive` throws.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    let done = tally.counts.done
    let count = try sorter(1...runner.repeats, limits: limits).forEach(receive)
    if limits == nil, count < done {
      throw Refusal("\(path): has \(count) rows where \(done) were kept; start again, what is missing will be run")
    }
  }

  /// Hands on the rows that confirm the winner, in the same order; of points that an earlier start confirmed, and this does not,
  /// there are none.
  package func forEachConfirmingRow(_ receive: (RunRow) throws -> Void) throws {
    guard let first = runner.confirmingRepetitions?.lowerBound, first <= lastConfirming else { return }
    try confirmingSorter(first...lastConfirming).forEach(receive)
  }

  private func confirmingSorter(_ repetitions: ClosedRange<Int>) -> RowSorter {
    var limits = [Int](repeating: 0, count: runner.sweep.pointCount)
    for place in confirming { limits[place] = repetitions.upperBound }
    return sorter(repetitions, limits: limits)
  }

  private func sorter(_ repetitions: ClosedRange<Int>, limits: [Int]?) -> RowSorter {
    RowSorter(
      path: path, sweep: runner.sweep, repetitions: repetitions, limits: limits, shard: shard, places: PointPlaces(tally.ids),
      size: SystemFile.size(path), isVerified: isVerified)
  }
}
