// The emulator as calibration asks for it: the means of some points under some settings, always on the same seeds.

import Analysis
import Import
import Simulation
import Sweep

/// Runs points of a sweep with settings laid over them. Whatever the settings, repetition k meets the same feed and the same thumb
/// (common random numbers), so that what differs between two calls is what the settings do.
final class CalibrationEmulator {
  private let sweep: SweepFile
  private let repeats: Int, jobs: Int
  private let metrics: [Metric]
  private let isCancelled: @Sendable () -> Bool
  /// Runs made so far.
  private(set) var runCount = 0

  init(_ sweep: SweepFile, metrics: [Metric], repeats: Int, jobs: Int, isCancelled: @escaping @Sendable () -> Bool) {
    (self.sweep, self.metrics, self.repeats, self.jobs, self.isCancelled) = (sweep, metrics, repeats, jobs, isCancelled)
  }

  /// The means of points, by their places in the sweep, with settings laid over each: one for each metric asked for.
  ///
  /// - Throws: `Calibration.Stop`.
  func means(of points: [Int], with settings: [(String, JSON5Value)]) throws(Calibration.Stop) -> [[Double]] {
    var scenarios: [any SweptScenario] = []
    for point in points {
      do throws(InvalidInput) { scenarios.append(try sweep.decoded(point, with: settings).scenario) } catch {
        throw .refused(error.diagnostics.first?.description ?? "no valid scenario")
      }
    }
    let (count, seeds) = (points.count * repeats, (1...repeats).map(sweep.seed(of:)))
    let (isCancelled, repeats, ready) = (isCancelled, repeats, scenarios)
    let found: [[Double?]]
    do throws(RunStop) {
      found = try WorkerPool.map(count, threads: jobs) { number throws(RunStop) in
        if isCancelled() { throw .cancelled }
        return try ready[number / repeats].metrics(seed: seeds[number % repeats], limits: RunLimits(isCancelled: isCancelled))
      }
    } catch { throw isCancelled() ? .cancelled : .refused("a run of the emulator failed: \(error)") }
    runCount += count
    return points.indices.map { point in
      metrics.map { metric in
        let values = (0..<repeats).compactMap { found[point * repeats + $0][metric.index] }
        return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
      }
    }
  }
}
