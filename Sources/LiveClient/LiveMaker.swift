// Makes the runs of a live sweep, one after the other: two at a time would share the link, and each would measure the other.

import Dispatch
import Simulation
import Sweep

/// The live client behind the tool's seam.
public struct LiveMaker: RunMaker {
  /// One run at a time.
  public let laneCount = 1
  private let settings: LiveBackend

  /// A maker of the runs that a sweep file asks for.
  public init(_ settings: LiveBackend) { self.settings = settings }

  /// Plays one run to its end or its failure; nil if somebody wanted the program to stop.
  public func make(_ run: WantedRun, isCancelled: @Sendable () -> Bool) -> RunOutcome? {
    guard let scenario = run.scenario else { return .failure("a real client only scrolls a feed") }
    let outcome: RunOutcome = withoutActuallyEscaping(isCancelled) { isCancelled in
      let network = LiveNetwork(
        settings, repetition: run.repetition, connections: scenario.downloads.connections, isCancelled: isCancelled)
      let session = scenario.run(seed: run.seed, over: network)
      do throws(LiveFailure) { try network.close() } catch { return .failure(error.description) }
      return .live(session)
    }
    if case .failure = outcome, isCancelled() { return nil }
    coolDown(isCancelled)
    return outcome
  }

  /// Lets the link become empty.
  private func coolDown(_ isCancelled: () -> Bool) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(settings.coolDown.nanoseconds)
    let never = DispatchSemaphore(value: 0)
    while !isCancelled(), case let now = DispatchTime.now().uptimeNanoseconds, now < end {
      _ = never.wait(timeout: DispatchTime(uptimeNanoseconds: min(end, now + 100_000_000)))
    }
  }
}
