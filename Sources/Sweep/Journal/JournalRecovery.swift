// What an earlier start left in a journal: its runs, what they belong to, and what of it is damaged.

import Analysis
import Import
import Synchronization

struct JournalRecovery {
  /// Of so many points one run is made again where another build of the program kept them, …
  private static let checkLimit = 512
  /// … and of so many where it was this one: the version of the model says what its author knew, a row what is so.
  private static let probeCount = 2
  /// So many runs with impossible results are named.
  private static let namedLimit = 5

  /// What the runs belong to; nil if that is not known.
  private(set) var identity: SweepIdentity?
  private(set) var size = 0
  /// What the owner should know, a line each.
  private(set) var notes: [String] = []
  private var reader: JournalReader?
  private var runCount = 0
  /// The records of version 1, which cannot be read.
  private var earlierCount = 0
  private let path: String

  /// Reads a whole journal once and checks every record. One that is not there, or is thrown away, is empty.
  /// - Throws: `OutputProblem` if the journal cannot be read.
  init(path: String, isFresh: Bool) throws(OutputProblem) {
    self.path = path
    guard !isFresh, SystemFile.exists(path) else { return }
    let reader = try JournalReader(path: path)
    reader.forEach { payload, _ in
      if RecordCoding.isRun(payload) {
        runCount += 1
      } else if RecordCoding.isOfVersion1(payload) {
        earlierCount += 1
      } else if case .identity(let json)? = RecordCoding.record(payload) {
        identity = SweepIdentity(json: json)
      }
    }
    if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    self.reader = reader
    size = reader.endOfRecords
    notes = reader.damages.map { bytes, isTorn in
      isTorn
        ? "\(path): byte \(bytes.lowerBound): the last record was cut short and is dropped; its run is made again"
        : "\(path): bytes \(bytes.lowerBound) to \(bytes.upperBound - 1): damaged; the runs that stood there are made again"
    }
  }

  /// Refuses runs that cannot be read and, where `isResumedAnyway` is false, runs that belong to something else.
  /// - Throws: `Refusal` if the runs are of an earlier version of the journal, or belong to another sweep or program.
  func check(_ now: SweepIdentity, _ sweep: ResolvedSweep, folder: String, isResumedAnyway: Bool) throws(Refusal) {
    guard earlierCount == 0 else {
      throw Refusal(
        "\(folder): an earlier version of the program kept \(earlierCount) runs, which this one cannot read; end them with that program, "
          + "throw them away with --fresh, or name another folder with --output")
    }
    guard runCount > 0, !isResumedAnyway else { return }
    let choice = "take what still fits with --resume-anyway, throw it away with --fresh, or name another folder with --output"
    guard let identity else {
      throw Refusal(
        "\(folder): the head of its journal is damaged, so that it is not known what its \(runCount) runs belong to; "
          + choice)
    }
    let changes = now.changes(since: identity, in: sweep)
    guard changes.isEmpty else {
      throw Refusal("\(folder): holds \(runCount) runs made with other settings: \(changes.joined(separator: "; ")); \(choice)")
    }
  }

