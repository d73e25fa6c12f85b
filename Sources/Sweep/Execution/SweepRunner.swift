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

  package let sweep: ResolvedSweep
  package let jobs: Int
  /// The executor of runs; tests set others.
  package internal(set) var executor: any RunExecutor
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
  package var lastRepetition: Int { confirmingRepetitions?.upperBound ?? repeats }

  /// The build of the program; tests set others.
  package var build = Program.build

  /// Creates a runner with a number of threads. `live` creates the executor of a live sweep.
  /// - Throws: `InvalidInput` if a point is invalid or the program lacks the backend; any error of `live`.
  package init(_ sweep: ResolvedSweep, jobs: Int, live: LiveClient? = nil) throws {
    self.sweep = sweep
    self.jobs = max(1, jobs)
    executor = try sweep.backend.executor(for: sweep, live: live)
    let points = PointDecoder(sweep.grid)
    schema = type(of: try sweep.point(0, points).scenario).schema.naming(sweep.metrics)
    // Real runs are never deterministic.
    isDeterministic =
      executor.isRepeatable ? try (0..<sweep.pointCount).allSatisfy { try sweep.point($0, points).scenario.isDeterministic } : false
  }

  /// Executes one repetition of a point; nil after cancellation, which is not a failure.
  package func outcome(
    of point: PreparedPoint, repetition: Int, folder: String? = nil, keepsOutput: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> RunOutcome? {
    let run = RunRequest(
      point, repetition: repetition, seed: sweep.seed(of: repetition), lane: executor.lane(of: repetition), folder: folder,
      keepsOutput: keepsOutput, further: schema.further)
    return executor.outcome(of: run, sameSeed: isDeterministic ? sweep.seed(of: repetition + 1) : nil, isCancelled: isCancelled)
  }

  /// Repeats a run by its point's id; nil if no point has the id. O(points).
  /// The caller holds the lock of `folder`, if any; processes of an earlier start are waited for.
  /// - Throws: `InvalidInput` if a point is invalid; `Refusal` with `isFailure` if the run fails.
  package func row(
    point id: String, repetition: Int, folder: String? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> RunRow? {
    guard let number = UInt64(id, radix: 16) else { return nil }
    let decoder = PointDecoder(sweep.grid)
    for index in 0..<sweep.pointCount where try sweep.id(index, decoder) == number {
      let point = try sweep.point(index, decoder)
      switch outcome(of: point, repetition: repetition, folder: folder, isCancelled: isCancelled) {
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
  /// - Throws: any error of `finish`; `Refusal` if the executor's runs cannot be trusted.
  func run(
    _ batch: RunBatch, shard: Shard, folder: String?, isDone: @Sendable (_ run: Int) -> Bool,
    finish: @escaping @Sendable (_ point: Int, FinishedRun) throws -> Void, tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Int {
    if let laneCount = executor.laneCount {
      precondition(shard == .whole, "runs on devices have no shards")
      // Each device executes whole repetitions.
      let hasFailed = Atomic(false)
      let isStopped: @Sendable () -> Bool = { isCancelled() || hasFailed.load(ordering: .relaxed) }
      let firstLeft = Mutex(batch.repetitions.upperBound + 1)
      try WorkerPool.run(laneCount, threads: laneCount, tick: tick, worker: { PointDecoder(sweep.grid) }) { lane, decoder throws in
        for repetition in batch.repetitions where executor.lane(of: repetition) == lane {
          for point in order(of: batch, in: repetition) where !isDone(batch.index((point, repetition))) {
            guard !isStopped(), let finished = execute(point, repetition, decoder, folder, isStopped) else {
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
    return try WorkerPool.run(
      shard.size(of: batch.count), threads: jobs, tick: tick, worker: { PointDecoder(sweep.grid) }
    ) { number, decoder throws in
      guard !isCancelled() else { return false }
      let (index, repetition) = batch.run(shard.index + number * shard.count)
      if isDone(batch.index((index, repetition))) { return true }
      guard let finished = execute(index, repetition, decoder, folder, isCancelled) else { return false }
      try finish(index, finished)
      if let refusal = executor.refusal {
        throw Refusal("\(sweep.path): refused: \(refusal); once it is mended, start with --fresh", isFailure: true)
      }
      return true
    }
  }

  /// Executes one repetition of a point by its index; nil after cancellation. A run of an invalid point fails.
  private func execute(
    _ index: Int, _ repetition: Int, _ decoder: PointDecoder, _ folder: String?, _ isCancelled: @escaping @Sendable () -> Bool
  ) -> FinishedRun? {
    var key = RunKey(point: 0, repetition: repetition, seed: sweep.seed(of: repetition))
    do throws(InvalidInput) {
      let point = try sweep.point(index, decoder)
      key.point = point.id
      let start = SuspendingClock.now
      let outcome = outcome(of: point, repetition: repetition, folder: folder, keepsOutput: true, isCancelled: isCancelled)
      let time = SuspendingClock.now - start
      return outcome.map { FinishedRun(key: key, outcome: $0, deviceMs: executor.isRepeatable ? nil : Int(time / .milliseconds(1))) }
    } catch {
      return FinishedRun(key: key, outcome: .failure(error.diagnostics.first?.description ?? "no valid scenario"))
    }
  }

  /// Returns a batch's points in the order of a repetition (Fisher–Yates shuffle).
  func order(of batch: RunBatch, in repetition: Int) -> [Int] {
    var points = batch.points ?? Array(0..<batch.pointCount)
    var stream = RandomStream(runSeed: sweep.seed(of: repetition), name: "order of points")
    for last in points.indices.reversed() where last > 0 { points.swapAt(last, Int(stream.below(UInt64(last + 1)))) }
    return points
  }
}
