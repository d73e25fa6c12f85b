// `report`: writes the tables and charts of existing results again, without simulating.

import Analysis
import Base
import Rendering
import Sweep

struct ReportCommand: Command {
  static let name = "report"
  static let summary = "Writes the tables and charts of existing results again."
  static let help = CommandHelp(
    synopsis: "FOLDER [options]", operand: "FOLDER",
    text: [
      "Reads runs.csv and sweep.json of a folder of results, and confirmation.csv if the sweep has `confirm`, and writes summary.csv, "
        + "report.md, report.html and the charts again. Nothing is simulated.",
      "Of a sweep that has not ended, FOLDER has only a journal, perhaps of an older model; --output then makes results of the runs in it. The "
        + "journal stays as it is.",
    ],
    groups: .options([
      .value("--output", "FOLDER", "Writes to that folder. Default: the folder of the results."),
      .value(
        "--format", "FORMAT",
        "Prints the table of all points for other programs and writes nothing: json (an object a line) or csv (as summary.csv)."),
      .value(
        "--compare", "FOLDER",
        "Also prints what changed since the results in FOLDER, and writes comparison.md, comparison.html and comparison.xml (JUnit)."),
      .flag(
        "--fail-on-worse", "With --compare: ends with status 3 if a point is worse than before by the objective, beyond noise and margin."),
      WinnerFile.option,
      .value("--sweep", "FILE", "The sweep file, if --write-winner needs it and it is not where the results name it."),
      .quiet,
    ]))

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// - Throws: `UsageProblem` unless one folder is named, `Refusal` or `InvalidInput` if results cannot be read, `OutputProblem` if a file
  /// cannot be written.
  func run() throws -> ExitStatus {
    let format = try arguments.choice("--format", PointFormats.all)
    if format != nil, let other = ["--output", "--compare", "--fail-on-worse", "--write-winner"].first(where: arguments.has) {
      throw UsageProblem("--format: prints the points and writes no files; leave out \(other)")
    }
    let path = try keptResults(arguments.onlyWord("folder of results"))
    let now = try Self.results(path)
    let missing = now.summary.missingRunCount
    if missing > 0 {
      printError("warning: \(path)/runs.csv: \(Words.count(missing, "run of sweep.json has", "runs of sweep.json have")) no row")
    }
    if let format { return show(now.summary, as: format) }
    let report = Report.make(summary: now.summary, sweep: now.sweep.located(in: path))
    let comparison = try arguments.value("--compare").map { ResultsComparison(before: try Self.results($0), now: now) }
    if comparison == nil, arguments.has("--fail-on-worse") {
      throw UsageProblem("--fail-on-worse: has nothing to compare with; add --compare FOLDER")
    }
    if let output = arguments.value("--output"), let compared = arguments.value("--compare"), !SystemFile.isSame(output, path),
      SystemFile.isSame(output, compared)
    {
      throw UsageProblem("--output: \(shown(output)) has the results of --compare; name another folder")
    }
    let winner = try winnerFile(of: path, now.sweep)
    let names = Report.fileNames + (comparison == nil ? [] : ResultsComparison.fileNames)
    return try ResultsFolder.with(arguments.value("--output") ?? path, writes: names, beside: arguments.outputs, fault: arguments.fault) {
      folder in
      folder.removeLeftovers()
      try folder.add(report)
      try folder.publish(comparison?.files ?? [])
      folder.remove(Array(report.absent))
      let isWritten = try winner?.close(now.summary, isQuiet: arguments.has("--quiet")) ?? true
      guard let comparison else { return isWritten ? .good : .failed }
      if !arguments.has("--quiet") { printLine(comparison.answer(.plain)) }
      if arguments.has("--fail-on-worse"), comparison.hasWorsePoint { return .regression }
      return isWritten ? .good : .failed
    }
  }

  private func show(_ summary: SweepSummary, as format: any LineFormat) -> ExitStatus {
    var isOpen = true
    SummaryTable(summary).write(as: format) { lines in
      if isOpen { isOpen = writeAll(String(decoding: lines, as: UTF8.self), to: STDOUT_FILENO) }
    }
    return isOpen ? .good : .failed
  }

