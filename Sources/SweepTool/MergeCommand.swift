// `merge`: reads the folders of all shards and writes the results of the whole sweep.

import Analysis
import Base
import Sweep

struct MergeCommand: Command {
  static let name = "merge"
  static let summary = "Combines the shards of a sweep."
  static let help = CommandHelp(
    synopsis: "FOLDER … [options]", operand: "FOLDER …",
    text: [
      "Reads the folders that `run --shard I/N` wrote, in any order, and writes the results of the whole sweep, byte for byte as one `run` "
        + "writes them. Failed runs are left out and listed in failures.csv, and the exit status is then 1. If the sweep has `confirm`, the "
        + "best points then run again on new seeds; runs that an earlier start kept in the output folder are reused.",
      "Refused with status 2: missing or unfinished shards, runs that two folders have with different rows, folders of different programs or "
        + "sweeps, and an output folder that is one of the shards.",
    ],
    groups: .options([
      .value("--output", "FOLDER", "The folder of the results. Default: Results/NAME, by the sweep's name."),
      WinnerFile.option, HistoryTarget.option, HistoryTarget.commitOption,
      .value("--sweep", "FILE", "The sweep file, if `confirm` or --write-winner needs it and it is not where the shards had it."),
      .value("--jobs", "N", "Number of threads for `confirm`. Default: one per core."),
      .flag("--any-build", "Accepts shards of different builds of the program that have the same model version."), .quiet,
    ]))

  private let arguments: Arguments
  private let paths: [String]
  private let jobs: Int

  /// - Throws: `UsageProblem` if no folder is named, or the number of jobs is out of range.
  init(_ arguments: Arguments) throws {
    guard !arguments.words.isEmpty else { throw UsageProblem("no folder was named; write those of all shards") }
    self.arguments = arguments
    paths = arguments.words.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    jobs = try arguments.jobs()
  }

  /// - Throws: `Refusal` or `InvalidInput` if shards do not fit, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus {
    let started = Date()
    let merge = try ShardMerge(folders: paths, isAnyBuild: arguments.has("--any-build"))
    guard arguments.has("--output") || ResultsFolder.isName(merge.description.name) else {
      throw Refusal("\(paths[0])/sweep.json: name: \(quoted(merge.description.name)) is no name for a folder; name one with --output")
    }
    let path = arguments.value("--output") ?? ResultsFolder.path(ofSweep: merge.description.name)
    if let shard = paths.first(where: { SystemFile.isSame($0, path) }) {
      let what = merge.isShard(shard) ? "the shard \(shown(shard))" : "\(shown(shard)), the results of a whole sweep and no shard"
      throw UsageProblem("--output: \(shown(path)) is \(what); name another folder")
    }
    Interruption.install()
    let runner = try runner(merge)
    let winner = try runner.flatMap {
      try WinnerFile(arguments, of: $0.sweep, overrides: merge.description.source?.overrides ?? SweepOverrides(), folder: path)
    }
    let history = try HistoryTarget(arguments)
    do {
      return try ResultsFolder.with(path, writes: Publication.fileNames, beside: arguments.outputs, fault: arguments.fault) { folder in
        if merge.hasRounds, let runner { return try mergeRounds(runner, merge, folder, winner, history, since: started) }
        let confirming = merge.description.confirm == nil ? nil : runner
        // The journal holds the folder's lock, too.
        let journal = try confirming.map { try JournaledSweep($0, folder: folder) }
        let lock = journal == nil ? try folder.lock() : nil
        defer { withExtendedLifetime(lock) {} }
        let publication = Publication(folder: folder, description: merge.description, standardInput: merge.standardInput)
        let summary = try publication.addTables(of: merge) { try confirm($0, journal) }
        if journal == nil { folder.remove([RunWriter.confirmationName]) }
        var manifest = Manifest(runs: merge.total, started: started)
        manifest.merged(paths)
        manifest.failedRuns = merge.failedCount > 0 ? merge.failedCount : nil
        try publication.publish(manifest, merge.failedRuns)
        if let summary { try history?.add(summary, merge.description, folder: path) } else { publication.removeTables() }
        let isGood = close(summary, merge, publication, since: started)
        guard let winner, let summary else { return isGood }
        return try winner.close(summary, isQuiet: arguments.has("--quiet")) ? isGood : .failed
      }
    } catch is Interrupted { throw Interrupted(message: "stopped; no table was written, and the shards are as they were") }
  }

  /// Publishes a search from the shards' journals, as `run` does.
  /// - Throws: `Refusal` if a journal is missing, what `run` throws otherwise.
  private func mergeRounds(
    _ runner: SweepRunner, _ merge: ShardMerge, _ folder: ResultsFolder, _ winner: WinnerFile?, _ history: HistoryTarget?,
    since started: Date
  ) throws -> ExitStatus {
    let sweep = try JournaledSweep(runner, folder: folder)
    for path in paths where try !sweep.copyRuns(from: path, isAnyBuild: arguments.has("--any-build")) {
      throw Refusal("\(path): holds no \(ResultsFolder.journalName), from which a search is merged; copy it too")
    }
    let publication = Publication(folder: folder, description: merge.description, standardInput: merge.standardInput)
    return try SweepJob(
      sweep: sweep, publication: publication, isShard: false, progress: .none,
      isQuiet: arguments.has("--quiet"), started: started, shards: paths, winner: winner, history: history
    ).run()
  }

  private func close(_ summary: SweepSummary?, _ merge: ShardMerge, _ publication: Publication, since started: Date) -> ExitStatus {
    let isGood =
      summary.map { arguments.has("--quiet") || publication.close(publication.closing($0, runs: merge.total, since: started)) } ?? true
    guard merge.failedCount > 0 else { return isGood ? .good : .failed }
    publication.sayFailed(
      merge.failedCount, of: merge.total, hasTables: summary != nil, remedy: "the commands of the shards, without --fresh, try them again")
    return .failed
  }

  /// Returns a runner of the sweep, for new seeds or the winner's settings; nil if neither is asked for.
  /// - Throws: `Refusal` or `InvalidInput` if the sweep file cannot be read, or is not the shards' own.
  private func runner(_ merge: ShardMerge) throws -> SweepRunner? {
    let isConfirmed = merge.description.confirm != nil
    guard isConfirmed || merge.hasRounds || arguments.has("--write-winner") else { return nil }
    let (named, source) = (arguments.value("--sweep"), merge.description.source)
    let overrides = source?.overrides ?? SweepOverrides()
    let needed =
      if merge.hasRounds {
        "merge: a search is merged with its sweep file; name it with --sweep"
      } else if isConfirmed {
        "merge: the best points run again on new seeds, for which the sweep file is needed; name it with --sweep"
      } else {
        "--write-winner: needs the sweep file of the shards; name it with --sweep"
      }
    let kept = merge.standardInput.map { InputFile(name: InputFile.standardInputName, bytes: $0) }
    guard let path = named ?? source?.file, path != ResolvedSweep.keptInputName || named != nil || kept != nil else {
      throw Refusal(needed)
    }
    let file: ResolvedSweep
    do {
      file =
        if named == nil, let kept {
          try ResolvedSweep(file: kept, overrides: overrides, prefetchers: arguments.prefetchers)
        } else {
          try ResolvedSweep(path: path, overrides: overrides, prefetchers: arguments.prefetchers)
        }
    } catch {
      throw named == nil ? Refusal("\(needed)\n\(error)") : error as any Error
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
