// The protocol of executors: the emulator, a program that drives a phone, or a real client.

import Analysis
import Base
import Simulation

package enum RunOutcome: Equatable, Sendable {
  case metrics(RunMetrics)
  case failure(String)

  /// Returns the metrics of a session over a real network, without opened connections and undelivered bytes, which a client cannot see.
  package static func live(_ session: SessionMetrics, further: [Metric] = [], energy: EnergyProxy = EnergyProxy()) -> RunOutcome {
    var metrics = RunMetrics(session, further: further, energy: energy)
    metrics[.newConnections] = nil
    metrics[.bytesDead] = nil
    return .metrics(metrics)
  }
}

/// Performs runs: a function of scenario and seed, or a device.
package protocol RunExecutor: Sendable {
  /// The number of devices, each with one run at a time: a repetition runs whole in one lane, in an order shuffled by the seed, so pairs
  /// share a device and no point is always last. Nil if a run is a function of scenario and seed.
  var laneCount: Int? { get }

  /// Performs one run. Returns nil, with all its processes ended, once `isCancelled` returns true; ask it several times a second.
  /// A run that returns nil counts neither as done nor as failed.
  func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome?

  /// The reason why none of its runs can be trusted; nil for none. A sweep then ends.
  var refusal: String? { get }
}

/// An executor that records the event log of a run.
package protocol ReportingExecutor: RunExecutor {
  /// Performs one run and returns its event log; nil after cancellation.
  /// - Throws: the reason if the run fails.
  func explain(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) throws -> SessionExplanation?
}

package struct RunRequest: Sendable {
  /// The scenario, its id and the values that a command needs.
  package private(set) var point: PreparedPoint
  /// The repetition, from 1.
  package let repetition: Int
  /// The seed of the repetition, the same for all points.
  package var seed: UInt64
  /// The lane, from 0.
  package let lane: Int
  /// The results folder, through which starts share locks and output; nil if there is none.
  package let folder: String?
  /// True if the output of a failed run is kept. A run repeated alone writes nothing.
  package let keepsOutput: Bool
  package let further: [Metric]

  package init(
    _ point: PreparedPoint, repetition: Int, seed: UInt64, lane: Int = 0, folder: String? = nil, keepsOutput: Bool = false,
    further: [Metric] = []
  ) {
    (self.point, self.repetition, self.seed, self.lane) = (point, repetition, seed, lane)
    (self.folder, self.keepsOutput, self.further) = (folder, keepsOutput, further)
  }

  package var scenario: Scenario? { point.scenario as? Scenario }

  func with(_ prefetcher: any Prefetcher) -> RunRequest {
    var run = self
    if var scenario {
      scenario.prefetcher = prefetcher
      run.point.scenario = scenario
    }
    return run
  }
}

extension RunExecutor {
  package var refusal: String? { nil }

  /// True if a run is a function of scenario and seed: it can be repeated, on any thread and in any shard, and takes no device time.
  package var isRepeatable: Bool { laneCount == nil }

  /// Returns the lane of a repetition. It never changes, so a resumed repetition stays on its device.
  package func lane(of repetition: Int) -> Int { (repetition - 1) % (laneCount ?? 1) }

  /// Performs one run and checks its metrics; nil after cancellation. Sweeps, gates, calibrations and checks of results all call it.
  /// A scenario without randomness must give the same metrics for `sameSeed`.
  package func outcome(
    of run: RunRequest, sameSeed: UInt64? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> RunOutcome? {
    let outcome = execute(run, isCancelled: isCancelled)
    guard case .metrics(var metrics)? = outcome else { return outcome }
    if let sameSeed {
      var other = run
      other.seed = sameSeed
      guard let again = execute(other, isCancelled: isCancelled) else { return nil }
      if case .failure = again { return again }
      if again != outcome {
        return .failure("the scenario has no randomness, yet two runs of it differ: a defect of the program, please report it")
      }
    }
    if isRepeatable { return outcome }
    metrics.digest = metrics.resultDigest
    return metrics.impossible.map { .failure("its \($0)") } ?? .metrics(metrics)
  }
}

/// Creates the executor of a live sweep, for `SweepTool.main`.
package typealias LiveClient = @Sendable (LiveBackend) throws -> any RunExecutor

extension Backend {
  package var product: String { if case .live = self { Program.liveName } else { Program.name } }

  /// Returns the executor of a sweep.
  /// - Throws: `InvalidInput` if this program cannot execute the backend.
  package func executor(for sweep: ResolvedSweep, live client: LiveClient?) throws -> any RunExecutor {
    switch self {
    case .emulated: return EmulatedExecutor()
    case .command(let command): return try CommandExecutor(command)
    case .live(let live):
      guard try sweep.decoded(0).scenario is Scenario else {
        throw refusal("is live, and a real client only scrolls a feed", "leave backend out, or scenario.kind")
      }
      if let client { return try client(live) }
      throw refusal("is live, which needs a real client, and \(Program.name) has none", "run it with \(Program.liveName)")
    }
  }
}

/// The identity of a run: its point's id, its repetition and its seed. It does not depend on the grid.
struct RunKey: Hashable, Sendable {
  /// The point's id as a number; 0 for an invalid scenario, which has no id.
  var point: UInt64
  /// The repetition, from 1.
  var repetition: Int
  var seed: UInt64

  var pointText: String { PointID.text(point) }
}

/// A run that has ended, successful or failed.
struct FinishedRun: Equatable, Sendable {
  var key: RunKey
  var outcome: RunOutcome
  /// The time on a real device, in milliseconds; nil for emulated runs, whose simulated time follows from the metrics.
  var deviceMs: Int?

  var metrics: RunMetrics? { if case .metrics(let metrics) = outcome { metrics } else { nil } }
}
