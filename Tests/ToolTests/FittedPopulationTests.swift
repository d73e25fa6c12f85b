import Foundation
import Simulation
import Testing

@testable import Base
@testable import Import
@testable import Sweep
@testable import SweepTool

/// Every population that `fit` writes is one that `run` accepts.
@Suite struct FittedPopulationTests {
  /// Returns a file of telemetry drawn with a seed: narrow and wide, slow and fast, with and without optional keys.
  private static func telemetry(_ seed: Int) -> String {
    var random = RandomStream(runSeed: UInt64(seed), name: "telemetry")
    func below(_ limit: Int) -> Int { Int(random.below(UInt64(limit))) }
    /// Three to eight bins with increasing edges from a start within the limits, all a factor apart.
    func histogram(_ lowest: Double, _ highest: Double, _ unit: String, _ scale: Double) -> String {
      var edge = lowest * pow(highest / lowest, [0, 1, random.unit(), random.unit()][below(4)])
      let factor = [1.0001, 1.02, 1.5, 4][below(4)]
      var edges: [Int64] = []
      for _ in 0..<(2 + below(6)) {
        edges.append(max((edges.last ?? 0) + 1, Int64(min(edge, highest))))
        edge *= factor
      }
      edges = edges.map { min($0, Int64(highest)) }
      if Set(edges).count < edges.count { edges = edges.indices.map { Int64(highest) - Int64(edges.count) + 1 + Int64($0) } }
      let counts = (0...edges.count).map { _ in below(3) == 0 ? 1 : 1 + below(100) }
      return "{ edges: [\(edges.map { "\"\($0)\(unit)\"" }.joined(separator: ", "))], counts: \(counts) }"
    }
    let names = ["Wi-Fi", "LTE", "a \"b\" {c}", "3G, part 1", "über"]
    let count = 1 + below(4)
    let hasItems = below(2) == 0
    var classes = (0..<count).map { index -> String in
      var keys = ["sessions: \(1 + below(1_000_000))"]
      keys.append("timeToFirstByte: \(histogram(1, 3.6e12, "ns", 1))")
      keys.append("throughput: \(histogram(1000, 1e12, "bps", 1))")
      if hasItems { keys.append("items: \(1 + below(1_000_000))") }
      if below(2) == 0 { keys.append("dwell: \(histogram(1e6, 8.64e13, "ns", 1))") }
      if below(2) == 0 { keys.append("up: \"\(1000 + below(3_000_000))bps\"") }
      return "\(jsonString(names[index])): { \(keys.joined(separator: ", ")) }"
    }
    // Two classes of the same users.
    if below(5) == 0 { classes.append(classes[0].replacing("\(jsonString(names[0])):", with: "\"again\":")) }
    return "{ networks: { \(classes.joined(separator: ",\n")) } }"
  }

  @Test(arguments: 0..<8) func everyPopulationThatFitWritesRuns(_ part: Int) throws {
    var (written, refused) = (0, 0)
    for seed in part * 60..<part * 60 + 60 {
      let text = Self.telemetry(seed)
      let networks: [NetworkTelemetry]
      do { networks = try TelemetryReader.read(InputFile(name: "t.json5", bytes: Array(text.utf8))) } catch {
        // A histogram that fits no likely lognormal distribution.
        #expect(error.diagnostics.allSatisfy { $0.problem.contains("lognormal") }, "\(seed): \(error)")
        refused += 1
        continue
      }
      let population = FittedWorld(networks).population(levels: [1, 3, 20][seed % 3], source: "t.json5")
      let inner = try #require(population.firstIndex(of: "[").map { population[$0...].dropLast(3) })
      let sweep = """
        { sweep: "s", scenario: { feed: { items: 20 }, network: "3G", user: { dwell: "1s" }, prefetcher: "itemsAhead" },
          axes: { "prefetcher.ahead": [1, 3] }, repeats: 2, population: \(inner) }
        """
      do { _ = try ResolvedSweep(file: InputFile(name: "s.json5", bytes: Array(sweep.utf8))) } catch {
        Issue.record("\(seed): \(error)\n\(population)")
      }
      written += 1
    }
    #expect(written > 20, "\(refused)")
  }
}
