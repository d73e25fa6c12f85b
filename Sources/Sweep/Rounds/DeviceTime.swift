// The hours of a device that a race has spent, and what its next block would take.

/// Adds up the time of runs: as the journal has it for a real device, as simulated for an emulated one. So it is known after a resume too.
package struct DeviceTime {
  private let runner: SweepRunner
  private let points: PointDecoder
  /// In milliseconds.
  private let limit: Double
  private(set) var spent = 0.0
  private var byPoint: [Int: (sum: Double, runs: Int)] = [:]

  /// Nothing spent of so many nanoseconds.
  package init(_ runner: SweepRunner, limit: Int64) {
    self.runner = runner
    self.limit = Double(limit) / 1e6
    points = PointDecoder(runner.sweep.grid)
  }

  /// Takes runs of some repetitions into account, of each point up to its limit, and the failed tries at them: they held the device too,
  /// and the point may fail as long the next time.
  /// - Throws: `OutputProblem` if the journal cannot be read.
  mutating func add(_ repetitions: ClosedRange<Int>, of runs: JournaledRuns, limits: [Int]?) throws {
    try runs.forEachRun(repetitions, limits: limits) { point, run in
      let emulated = (try? runner.sweep.point(point, points))?.scenario.deviceMs(seed: run.key.seed, metrics: run.metrics ?? [])
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

  /// Whether so many blocks of some points end in time, if each point takes as long as it did on average. One without a run takes what
  /// others do. `reserve`, in milliseconds, is left for what comes after them.
  func hasRoom(for points: [Int], blocks: Int, reserve: Double = 0) -> Bool {
    spent + expected(points) * Double(blocks) + reserve <= limit
  }

  /// What so many runs of the points of a field would take, in milliseconds, whichever of them it will be.
  package func expected(runs: Int, of points: [Int]) -> Double { expected(points) / Double(max(1, points.count)) * Double(runs) }

  /// Why there is no room for a block of some points.
  package func note(_ points: [Int], reserve: Double) -> String {
    let confirmation = reserve > 0 ? ", and the fresh seeds of confirm \(Self.text(reserve))" : ""
    return
      "the race ends: \(state), and the next block, of \(points.count) points, would take \(Self.text(expected(points)))\(confirmation)"
  }

  /// Why fewer fresh repetitions of some points were made than asked for.
  package func note(_ points: [Int], confirmed: Int, of requested: Int) -> String {
    "confirm ends after \(confirmed) of \(requested) fresh repetitions: \(state), and the next one, of \(points.count) points, would take "
      + Self.text(expected(points))
  }

  private var state: String { "\(Self.text(spent)) of \(Self.text(limit)) of device time are spent" }

  private func expected(_ points: [Int]) -> Double {
    let runs = byPoint.values.reduce(0) { $0 + $1.runs }
    let average = spent / Double(max(1, runs))
    return points.reduce(0) { sum, point in sum + (byPoint[point].map { $0.sum / Double($0.runs) } ?? average) }
  }

  /// Whole seconds, in the largest unit that shows them shortly.
  private static func text(_ milliseconds: Double) -> String {
    let seconds = (milliseconds / 1000).rounded()
    if seconds < 120 { return "\(Int(seconds))s" }
    let minutes = (seconds / 60).rounded()
    return minutes < 120 ? "\(Int(minutes))min" : "\((minutes / 6).rounded() / 10)h"
  }
}
