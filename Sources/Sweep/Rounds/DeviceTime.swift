// The device time that a race has spent, and the expected time of its next block.

import Analysis

/// Adds up device times: measured ones from the journal, simulated ones for the emulator. Both survive a resume.
package struct DeviceTime {
  private let runner: SweepRunner
  private let points: PointDecoder
  /// The limit, in milliseconds.
  private let limit: Double
  private(set) var spent = 0.0
  private var byPoint: [Int: (sum: Double, runs: Int)] = [:]

  /// Creates a sum of 0 with a limit in nanoseconds.
  package init(_ runner: SweepRunner, limit: Int64) {
    self.runner = runner
    self.limit = Double(limit) / 1e6
    points = PointDecoder(runner.sweep.grid)
  }

  /// Adds runs of some repetitions, up to each point's limit, and their failed tries, which occupied the device too.
  /// - Throws: `OutputProblem` if the journal cannot be read.
  mutating func add(_ repetitions: ClosedRange<Int>, of runs: JournaledRuns, limits: [Int]?) throws {
    try runs.forEachRun(repetitions, limits: limits) { point, run in
      let emulated = (try? runner.sweep.point(point, points))?.scenario.deviceMs(seed: run.key.seed, metrics: run.metrics ?? RunMetrics())
      add(run.deviceMs.map { Double($0) } ?? emulated ?? 0, of: point)
    }
    for attempt in runs.kept.tries where repetitions.contains(attempt.run.key.repetition) {
      guard let point = attempt.points.first(where: { attempt.run.key.repetition <= limits?[$0] ?? .max }) else { continue }
      add(Double(attempt.run.deviceMs ?? 0), of: point)
    }
  }

  private mutating func add(_ time: Double, of point: Int) {
    spent += time
    let known = byPoint[point] ?? (0, 0)
    byPoint[point] = (known.sum + time, known.runs + 1)
  }

  /// True if blocks of some points end in time at their mean durations, or that of all points, with `reserve` milliseconds left over.
  func hasRoom(for points: [Int], blocks: Int, reserve: Double = 0) -> Bool { spent + expected(points) * Double(blocks) + reserve <= limit }

  /// Returns the expected time of a number of runs of some points, in milliseconds.
  package func expected(runs: Int, of points: [Int]) -> Double { expected(points) / Double(max(1, points.count)) * Double(runs) }

  package func note(_ points: [Int], reserve: Double) -> String {
    let confirmation = reserve > 0 ? ", and the confirmation \(Self.text(reserve))" : ""
    return
      "the race ends: \(state), and the next block, of \(points.count) points, would take \(Self.text(expected(points)))\(confirmation)"
  }

  /// Returns the note that the confirmation had time for fewer repetitions.
  package func note(_ points: [Int], confirmed: Int, of requested: Int) -> String {
    "the confirmation ends after \(confirmed) of \(requested) repetitions: \(state), and the next one, of \(points.count) points, would take "
      + Self.text(expected(points))
  }

  private var state: String { "\(Self.text(spent)) of \(Self.text(limit)) of device time are spent" }

  private func expected(_ points: [Int]) -> Double {
    let runs = byPoint.values.reduce(0) { $0 + $1.runs }
    let average = spent / Double(max(1, runs))
    return points.reduce(0) { sum, point in sum + (byPoint[point].map { $0.sum / Double($0.runs) } ?? average) }
  }

  /// Returns a duration in the largest unit that shows it briefly, rounded.
  private static func text(_ milliseconds: Double) -> String {
    let seconds = (milliseconds / 1000).rounded()
    if seconds < 120 { return "\(Int(seconds))s" }
    let minutes = (seconds / 60).rounded()
    return minutes < 120 ? "\(Int(minutes))min" : "\((minutes / 6).rounded() / 10)h"
  }
}
