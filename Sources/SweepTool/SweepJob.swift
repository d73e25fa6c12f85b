// One start of `run`: the journal is opened, what is missing runs, and the tables are made; or it is said how to go on.

import Analysis
import Import
import Sweep

/// Makes one folder of results.
struct SweepJob {
  let runner: SweepRunner
  let description: SweepDescription
  /// What the command line says over the sweep file.
  let overrides: SweepFile.Overrides
  /// The folder.
  let path: String
  /// Which part of the sweep; nil for all of it.
  let shard: Shard?
  let rule: ResumeRule
  let progress: ProgressDisplay.Mode
  let isQuiet: Bool

  /// Runs and publishes.
  /// - Throws: `InvalidInput` or `Refusal` if the sweep cannot run, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus {
    Interruption.install()
    let folder = try ResultsFolder(path: path)
    let started = Date()
    do {
      let sweep = try JournaledSweep(runner, shard: shard ?? .whole, folder: folder, rule: rule)
      sweep.notes.forEach(printError)
      return try make(sweep, folder, started: started)
    } catch {
      folder.discard()
      throw error
    }
  }

  /// - Throws: `InvalidInput` or `Refusal` if a run cannot start, `OutputProblem` if a file cannot be written.
  private func make(_ sweep: JournaledSweep, _ folder: ResultsFolder, started: Date) throws -> ExitStatus {
    if sweep.resumedCount > 0, !isQuiet {
      printError("\(sweep.resumedCount) of \(sweep.total) runs were done before and are taken from \(folder.path)")
    }
    do {
      try runAll(sweep)
      if Interruption.signal != 0 { throw Interrupted() }
      let closing = shard == nil ? try publishTables(sweep, folder, started) : try publishShard(sweep, folder, started)
      let publication = Publication(folder: folder, description: description)
      let isGood = isQuiet || closing.map(publication.close) ?? true
      return sayFailures(sweep, publication, hasTables: closing != nil) || !isGood ? .failed : .good
    } catch is Interrupted {
      folder.discard()
      sayHowToGoOn(sweep, folder)
      return Interruption.status
    } catch let problem as OutputProblem {
      folder.discard()
      printError(problem.description)
      printError("\(kept(sweep, folder)); once there is room, the same command goes on")
      return .failed
    }
  }

  /// - Throws: `InvalidInput` or `Refusal` if a run cannot start, `OutputProblem` if the journal cannot be written.
  private func runAll(_ sweep: JournaledSweep) throws {
    var display = ProgressDisplay(progress)
    defer { display.clear() }
    try sweep.run(report: { display.show($0) }, isCancelled: { Interruption.signal != 0 })
    display.show(sweep.progress, isLast: true)
  }

  /// Runs the best points on fresh seeds.
  /// - Throws: `Interrupted` after a signal, `OutputProblem` if the journal cannot be written.
  private func confirm(_ ids: [String], _ sweep: JournaledSweep) throws -> JournaledRows? {
    var display = ProgressDisplay(progress)
    defer { display.clear() }
    try sweep.confirm(ids, report: { display.show($0) }, isCancelled: { Interruption.signal != 0 })
    if Interruption.signal != 0 { throw Interrupted() }
    display.show(sweep.progress, isLast: true)
    return sweep.confirmingRows
  }

  // MARK: What is said at the end

  private func kept(_ sweep: JournaledSweep, _ folder: ResultsFolder) -> String {
    "stopped: \(sweep.progress.done) of \(sweep.total) runs are kept in \(folder.path)"
  }

  private func sayHowToGoOn(_ sweep: JournaledSweep, _ folder: ResultsFolder) {
    printError("\(kept(sweep, folder)); the same command goes on")
    let complete = sweep.completeRepetitions
    if complete > 0, complete < runner.repeats {
      printError(
        "every point has its first \(complete) of \(runner.repeats) repetitions; the tables of these are made with --repeats \(complete)")
    }
  }

  /// Names the first failures; false if there was none.
  private func sayFailures(_ sweep: JournaledSweep, _ publication: Publication, hasTables: Bool) -> Bool {
    let count = sweep.progress.failed
    guard count > 0 else { return false }
    for failure in sweep.failures.prefix(5) {
      printError("failed: point \(failure.id ?? "\(failure.point + 1)"), repetition \(failure.repetition): \(failure.reason)")
    }
    publication.sayFailed(count, of: sweep.total, hasTables: hasTables, remedy: "the same command tries them again")
    return true
  }

  // MARK: Files

  /// All files of a whole sweep; returns the closing lines, nil where every run failed and there are no tables.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal.
  private func publishTables(_ sweep: JournaledSweep, _ folder: ResultsFolder, _ started: Date) throws -> [String]? {
    let publication = Publication(folder: folder, description: description)
    let summary = try publication.addTables(of: sweep.rows) { try confirm($0, sweep) }
    try publish(sweep, publication, started)
    if !isQuiet { sweep.budgetNotes.forEach(printError) }
    guard let summary else {
      publication.removeTables()
      return nil
    }
    if description.confirm == nil { folder.remove(RunWriter.confirmationName) }
    return isQuiet ? [] : [publication.closing(summary)]
  }

  /// The files of a shard; returns the closing lines.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal.
  private func publishShard(_ sweep: JournaledSweep, _ folder: ResultsFolder, _ started: Date) throws -> [String]? {
    let publication = Publication(folder: folder, description: description)
    let rows = try publication.addRows(of: sweep.rows)
    try folder.add(
      ShardLabel.fileName, ShardLabel(sweep, rows: rows, source: ShardLabel.Source(path: runner.sweep.path, overrides: overrides)).json)
    try publish(sweep, publication, started)
    return rows == 0 && sweep.progress.failed > 0 ? nil : ["\(rows) runs of shard \(sweep.shard.text)."]
  }

  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal.
  private func publish(_ sweep: JournaledSweep, _ publication: Publication, _ started: Date) throws {
    try publication.publish(Manifest(sweep, started: started), sweep.failures)
    if shard == nil { publication.folder.remove(ShardLabel.fileName) }
  }
}
