// `run-studies determinism`: runs random scenarios twice and prints a hash of each batch, which builds of the program are compared by.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import Sweep
import SweepTool

package enum DeterminismStudy {
  /// The scenarios of a line of output.
  private static let batch = 100
  /// The limit of events of a run, so that debug builds and sanitizers end in time.
  private static let eventLimit = 20_000

  /// The results of a batch.
  private struct Batch {
    var scenarios = 0, runs = 0, stopped = 0
    /// The runs whose second result differs.
    var differing: [String] = []
    var hash = ContentHash()
  }

  /// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` if a run differs from its repetition.
  package static func run(_ arguments: Arguments) throws {
    let seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
    let count = try arguments.integer("--scenarios", in: 1...100_000_000) ?? 1000
    let seconds = try arguments.integer("--seconds", in: 1...1_000_000)
    let end = seconds.map { Date.now + Double($0) } ?? .distantFuture
    print("first,scenarios,runs,stopped,hash")
    var differing: [String] = []
    // A group of batches at a time, so that an interrupted start has printed whole lines in order.
    for first in stride(from: 0, to: count, by: batch * WorkerPool.coreCount) where Date.now < end {
      let starts = Array(stride(from: first, to: min(count, first + batch * WorkerPool.coreCount), by: batch))
      let batches = WorkerPool.map(starts.count) { results(starts[$0]..<min(count, starts[$0] + batch), seed) }
      for (start, batch) in zip(starts, batches) {
        print("\(start),\(batch.scenarios),\(batch.runs),\(batch.stopped),\(batch.hash.highHalf)")
        differing += batch.differing
      }
      fflush(nil)
    }
    if !differing.isEmpty { throw StudyProblem(description: "runs differ from their repetition: \(differing.joined(separator: "; "))") }
  }

  private static func results(_ numbers: Range<Int>, _ seed: UInt64) -> Batch {
    let drawing = ScenarioDrawing(folder: "", trees: [])
    let decoder = ScenarioDecoder(files: InputFiles(folder: ""))
    var batch = Batch()
    for number in numbers {
      var random = RandomStream(sweepSeed: seed, repetition: number, name: "determinism")
      guard let drawn = drawing.scenario(&random) else { continue }
      batch.scenarios += 1
      for transport in NetworkConfiguration.TransportKind.allCases {
        guard let decoded = ScenarioDrawing.scenario(drawn.tree, on: transport, decoder) else { continue }
        let result = text(of: decoded, seed: UInt64(number))
        batch.runs += 1
        if result == nil { batch.stopped += 1 }
        if text(of: decoded, seed: UInt64(number)) != result { batch.differing.append("seed \(seed), scenario \(number), \(transport)") }
        batch.hash.update(line: "\(decoded.point) \(result ?? "stopped")")
      }
    }
    return batch
  }

  /// Returns the metrics and the digest of a run; nil if it reaches a limit.
  private static func text(of decoded: DecodedScenario, seed: UInt64) -> String? {
    var limits = RunLimits()
    limits.events = eventLimit
    guard let metrics = try? decoded.scenario.metrics(seed: seed, limits: limits) else { return nil }
    let values = Metric.allCases.map { metrics[$0] } + [metrics.digest.map { Double($0) }]
    return values.map { $0.map(DecimalText.exact) ?? "" }.joined(separator: ",")
  }
}
