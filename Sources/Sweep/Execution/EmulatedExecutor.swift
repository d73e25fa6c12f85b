// Executes runs with the simulation.

import Simulation

package struct EmulatedExecutor: ReportingExecutor {
  package let laneCount: Int? = nil
  private let policies = PolicyPool()

  package init() {}

  package var refusal: String? { policies.refusal }

  package func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome? {
    do {
      return try policies.perform(run, isChecked: true, isCancelled: isCancelled) { run, isCancelled in
        try Self.ended { () throws(RunStop) in
          .metrics(try run.point.scenario.metrics(seed: run.seed, limits: RunLimits(isCancelled: isCancelled), further: run.further))
        }
      }
    } catch { return .failure("\(error)") }
  }

  /// Runs a feed scenario with an event log; nil for other kinds, and after cancellation.
  /// - Throws: the reason if the run exceeds the limits.
  package func explain(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) throws -> SessionExplanation? {
    try policies.perform(run, isChecked: false, isCancelled: isCancelled) { run, isCancelled in
      try Self.ended { () throws(RunStop) in try run.scenario?.explain(seed: run.seed, limits: RunLimits(isCancelled: isCancelled)) }
    }
  }

  /// Returns the result of a run; nil after cancellation.
  /// - Throws: the reason if the run exceeds the limits.
  private static func ended<Result>(_ run: () throws(RunStop) -> Result?) throws(RunStop) -> Result? {
    do throws(RunStop) { return try run() } catch {
      if error == .cancelled { return nil }
      throw error
    }
  }
}
