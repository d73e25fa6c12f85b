// Runs that are made in the real world: each repetition whole in one lane, its points in an order of its own.

import Analysis
import Import
import Simulation
import Synchronization

extension SweepRunner {
  /// How many devices make the runs; nil where the emulator does.
  package var laneCount: Int? { maker?.laneCount }

  /// Runs what of a batch is not done, lane by lane; otherwise like `run`.
  /// - Throws: what `finish` throws.
  func runInLanes(
    _ batch: RunBatch, maker: any RunMaker, folder: String?, isDone: @Sendable (Int) -> Bool,
    finish: @escaping @Sendable (_ point: Int, FinishedRun) throws -> Void,
    tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Int {
    let hasFailed = Atomic(false)
    let isStopped: @Sendable () -> Bool = { isCancelled() || hasFailed.load(ordering: .relaxed) }
    let firstLeft = Mutex(batch.repetitions.upperBound + 1)
    try WorkerPool.run(maker.laneCount, threads: maker.laneCount, tick: tick, worker: {}) { lane, _ throws in
      for repetition in batch.repetitions where Self.lane(of: repetition, of: maker) == lane {
        for place in order(of: batch, in: repetition) where !isDone(batch.index((place, repetition))) {
          guard !isStopped(), let finished = made(place, repetition, maker, folder, isStopped) else {
            firstLeft.withLock { $0 = min($0, repetition) }
            return true
          }
          do { try finish(place, finished) } catch {
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
  package static func lane(of repetition: Int, of maker: any RunMaker) -> Int { (repetition - 1) % maker.laneCount }

  /// The places of a batch's points in the order of a repetition (Fisher & Yates).
  func order(of batch: RunBatch, in repetition: Int) -> [Int] {
    var places = batch.points ?? Array(0..<batch.pointCount)
    var stream = RandomStream(runSeed: sweep.seed(of: repetition), name: "order of points")
    for last in places.indices.reversed() where last > 0 { places.swapAt(last, Int(stream.below(UInt64(last + 1)))) }
    return places
  }

  /// Makes one run; nil if it was cancelled.
  func made(
    _ place: Int, _ repetition: Int, _ maker: any RunMaker, _ folder: String?, keepsOutput: Bool = true,
    _ isCancelled: @Sendable () -> Bool
  ) -> FinishedRun? {
    do throws(InvalidInput) {
      let (decoded, text) = try sweep.decodedText(place)
      let run = WantedRun(
        point: decoded.point, repetition: repetition, seed: sweep.seed(of: repetition), lane: Self.lane(of: repetition, of: maker),
        folder: folder, keepsOutput: keepsOutput, text: text, swept: decoded.scenario)
      let start = SuspendingClock.now
      guard var outcome = maker.make(run, isCancelled: isCancelled) else { return nil }
      if case .metrics(let metrics) = outcome, let violation = RunRow.impossible(metrics) { outcome = .failure("its \(violation)") }
      let time = SuspendingClock.now - start
      return FinishedRun(
        key: RunKey(point: decoded.pointNumber, repetition: repetition, seed: run.seed), outcome: outcome,
        deviceMs: Int(time / .milliseconds(1)))
    } catch { return noScenario(repetition, error) }
  }
}
