import Analysis

@testable import Sweep

/// An executor that a test writes, in place of the emulator: a function of scenario and seed.
struct MockExecutor: RunExecutor {
  let laneCount: Int? = nil
  let metrics: @Sendable (_ scenario: any Model, _ seed: UInt64) throws -> RunMetrics

  init(_ metrics: @escaping @Sendable (_ scenario: any Model, _ seed: UInt64) throws -> RunMetrics) { self.metrics = metrics }

  func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome? {
    do { return .metrics(try metrics(run.point.scenario, run.seed)) } catch { return .failure("\(error)") }
  }
}
