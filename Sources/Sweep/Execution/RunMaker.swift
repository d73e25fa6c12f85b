// The seam between a sweep and whatever makes its runs outside of the emulator: a program that drives a phone, a real client.

import Import
import Simulation

/// What became of a run.
package enum RunOutcome: Sendable {
  /// What it measured, in the order of `Metric.allCases`; nil where it has no such metric.
  case metrics([Double?])
  /// Why it failed.
  case failure(String)
}

/// Makes runs in the real world, one after the other in each of its lanes.
///
/// All runs of a repetition are made in one lane, in an order shuffled from the sweep's seed: pairs are then of one device, minutes
/// apart, and no point is always the last on a warm phone.
package protocol RunMaker: Sendable {
  /// How many runs may go on at once, at least 1; repetition k is made in lane (k − 1) mod `laneCount`.
  var laneCount: Int { get }

  /// Makes one run and returns when it has ended. Asks `isCancelled` at least a few times a second and, once it says so, ends what it
  /// started and returns nil: then the run counts neither as done nor as failed.
  func make(_ run: WantedRun, isCancelled: @Sendable () -> Bool) -> RunOutcome?
}

/// A maker that can write down what happened in a run.
package protocol TellingMaker: RunMaker {
  /// Makes one run as `make` does; nil once `isCancelled` says so.
  ///
  /// - Throws: the reason where the run fails.
  func tell(_ run: WantedRun, isCancelled: @Sendable () -> Bool) throws -> SessionExplanation?
}

/// A run that is to be made.
package struct WantedRun: Sendable {
  /// The point's id, 16 hexadecimal digits.
  package let point: String
  /// From 1.
  package let repetition: Int
  /// What all randomness of the repetition comes from; the same for all points.
  package let seed: UInt64
  /// The lane, from 0.
  package let lane: Int
  /// The folder of results, through which starts know of each other; nil where there is none.
  package let folder: String?
  /// Whether what a failed run leaves is kept there: not of a run that is made alone, which writes nothing.
  package let keepsOutput: Bool
  /// The scenario as written, and as it was understood.
  package let text: ScenarioText
  /// The scenario.
  package let swept: any SweptScenario

  package init(
    point: String, repetition: Int, seed: UInt64, lane: Int, folder: String?, keepsOutput: Bool, text: ScenarioText,
    swept: any SweptScenario
  ) {
    (self.point, self.repetition, self.seed, self.lane) = (point, repetition, seed, lane)
    (self.folder, self.keepsOutput, self.text, self.swept) = (folder, keepsOutput, text, swept)
  }

  /// The scenario, where it is a feed's.
  package var scenario: Scenario? { swept as? Scenario }
}

/// Makes the runs of a live sweep; a program that has such a client hands it to `SweepTool.main`.
package typealias LiveClient = @Sendable (LiveBackend, SweepFile) throws -> any RunMaker

extension Backend {
  /// The product that has it.
  package var product: String { if case .live = self { Program.liveName } else { Program.name } }

  /// What makes the runs; nil for the emulator.
  ///
  /// - Throws: `InvalidInput` where this program has nothing that could.
  package func maker(for sweep: SweepFile, live client: LiveClient?) throws -> (any RunMaker)? {
    switch self {
    case .emulated: return nil
    case .command(let command): return try CommandMaker(command)
    case .live(let live):
      guard try sweep.decoded(0).scenario is Scenario else {
        throw InvalidInput(diagnostics: [
          Diagnostic(
            location: live.location, key: "backend", problem: "is live, and a real client only scrolls a feed",
            remedy: "leave backend out, or scenario.kind")
        ])
      }
      if let client { return try client(live, sweep) }
      throw InvalidInput(diagnostics: [
        Diagnostic(
          location: live.location, key: "backend", problem: "is live, which needs a real client, and \(Program.name) has none",
          remedy: "run it with \(Program.liveName): swift run -c release \(Program.liveName) run \(sweep.path)")
      ])
    }
  }
}
