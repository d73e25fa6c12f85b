// Runs a sweep in a results folder: resumes the journal, executes missing runs at once or in rounds,
// and confirms the best points on new seeds.

import Analysis
import Base

/// A sweep that can be interrupted and resumed. It holds the folder's lock until it is deallocated.
package final class JournaledSweep {
  let runs: JournaledRuns
  /// The number of repetitions that all points have, from the first on; valid after `run`.
  package private(set) var completeRepetitions = 0
  /// The time for which a shard of a search waits for the others' runs before it ends.
  package var patience = Duration.zero
  /// The shards without whose runs a search cannot continue; valid after `run`.
  package private(set) var waitsFor: [String] = []
  /// The notes on a race or a confirmation that the device time ended, a line each.
  package private(set) var budgetNotes: [String] = []
  /// The last repetition of each point, set by rounds.
  private var limits: [Int]?
  /// The runs of the confirmation and the number of them executed by earlier starts; nil before `confirm`.
  private var confirmation: (batch: RunBatch, resumed: Int)?
  package var runner: SweepRunner { runs.runner }
  package var shard: Shard { runs.shard }
  package var notes: [String] { runs.notes }
  /// The runs completed before this start, without the confirmation.
  package var resumedCount: Int { runs.resumed.done }
  /// The runs of this shard, and those of the confirmation once they are known.
  package var total: Int { (runner.hasRounds ? runner.total : shard.size(of: runner.total)) + (confirmation?.batch.count ?? 0) }
  /// The failures of this start in the order of the table, at most `FailedRun.limit`.
  package var failures: [FailedRun] { runs.kept.failures.sorted { ($0.point, $0.repetition) < ($1.point, $1.repetition) } }
  package var rows: JournaledRows { JournaledRows(runs: runs, repetitions: 1...runner.repeats, limits: limits) }
  /// The rows of the confirmation, without points that only an earlier start confirmed; nil if there are none.
  package var confirmingRows: JournaledRows? {
    guard let batch = confirmation?.batch, batch.count > 0 else { return nil }
    return JournaledRows(runs: runs, repetitions: batch.repetitions, limits: batch.limits)
  }

  /// Locks the folder, reads its journal and determines the missing runs. With a description, `KeptResults` can read the journal.
  /// - Throws: `Refusal` if the folder is in use or its runs belong to something else; `OutputProblem` if the disk refuses.
  package init(
    _ runner: SweepRunner, shard: Shard = .whole, folder: ResultsFolder, rule: ResumeRule = .resume, description: SweepDescription? = nil
  ) throws { runs = try JournaledRuns(runner, shard: shard, folder: folder, rule: rule, description: description) }

  package var progress: SweepRunner.Progress {
    let counts = runs.counts
    let resumed = confirmation?.resumed ?? 0
    let confirmed = confirmation == nil ? 0 : counts.confirmed - runs.resumed.confirmed + resumed
    return SweepRunner.Progress(done: counts.done + confirmed, total: total, failed: counts.failed, resumed: resumedCount + resumed)
  }

  /// Executes the missing runs. After a cancellation, running ones are finished and kept.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  package func run(report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
    if runner.hasRounds { return try runInRounds(tick: { report(progress) }, isCancelled) }
    if resumedCount == shard.size(of: runner.total) { return }
    let all = RunBatch(repetitions: 1...runner.repeats, pointCount: runner.sweep.pointCount)
    let finishedCount = try runs.run(all, tick: { report(progress) }, isCancelled: isCancelled)
    completeRepetitions = shard == .whole ? finishedCount / runner.sweep.pointCount : 0
  }

  /// Executes rounds; after each, the rows decide which points continue.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  private func runInRounds(tick: () -> Void, _ isCancelled: @escaping @Sendable () -> Bool) throws {
    let (sweep, rounds) = (runner.sweep, self.rounds)
    let description = try SweepDescription(runner, overrides: SweepOverrides())
    var active = sweep.plan.race?.starting(in: sweep) ?? Array(0..<sweep.pointCount)
    var limits = [Int](repeating: 0, count: sweep.pointCount)
    var done = 0
    for (index, round) in rounds.enumerated() {
      for point in active { limits[point] = round }
      let batch = RunBatch(points: active, repetitions: done + 1...round, pointCount: sweep.pointCount)
      try runs.run(batch, tick: tick, isCancelled: isCancelled)
      self.limits = limits
      if isCancelled() || index + 1 == rounds.count { return }
      try copyOthers(batch, tick: tick, isCancelled)
      if isCancelled() || !waitsFor.isEmpty || runs.counts.done == 0 { return }
      let columns = RunColumns(description)
      try JournaledRows(runs: runs, repetitions: 1...round, limits: limits).forEachRow { columns.add($0) }
      let known = runs.kept.ids
      let ids = try sweep.plan.survivors(columns, active: Set(active.map { PointID.text(known[$0]) }), in: sweep, description)
      if ids.isEmpty { return }
      active = try runs.points(withIDs: ids)
      // Every later block of a race needs the baselines, even those whose first runs failed.
      if sweep.plan.race != nil { active = Set(active + sweep.baselines.indices.map(sweep.pointIndex(ofBaseline:))).sorted() }
      let next = RunBatch(points: active, repetitions: round + 1...rounds[index + 1], pointCount: sweep.pointCount)
      guard try hasTime(for: next, limits: limits) else { return }
      done = round
    }
  }

  /// Takes the other shards' runs of a round, and waits for them.
  /// - Throws: `Refusal` if a folder belongs to another sweep or program; `OutputProblem` if a journal cannot be read or written.
  private func copyOthers(_ batch: RunBatch, tick: () -> Void, _ isCancelled: @Sendable () -> Bool) throws {
    let end = ContinuousClock.now + patience
    while true {
      waitsFor = try runs.copyOthers(batch).map { "\($0)/\(shard.count)" }
      if waitsFor.isEmpty || isCancelled() || ContinuousClock.now >= end { return }
      tick()
      usleep(200_000)
    }
  }

  /// Copies the runs that another folder has and this one lacks; false if that has no journal.
  /// - Throws: `Refusal` if the folder belongs to another sweep or program; `OutputProblem` if a journal cannot be read or written.
  package func copyRuns(from folder: String, isAnyBuild: Bool) throws -> Bool { try runs.copyRuns(from: folder, isAnyBuild: isAnyBuild) }

  /// The repetitions after which points leave. A race on several devices waits until each has a block, since a repetition runs in one lane.
  private var rounds: [Int] {
    let plan = runner.sweep.plan
    guard plan.race != nil, let lanes = runner.executor.laneCount else { return plan.rounds }
    return plan.rounds.filter { $0 % lanes == 0 || $0 == plan.rounds.last }
  }

  /// True if the next round of a race and the confirmation fit the device time; adds a note if not.
  /// - Throws: `OutputProblem` if the journal cannot be read.
  private func hasTime(for next: RunBatch, limits: [Int]) throws -> Bool {
    guard let limit = runner.sweep.plan.race?.until, let points = next.points else { return true }
    var spent = DeviceTime(runner, limit: limit)
    try spent.add(1...next.repetitions.lowerBound - 1, of: runs, limits: limits)
    var confirming = 0
    if let confirm = runner.sweep.confirm, let repetitions = runner.confirmingRepetitions {
      // The best points and a baseline in each stratum.
      confirming = min(points.count, (confirm.best + 1) * (runner.sweep.strata?.members.count ?? 1)) * repetitions.count
    }
    let reserve = spent.expected(runs: confirming, of: points)
    if spent.hasRoom(for: points, blocks: next.repetitions.count, reserve: reserve) || runs.isBegun(next) { return true }
    budgetNotes.append(spent.note(points, reserve: reserve))
    return false
  }

  /// Executes the missing runs of the confirmation of points by id, within the device time of a race. O(points) if ids are unknown.
  /// - Throws: `OutputProblem` if the journal cannot be written or read.
  package func confirm(
    _ ids: [String], report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    guard let repetitions = runner.confirmingRepetitions else { return }
    let points = try runs.points(withIDs: ids)
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
      // Each device executes a block at a time, as in the race.
      let block = batch(next...min(repetitions.upperBound, next + (runner.executor.laneCount ?? 1) - 1))
      guard spent.hasRoom(for: points, blocks: block.repetitions.count) || runs.isBegun(block) else {
        // This start executed none of the omitted repetitions.
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
  /// Returns the ids of the points with further repetitions; none at the end. `active` are the ids of the last round.
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
