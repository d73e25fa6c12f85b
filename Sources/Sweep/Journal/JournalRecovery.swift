// What an earlier start left in a journal: its runs, what they belong to, and what of it is damaged.

import Analysis
import Import
import Synchronization

/// A journal as an earlier start left it.
struct JournalRecovery {
  /// Of so many points one run is made again where another build of the program kept them, …
  private static let checkLimit = 512
  /// … and of so many where it was this one.
  private static let probeCount = 2
  /// So many runs with impossible results are named.
  private static let namedLimit = 5

  /// What the runs belong to; nil if that is not known.
  private(set) var identity: SweepIdentity?
  /// Where its last whole record ends.
  private(set) var size = 0
  /// What the owner should know, a line each.
  private(set) var notes: [String] = []
  /// Whether nothing is damaged, its end included.
  private var isWhole = true
  private var runCount = 0
  private var path = ""

  /// No journal.
  init() {}

  /// Reads a whole journal once and checks every record. One that is not there is empty.
  init(path: String, folder: String) throws(OutputProblem) {
    guard SystemFile.exists(path) else { return }
    self.path = path
    let reader = try JournalReader(path: path)
    var (identity, runCount): (SweepIdentity?, Int) = (nil, 0)
    let isRead = reader.forEach { payload, _ in
      if let json = RecordCoding.identity(payload) { identity = SweepIdentity(json: json) }
      if RecordCoding.runKey(payload) != nil { runCount += 1 }
    }
    guard isRead else { throw OutputProblem(path: folder, problem: SystemFile.message) }
    (self.identity, self.runCount) = (identity, runCount)
    size = reader.endOfRecords
    isWhole = reader.damages.isEmpty
    notes = reader.damages.map { damage in
      damage.isTorn
        ? "\(path): byte \(damage.offset): the last record was cut short and is dropped; its run is made again"
        : "\(path): bytes \(damage.offset) to \(damage.offset + damage.count - 1): damaged; the runs that stood there are made again"
    }
  }

  /// Refuses runs that belong to something else.
  func check(_ now: SweepIdentity, _ sweep: SweepFile, folder: String) throws(Refusal) {
    guard runCount > 0 else { return }
    let choice = "take what still fits with --resume-anyway, throw it away with --fresh, or name another folder with --output"
    guard let identity else {
      throw Refusal("\(folder): the head of its journal is damaged, so that it is not known what its \(runCount) runs belong to; \(choice)")
    }
    let changes = now.changes(since: identity, in: sweep)
    guard changes.isEmpty else {
      throw Refusal("\(folder): holds \(runCount) runs of something else: \(changes.joined(separator: "; ")); \(choice)")
    }
  }

  /// Calls `body` for each kept run of a shard, at each of its places in the grid, in the order of the journal; `fail` for each failed try.
  /// Returns the ids of the shard's points, by place; 0 for one that is no valid scenario or is not met.
  ///
  /// - Throws: `Refusal` if `isChecked` and the program does not give the rows that were kept, `OutputProblem`.
  mutating func resume(
    _ runner: SweepRunner, shard: Shard, isChecked: Bool,
    run body: (_ point: Int, _ run: RunRecord, JournalPlace) throws -> Void, failure fail: (_ points: [Int], FailureRecord) -> Void
  ) throws -> [UInt64] {
    let (sweep, pointCount) = (runner.sweep, runner.sweep.pointCount)
    guard runCount > 0 || size > 0 else { return [UInt64](repeating: 0, count: pointCount) }
    let ids = Self.ids(of: runner, shard: shard)
    let places = PointPlaces(ids)
    let isOtherBuild = identity?.build != runner.build
    var check = ReplayCheck(limit: isOtherBuild ? Self.checkLimit : Self.probeCount, pointCount: pointCount)
    var impossible: [(index: Int, text: String)] = []
    var made: Set<Int> = []
    let isRead = try JournalReader(path: path).forEach(isTrusting: isWhole) { payload, place in
      guard let record = RecordCoding.record(payload), let key = record.key, (1...runner.lastRepetition).contains(key.repetition),
        key.seed == sweep.seed(of: key.repetition)
      else { return }
      var points: [Int] = []
      places.forEach(of: key.point) { point in
        if shard.contains((key.repetition - 1) * pointCount + point) { points.append(point) }
      }
      switch record {
      case .identity: break
      case .failure(let failure): if !points.isEmpty { fail(points.sorted(), failure) }
      case .run(let run):
        for point in points {
          if runner.maker != nil {
            let index = (key.repetition - 1) * pointCount + point
            if let violation = RunRow.impossible(run.metrics) {
              impossible.append((index, "point \(key.pointText), repetition \(key.repetition): \(violation)"))
              continue
            }
            made.insert(index)
          }
          try body(point, run, place)
          check.offer(run, of: point)
        }
      }
    }
    guard isRead else { throw OutputProblem(path: path, problem: SystemFile.message) }
    noteImpossible(impossible.filter { !made.contains($0.index) }.map(\.text))
    // What a device measured cannot be made again.
    if isChecked, runner.maker == nil { try replay(check, runner, isOtherBuild: isOtherBuild) }
    return ids
  }

  private mutating func replay(_ check: ReplayCheck, _ runner: SweepRunner, isOtherBuild: Bool) throws(Refusal) {
    if let failure = check.firstFailure(runner) {
      let who = isOtherBuild ? "another build of the program kept these runs; this one" : "the program now"
      throw Refusal(
        "\(path): \(who) gives another row for point \(failure.pointText), repetition \(failure.repetition), though the version of its "
          + "model is still \(Program.modelVersion); make all runs again with --fresh, take them all the same with --resume-anyway, or name "
          + "another folder with --output")
    }
    let count = check.runs.count
    if isOtherBuild, count > 0 {
      notes.append(
        "\(path): another build of the program kept these runs; \(count) of them, of as many points, were made again and are the same")
    }
  }

  /// Names runs that a program which did not check its devices' results kept, and that are made again.
  private mutating func noteImpossible(_ runs: [String]) {
    notes += runs.prefix(Self.namedLimit).map { "\(path): \($0); the run is made again" }
    if runs.count > Self.namedLimit { notes.append("\(path): and \(runs.count - Self.namedLimit) more runs with impossible results") }
  }

  /// The ids of the points that a shard meets, worked out on all cores. O(points met).
  private static func ids(of runner: SweepRunner, shard: Shard) -> [UInt64] {
    let (sweep, pointCount) = (runner.sweep, runner.sweep.pointCount)
    // Each of the shard's runs meets a point; after so many of them there are no new ones.
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
