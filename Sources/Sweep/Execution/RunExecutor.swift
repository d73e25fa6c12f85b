// The protocol of executors outside the emulator: a program that drives a phone, or a real client.

import Analysis
import Base
import Simulation

/// The outcome of a run.
package enum RunOutcome: Equatable, Sendable {
  case metrics(RunMetrics)
  /// The reason for the failure.
  case failure(String)
}

/// An executor outside the emulator. Each lane executes its runs one after the other.
/// A repetition runs whole in one lane, in an order shuffled by the seed, so pairs share a device and no point is always last.
package protocol RunExecutor: Sendable {
  /// The number of simultaneous runs, at least 1. Repetition k uses lane (k − 1) mod `laneCount`.
  var laneCount: Int { get }

  /// Executes one run. Returns nil, with all its processes ended, once `isCancelled` returns true; ask it several times a second.
  /// A run that returns nil counts neither as done nor as failed.
  func execute(_ run: RunRequest, isCancelled: @Sendable () -> Bool) -> RunOutcome?
}

/// An executor that records the event log of a run.
package protocol ReportingExecutor: RunExecutor {
  /// Executes one run and returns its event log; nil after cancellation.
  /// - Throws: the reason if the run fails.
  func explain(_ run: RunRequest, isCancelled: @Sendable () -> Bool) throws -> SessionExplanation?
}

/// The input of an executor for one run.
package struct RunRequest: Sendable {
  /// The point's id, 16 hexadecimal digits.
  package let point: String
  /// The repetition, from 1.
  package let repetition: Int
  /// The seed of the repetition, the same for all points.
  package let seed: UInt64
  /// The lane, from 0.
  package let lane: Int
  /// The results folder, through which starts share locks and output; nil if there is none.
  package let folder: String?
  /// True if the output of a failed run is kept. A run repeated alone writes nothing.
  package let keepsOutput: Bool
  /// The scenario as written and as decoded.
  package let text: ScenarioText
  package let model: any Model
  /// The further metrics of the sweep.
  package let further: [Metric]

  package init(
    point: String, repetition: Int, seed: UInt64, lane: Int, folder: String?, keepsOutput: Bool, text: ScenarioText,
    model: any Model, further: [Metric] = []
  ) {
    self.further = further
    (self.point, self.repetition, self.seed, self.lane) = (point, repetition, seed, lane)
    (self.folder, self.keepsOutput, self.text, self.model) = (folder, keepsOutput, text, model)
  }

  /// The feed scenario; nil for other kinds.
  package var scenario: Scenario? { model as? Scenario }
}

/// Creates the executor of a live sweep, for `SweepTool.main`.
package typealias LiveClient = @Sendable (LiveBackend) throws -> any RunExecutor

extension Backend {
  /// The executable that supports the backend.
  package var product: String { if case .live = self { Program.liveName } else { Program.name } }

  /// Returns the executor of a sweep; nil for the emulator.
  /// - Throws: `InvalidInput` if this program cannot execute the backend.
  package func executor(for sweep: ResolvedSweep, live client: LiveClient?) throws -> (any RunExecutor)? {
    switch self {
    case .emulated: return nil
    case .command(let command): return try CommandExecutor(command)
    case .live(let live):
      guard try sweep.decoded(0).scenario is Scenario else {
        throw refusal("is live, and a real client only scrolls a feed", "leave backend out, or scenario.kind")
      }
      if let client { return try client(live) }
      throw refusal(
        "is live, which needs a real client, and \(Program.name) has none",
        "run it with \(Program.liveName)")
    }
  }
}

extension RunOutcome {
  /// Returns the metrics of a session over a real network. A client cannot see opened connections and undelivered bytes,
  /// so these two are nil.
  package static func live(_ session: SessionMetrics, further: [Metric] = [], energy: EnergyProxy = EnergyProxy()) -> RunOutcome {
    var metrics = RunMetrics(session, further: further, energy: energy)
    metrics[.newConnections] = nil
    metrics[.bytesDead] = nil
    return .metrics(metrics)
  }
}

/// The identity of a run: its point's id, its repetition and its seed. It does not depend on the grid.
struct RunKey: Hashable, Sendable {
  /// The point's id as a number; 0 for an invalid scenario, which has no id.
  var point: UInt64
  /// The repetition, from 1.
  var repetition: Int
  var seed: UInt64

  /// The point's id as 16 hexadecimal digits.
  var pointText: String { PointID.text(point) }
}

/// A run that has ended, successful or failed.
struct FinishedRun: Equatable, Sendable {
  var key: RunKey
  var outcome: RunOutcome
  /// The time on a real device, in milliseconds; nil for emulated runs, whose simulated time follows from the row.
  var deviceMs: Int?

  /// The metrics; nil if the run failed.
  var metrics: RunMetrics? { if case .metrics(let metrics) = outcome { metrics } else { nil } }
}
