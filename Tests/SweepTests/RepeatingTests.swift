// The number of runs of points without randomness, and the runs of a batch.

import Synchronization
import Testing

@testable import Base
@testable import Sweep

@Suite struct RepeatingTests {
  private func sweep(_ more: String = "", feed: String = "{ items: 6, mix: { image: 1 }, image: { bytes: \"60KB\" } }") throws
    -> ResolvedSweep
  {
    let text = """
      { sweep: "s", repeats: 5, \(more) axes: { "prefetcher.ahead": [1, 2, 4] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: \(feed), prefetcher: "itemsAhead" } }
      """
    return try ResolvedSweep(file: InputFile(name: "s.json5", bytes: Array(text.utf8)))
  }

  /// Counts the simulator's runs and records their seeds.
  private final class Calls: Sendable {
    let seeds = Mutex<[UInt64]>([])
  }

  @Test func aScenarioWithoutRandomnessRunsOnceAndASecondTimeToShowTheSameRow() throws {
    var runner = try SweepRunner(try sweep("confirm: 9,"), jobs: 1)
    #expect(runner.isDeterministic && runner.repeats == 1 && runner.total == 3 && runner.confirmingRepetitions == nil)
    let calls = Calls()
    runner.executor = MockExecutor { scenario, seed in
      calls.seeds.withLock { $0.append(seed) }
      return try scenario.metrics(seed: seed)
    }
    guard case .metrics = runner.outcome(of: try runner.sweep.decoded(0).ready, repetition: 1) else {
      Issue.record("the run failed")
      return
    }
    #expect(calls.seeds.withLock { $0 } == [runner.sweep.seed(of: 1), runner.sweep.seed(of: 2)])
  }

  @Test func aSecondRunThatDiffersIsAFailureAndNoRow() throws {
    var runner = try SweepRunner(try sweep(), jobs: 1)
    let other = try SweepRunner(try sweep(feed: "{ items: 6 }"), jobs: 1)
    let first = try runner.sweep.decoded(0).ready
    let second = try other.sweep.decoded(2).scenario
    runner.executor = MockExecutor { [seed = runner.sweep.seed(of: 1)] _, given in
      try (given == seed ? first.scenario : second).metrics(seed: 1)
    }
    guard case .failure(let reason) = runner.outcome(of: first, repetition: 1) else {
      Issue.record("two runs that differ were taken for one")
      return
    }
    #expect(reason.contains("two runs of it differ"))
  }

  @Test func randomScenariosRunAllRepetitions() throws {
    let runner = try SweepRunner(try sweep("confirm: { repeats: 9, best: 1 },", feed: "{ items: 6 }"), jobs: 1)
    #expect(!runner.isDeterministic && runner.repeats == 5 && runner.total == 15)
    #expect(runner.confirmingRepetitions == 6...14 && runner.lastRepetition == 14, "the confirmation's seeds follow those of the sweep")
  }

  @Test func aBatchHasEachOfItsRunsOnceRepetitionByRepetition() {
    let batch = RunBatch(points: [1, 4, 5], repetitions: 3...4, pointCount: 7)
    #expect(batch.count == 6)
    let runs = (0..<batch.count).map { batch.run($0) }
    #expect(runs.map(\.point) == [1, 4, 5, 1, 4, 5] && runs.map(\.repetition) == [3, 3, 3, 4, 4, 4])
    #expect(runs.map { batch.index($0) } == [15, 18, 19, 22, 25, 26])
    let all = RunBatch(repetitions: 1...2, pointCount: 3)
    #expect((0..<6).map { all.index(all.run($0)) } == Array(0..<6))
  }
}
