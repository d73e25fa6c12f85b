// The seam between a sweep and what it runs: runner, journal, merge and tables know a scenario by this alone.

import Analysis
import Import
import Simulation

/// A scenario of some kind: a function of a seed to the metrics of a row.
package protocol Model: Sendable {
  /// What its runs measure.
  static var schema: RunSchema { get }
  var network: NetworkConfiguration { get }
  var isDeterministic: Bool { get }
  /// Runs once and returns one place for each of `Metric.allCases`, empty where its schema has no such metric.
  ///
  /// - Throws: why the run was stopped, where it does not end within the limits.
  func metrics(seed: UInt64, limits: RunLimits) throws(RunStop) -> [Double?]
  /// How long a device would be at a run that came to this row, in milliseconds.
  func deviceMs(seed: UInt64, metrics: [Double?]) -> Double
}

extension Model {
  /// Runs once within the usual limits.
  /// - Throws: why the run was stopped, if it was.
  package func metrics(seed: UInt64) throws(RunStop) -> [Double?] { try metrics(seed: seed, limits: RunLimits()) }
}

extension Scenario: Model {
  package static var schema: RunSchema { .feed }

  /// - Throws: why the run was stopped, if it was.
  package func metrics(seed: UInt64, limits: RunLimits) throws(RunStop) -> [Double?] {
    RunRow(point: "", repetition: 1, seed: seed, axisValues: [], session: try run(seed: seed, limits: limits)).metrics
  }

  package func deviceMs(seed: UInt64, metrics: [Double?]) -> Double {
    let script = Double(scriptedTime(seed: seed).nanoseconds) / 1e6
    guard user.patience != nil, let wait = metrics[Metric.waitMsMean.index], let viewed = metrics[Metric.viewed.index] else {
      return script
    }
    return script + wait * viewed
  }
}

extension BackgroundScenario: Model {
  package static var schema: RunSchema { .backgroundDownload }

  /// - Throws: why the run was stopped, if it was.
  package func metrics(seed: UInt64, limits: RunLimits) throws(RunStop) -> [Double?] { try run(seed: seed, limits: limits).row }

  package func deviceMs(seed: UInt64, metrics: [Double?]) -> Double { Double(Self.horizon.nanoseconds) / 1e6 }
}
