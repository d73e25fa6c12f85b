// What an earlier start left in a journal: its runs, what they belong to, and what of it is damaged.

import Analysis
import Import
import Synchronization

/// A journal as it was found.
struct FoundJournal {
  /// Of so many points one run is made again where another build of the program kept them, …
  private static let trialLimit = 512
  /// … and of so many where it was this one.
  private static let probeCount = 2
  /// So many runs with impossible results are named.
  private static let namedLimit = 5

  /// What the runs belong to; nil if that is not known.
  private(set) var identity: SweepIdentity?
  /// Where its last whole record ends.
  private(set) var size = 0
  /// What is damaged before that.
  private(set) var damages: [JournalDamage] = []
  /// What the owner should know, a line each.
  private(set) var notes: [String] = []
  /// Whether nothing is damaged, its end included.
  private var isWhole = true
  private var runCount = 0
  private var path = ""

  /// No journal.
  package init() {}

  /// Reads a whole journal once and checks every record. One that is not there is empty.
  package init(path: String, folder: String) throws(OutputProblem) {
    guard SystemFile.exists(path) else { return }
    guard let reader = JournalReader(path: path) else { throw OutputProblem(unreadable: path) }
    self.path = path
    var (identity, runCount): (SweepIdentity?, Int) = (nil, 0)
    let isRead = reader.forEach { payload in
      if let json = RecordCoding.identity(payload) { identity = SweepIdentity(json: json) }
      if RecordCoding.runKey(payload) != nil { runCount += 1 }
    }
    guard isRead else { throw OutputProblem(path: folder, problem: SystemFile.message) }
    (self.identity, self.runCount) = (identity, runCount)
    size = reader.endOfRecords
    isWhole = reader.damages.isEmpty
    damages = reader.damages.filter { $0.offset < size }
    for damage in reader.damages {
      let end = damage.offset + damage.count
      notes.append(
        damage.isTorn
          ? "\(path): byte \(damage.offset): the last record was cut short and is dropped; its run is made again"
          : "\(path): bytes \(damage.offset) to \(end - 1): damaged; the runs that stood there are made again")
    }
  }

  /// Refuses runs that belong to something else.
  package func check(_ now: SweepIdentity, _ sweep: SweepFile, folder: String) throws(Refusal) {
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

  /// What is done of a shard, and the ids of its points as far as they had to be worked out.
  ///
  /// - Throws: `Refusal` if `isChecked` and the program does not give the rows that were kept.
  package mutating func resumed(_ runner: SweepRunner, shard: Shard, isChecked: Bool) throws -> (done: RunSet, ids: PointIDs) {
    let pointCount = runner.sweep.pointCount
    var done = RunSet(limit: pointCount * runner.lastRepetition)
    guard runCount > 0 else { return (done, PointIDs(pointCount: pointCount, metCount: shard.size(of: runner.total))) }
    let ids = Self.ids(of: runner, shard: shard)
    let places = PointPlaces(ids)
    let isOtherBuild = identity?.build != runner.build
    var trial = RowTrial(limit: isOtherBuild ? Self.trialLimit : Self.probeCount, pointCount: pointCount)
    guard let reader = JournalReader(path: path) else { throw OutputProblem(unreadable: path) }
    var impossible: [(index: Int, text: String)] = []
    let isRead =
      reader.forEach(isTrusting: isWhole) { payload in
        guard let key = RecordCoding.runKey(payload), (1...runner.lastRepetition).contains(key.repetition),
          key.seed == runner.sweep.seed(of: key.repetition), case .run(let run)? = RecordCoding.record(payload)
        else { return }
        places.forEach(of: key.point) { point in
          let index = (key.repetition - 1) * pointCount + point
          guard shard.contains(index) else { return }
          if runner.maker != nil, let violation = RunRow.impossible(run.metrics) {
            impossible.append((index, "point \(key.pointText), repetition \(key.repetition): \(violation)"))
            return
          }
          done.insert(index)
          trial.offer(run, of: point)
        }
      }
    guard isRead else { throw OutputProblem(path: path, problem: SystemFile.message) }
    noteImpossible(impossible.filter { !done.contains($0.index) }.map(\.text))
    // What a device measured cannot be made again.
    guard isChecked, runner.maker == nil else { return (done, ids) }
    if let failure = trial.firstFailure(runner) {
      let who = isOtherBuild ? "another build of the program kept these runs; this one" : "the program now"
      throw Refusal(
        "\(path): \(who) gives another row for point \(failure.pointText), repetition \(failure.repetition), though the version of its "
          + "model is still \(Program.modelVersion); make all runs again with --fresh, take them all the same with --resume-anyway, or name "
          + "another folder with --output")
    }
    if isOtherBuild, trial.count > 0 {
      notes.append(
        "\(path): another build of the program kept these runs; \(trial.count) of them, of as many points, were made again and are the same"
      )
    }
    return (done, ids)
  }

  /// Names runs that a program which did not check its devices' results kept, and that are made again.
  private mutating func noteImpossible(_ runs: [String]) {
    notes += runs.prefix(Self.namedLimit).map { "\(path): \($0); the run is made again" }
    if runs.count > Self.namedLimit { notes.append("\(path): and \(runs.count - Self.namedLimit) more runs with impossible results") }
  }

  /// The ids of the points that a shard meets, worked out on all cores; none for points that are no valid scenarios. O(points met).
  private static func ids(of runner: SweepRunner, shard: Shard) -> PointIDs {
    let (sweep, pointCount) = (runner.sweep, runner.sweep.pointCount)
    // Each of the shard's runs meets a point; after so many of them there are no new ones.
    let count = min(shard.size(of: runner.total), pointCount)
    let isEvery = count == pointCount
    let ids = Mutex(PointIDs(pointCount: pointCount, metCount: count))
    let piece = 256
    WorkerPool.run((count + piece - 1) / piece, threads: runner.jobs, worker: { PointDecoder(sweep.grid) }) { number, decoder in
      let orders = number * piece..<min(count, (number + 1) * piece)
      let points = orders.map { isEvery ? $0 : (shard.index + $0 * shard.count) % pointCount }
      let found = points.map { (try? sweep.id($0, decoder)) ?? 0 }
      ids.withLock { ids in
        for (point, id) in zip(points, found) where id != 0 { ids[point] = id }
      }
      return true
    }
    return ids.withLock { $0 }
  }
}