  /// Returns the folder of the results. If one has a journal only, results of its runs are made in the folder of --output.
  /// - Throws: `Refusal` if the journal cannot be read, `OutputProblem` if a file cannot be written.
  private func keptResults(_ path: String) throws -> String {
    guard KeptResults.isIn(path) else { return path }
    let kept = try KeptResults(folder: path)
    let (sweep, runs) = (kept.description, Words.count(kept.count, "run"))
    guard let output = arguments.value("--output"), !SystemFile.isSame(output, path) else {
      throw Refusal(
        "\(path): its sweep has not ended, so that it has no results; make some of the \(runs) in its journal with --output FOLDER")
    }
    guard !SystemFile.exists("\(output)/\(ResultsFolder.journalName)") else {
      throw Refusal("--output: \(shown(output)) has runs of its own; name another folder")
    }
    kept.notes.forEach(printError)
    try ResultsFolder.with(output, writes: Publication.fileNames) { folder in
      let publication = Publication(folder: folder, description: sweep)
      _ = try publication.addTables(of: kept) { _ in nil }
      try folder.publish()
      folder.remove(["manifest.json"])
    }
    if !arguments.has("--quiet") { printLine("\(output): results of \(runs) that \(path) keeps, made by \(sweep.program)") }
    return output
  }

  /// Reads the sweep.json of a folder of results.
  /// - Throws: `InvalidInput` if it cannot be read or is malformed.
  static func description(_ path: String) throws -> SweepDescription {
    let json = try reading("\(path)/sweep.json") { path in
      do throws(OutputProblem) { return try SystemFile.contents(path) } catch { throw Refusal("\(path): \(error.problem)") }
    }
    return try SweepDescription(json: json, file: "\(path)/sweep.json")
  }

  /// Reads the sweep file of results, which knows the types of the winner's values; nil without --write-winner.
  /// - Throws: `Refusal` or `InvalidInput` if it cannot be read, or is not that of the results.
  private func winnerFile(of folder: String, _ sweep: SweepDescription) throws -> WinnerFile? {
    guard arguments.has("--write-winner") else { return nil }
    let source = sweep.located(in: folder).source
    let overrides = source?.overrides ?? SweepOverrides()
    guard let path = arguments.value("--sweep") ?? source?.file, arguments.has("--sweep") || SystemFile.exists(path) else {
      throw Refusal("--write-winner: needs the sweep file of \(shown(folder)); name it with --sweep")
    }
    let file = try ResolvedSweep(path: path, overrides: overrides, prefetchers: arguments.prefetchers)
    let own = try SweepDescription(SweepRunner(file, jobs: 1), overrides: overrides)
    guard own.axes.map(\.values) == sweep.axes.map(\.values), own.baseline.point == sweep.baseline.point else {
      throw Refusal("\(shown(path)): is not the sweep of \(shown(folder)); name that file with --sweep")
    }
    return try WinnerFile(arguments, of: file, overrides: overrides, folder: folder)
  }

  /// Reads the results in a folder and summarises them.
  /// - Throws: `Refusal` or `InvalidInput` if a file cannot be read, `ReportError` if its rows make no tables.
  static func results(_ path: String) throws -> (summary: SweepSummary, sweep: SweepDescription) {
    let sweep = try description(path)
    let runs = try columns("runs.csv", of: path, sweep)
    let confirmation = sweep.confirm == nil ? nil : try columns(RunWriter.confirmationName, of: path, sweep)
    do { return (try runs.summary(sweep: sweep) { _ in confirmation }, sweep) } catch ReportError.noRuns {
      let failures = "\(path)/\(FailureTable.fileName)"
      guard SystemFile.exists(failures) else { throw ReportError.noRuns }
      throw Refusal(
        "\(path): every run failed, so there are no tables; the failures are listed in \(failures), and the command of the runs, "
          + "without --fresh, tries them again", isFailure: true)
    }
  }

  /// - Throws: `Refusal` or `InvalidInput` if the file cannot be read.
  private static func columns(_ name: String, of path: String, _ sweep: SweepDescription) throws -> RunColumns {
    try reading("\(path)/\(name)") { try RunColumns(RunReader(path: $0, sweep: sweep), objective: sweep.objective) }
  }

  /// Reads a file of a folder of results. The remedy for a missing file is to name a folder that has it.
  /// - Throws: `Refusal` or `InvalidInput` if the file cannot be read.
  private static func reading<Contents>(_ file: String, _ read: (_ path: String) throws -> Contents) throws -> Contents {
    do { return try read(file) } catch let refusal as Refusal {
      if SystemFile.exists(file) { throw refusal }
      let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      throw InvalidInput(
        at: SourceLocation(whole: file), key: "", problem: "cannot be read",
        remedy: InputFile.remedy(for: folder, otherwise: "name a folder that `prefetch-sweep run` wrote"))
    }
  }
}
