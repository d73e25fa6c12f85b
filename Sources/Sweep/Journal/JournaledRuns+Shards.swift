// The runs of other shards of a search: each shard decides the rounds from the rows of all, without a coordinator.

import Base

extension JournaledRuns {
  /// Copies the runs of a batch that other shards have made from their folders, beside this one. Returns the shards that lack some.
  /// - Throws: `Refusal` if a folder belongs to another sweep or program; `OutputProblem` if a journal cannot be read or written.
  func copyOthers(_ batch: RunBatch) throws -> [Int] {
    func lacking() -> [Int] {
      let (records, failed) = (kept.records, failedElsewhere.withLock { $0 })
      let orders = (0..<batch.count).lazy.filter { order in
        let run = batch.index(batch.run(order))
        return order % self.shard.count != self.shard.index && records[run] == nil && !failed.contains(run)
      }
      return Set(orders.map { $0 % self.shard.count }).sorted()
    }
    for other in lacking() { try copyRuns(from: String(folder.dropLast(shard.folderName().count)) + shard.folderName(of: other)) }
    return lacking()
  }

  /// Copies the runs that another folder has and this one lacks; false if that has no journal. A torn end, as of a running shard, is ignored.
  /// - Throws: `Refusal` if the folder belongs to another sweep or program; `OutputProblem` if a journal cannot be read or written.
  @discardableResult func copyRuns(from other: String, isAnyBuild: Bool = false) throws -> Bool {
    let path = "\(other)/\(ResultsFolder.journalName)/runs"
    guard SystemFile.exists(path) else { return false }
    var recovery = try JournalRecovery(path: path, isFresh: false)
    try recovery.check(SweepIdentity(runner.sweep, build: runner.build), runner.sweep, folder: other, isResumedAnyway: false)
    if let build = recovery.identity?.build, build != runner.build, !isAnyBuild {
      throw Refusal(
        "\(other): build \(build) of the program wrote its runs, and this is build \(runner.build); run all shards with one program")
    }
    var found = KeptRuns(runner, shard: .whole)
    (found.keepsTries, found.ids) = (true, try allIDs())
    try recovery.resume(&found, runner, shard: .whole, isChecked: false)
    let (reader, mine) = (try JournalReader(path: path, pieceSize: 1 << 9), kept.records)
    for run in 0..<runner.sweep.pointCount * runner.lastRepetition where mine[run] == nil {
      guard let record = found.records[run], case .run(let finished)? = reader.record(at: record) else { continue }
      try add(finished, of: run % runner.sweep.pointCount)
    }
    failedElsewhere.withLock { failed in
      for attempt in found.tries { failed.formUnion(attempt.points.map { found.index($0, attempt.run.key.repetition) }) }
    }
    try journal.sync()
    return true
  }
}
