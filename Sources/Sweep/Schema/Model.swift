// The protocol between a sweep and its scenarios, used by runner, journal, merge and tables.

import Analysis
import Simulation

package protocol Model: Sendable {
  static var schema: RunSchema { get }
  var network: NetworkConfiguration { get }
  var isDeterministic: Bool { get }
  /// Runs once. Metrics outside of its schema with the `further` ones have no value.
  /// - Throws: the reason if the run exceeds the limits or is cancelled.
  func metrics(seed: UInt64, limits: RunLimits, further: [Metric]) throws(RunStop) -> RunMetrics
  /// Returns the time that a device would take for a run with these metrics, in milliseconds.
  func deviceMs(seed: UInt64, metrics: RunMetrics) -> Double
}

extension Model {
  /// Runs once within the default limits.
  /// - Throws: the reason if the run was stopped.
  package func metrics(seed: UInt64, limits: RunLimits = RunLimits()) throws(RunStop) -> RunMetrics {
    try metrics(seed: seed, limits: limits, further: [])
  }
}

package struct PreparedPoint: Sendable {
  package var scenario: any Model
  /// The point's id as a number: the 16 hexadecimal digits of `DecodedScenario.point`.
  package var id: UInt64
  /// The values that a command's program receives, by path.
  package var values: [String: String] = [:]
}

extension Scenario: Model {
  package static var schema: RunSchema { .feed }

  /// - Throws: the reason if the run was stopped.
  package func metrics(seed: UInt64, limits: RunLimits, further: [Metric]) throws(RunStop) -> RunMetrics {
    let session = try run(seed: seed, limits: limits, timesFirstFrames: further.needFirstFrames)
    return RunMetrics(session, further: further, energy: energy)
  }

  package func deviceMs(seed: UInt64, metrics: RunMetrics) -> Double {
    let script = Double(scriptedTime(seed: seed).nanoseconds) / 1e6
    guard user.patience != nil, let wait = metrics[.waitMsMean], let viewed = metrics[.viewed] else { return script }
    return script + wait * viewed + (user.stallsExtend ? metrics[.stallMs] ?? 0 : 0)
  }
}

extension BackgroundScenario: Model {
  package static var schema: RunSchema { .backgroundDownload }

  /// - Throws: the reason if the run was stopped.
  package func metrics(seed: UInt64, limits: RunLimits, further: [Metric]) throws(RunStop) -> RunMetrics {
    RunMetrics(try run(seed: seed, limits: limits))
  }

  package func deviceMs(seed: UInt64, metrics: RunMetrics) -> Double { Double(Self.horizon.nanoseconds) / 1e6 }
}
