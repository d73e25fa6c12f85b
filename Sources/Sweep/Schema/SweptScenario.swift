// The seam between a sweep and what it runs: runner, journal, merge and tables know a scenario by this alone.

import Analysis
import Import
import Simulation

/// A scenario of some kind: a function of a seed to the metrics of a row.
package protocol SweptScenario: Sendable {
  /// What its runs measure.
  static var schema: RunSchema { get }
  /// The network that it runs on.
  var network: NetworkConfiguration { get }
  /// Whether every seed gives the same run.
  var isDeterministic: Bool { get }
  /// Runs once and returns one place for each of `Metric.allCases`, empty where its schema has no such metric.
  ///
  /// - Throws: why the run was stopped, where it does not end within the limits.
  func metrics(seed: UInt64, limits: RunLimits) throws(RunStop) -> [Double?]
  /// How long a device would be at a run that came to this row, in milliseconds.
  func deviceMs(seed: UInt64, metrics: [Double?]) -> Double
}

extension SweptScenario {
  /// Runs once within the usual limits.
  /// - Throws: why the run was stopped, if it was.
  package func metrics(seed: UInt64) throws(RunStop) -> [Double?] { try metrics(seed: seed, limits: RunLimits()) }
}

extension Scenario: SweptScenario {
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

extension BackgroundScenario: SweptScenario {
  package static var schema: RunSchema { .backgroundDownload }

  /// - Throws: why the run was stopped, if it was.
  package func metrics(seed: UInt64, limits: RunLimits) throws(RunStop) -> [Double?] { try run(seed: seed, limits: limits).row }

  package func deviceMs(seed: UInt64, metrics: [Double?]) -> Double { Double(Self.horizon.nanoseconds) / 1e6 }
}

/// The kinds of scenario that a sweep file may hold.
package enum ScenarioKind: String, CaseIterable {
  case feed, backgroundDownload

  /// The keys of a scenario of this kind; the first part of every axis path.
  package var keys: [String] {
    switch self {
    case .feed: ["feed", "network", "downloads", "user", "prefetcher"]
    case .backgroundDownload: ["resources", "network", "app", "daemon", "strategy", "energy", "mark"]
    }
  }

  /// The keys of all kinds.
  static var allKeys: [String] {
    ScenarioKind.allCases.flatMap(\.keys).reduce(into: []) { keys, key in if !keys.contains(key) { keys.append(key) } }
  }

  /// The kind that a scenario names, or a feed.
  package static func of(_ scenario: JSON5Value?) -> ScenarioKind { scenario?["kind"]?.text.flatMap(ScenarioKind.init(rawValue:)) ?? .feed }

  /// The kind that a scenario names; a feed, which need not say so, adds no canonical line.
  package init(from reader: inout ObjectReader) {
    self = .feed
    guard let value = reader.value("kind") else { return }
    do { self = ScenarioKind(rawValue: try ScalarValue.choice(value, of: Self.allCases.map(\.rawValue))) ?? .feed } catch {
      reader.context.sink.report(error, at: value.location, key: reader.path(of: "kind"))
    }
    if self != .feed { reader.record("kind", rawValue) }
  }
}
