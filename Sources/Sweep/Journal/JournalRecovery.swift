// Recovers the runs of an earlier start from a journal: their identity, the damage, and a replay check.

import Analysis
import Base
import Synchronization

struct JournalRecovery {
  /// The number of points that repeat one run if another build wrote the journal.
  private static let checkLimit = 512
  /// The number of points that repeat one run if this build wrote the journal. It detects a model version that was not raised.
  private static let probeCount = 2
  /// The most runs with impossible results that notes name.
  private static let namedLimit = 5

  /// The identity of the runs' sweep and program; nil if the journal has none.
  private(set) var identity: SweepIdentity?
  private(set) var size = 0
  /// True if `KeptResults` can read the journal.
  private var isDescribed = false
  private(set) var notes: [String] = []
  private var reader: JournalReader?
  private var runCount = 0
  /// True if an earlier version of the program wrote the identity of the runs, which this one cannot compare.
  private var isOfEarlierIdentity = false
  private let path: String

  /// Reads a journal and checks every record. A missing or discarded journal is empty.
  /// - Throws: `OutputProblem` if the journal cannot be read.
  init(path: String, isFresh: Bool) throws(OutputProblem) {
    self.path = path
    guard !isFresh, SystemFile.exists(path) else { return }
    let reader = try JournalReader(path: path)
    reader.forEach { payload, _ in
      if RecordCoding.isRun(payload) {
        runCount += 1
      } else if let record = RecordCoding.record(payload) {
        if case .identity(let json) = record {
          identity = SweepIdentity(json: json)
          isOfEarlierIdentity = identity == nil
        }
        if case .description = record { isDescribed = true }
      }
    }
    if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    self.reader = reader
    size = reader.endOfRecords
    notes = reader.damages.map { bytes, isTorn in
      isTorn
        ? "\(path): byte \(bytes.lowerBound): the last record is incomplete and ignored; its run is repeated"
        : "\(path): bytes \(bytes.lowerBound) to \(bytes.upperBound - 1): damaged; the runs in it are repeated"
    }
  }

  /// Refuses unreadable runs and, unless `isResumedAnyway`, runs of another identity.
  /// - Throws: `Refusal` if the runs belong to another sweep or program.
  func check(
    _ now: SweepIdentity, _ sweep: ResolvedSweep, folder: String, isResumedAnyway: Bool = false, isOfOtherShard: Bool = false
  ) throws(Refusal) {
    guard runCount > 0, !isResumedAnyway else { return }
    let choice =
      isOfOtherShard
      ? "or run that shard again with this program and sweep, and --fresh"
      : "keep what still fits with --resume-anyway, discard it with --fresh, or name another folder with --output"
    let report = isDescribed && KeptResults.isIn(folder) ? "; \(Program.name) report makes results of them, with its own --output" : ""
    if isOfEarlierIdentity {
      throw Refusal(
        "\(folder): holds \(runCount) runs of an earlier version of the program; finish them with that program, \(choice)\(report)",
        isOfOlderRuns: true)
    }
    guard let identity else {
      throw Refusal("\(folder): the head of its journal is damaged, so the origin of its \(runCount) runs is unknown; \(choice)")
    }
    let changes = now.changes(since: identity, in: sweep)
    guard changes.isEmpty else {
      throw Refusal(
        "\(folder): holds \(runCount) runs made with other settings: \(changes.joined(separator: "; ")); \(choice)\(report)",
        isOfOlderRuns: true)
    }
  }

