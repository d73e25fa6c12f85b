// Executes the runs of a sweep on all cores, repetition by repetition, so an interrupted sweep has complete pairs.

import Analysis
import Base
import Simulation
import Synchronization

/// Executes the runs of a sweep. A run is a function of (point, repetition); results do not depend on the order of execution.
package struct SweepRunner: Sendable {
  package struct Progress: Sendable {
    /// The completed runs, including those of earlier starts.
    package var done: Int
    package var total: Int
    /// The runs that failed in this start.
    package var failed: Int
    /// The runs completed before this start.
    package var resumed: Int
  }

  /// The largest number of points that are decoded once and kept. Larger grids compose a point for each run.
  private static let keptPointsLimit = 4096
  package let sweep: ResolvedSweep
  /// The number of threads of the emulator.
  package let jobs: Int
  /// The executor of runs; nil for the emulator.
  package let executor: (any RunExecutor)?
  /// True if no point has randomness. Each then runs once, and a second run must give the same row.
  package let isDeterministic: Bool
  package let schema: RunSchema
  /// True if the results of a round decide the runs of the next.
  package var hasRounds: Bool { !isDeterministic && sweep.plan.needsResults }
  package var repeats: Int { isDeterministic ? 1 : sweep.repeats }
  /// The number of runs without the confirmation.
  package var total: Int { sweep.pointCount * repeats }
  /// The repetitions of the confirmation, after those of the sweep; nil if nothing is confirmed.
  package var confirmingRepetitions: ClosedRange<Int>? {
    guard let confirm = sweep.confirm, !isDeterministic else { return nil }
    return repeats + 1...repeats + confirm.repeats
  }
  /// The highest repetition of any point.
  package var lastRepetition: Int { confirmingRepetitions?.upperBound ?? repeats }

  /// The build of the program; tests set others.
  package var build = Program.build
  /// A replacement of the simulation in tests.
  var simulate: (@Sendable (_ scenario: any Model, _ seed: UInt64) throws -> RunMetrics)?

  /// Creates a runner with a number of threads. `live` creates the executor of a live sweep.
  /// - Throws: `InvalidInput` if a point is invalid or the program lacks the backend; any error of `live`.
  package init(_ sweep: ResolvedSweep, jobs: Int, live: LiveClient? = nil) throws {
    self.sweep = sweep
    self.jobs = max(1, jobs)
    executor = try sweep.backend.executor(for: sweep, live: live)
    schema = type(of: try sweep.decoded(0).scenario).schema.naming(sweep.metrics)
    let points = PointDecoder(sweep.grid)
    // Real runs are never deterministic.
    var isDeterministic = executor == nil
    var index = 0
    while isDeterministic, index < sweep.pointCount {
      isDeterministic = try sweep.point(index, points).scenario.isDeterministic
      index += 1
    }
    self.isDeterministic = isDeterministic
  }

  /// Executes one repetition of one scenario; nil after cancellation, which is not a failure.
  package func outcome(of scenario: any Model, repetition: Int, isCancelled: @escaping @Sendable () -> Bool = { false })
    -> RunOutcome?
  {
    let limits = RunLimits(isCancelled: isCancelled)
    let metrics = { (seed: UInt64) throws -> RunMetrics in
      try simulate?(scenario, seed) ?? scenario.metrics(seed: seed, limits: limits, further: schema.further)
    }
    do {
      let found = try metrics(sweep.seed(of: repetition))
      // A scenario without randomness gives the same row for every seed.
      if isDeterministic, try metrics(sweep.seed(of: repetition + 1)) != found {
        return .failure("the scenario has no randomness, yet two runs of it differ: a defect of the program, please report it")
      }
      return .metrics(found)
    } catch RunStop.cancelled {
      return nil
    } catch { return .failure("\(error)") }
  }

  /// Repeats a run by its point's id; nil if no point has the id. O(points).
  /// The caller holds the lock of `folder`, if any; processes of an earlier start are waited for.
  /// - Throws: `InvalidInput` if a point is invalid; `Refusal` with `isFailure` if the run fails.
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

  /// Executes the missing runs of a batch's shard; returns the number of runs, from the shard's first on, that have ended.
  /// `finish` gets each run on its thread and ends everything by throwing; `tick` is called on the calling thread every 0.2 s.
  /// - Throws: any error of `finish`.
  func run(
    _ batch: RunBatch, shard: Shard, folder: String?, isDone: @Sendable (_ run: Int) -> Bool,
    finish: @escaping @Sendable (_ point: Int, FinishedRun) throws -> Void,
    tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Int {
    if let executor {
      precondition(shard == .whole, "runs outside of the emulator have no shards")
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
      } catch { finished = invalidPoint(repetition, error) }
      try finish(index, finished)
      return true
    }
  }

  /// Returns the failure of a run whose point is invalid.
  func invalidPoint(_ repetition: Int, _ error: InvalidInput) -> FinishedRun {
    let reason = error.diagnostics.first?.description ?? "no valid scenario"
    return FinishedRun(key: RunKey(point: 0, repetition: repetition, seed: sweep.seed(of: repetition)), outcome: .failure(reason))
  }
}

// MARK: Runs on devices

extension SweepRunner {
  /// The number of devices; nil for the emulator.
  package var laneCount: Int? { executor?.laneCount }

  /// Executes the missing runs of a batch in lanes; otherwise like `run`.
  /// - Throws: any error of `finish`.
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

  /// Returns the lane of a repetition. It never changes, so a resumed repetition stays on its device.
  package static func lane(of repetition: Int, of executor: any RunExecutor) -> Int { (repetition - 1) % executor.laneCount }

  /// Returns a batch's points in the order of a repetition (Fisher–Yates shuffle).
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
        folder: folder, keepsOutput: keepsOutput, text: text, model: decoded.scenario, further: schema.further)
      let start = SuspendingClock.now
      guard var outcome = executor.execute(run, isCancelled: isCancelled) else { return nil }
      if case .metrics(var metrics) = outcome {
        metrics.digest = metrics.resultDigest
        outcome = metrics.impossible.map { .failure("its \($0)") } ?? .metrics(metrics)
      }
      let time = SuspendingClock.now - start
      return FinishedRun(
        key: RunKey(point: decoded.pointNumber, repetition: repetition, seed: run.seed), outcome: outcome,
        deviceMs: Int(time / .milliseconds(1)))
    } catch { return invalidPoint(repetition, error) }
  }
}
