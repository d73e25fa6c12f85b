// `merge`: the folders of shards in, the tables of the whole sweep out.

import Analysis
import Import
import Sweep

struct MergeCommand: Command {
  static let name = "merge"
  static let summary = "Puts the shards of a sweep together."
  static let options: [Option] = [.value("--output"), .value("--sweep"), .value("--jobs"), .flag("--any-build"), .flag("--quiet")]
  static let usage = """
    usage: prefetch-sweep merge FOLDER … [options]

    Reads the folders that `run --shard I/N` wrote, in any order, and writes what one `run` of the whole sweep would have written,
    byte for byte. Runs that failed are left out and listed in failures.csv, and the exit status is then 1. Refused with status 2: a
    shard that is missing or has not ended, runs that stand in two folders with different rows, folders of different programs or
    sweeps, and an output folder that is one of the shards. Where the sweep file says `confirm`, the best points
    then run on fresh seeds; runs that an earlier start kept in the output folder are taken.

      --output FOLDER    where results go; by default Results/<sweep>
      --sweep FILE       the sweep file, where `confirm` needs it and it is not where the shards had it
      --jobs N           threads for `confirm`; by default one a core
      --any-build        takes shards that different builds of the program made, as long as the version of its model is the same
      --quiet            no closing table
    """

  private let paths: [String]
  private let output: String?
  private let isAnyBuild: Bool
  private let isQuiet: Bool
  private let sweep: String?
  private let jobs: Int
  private let prefetchers: PrefetcherCatalogue

  /// - Throws: `UsageProblem` if no folder is named, or the number of jobs is out of range.
  init(_ arguments: Arguments) throws {
    guard !arguments.words.isEmpty else { throw UsageProblem(description: "no folder was named; write those of all shards") }
    paths = arguments.words.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    output = arguments.value("--output")
    isAnyBuild = arguments.has("--any-build")
    isQuiet = arguments.has("--quiet")
    sweep = arguments.value("--sweep")
    jobs = try arguments.jobs()
    prefetchers = arguments.prefetchers
  }

  /// - Throws: `Refusal` or `InvalidInput` if shards do not fit, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus {
    let started = Date()
    let merge = try ShardMerge(folders: paths, isAnyBuild: isAnyBuild)
    let path = output ?? ResultsFolder.path(ofSweep: merge.description.name)
    if let shard = paths.first(where: { SystemFile.isSame($0, path) }) {
      let what = merge.isShard(shard) ? "the shard \(shown(shard))" : "\(shown(shard)), the results of a whole sweep and no shard"
      throw UsageProblem(description: "--output: \(shown(path)) is \(what); name another folder")
    }
    Interruption.install()
    let folder = try ResultsFolder(path: path)
    do {
      let runner = try confirmingRunner(merge)
      // A journal holds the folder's lock as well.
      let journal = try runner.map { try JournaledSweep($0, folder: folder) }
      let lock = journal == nil ? try folder.lock() : nil
      defer { withExtendedLifetime(lock) {} }
      let publication = Publication(folder: folder, description: merge.description)
      let summary = try publication.addTables(of: merge) { try confirm($0, journal) }
      if journal == nil { folder.remove(RunWriter.confirmationName) }
      try publication.publish(Manifest(merge, shards: paths.count, started: started), merge.failedRuns)
      if summary == nil { publication.removeTables() }
      return close(summary, merge, publication)
    } catch is Interrupted {
      folder.discard()
      printError("stopped; no table was written, and the shards are as they were")
      return Interruption.status
    } catch {
      folder.discard()
      throw error
    }
  }

  private func close(_ summary: SweepSummary?, _ merge: ShardMerge, _ publication: Publication) -> ExitStatus {
    let isGood = summary.map { isQuiet || publication.close([publication.closing($0)]) } ?? true
    guard merge.failedCount > 0 else { return isGood ? .good : .failed }
    publication.sayFailed(
      merge.failedCount, of: merge.total, hasTables: summary != nil, remedy: "the commands of the shards try them again")
    return .failed
  }

  /// What runs the best points again, where the sweep wants that.
  /// - Throws: `Refusal` or `InvalidInput` if the sweep file cannot be read, or is not the shards' own.
  private func confirmingRunner(_ merge: ShardMerge) throws -> SweepRunner? {
    guard merge.description.confirm != nil else { return nil }
    guard let path = sweep ?? merge.source?.path else {
      throw Refusal("merge: the best points run again on fresh seeds, for which the sweep file is needed; name it with --sweep")
    }
    let overrides = merge.source?.overrides ?? SweepFile.Overrides()
    let file: SweepFile
    do { file = try SweepFile(path: path, overrides: overrides, prefetchers: prefetchers) } catch {
      guard sweep == nil else { throw error }
      throw Refusal("merge: the best points run again on fresh seeds, for which the sweep file is needed; name it with --sweep\n\(error)")
    }
    let runner = try SweepRunner(file, jobs: jobs)
    try merge.check(runner, overrides: overrides)
    return runner
  }

  /// - Throws: `Interrupted` after a signal, `Refusal` if a run fails.
  private func confirm(_ ids: [String], _ journal: JournaledSweep?) throws -> JournaledRows? {
    try journal?.confirm(ids, isCancelled: { Interruption.signal != 0 })
    if Interruption.signal != 0 { throw Interrupted() }
    if let failure = journal?.failures.first {
      throw Refusal(
        "merge: point \(failure.id ?? ""), repetition \(failure.repetition), failed on a fresh seed: \(failure.reason)", isFailure: true)
    }
    return journal?.confirmingRows
  }
}
