// A sweep over a results folder: what an earlier start kept is taken, what is missing runs, all at once or round by round, and at the end
// the best points run on fresh seeds.

import Analysis
import Import

/// A sweep that can be stopped at any moment and gone on with. It holds the folder's lock for as long as it lives.
package final class JournaledSweep {
  let runs: JournaledRuns
  /// How many repetitions, from the first on, all points have; known once `run` has returned.
  package private(set) var completeRepetitions = 0
  /// Why a race, or what confirms its winner, ended before its last block, a line each; none where the device time sufficed.
  package private(set) var budgetNotes: [String] = []
  /// The last repetition of each point, where rounds have decided it.
  private var limits: [Int]?
  /// The runs that confirm the winner, and how many of them an earlier start has made; nil before `confirm`.
  private var confirmation: (batch: RunBatch, resumed: Int)?
  package var runner: SweepRunner { runs.runner }
  package var shard: Shard { runs.shard }
  package var notes: [String] { runs.notes }
  /// Runs that were done before this start, without those that confirm the winner.
  package var resumedCount: Int { runs.resumed.done }
  /// Runs of this shard, and those that confirm the winner once they are known.
  package var total: Int { shard.size(of: runner.total) + (confirmation?.batch.count ?? 0) }
  /// The failures of this start in the order of the table, at most `FailedRun.limit`.
  package var failures: [FailedRun] { runs.kept.failures.sorted { ($0.point, $0.repetition) < ($1.point, $1.repetition) } }
  package var rows: JournaledRows { JournaledRows(runs: runs, repetitions: 1...runner.repeats, limits: limits) }
  /// The rows that confirm the winner; nil where there are none. Those of points that an earlier start confirmed, and this does not, are
  /// not among them.
  package var confirmingRows: JournaledRows? {
    confirmation.flatMap { confirmation in
      let batch = confirmation.batch
      return batch.count == 0 ? nil : JournaledRows(runs: runs, repetitions: batch.repetitions, limits: batch.limits)
    }
  }

  /// Takes the folder's lock, reads its journal and decides what is left to run.
  ///
  /// - Throws: `Refusal` where another process holds the folder, or its runs belong to something else; `OutputProblem`.
  package init(_ runner: SweepRunner, shard: Shard = .whole, folder: ResultsFolder, rule: ResumeRule = .resume) throws {
    runs = try JournaledRuns(runner, shard: shard, folder: folder, rule: rule)
  }

  package var progress: SweepRunner.Progress {
    let counts = runs.counts
    let resumed = confirmation?.resumed ?? 0
    let confirmed = confirmation == nil ? 0 : counts.confirmed - runs.resumed.confirmed + resumed
    return SweepRunner.Progress(done: counts.done + confirmed, total: total, failed: counts.failed, resumed: resumedCount + resumed)
  }

  /// Runs what is missing. Returns when all is done or `isCancelled` says so; then what was in hand has been finished and kept.
  ///
  /// - Throws: `OutputProblem` where runs could no longer be kept.
  package func run(report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
    if !runner.isDeterministic, runner.sweep.plan.needsResults { return try runInRounds(tick: { report(progress) }, isCancelled) }
    if resumedCount == shard.size(of: runner.total) { return }
    let all = RunBatch(repetitions: 1...runner.repeats, pointCount: runner.sweep.pointCount)
    let dealtWith = try runs.run(all, tick: { report(progress) }, isCancelled: isCancelled)
    completeRepetitions = shard == .whole ? dealtWith / runner.sweep.pointCount : 0
  }

  /// Runs round by round: after each, the rows so far decide which points go on.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  private func runInRounds(tick: () -> Void, _ isCancelled: @escaping @Sendable () -> Bool) throws {
    let (sweep, rounds) = (runner.sweep, self.rounds)
    let description = try SweepDescription(runner, overrides: ResolvedSweep.Overrides())
    var active = sweep.plan.race?.starting(in: sweep) ?? Array(0..<sweep.pointCount)
    var limits = [Int](repeating: 0, count: sweep.pointCount)
    var done = 0
    for (index, round) in rounds.enumerated() {
      for place in active { limits[place] = round }
      try runs.run(
        RunBatch(points: active, repetitions: done + 1...round, pointCount: sweep.pointCount), tick: tick, isCancelled: isCancelled)
      self.limits = limits
      if isCancelled() || index + 1 == rounds.count || runs.counts.done == 0 { return }
      let columns = RunColumns(description)
      try JournaledRows(runs: runs, repetitions: 1...round, limits: limits).forEachRow { try columns.add($0) }
      let known = runs.kept.ids
      let ids = try sweep.plan.survivors(columns, active: Set(active.map { PointID.text(known[$0]) }), in: sweep, description)
      if ids.isEmpty { return }
      active = try runs.places(of: ids)
      // A baseline whose first runs failed has no rows, and every later block of a race needs it.
      if sweep.plan.race != nil { active = Set(active + sweep.baselinePlaces).sorted() }
      let next = RunBatch(points: active, repetitions: round + 1...rounds[index + 1], pointCount: sweep.pointCount)
      guard try hasTime(for: next, limits: limits) else { return }
      done = round
    }
  }

  /// When it is looked who goes on. A race on several devices looks once each of them has made a block: a repetition is made in one lane.
  private var rounds: [Int] {
    let plan = runner.sweep.plan
    guard plan.race != nil, let lanes = runner.executor?.laneCount else { return plan.rounds }
    return plan.rounds.filter { $0 % lanes == 0 || $0 == plan.rounds.last }
  }

  /// True if the next round of a race, and what confirms its winner, end in the device time; if not, a note says why.
  /// - Throws: `OutputProblem` if the journal cannot be read.
  private func hasTime(for next: RunBatch, limits: [Int]) throws -> Bool {
    guard let limit = runner.sweep.plan.race?.until, let points = next.points else { return true }
    var spent = DeviceTime(runner, limit: limit)
    try spent.add(1...next.repetitions.lowerBound - 1, of: runs, limits: limits)
    var confirming = 0
    if let confirm = runner.sweep.confirm, let repetitions = runner.confirmingRepetitions {
      // The best, and a baseline, in each stratum.
      confirming = min(points.count, (confirm.best + 1) * (runner.sweep.strata?.members.count ?? 1)) * repetitions.count
    }
    let reserve = spent.expected(runs: confirming, of: points)
    if spent.hasRoom(for: points, blocks: next.repetitions.count, reserve: reserve) || runs.isBegun(next) { return true }
    budgetNotes.append(spent.note(points, reserve: reserve))
    return false
  }

  /// Runs what is missing of the repetitions that confirm the winner, for points by their ids; none of them may be missing from the
  /// sweep. Where a race has a limit to its device time, as many repetitions as that has room for. O(points) where the ids are not known
  /// yet.
  /// - Throws: `OutputProblem` if the journal cannot be written or read.
  package func confirm(
    _ ids: [String], report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    guard let repetitions = runner.confirmingRepetitions else { return }
    let points = try runs.places(of: ids)
    func batch(_ repetitions: ClosedRange<Int>) -> RunBatch {
      RunBatch(points: points, repetitions: repetitions, pointCount: runner.sweep.pointCount)
    }
    let all = batch(repetitions)
    let resumed = runs.doneCount(all)
    confirmation = (all, resumed)
    guard let limit = runner.sweep.plan.race?.until else {
      if resumed < all.count { try runs.run(all, tick: { report(progress) }, isCancelled: isCancelled) }
      return
    }
    var spent = DeviceTime(runner, limit: limit)
    try spent.add(1...runner.repeats, of: runs, limits: limits)
    var next = repetitions.lowerBound
    while next <= repetitions.upperBound {
      // Each device makes a block at a time, as in the race.
      let block = batch(next...min(repetitions.upperBound, next + (runner.laneCount ?? 1) - 1))
      guard spent.hasRoom(for: points, blocks: block.repetitions.count) || runs.isBegun(block) else {
        // Nothing of what is left out was made at this start.
        let left = resumed - runs.doneCount(batch(next...repetitions.upperBound))
        let made = next - repetitions.lowerBound
        let none = RunBatch(points: [], repetitions: repetitions, pointCount: all.pointCount)
        confirmation = (made == 0 ? none : batch(repetitions.lowerBound...next - 1), left)
        budgetNotes.append(spent.note(points, confirmed: made, of: repetitions.count))
        return
      }
      try runs.run(block, tick: { report(progress) }, isCancelled: isCancelled)
      if isCancelled() { return }
      try spent.add(block.repetitions, of: runs, limits: block.limits)
      next = block.repetitions.upperBound + 1
    }
  }
}

extension RepetitionPlan {
  /// The ids of the points that have more repetitions, by the runs so far; none where the sweep ends. `active` are those that had the last
  /// round.
  /// - Throws: `ReportError` if rows and sweep do not fit.
  func survivors(
    _ columns: RunColumns, active: @autoclosure () -> Set<String>, in sweep: ResolvedSweep, _ description: SweepDescription
  ) throws -> [String] {
    switch kind {
    case .complete: []
    case .sequential(let until): try columns.summary(sweep: description).unsettled(until: Margin(until) ?? .none)
    case .halving: try columns.summary(sweep: description).betterHalf(atLeast: sweep.confirm?.best ?? 1)
    case .racing: columns.survivors(in: description, blocks: rounds.count, among: active())
    }
  }
}