  /// Adds the journal's runs of a shard to `kept`, each to all points with its id, and the failed tries.
  /// - Throws: `Refusal` if a run has two different rows, or `isChecked` and the program gives another row.
  mutating func resume(_ kept: inout KeptRuns, _ runner: SweepRunner, shard: Shard, isChecked: Bool) throws {
    guard let reader, size > 0 else { return }
    let pointCount = runner.sweep.pointCount
    if !kept.ids.contains(where: { $0 != 0 }) { kept.ids = Self.ids(of: runner, shard: shard) }
    // Points with the same scenario share an id: `first` has the first of them, `next` the following one.
    var (first, next): ([UInt64: Int], [Int: Int]) = ([:], [:])
    for point in kept.ids.indices.reversed() where kept.ids[point] != 0 { next[point] = first.updateValue(point, forKey: kept.ids[point]) }
    let isOtherBuild = identity?.build != runner.build
    let limit = isOtherBuild ? Self.checkLimit : Self.probeCount
    let step = max(1, (pointCount + limit - 1) / limit)
    var (chosen, last): ([Int: PointRun], PointRun?) = ([:], nil)
    var impossible: [(index: Int, text: String)] = []
    // Runs that another sweep file measured may lack metrics of this one, and are repeated.
    var isMeasured = true
    try reader.forEach(isTrusting: reader.damages.isEmpty) { payload, record in
      let found = RecordCoding.record(payload)
      if case .identity(let json)? = found {
        isMeasured = SweepIdentity(json: json)?.hasMetrics(of: runner.sweep) ?? runner.sweep.metrics.isEmpty
      }
      guard isMeasured, case .run(let run)? = found, case let key = run.key, (1...runner.lastRepetition).contains(key.repetition),
        key.seed == runner.sweep.seed(of: key.repetition)
      else { return }
      var points: [Int] = []
      var candidate = first[key.point]
      while let point = candidate {
        if shard.contains(kept.index(point, key.repetition)) { points.append(point) }
        candidate = next[point]
      }
      guard let metrics = run.metrics else { return kept.addFailure(run, of: points) }
      for point in points {
        let index = kept.index(point, key.repetition)
        if !runner.executor.isRepeatable, let violation = metrics.impossible {
          impossible.append((index, "point \(key.pointText), repetition \(key.repetition): \(violation)"))
          continue
        }
        if let known = kept.records[index] {
          let earlier = try JournalReader(path: path, pieceSize: 1 << 9).record(at: known)
          guard case .run(let earlier)? = earlier, let before = earlier.metrics,
            Self.values(before, of: runner) == Self.values(metrics, of: runner)
          else {
            throw Refusal(
              "\(path): point \(key.pointText), repetition \(key.repetition), occurs twice with different rows; "
                + "repeat all runs with --fresh")
          }
        } else {
          kept.add(run, of: point, at: record)
        }
        last = (point, run)
        if chosen[point / step] == nil, chosen.count < limit { chosen[point / step] = last }
      }
    }
    if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    // Runs with impossible results, kept by a program that did not check them, are repeated.
    let repeated = impossible.filter { kept.records[$0.index] == nil }
    let more = repeated.count - Self.namedLimit
    notes += repeated.prefix(Self.namedLimit).map { "\(path): \($0.text); the run is repeated" }
    if more > 0 { notes.append("\(path): and \(more) more runs with impossible results") }
    // Runs of a device cannot be repeated.
    guard isChecked, runner.executor.isRepeatable else { return }
    var again = chosen.keys.sorted().compactMap { chosen[$0] }
    if let last, !again.contains(where: { $0.run.key == last.run.key }) { again.append(last) }
    try replay(again, runner, isOtherBuild: isOtherBuild)
  }

  private typealias PointRun = (point: Int, run: FinishedRun)

  private static func values(_ metrics: RunMetrics, of runner: SweepRunner) -> RunMetrics {
    var values = metrics
    for metric in runner.schema.offered where !runner.schema.further.contains(metric) { values[metric] = nil }
    return values
  }

  /// - Throws: `Refusal` if a repeated run gives another row.
  private mutating func replay(_ runs: [PointRun], _ runner: SweepRunner, isOtherBuild: Bool) throws(Refusal) {
    let same = WorkerPool.run(runs.count, threads: runner.jobs, worker: { PointDecoder(runner.sweep.grid) }) { number, points in
      guard let point = try? runner.sweep.point(runs[number].point, points),
        case .metrics(let metrics) = runner.outcome(of: point, repetition: runs[number].run.key.repetition)
      else { return true }
      return metrics == runs[number].run.metrics.map { Self.values($0, of: runner) }
    }
    if same < runs.count {
      let who = isOtherBuild ? "another build of the program wrote these runs; this one" : "the program now"
      throw Refusal(
        "\(path): \(who) gives another row for point \(runs[same].run.key.pointText), repetition \(runs[same].run.key.repetition), though "
          + "the version of its model is still \(Program.modelVersion); repeat all runs with --fresh, keep them with "
          + "--resume-anyway, or name another folder with --output")
    }
    if isOtherBuild, !runs.isEmpty {
      notes.append(
        "\(path): another build of the program wrote these runs; \(runs.count) of them, of as many points, were repeated and are the same")
    }
  }

  /// Returns the ids of a shard's points, computed on all cores; 0 for invalid and other points. O(points of the shard).
  private static func ids(of runner: SweepRunner, shard: Shard) -> [UInt64] {
    let (sweep, pointCount) = (runner.sweep, runner.sweep.pointCount)
    // The first `pointCount` runs of a shard visit all of its points.
    let count = min(shard.size(of: runner.total), pointCount)
    let ids = Mutex([UInt64](repeating: 0, count: pointCount))
    let piece = 256
    WorkerPool.run((count + piece - 1) / piece, threads: runner.jobs, worker: { PointDecoder(sweep.grid) }) { number, decoder in
      let orders = number * piece..<min(count, (number + 1) * piece)
      let points = orders.map { count == pointCount ? $0 : (shard.index + $0 * shard.count) % pointCount }
      let found = points.map { (try? sweep.id($0, decoder)) ?? 0 }
      ids.withLock { ids in for (point, id) in zip(points, found) { ids[point] = id } }
      return true
    }
    return ids.withLock { $0 }
  }
}
