// Executes the runs of a live sweep, one at a time: parallel runs would share the link.

import Base
import Dispatch
import Simulation
import Sweep

package struct LiveExecutor: ReportingExecutor {
  package let laneCount: Int? = 1
  private let settings: LiveBackend
  private let policies = PolicyPool()

  package init(_ settings: LiveBackend) { self.settings = settings }

  /// Executes one run; returns nil if the program was asked to stop.
  package func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome? {
    let outcome: RunOutcome
    do {
      let session = try policies.perform(run, isChecked: false, isCancelled: isCancelled) { run, isCancelled in
        try play(run, isCancelled) { $0.run(seed: run.seed, over: $1, timesFirstFrames: run.further.needFirstFrames) }
      }
      guard let session else { return nil }
      outcome = .live(session, further: run.further, energy: run.scenario?.energy ?? EnergyProxy())
    } catch {
      if isCancelled() { return nil }
      outcome = .failure("\(error)")
    }
    // Transfers of a failed run may still use the link.
    coolDown(isCancelled)
    return outcome
  }

  /// Executes one run with an event log; nil if the program was asked to stop.
  /// - Throws: `Refusal` if the run fails.
  package func explain(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) throws -> SessionExplanation? {
    do {
      return try policies.perform(run, isChecked: false, isCancelled: isCancelled) { run, isCancelled in
        try play(run, isCancelled) { $0.explain(seed: run.seed, over: $1) }
      }
    } catch {
      if isCancelled() { return nil }
      throw Refusal("failed: point \(PointID.text(run.point.id)), repetition \(run.repetition): \(error)", isFailure: true)
    }
  }

  /// Runs a session over the network.
  /// - Throws: `Refusal` if the scenario is not a feed, or if the run fails.
  private func play<Result>(
    _ run: RunRequest, _ isCancelled: @escaping @Sendable () -> Bool, by session: (Scenario, LiveNetwork) -> Result
  ) throws(Refusal) -> Result {
    guard let scenario = run.scenario else {
      throw Refusal("the live client runs only feed scenarios, not background downloads")
    }
    guard scenario.renditions == nil else {
      throw Refusal("the live client has one file for each video, no renditions; leave out feed.video.renditions")
    }
    let network = LiveNetwork(settings, repetition: run.repetition, connections: scenario.downloads.connections, isCancelled: isCancelled)
    let result = session(scenario, network)
    if let failure = network.close() { throw failure }
    return result
  }

  private func coolDown(_ isCancelled: () -> Bool) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(settings.coolDown.nanoseconds)
    let never = DispatchSemaphore(value: 0)
    while !isCancelled(), case let now = DispatchTime.now().uptimeNanoseconds, now < end {
      _ = never.wait(timeout: DispatchTime(uptimeNanoseconds: min(end, now + 100_000_000)))
    }
  }
}
