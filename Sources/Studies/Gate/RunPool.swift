// Runs of one small scenario, made once and cut into gates: each gate gets pairs that no other gate has.

import Analysis
import Simulation
import Sweep

/// One value a run for each metric of interest.
struct RunPool: Sendable {
  /// The metrics that are kept of each run.
  static let metrics: [Metric] = [.loadersPer1000, .bytesReceived]

  /// A column a metric, each with a value a run, in the order of their seeds.
  private let columns: [[Double]]

  /// Runs `count` times, with the seeds of repetitions 1 … `count` of `seed`.
  /// - Throws: the first error of a run.
  init(count: Int, seed: UInt64, run: @escaping @Sendable (UInt64) throws -> [Double?]) throws {
    let chunk = 500
    let chunks = (count + chunk - 1) / chunk
    let all = try WorkerPool.map(chunks) { index throws in
      var values: [Double] = []
      for repetition in index * chunk..<min(count, (index + 1) * chunk) {
        let row = try run(RandomStream.seed(sweepSeed: seed, repetition: repetition + 1))
        for metric in Self.metrics { values.append(row[metric.index] ?? .nan) }
      }
      return values
    }.joined()
    var columns = [[Double]](repeating: [], count: Self.metrics.count)
    for (index, value) in all.enumerated() { columns[index % Self.metrics.count].append(value) }
    self.columns = columns
  }

  /// The number of runs.
  var count: Int { columns[0].count }

  /// All values of a metric.
  subscript(metric: Metric) -> [Double] { columns[Self.metrics.firstIndex(of: metric) ?? 0] }

  /// The mean of a metric over all runs: as good as the truth, where a gate sees a thousandth of them.
  func mean(_ metric: Metric) -> Double { self[metric].reduce(0, +) / Double(count) }
}
