// `history`: adds results to a file with a line for each run, and shows what changed since when.

import Analysis
import Base
import Rendering
import Sweep

struct HistoryTarget {
  static let option = Option.output("--history", .history, "Adds the results to a history, for `history show`.")
  static let commitOption = Option.value("--commit", "ID", "The commit of the app, for the history. Default: GITHUB_SHA or CI_COMMIT_SHA.")

  private let path: String
  private let commit: String?
  private let isQuiet: Bool
  private let fault: FileFault?

  /// Reads a history before anything runs; nil without the option.
  /// - Throws: `UsageProblem` for a commit without a history; `InvalidInput` or `OutputProblem` if the file is no history.
  init?(_ arguments: Arguments) throws {
    guard let path = arguments.value("--history") else {
      if arguments.has("--commit") { throw UsageProblem("--commit: is for a history; add --history FILE") }
      return nil
    }
    try self.init(path: path, arguments, isQuiet: arguments.has("--quiet"))
  }

  /// - Throws: `UsageProblem`, `InvalidInput` or `OutputProblem` if the file cannot be a history.
  init(path: String, _ arguments: Arguments, isQuiet: Bool) throws {
    guard !path.isEmpty, !path.hasSuffix("/") else { throw UsageProblem("--history: is \"\(shown(path))\"; name a file") }
    if let other = arguments.outputs.first(where: { $0.option != "--history" && SystemFile.wouldBeSame($0.path, path) }) {
      throw UsageProblem("--history: \(shown(path)): is the file of \(other.option) too; name another file")
    }
    if ResultsFolder.isInJournal(path) { throw UsageProblem("--history: \(shown(path)): is in the folder of a journal; name another file") }
    if SystemFile.exists(path) { try Self.contents(path).notes.forEach(printError) }
    let environment = ProcessInfo.processInfo.environment
    let given = arguments.value("--commit") ?? environment["GITHUB_SHA"] ?? environment["CI_COMMIT_SHA"] ?? ""
    (self.path, self.commit, self.isQuiet) = (path, given.isEmpty ? nil : String(given.prefix(100)), isQuiet)
    fault = arguments.fault
  }

  /// - Throws: `InvalidInput` if the file is no history or cannot be read.
  static func contents(_ path: String) throws -> HistoryFile.Contents {
    do { return try HistoryFile.contents(path) } catch let error as OutputProblem {
      throw InvalidInput(
        at: SourceLocation(whole: path), key: "history", problem: error.problem,
        remedy: InputFile.remedy(for: path, otherwise: "name another file"))
    }
  }

  /// Adds published results. False, with a note, if the history has them already, or no run was made since.
  /// - Throws: `Refusal`, `InvalidInput` or `OutputProblem` if the history cannot be written.
  @discardableResult func add(_ summary: SweepSummary, _ sweep: SweepDescription, folder: String) throws -> Bool {
    // Without a manifest the time of the runs is unknown: known rows are no new ones.
    let made = RunOrigin(folder: folder)
    if let date = made?.date, !HistoryEntry.isTimestamp(date) {
      throw InvalidInput(
        at: SourceLocation(whole: "\(folder)/manifest.json"), key: "started", problem: "is \(quoted(date)), no time",
        remedy: "write such as 2027-01-31T22:00:00Z, or run the sweep again")
    }
    let origin = HistoryEntry.Origin(
      date: made?.date ?? Date().ISO8601Format(), build: made?.build, commit: commit,
      rows: ContentHash.quick(ofFile: "\(folder)/runs.csv") ?? "unknown")
    return try add(HistoryEntry(summary, sweep: sweep, origin: origin), isResumed: made?.isResumed ?? true)
  }

  /// Adds the result of a check that has no failed runs, unless it is that of the last check.
  /// - Throws: `Refusal`, `InvalidInput` or `OutputProblem` if the history cannot be written.
  func add(_ result: GateResult) throws {
    guard result.failures.isEmpty else { return }
    try add(HistoryEntry(result, origin: HistoryEntry.Origin(date: Date().ISO8601Format(), build: Program.build, commit: commit)))
  }

  /// - Throws: as `HistoryFile.add`.
  @discardableResult private func add(_ entry: HistoryEntry, isResumed: Bool = false) throws -> Bool {
    let isNew = try HistoryFile.add(entry, to: path, isResumed: isResumed, fault: fault)
    if !isNew, !isQuiet { printError("\(path): already has \(entry.isCheck ? "this check" : "the results") of \(entry.sweep)") }
    return isNew
  }
}

