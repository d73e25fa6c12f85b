// What the runner costs beside the sessions: points, journal, rows in order, tables.

import Analysis
import Foundation
import Import
import Sweep

/// The cost of the runner, in µs a run on one core.
struct RunnerCost: Codable {
  var transport: String
  /// The session itself, its metrics included.
  var sessionUs: Double
  /// All of the runner beside it: the point, the journal, its row read back in order and written.
  var runnerUs: Double
  /// The runner's share of the session.
  var share: Double

  /// Measures sweeps of sessions of 1000 items, each round the sessions alone and then with the runner around them. The medians of the
  /// rounds count: a difference of two minima would be one of two accidents.
  static func measure(rounds: Int) throws -> [RunnerCost] {
    try [("fluid", 100), ("packet", 4)].map { transport, repeats in
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("runner-cost-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let file = folder + "/cost.json5"
      let text = """
        { sweep: "cost", repeats: \(repeats), axes: { "prefetcher.ahead": "1...10" },
          scenario: { network: { profile: "3G", transport: "\(transport)" }, feed: { items: 1000 }, prefetcher: { kind: "itemsAhead" } } }
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let sweep = try SweepFile(path: file)
      let scenarios = try (0..<sweep.pointCount).compactMap { try sweep.feedScenario($0) }
      let runs = Double(scenarios.count * repeats)
      var (alone, whole): ([Double], [Double]) = ([], [])
      for _ in 0..<rounds {
        alone.append(
          microseconds {
            for repetition in 1...repeats {
              let seed = sweep.seed(of: repetition)
              for scenario in scenarios { _ = scenario.run(seed: seed) }
            }
          } / runs)
        whole.append(try microseconds { try makeRows(sweep, in: folder + "/results") } / runs)
      }
      let session = alone.sorted()[rounds / 2]
      // Each round's own difference: what slows a round slows both of its halves.
      let runner = zip(whole, alone).map { $0 - $1 }.sorted()[rounds / 2]
      return RunnerCost(transport: transport, sessionUs: session, runnerUs: runner, share: runner / session)
    }
  }

  private static func makeRows(_ sweep: SweepFile, in folder: String) throws {
    let results = try ResultsFolder(path: folder)
    let runs = try JournaledSweep(SweepRunner(sweep, jobs: 1), folder: results, rule: .fresh)
    try runs.run()
    let writer = RunWriter(axes: sweep.grid.paths)
    let file = try results.open("runs.csv")
    try file.append(writer.header)
    try runs.rows.forEachRow { try file.append(writer.line($0)) }
    try file.close()
    try results.publish()
  }

  private static func microseconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / Duration.microseconds(1)
  }
}
