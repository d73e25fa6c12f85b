// A sweep over a results folder: what is in its journal is taken, what is missing is run, and the tables are made from all of it.

import Analysis

/// What to do with runs that an earlier start left behind.
public enum ResumeRule: Sendable {
  /// Take them; refuse if scenario or program have changed.
  case resume
  /// Take those that still fit, whatever has changed.
  case resumeAnyway
  /// Throw them away.
  case fresh
}

/// A sweep that can be stopped at any moment and gone on with. It holds the folder's lock for as long as it lives.
public final class JournaledSweep: RowSequence {
  /// A run that failed at this start.
  public struct Failure: Sendable {
    /// Its point's place in the grid.
    public var pointIndex: Int
    /// Its point's id; nil for a point that is no valid scenario.
    public var point: String?
    /// From 1.
    public var repetition: Int
    /// The repetition's seed.
    public var seed: UInt64
    /// Why.
    public var reason: String
  }

  /// The most failures that are listed; all are counted, and each is in the journal.
  public static let failureLimit = 10_000
  /// The folder inside a results folder that is not for readers.
  static let folderName = ".journal"

  /// What runs.
  public let runner: SweepRunner
  /// Which part of it.
  public let shard: Shard
  /// What was found in the folder that its owner should know, a line each.
  public private(set) var notes: [String] = []
  /// How many repetitions, from the first on, all points have; known once `run` has returned.
  public private(set) var completeRepetitions = 0
  /// Runs that were done before this start.
  public let resumedCount: Int
  /// Runs of this shard.
  public var total: Int { shard.size(of: runner.total) }

  private let path: String
  private let lock: AnyObject
  private let journal: Journal
  private let done: RunSet
  private let isVerified: Bool
  private let tally: RunTally

  /// Takes the folder's lock, reads its journal and decides what is left to run.
  ///
  /// - Throws: `Refusal` where another process holds the folder, or its runs belong to something else; `OutputProblem`.
  public init(_ runner: SweepRunner, shard: Shard = .whole, folder: ResultsFolder, rule: ResumeRule = .resume) throws {
    self.runner = runner
    self.shard = shard
    lock = try folder.lock()
    let inner = "\(folder.path)/\(Self.folderName)"
    path = "\(inner)/runs"
    var found = rule == .fresh ? FoundJournal() : try FoundJournal(path: path, folder: folder.path)
    let identity = SweepIdentity(runner.sweep, build: runner.build)
    if rule == .resume { try found.check(identity, runner.sweep, folder: folder.path) }
    let resumed = try found.resumed(runner, shard: shard, isChecked: rule == .resume)
    notes = found.notes
    isVerified = found.damages.isEmpty
    done = resumed.done
    resumedCount = resumed.done.count
    journal = try Journal(path: path, folder: folder.path, size: found.size)
    tally = RunTally(journal: journal, ids: resumed.ids, done: resumed.done.count)
    if found.identity != identity { try journal.append(.identity(identity.json)) }
    try journal.sync()
    SystemFile.syncFolder(inner)
    SystemFile.syncFolder(folder.path)
  }

  /// Runs that are done and failed so far.
  public var progress: SweepRunner.Progress {
    let (done, failed) = tally.counts
    return SweepRunner.Progress(done: done, total: total, failed: failed, resumed: resumedCount)
  }

  /// The failures of this start in the order of the table, at most `failureLimit`.
  public var failures: [Failure] {
    tally.failures.sorted { ($0.pointIndex, $0.repetition) < ($1.pointIndex, $1.repetition) }
  }

  /// Runs what is missing. Returns when all is done or `isCancelled` says so; then what was in hand has been finished and kept.
  ///
  /// - Throws: `OutputProblem` where runs could no longer be kept.
  public func run(report: (SweepRunner.Progress) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
    if resumedCount == total { return }
    let dealtWith = try runner.run(
      shard: shard, done: done, finish: { [tally] in try tally.take($0) },
      tick: {
        journal.syncIfDue()
        report(progress)
      }, isCancelled: isCancelled)
    try journal.sync()
    completeRepetitions = shard == .whole ? dealtWith / runner.sweep.pointCount : 0
  }

  /// Hands on all rows in the order of the table: by point, then by repetition.
  ///
  /// - Throws: `Refusal` where the journal does not hold what it held, and whatever `receive` throws.
  public func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    let done = tally.counts.done
    let size = SystemFile.size(path)
    let sorter = RowSorter(
      path: path, sweep: runner.sweep, repeats: runner.repeats, shard: shard, places: PointPlaces(tally.ids), size: size,
      isVerified: isVerified)
    let count = try sorter.forEach(receive)
    if count < done { throw Refusal("\(path): has \(count) rows where \(done) were kept; start again, what is missing will be run") }
  }
}
