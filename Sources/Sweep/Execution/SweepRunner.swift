// Runs the points of a sweep on all cores, repetition by repetition, so that stopping at any time leaves complete pairs.

import Analysis
import Import
import Simulation
import Synchronization

/// Runs a sweep. A run is a function of (point, repetition); in which order they are finished is nobody's business but the journal's.
package struct SweepRunner: Sendable {
  package struct Progress: Sendable {
    /// Runs that are done, those of earlier starts included.
    package var done: Int
    package var total: Int
    /// Runs that failed since this start.
    package var failed: Int
    /// Runs that were done before this start.
    package var resumed: Int
  }

  /// Points of a grid up to this are decoded once and kept; those of a larger one are put together for each of their runs.
  private static let keptPointsLimit = 4096
  package let sweep: ResolvedSweep
  /// How many threads work, where the emulator does.
  package let jobs: Int
  /// What makes the runs; nil for the emulator.
  package let executor: (any RunExecutor)?
  /// Whether no point has any randomness; then each runs once, after a second run has shown the same row.
  package let isDeterministic: Bool
  package let schema: RunSchema
  package var repeats: Int { isDeterministic ? 1 : sweep.repeats }
  /// Runs in all, without those that confirm the winner.
  package var total: Int { sweep.pointCount * repeats }
  /// The repetitions that confirm the winner: the first that the sweep itself has not; nil where there are none.
  package var confirmingRepetitions: ClosedRange<Int>? {
    guard let confirm = sweep.confirm, !isDeterministic else { return nil }
    return repeats + 1...repeats + confirm.repeats
  }
  /// The highest repetition that any point may have.
  package var lastRepetition: Int { confirmingRepetitions?.upperBound ?? repeats }

  /// Which build of the program runs; tests say others.
  package var build = Program.build
  /// What tests put in the place of the simulation.
  var simulate: (@Sendable (_ scenario: any Model, _ seed: UInt64) throws -> [Double?])?

  /// A runner of a sweep with so many threads; `live` makes the runs of a live one.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario, and for a backend that this program has not; whatever `live` does.
  package init(_ sweep: ResolvedSweep, jobs: Int, live: LiveClient? = nil) throws {
    self.sweep = sweep
    self.jobs = max(1, jobs)
    executor = try sweep.backend.executor(for: sweep, live: live)
    schema = type(of: try sweep.decoded(0).scenario).schema
    let points = PointDecoder(sweep.grid)
    // Nothing in the real world happens twice.
    var isDeterministic = executor == nil
    var index = 0
    while isDeterministic, index < sweep.pointCount {
      isDeterministic = try sweep.point(index, points).scenario.isDeterministic
      index += 1
    }
    self.isDeterministic = isDeterministic
  }

  /// Runs one repetition of one scenario; nil once `isCancelled` says so, which is no failure.
  package func outcome(of scenario: any Model, repetition: Int, isCancelled: @escaping @Sendable () -> Bool = { false })
    -> RunOutcome?
  {
    let limits = RunLimits(isCancelled: isCancelled)
    let metrics = { (seed: UInt64) throws -> [Double?] in
      try simulate?(scenario, seed) ?? scenario.metrics(seed: seed, limits: limits)
    }
    do {
      let found = try metrics(sweep.seed(of: repetition))
      // Whatever the seed, such a scenario must give the same row.
      if isDeterministic, try metrics(sweep.seed(of: repetition + 1)) != found {
        return .failure("the scenario has no randomness, yet two runs of it differ: a defect of the program, please report it")
      }
      return .metrics(found)
    } catch RunStop.cancelled {
      return nil
    } catch { return .failure("\(error)") }
  }

  /// Returns the row of a point by its id, run again; nil if no point has it. In `folder`, whose lock the caller
  /// has, a device may still be busy with what an earlier start left running, which is waited for. O(points).
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario, `Refusal` with the reason where the run fails, which `isFailure` then.
  package func row(
    point id: String, repetition: Int, folder: String? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> RunRow? {
    guard let number = UInt64(id, radix: 16) else { return nil }
    let points = PointDecoder(sweep.grid)
    for index in 0..<sweep.pointCount {
      let point = try sweep.point(index, points)
      guard point.id == number else { continue }
      var outcome: RunOutcome?
      if let executor {
        outcome = execute(index, repetition, executor, folder, keepsOutput: false, isCancelled)?.outcome
      } else {
        outcome = self.outcome(of: point.scenario, repetition: repetition, isCancelled: isCancelled)
      }
      switch outcome {
      case nil: throw Refusal("point \(id), repetition \(repetition): stopped")
      case .metrics(let metrics):
        return RunRow(
          point: id, repetition: repetition, seed: sweep.seed(of: repetition), axisValues: sweep.axisValues(index), metrics: metrics)
      case .failure(let reason):
        throw Refusal("failed: point \(id), repetition \(repetition): \(reason)", isFailure: true)
      }
    }
    return nil
  }

  /// Runs what of a batch, or of a shard of it, is not done. `finish` gets each run on the thread that ran it and stops everything
  /// by throwing; `tick` is called on the calling thread about five times a second; `isCancelled` is asked before each run. `folder`
  /// is where a run outside of the emulator may leave what is worth keeping.
  ///
  /// - Returns: how many of the shard's runs, from its first on, have been dealt with.
  /// - Throws: what `finish` throws.
  func run(
    _ batch: RunBatch, shard: Shard, folder: String?, isDone: @Sendable (_ run: Int) -> Bool,
    finish: @escaping @Sendable (_ point: Int, FinishedRun) throws -> Void,
    tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Int {
    if let executor {
      precondition(shard == .whole, "runs outside of the emulator are not cut into shards")
      return try runInLanes(batch, executor: executor, folder: folder, isDone: isDone, finish: finish, tick: tick, isCancelled: isCancelled)
    }
    let kept = Mutex([PointDecoder.Point?](repeating: nil, count: sweep.pointCount <= Self.keptPointsLimit ? sweep.pointCount : 0))
    return try WorkerPool.run(
      shard.size(of: batch.count), threads: jobs, tick: tick, worker: { PointDecoder(sweep.grid) }
    ) { number, decoder throws in
      guard !isCancelled() else { return false }
      let (index, repetition) = batch.run(shard.index + number * shard.count)
      if isDone(batch.index((index, repetition))) { return true }
      let finished: FinishedRun
      do throws(InvalidInput) {
        let known = kept.withLock { $0.isEmpty ? nil : $0[index] }
        let point = if let known { known } else { try sweep.point(index, decoder) }
        if known == nil { kept.withLock { if !$0.isEmpty { $0[index] = point } } }
        guard let outcome = outcome(of: point.scenario, repetition: repetition, isCancelled: isCancelled) else { return false }
        finished = FinishedRun(key: RunKey(point: point.id, repetition: repetition, seed: sweep.seed(of: repetition)), outcome: outcome)
      } catch { finished = noScenario(repetition, error) }
      try finish(index, finished)
      return true
    }
  }

  /// A run of a point that is no valid scenario.
  func noScenario(_ repetition: Int, _ error: InvalidInput) -> FinishedRun {
    let reason = error.diagnostics.first?.description ?? "no valid scenario"
    return FinishedRun(key: RunKey(point: 0, repetition: repetition, seed: sweep.seed(of: repetition)), outcome: .failure(reason))
  }
}

// MARK: Runs in the real world

extension SweepRunner {
  /// How many devices make the runs; nil where the emulator does.
  package var laneCount: Int? { executor?.laneCount }

  /// Runs what of a batch is not done, lane by lane; otherwise like `run`.
  /// - Throws: what `finish` throws.
  func runInLanes(
    _ batch: RunBatch, executor: any RunExecutor, folder: String?, isDone: @Sendable (Int) -> Bool,
    finish: @escaping @Sendable (_ point: Int, FinishedRun) throws -> Void,
    tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Int {
    let hasFailed = Atomic(false)
    let isStopped: @Sendable () -> Bool = { isCancelled() || hasFailed.load(ordering: .relaxed) }
    let firstLeft = Mutex(batch.repetitions.upperBound + 1)
    try WorkerPool.run(executor.laneCount, threads: executor.laneCount, tick: tick, worker: {}) { lane, _ throws in
      for repetition in batch.repetitions where Self.lane(of: repetition, of: executor) == lane {
        for point in order(of: batch, in: repetition) where !isDone(batch.index((point, repetition))) {
          guard !isStopped(), let finished = execute(point, repetition, executor, folder, isStopped) else {
            firstLeft.withLock { $0 = min($0, repetition) }
            return true
          }
          do { try finish(point, finished) } catch {
            hasFailed.store(true, ordering: .relaxed)
            throw error
          }
        }
      }
      return true
    }
    return (firstLeft.withLock { $0 } - batch.repetitions.lowerBound) * batch.width
  }

  /// The lane of a repetition, whichever of its runs are left: who goes on with it must be who began it.
  package static func lane(of repetition: Int, of executor: any RunExecutor) -> Int { (repetition - 1) % executor.laneCount }

  /// The places of a batch's points in the order of a repetition (Fisher & Yates).
  func order(of batch: RunBatch, in repetition: Int) -> [Int] {
    var points = batch.points ?? Array(0..<batch.pointCount)
    var stream = RandomStream(runSeed: sweep.seed(of: repetition), name: "order of points")
    for last in points.indices.reversed() where last > 0 { points.swapAt(last, Int(stream.below(UInt64(last + 1)))) }
    return points
  }

  func execute(
    _ point: Int, _ repetition: Int, _ executor: any RunExecutor, _ folder: String?, keepsOutput: Bool = true,
    _ isCancelled: @Sendable () -> Bool
  ) -> FinishedRun? {
    do throws(InvalidInput) {
      let (decoded, text) = try sweep.decodedText(point)
      let run = RunRequest(
        point: decoded.point, repetition: repetition, seed: sweep.seed(of: repetition), lane: Self.lane(of: repetition, of: executor),
        folder: folder, keepsOutput: keepsOutput, text: text, model: decoded.scenario)
      let start = SuspendingClock.now
      guard var outcome = executor.execute(run, isCancelled: isCancelled) else { return nil }
      if case .metrics(let metrics) = outcome, let violation = RunRow.impossible(metrics) { outcome = .failure("its \(violation)") }
      let time = SuspendingClock.now - start
      return FinishedRun(
        key: RunKey(point: decoded.pointNumber, repetition: repetition, seed: run.seed), outcome: outcome,
        deviceMs: Int(time / .milliseconds(1)))
    } catch { return noScenario(repetition, error) }
  }
}
