// The seam between a sweep and whatever makes its runs outside of the emulator: a program that drives a phone, a real client.

import Analysis
import Import
import Simulation

/// The outcome of a run.
package enum RunOutcome: Equatable, Sendable {
  /// In the order of their columns; nil where there is none.
  case metrics([Double?])
  /// Why the run failed.
  case failure(String)
}

/// An executor of runs outside of the emulator: it makes them one after the other in each of its lanes.
///
/// All runs of a repetition are made in one lane, in an order shuffled from the sweep's seed: pairs are then of one device, minutes
/// apart, and no point is always the last on a warm phone.
package protocol RunExecutor: Sendable {
  /// The number of runs at once, at least 1; repetition k is made in lane (k − 1) mod `laneCount`.
  var laneCount: Int { get }

  /// Makes one run and returns its outcome; nil, with all that it started ended, once `isCancelled` returns true, which it must ask
  /// several times a second. A run that returns nil counts neither as done nor as failed.
  func execute(_ run: RunRequest, isCancelled: @Sendable () -> Bool) -> RunOutcome?
}

/// A maker that can write down what happened in a run.
package protocol ReportingExecutor: RunExecutor {
  /// Makes one run as `execute` does; nil once `isCancelled` says so.
  ///
  /// - Throws: the reason where the run fails.
  func explain(_ run: RunRequest, isCancelled: @Sendable () -> Bool) throws -> SessionExplanation?
}

/// A run to be made.
package struct RunRequest: Sendable {
  /// The point's id, 16 hexadecimal digits.
  package let point: String
  /// From 1.
  package let repetition: Int
  /// The seed of the repetition; the same for all points.
  package let seed: UInt64
  /// The lane, from 0.
  package let lane: Int
  /// The folder of results, through which starts know of each other; nil where there is none.
  package let folder: String?
  /// Whether what a failed run leaves is kept there: not of a run that is made alone, which writes nothing.
  package let keepsOutput: Bool
  /// The scenario as written, and as it was understood.
  package let text: ScenarioText
  package let model: any Model

  package init(
    point: String, repetition: Int, seed: UInt64, lane: Int, folder: String?, keepsOutput: Bool, text: ScenarioText,
    model: any Model
  ) {
    (self.point, self.repetition, self.seed, self.lane) = (point, repetition, seed, lane)
    (self.folder, self.keepsOutput, self.text, self.model) = (folder, keepsOutput, text, model)
  }

  /// The scenario; nil if it scrolls no feed.
  package var scenario: Scenario? { model as? Scenario }
}

/// Returns the executor of a live sweep, for `SweepTool.main`.
package typealias LiveClient = @Sendable (LiveBackend) throws -> any RunExecutor

extension Backend {
  /// The product that has it.
  package var product: String { if case .live = self { Program.liveName } else { Program.name } }

  /// What makes the runs; nil for the emulator.
  ///
  /// - Throws: `InvalidInput` where this program has nothing that could.
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
        "run it with \(Program.liveName): swift run -c release \(Program.liveName) run \(sweep.path)")
    }
  }
}

extension RunOutcome {
  /// Returns the metrics of a session over a real network. A client cannot see connections opened and undelivered bytes:
  /// these two are nil.
  package static func live(_ session: SessionMetrics) -> RunOutcome {
    var row = RunRow(point: "", repetition: 1, seed: 0, axisValues: [], session: session)
    row[.newConnections] = nil
    row[.bytesDead] = nil
    return .metrics(row.metrics)
  }
}

/// Identifies a run: its point, by its id and never by its place in a grid, its repetition and the seed that it ran with.
struct RunKey: Hashable, Sendable {
  /// The point's id, its 16 hexadecimal digits as a number; 0 for a point that is no valid scenario and so has none.
  var point: UInt64
  /// From 1.
  var repetition: Int
  var seed: UInt64

  /// The point's id as it is printed.
  var pointText: String { PointID.text(point) }
}

/// A run that has ended, well or not.
struct FinishedRun: Equatable, Sendable {
  var key: RunKey
  var outcome: RunOutcome
  /// The time that it took on a real device, in whole milliseconds; nil for emulated runs, whose time is simulated and known from the row.
  var deviceMs: Int?

  /// One value a metric, in the order of `Metric.allCases`; nil if it failed.
  var metrics: [Double?]? { if case .metrics(let metrics) = outcome { metrics } else { nil } }
}
