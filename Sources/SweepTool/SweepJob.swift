// One start of `run`: makes the missing runs and publishes the results, or explains how to continue.

import Analysis
import Base
import Rendering
import Sweep

struct SweepJob {
  let sweep: JournaledSweep
  let publication: Publication
  let isShard: Bool
  let progress: ProgressDisplay.Mode
  let isQuiet: Bool
  let started: Date
  /// The folders of merged shards; none without a merge.
  var shards: [String] = []
  /// The file for the winner's settings; nil if none is asked for.
  var winner: WinnerFile?
  /// The history that gets the results; nil if none is asked for.
  var history: HistoryTarget?
  /// The arguments of `run`, for the command that continues; nil for `merge`.
  var arguments: Arguments?
  var receive: (SweepSummary, SweepDescription) -> Void = { _, _ in }

  /// - Throws: `InvalidInput` or `Refusal` if a run cannot start, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus {
    let folder = publication.folder
    sweep.notes.forEach(printError)
    if sweep.resumedCount > 0, !isQuiet {
      printError("\(sweep.resumedCount) of \(sweep.total) runs were done before and are taken from \(folder.path)")
    }
    do {
      try shown { try sweep.run(report: $0, isCancelled: { Interruption.signal != 0 }) }
      if !sweep.waitsFor.isEmpty {
        folder.discard()
        let others = sweep.waitsFor.prefix(20).joined(separator: ", ") + (sweep.waitsFor.count > 20 ? ", …" : "")
        printError("\(kept); the next round needs those of \(others), then \(again) goes on")
        return .waiting
      }
      guard !isShard else {
        let closing = try publishShard()
        let isGood = isQuiet || closing.map { publication.close([$0]) } ?? true
        return sayFailures(hasTables: closing != nil) || !isGood ? .failed : .good
      }
      let summary = try publishTables()
      if let summary {
        try history?.add(summary, publication.description, folder: folder.path)
        receive(summary, publication.description)
      }
      let isGood = try summary.map(close) ?? true
      return sayFailures(hasTables: summary != nil) || !isGood ? .failed : .good
    } catch is Interrupted {
      folder.discard()
      printError("\(kept); \(again) goes on")
      sayComplete()
      return Interruption.status
    } catch let problem as OutputProblem {
      folder.discard()
      printError(problem.description)
      printError("\(kept); once there is room, \(again) goes on")
      return .failed
    }
  }

  /// Calls `body` and shows its progress.
  /// - Throws: `Interrupted` after a signal, and what `body` throws.
  private func shown(_ body: (_ report: (SweepRunner.Progress) -> Void) throws -> Void) throws {
    var display = ProgressDisplay(progress)
    defer { display.clear() }
    try body { display.show($0) }
    if Interruption.signal != 0 { throw Interrupted() }
    display.show(sweep.progress, isLast: true)
  }

  /// The command that continues. With --fresh the same one would delete the kept runs.
  private var again: String {
    guard let arguments, arguments.has("--fresh") else { return "the same command" }
    return "`\(arguments.commandLine(of: RunCommand.name, without: ["--fresh"]))`, without --fresh,"
  }

  /// Prints the command that makes tables of the repetitions that all points have.
  private func sayComplete() {
    let (complete, repeats) = (sweep.completeRepetitions, sweep.runner.repeats)
    guard complete > 0, complete < repeats, let arguments else { return }
    let isSet = arguments.values("--set").contains { $0.hasPrefix("repeats=") }
    let command = arguments.commandLine(
      of: RunCommand.name, without: ["--fresh", "--repeats"],
      adding: isSet ? ["--set", "repeats=\(complete)"] : ["--repeats", "\(complete)"])
    printError("every point has its first \(complete) of \(repeats) repetitions; `\(command)` makes the tables of these")
  }

  private var kept: String { "stopped: \(sweep.progress.done) of \(sweep.total) runs are kept in \(publication.folder.path)" }

  /// Prints the first failures. False if there was none.
  private func sayFailures(hasTables: Bool) -> Bool {
    let count = sweep.progress.failed
    guard count > 0 else { return false }
    for failure in sweep.failures.prefix(5) {
      printError("failed: point \(failure.id ?? "\(failure.point + 1)"), repetition \(failure.repetition): \(failure.reason)")
    }
    publication.sayFailed(count, of: sweep.total, hasTables: hasTables, remedy: "\(again) tries them again")
    return true
  }

  /// Publishes all files of a whole sweep. Returns its summary; nil if every run failed, so that there are no tables.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal.
  private func publishTables() throws -> SweepSummary? {
    let folder = publication.folder
    let summary = try publication.addTables(of: sweep.rows) { ids in
      try shown { try sweep.confirm(ids, report: $0, isCancelled: { Interruption.signal != 0 }) }
      return sweep.confirmingRows
    }
    try publication.publish(manifest, sweep.failures)
    folder.remove([ShardLabel.fileName])
    if !isQuiet { sweep.budgetNotes.forEach(printError) }
    guard let summary else {
      publication.removeTables()
      return nil
    }
    if publication.description.confirm == nil { folder.remove([RunWriter.confirmationName]) }
    return summary
  }

  /// Prints the closing lines and writes the winner's settings. False if there is no winner to write, or the output is closed.
  /// - Throws: `Refusal` if the winner's file cannot be written.
  private func close(_ summary: SweepSummary) throws -> Bool {
    let texts = publication.closing(summary, runs: manifest.runs, resumed: sweep.resumedCount, since: started)
    let isGood = isQuiet || publication.close(texts)
    return try winner?.close(summary, isQuiet: isQuiet) ?? true && isGood
  }

  /// Publishes the files of a shard. Returns the closing line; nil if every run failed.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal.
  private func publishShard() throws -> String? {
    let rows = try publication.addRows(of: sweep.rows)
    let label = ShardLabel(sweep, rows: rows, rowsHash: publication.folder.quickHash(of: "runs.csv"))
    try publication.folder.add(ShardLabel.fileName, label.sortedJSON(isIndented: true))
    try publication.publish(manifest, sweep.failures)
    if rows == 0, sweep.progress.failed > 0 { return nil }
    let time = Publication.time(since: started)
    return "\(Words.count(rows, "run")) of shard \(sweep.shard.text) in \(time). Results: \(SafeText.line(publication.folder.path))"
  }

  private var manifest: Manifest {
    let runner = sweep.runner
    // In a search the planned number of runs is only a limit.
    let isPlanned = runner.isDeterministic || !runner.sweep.plan.needsResults
    var manifest = Manifest(runs: isPlanned ? sweep.total : sweep.progress.done + sweep.progress.failed, started: started)
    manifest.devices = runner.executor.laneCount
    manifest.jobs = runner.executor.isRepeatable ? runner.jobs : nil
    manifest.resumedRuns = sweep.resumedCount
    if !shards.isEmpty { manifest.merged(shards) }
    manifest.failedRuns = sweep.progress.failed
    return manifest
  }
}
