// The hours of a device that a race has spent, and what its next block would take.

/// Adds up the time of runs: as the journal has it for a real device, as simulated for an emulated one. So it is known after a resume too.
struct DeviceTime {
  private let runner: SweepRunner
  private let points: PointDecoder
  /// In milliseconds.
  private let limit: Double
  private(set) var spent = 0.0
  private var byPoint: [Int: (sum: Double, runs: Int)] = [:]

  /// Nothing spent of so many nanoseconds.
  init(_ runner: SweepRunner, limit: Int64) {
    self.runner = runner
    self.limit = Double(limit) / 1e6
    points = PointDecoder(runner.sweep.grid)
  }

  /// Takes a run of a point into account.
  mutating func add(_ run: RunRecord, of point: Int) {
    let time: Double
    if let device = run.deviceMs {
      time = Double(device)
    } else {
      time = (try? runner.sweep.point(point, points))?.scenario.deviceMs(seed: run.key.seed, metrics: run.metrics) ?? 0
    }
    spent += time
    let known = byPoint[point] ?? (0, 0)
    byPoint[point] = (known.sum + time, known.runs + 1)
  }

  /// Whether so many blocks of some points end in time, if each point takes as long as it did on average. One without a run takes what
  /// others do.
  func hasRoom(for points: [Int], blocks: Int) -> Bool { spent + expected(points) * Double(blocks) <= limit }

  /// Why there is no room for a block of some points.
  func note(_ points: [Int]) -> String {
    "the race ends: \(Self.text(spent)) of \(Self.text(limit)) of device time are spent, and the next block, of \(points.count) points, "
      + "would take \(Self.text(expected(points)))"
  }

  private func expected(_ points: [Int]) -> Double {
    let runs = byPoint.values.reduce(0) { $0 + $1.runs }
    let usual = spent / Double(max(1, runs))
    return points.reduce(0) { sum, point in sum + (byPoint[point].map { $0.sum / Double($0.runs) } ?? usual) }
  }

  /// Whole seconds, in the largest unit that shows them shortly.
  private static func text(_ milliseconds: Double) -> String {
    let seconds = (milliseconds / 1000).rounded()
    if seconds < 120 { return "\(Int(seconds))s" }
    let minutes = (seconds / 60).rounded()
    return minutes < 120 ? "\(Int(minutes))min" : "\((minutes / 6).rounded() / 10)h"
  }
}