struct HistoryCommand: Command {
  static let name = "history"
  static let summary = "Keeps the results of every run, and shows what changed since when."
  static let help = CommandHelp(
    synopsis: "add FOLDER | show FILE [options]", operand: "add|show FOLDER|FILE",
    text: [
      "add FOLDER adds the results in FOLDER to a history: a file of JSON lines, a line for each run and sweep. The same results are added once. "
        + "run, merge and check do the same with --history FILE.",
      "show FILE prints since when the winner wins, a row for each run, and what changed. The emulator is deterministic, so that its results "
        + "change only with the model, the scenario, the points, the repetitions or the seed; anything else is a defect or edited, and ends "
        + "with status 3. In results of devices, changes of the mean are detected.",
      "At most 2 of 1000 runs raise a false alarm, if the noise of the runs has one distribution (normal, Student's t, skewed, with 1 outlier in 50 "
        + "runs), neighbouring runs correlate by at most 0.5, and its spread doubles at most once in 100 runs. A drift or a random walk of "
        + "the devices themselves is reported as a change. A run far from the others is shown as an outlier. A change needs at least "
        + "2 runs after it and about 15 before; the manual says how large it must be.",
    ],
    groups: .options([
      .output("--history", .history, "With add: the history. Default: history.jsonl beside FOLDER."), HistoryTarget.commitOption,
      .value("--sweep", "NAME", "With show: only that sweep and its checks."),
      .value("--output", "FOLDER", "With show: also writes history.md and history.html, with charts, into FOLDER."),
    ]))

  private let arguments: Arguments
  private let isAdding: Bool
  private let path: String

  /// - Throws: `UsageProblem` unless the words are `add` or `show` and a path.
  init(_ arguments: Arguments) throws {
    guard let verb = arguments.words.first, ["add", "show"].contains(verb) else {
      throw UsageProblem(
        "\(arguments.words.first.map { "\(shown($0)): is neither add nor show" } ?? "no verb"); write add FOLDER or show FILE")
    }
    isAdding = verb == "add"
    guard arguments.words.count == 2 else {
      throw UsageProblem("\(verb): has \(arguments.words.count - 1) paths; write one \(isAdding ? "folder of results" : "history")")
    }
    if let option = (isAdding ? ["--sweep", "--output"] : ["--history", "--commit"]).first(where: arguments.has) {
      throw UsageProblem("\(option): does not go with \(verb); remove it")
    }
    (self.arguments, path) = (arguments, arguments.words[1])
  }

  /// - Throws: `Refusal` or `InvalidInput` if results or history cannot be read, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus { isAdding ? try add() : try show() }

  /// - Throws: `InvalidInput` or `Refusal` if results or history cannot be read, `OutputProblem` if the history cannot be written.
  private func add() throws -> ExitStatus {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let file = arguments.value("--history") ?? (OutputFile.parts(of: trimmed).folder + "/history.jsonl")
    let target = try HistoryTarget(path: file, arguments, isQuiet: true)
    let (summary, sweep) = try ReportCommand.results(path)
    let isNew = try target.add(summary, sweep, folder: path)
    return printLine("\(file): \(isNew ? "has a new line for" : "already has the results of") \(SafeText.line(sweep.name))")
      ? .good : .failed
  }

  /// - Throws: `InvalidInput` if the history cannot be read, `OutputProblem` if a file cannot be written.
  private func show() throws -> ExitStatus {
    let contents = try HistoryTarget.contents(path)
    contents.notes.forEach(printError)
    let name = arguments.value("--sweep")
    let entries = contents.entries.filter { name == nil || $0.sweep == name }
    guard !entries.isEmpty else {
      let remedy = name.map { NearestName.remedy(for: $0, among: Array(Set(contents.entries.map(\.sweep))).sorted(), what: "sweeps") }
      throw InvalidInput(
        at: SourceLocation(whole: path), key: name == nil ? "history" : "--sweep",
        problem: name == nil ? "has no entry" : "has no such sweep", remedy: remedy ?? "add results with `\(Program.name) history add`")
    }
    let report = HistoryReport(HistorySeries.all(entries))
    if let output = arguments.value("--output") {
      try ResultsFolder.with(output, writes: report.files.map(\.name)) { try $0.publish(report.files) }
    }
    guard printStyled(report.text(isColored: Terminal.isColored)) else { return .failed }
    return report.hasUnexplained ? .regression : .good
  }
}