  /// Adds the runs of a shard to those that are known, each at all of its points' places in the grid, and the failed tries.
  ///
  /// - Throws: `Refusal` if a run stands there twice with different rows, or if `isChecked` and the program does not give the rows that were
  ///   kept.
  mutating func resume(_ kept: inout KeptRuns, _ runner: SweepRunner, shard: Shard, isChecked: Bool) throws {
    guard let reader, size > 0 else { return }
    let pointCount = runner.sweep.pointCount
    kept.ids = Self.ids(of: runner, shard: shard)
    // Points that resolve to the same scenario share an id: the first of them, and by place the next with its id.
    var (first, next): ([UInt64: Int], [Int: Int]) = ([:], [:])
    for place in kept.ids.indices.reversed() where kept.ids[place] != 0 {
      next[place] = first.updateValue(place, forKey: kept.ids[place])
    }
    let isOtherBuild = identity?.build != runner.build
    let limit = isOtherBuild ? Self.checkLimit : Self.probeCount
    let step = max(1, (pointCount + limit - 1) / limit)
    var (chosen, last): ([Int: PointRun], PointRun?) = ([:], nil)
    var impossible: [(index: Int, text: String)] = []
    try reader.forEach(isTrusting: reader.damages.isEmpty) { payload, record in
      guard case .run(let run)? = RecordCoding.record(payload), case let key = run.key,
        (1...runner.lastRepetition).contains(key.repetition), key.seed == runner.sweep.seed(of: key.repetition)
      else { return }
      var places: [Int] = []
      var place = first[key.point]
      while let point = place {
        if shard.contains(kept.index(point, key.repetition)) { places.append(point) }
        place = next[point]
      }
      guard let metrics = run.metrics else { return kept.addFailure(run, of: places) }
      for point in places {
        let index = kept.index(point, key.repetition)
        if runner.executor != nil, let violation = RunRow.impossible(metrics) {
          impossible.append((index, "point \(key.pointText), repetition \(key.repetition): \(violation)"))
          continue
        }
        if let known = kept.records[index] {
          let earlier = try JournalReader(path: path, pieceSize: 1 << 9).record(at: known)
          guard case .run(let earlier)? = earlier, earlier.metrics == metrics else {
            throw Refusal(
              "\(path): point \(key.pointText), repetition \(key.repetition), stands there twice with different rows; "
                + "make all runs again with --fresh")
          }
        } else {
          kept.add(run, of: point, at: record)
        }
        last = PointRun(point: point, run: run)
        if chosen[point / step] == nil, chosen.count < limit { chosen[point / step] = last }
      }
    }
    if let refusal = reader.refusal { throw OutputProblem(path: path, problem: refusal) }
    noteImpossible(impossible.filter { kept.records[$0.index] == nil }.map(\.text))
    // What a device measured cannot be made again.
    guard isChecked, runner.executor == nil else { return }
    var again = chosen.keys.sorted().compactMap { chosen[$0] }
    if let last, !again.contains(where: { $0.run.key == last.run.key }) { again.append(last) }
    try replay(again, runner, isOtherBuild: isOtherBuild)
  }

  private struct PointRun {
    var point: Int
    var run: FinishedRun
  }

  /// - Throws: `Refusal` if a journalled run does not come out the same.
  private mutating func replay(_ runs: [PointRun], _ runner: SweepRunner, isOtherBuild: Bool) throws(Refusal) {
    let same = WorkerPool.run(runs.count, threads: runner.jobs, worker: { PointDecoder(runner.sweep.grid) }) { number, points in
      guard let prepared = try? runner.sweep.point(runs[number].point, points),
        case .metrics(let metrics) = runner.outcome(of: prepared.scenario, repetition: runs[number].run.key.repetition)
      else { return true }
      return metrics == runs[number].run.metrics
    }
    if same < runs.count {
      let who = isOtherBuild ? "another build of the program kept these runs; this one" : "the program now"
      throw Refusal(
        "\(path): \(who) gives another row for point \(runs[same].run.key.pointText), repetition \(runs[same].run.key.repetition), though "
          + "the version of its model is still \(Program.modelVersion); make all runs again with --fresh, take them all the same with "
          + "--resume-anyway, or name another folder with --output")
    }
    if isOtherBuild, !runs.isEmpty {
      notes.append(
        "\(path): another build of the program kept these runs; \(runs.count) of them, of as many points, were made again and are the same")
    }
  }

  /// Names runs that a program which did not check its devices' results kept, and that are made again.
  private mutating func noteImpossible(_ runs: [String]) {
    notes += runs.prefix(Self.namedLimit).map { "\(path): \($0); the run is made again" }
    if runs.count > Self.namedLimit { notes.append("\(path): and \(runs.count - Self.namedLimit) more runs with impossible results") }
  }

  /// The ids of the points that a shard meets, worked out on all cores; 0 for one that is no valid scenario or is not met. O(points met).
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
