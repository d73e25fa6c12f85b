// Whether this program still gives the rows that were kept: the version of the model says what its author knew, a row what is so.

/// Kept runs, at most one a point and spread over the grid, that are made again.
struct ReplayCheck {
  private let limit: Int
  private let step: Int
  private var chosen: [Int: (point: Int, run: RunRecord)] = [:]
  private var last: (point: Int, run: RunRecord)?

  /// A check of at most `limit` runs, and of the last of all.
  init(limit: Int, pointCount: Int) {
    self.limit = limit
    step = max(1, (pointCount + limit - 1) / limit)
  }

  /// Takes a kept run into account; the first of each chosen point, and the last of all, are made again.
  mutating func offer(_ run: RunRecord, of point: Int) {
    let slot = point / step
    if chosen[slot] == nil, chosen.count < limit { chosen[slot] = (point, run) }
    last = (point, run)
  }

  /// The kept runs that are made again.
  var runs: [(point: Int, run: RunRecord)] {
    var runs = chosen.keys.sorted().compactMap { chosen[$0] }
    if let last, !runs.contains(where: { $0.run.key == last.run.key }) { runs.append(last) }
    return runs
  }

  /// The first run whose row is another now; nil if all are as they were.
  func firstFailure(_ runner: SweepRunner) -> RunKey? {
    let runs = runs
    let same = WorkerPool.run(runs.count, threads: runner.jobs, worker: { PointDecoder(runner.sweep.grid) }) { number, points in
      let (point, run) = runs[number]
      guard let prepared = try? runner.sweep.point(point, points),
        case .metrics(let metrics) = runner.outcome(of: prepared.scenario, repetition: run.key.repetition)
      else { return true }
      return metrics == run.metrics
    }
    return same < runs.count ? runs[same].run.key : nil
  }
}
