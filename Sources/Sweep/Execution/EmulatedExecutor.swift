// Executes runs with the simulation.

import Simulation

/// The emulator: a run is a function of scenario and seed.
package struct EmulatedExecutor: ReportingExecutor {
  package let laneCount: Int? = nil

  package init() {}

  package func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome? {
    do throws(RunStop) {
      return .metrics(try run.point.scenario.metrics(seed: run.seed, limits: RunLimits(isCancelled: isCancelled), further: run.further))
    } catch { return error == .cancelled ? nil : .failure("\(error)") }
  }

  /// Runs a feed scenario with an event log; nil for other kinds, and after cancellation.
  /// - Throws: the reason if the run exceeds the limits.
  package func explain(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) throws -> SessionExplanation? {
    do throws(RunStop) { return try run.scenario?.explain(seed: run.seed, limits: RunLimits(isCancelled: isCancelled)) } catch {
      if error == .cancelled { return nil }
      throw error
    }
  }
}
