// `run`: runs a sweep file and writes its results.

import Analysis
import Base
import Rendering
import Sweep

struct RunCommand: Command {
  static let name = "run"
  static let summary = "Runs a sweep and writes tables, charts and a report."
  static let help = CommandHelp(
    synopsis: "SWEEP [options]", operand: "SWEEP",
    text: [
      "Runs every point of the sweep file SWEEP (- reads it from standard input) and writes runs.csv, summary.csv, report.md, report.html, "
        + "the pictures in charts, sweep.json and manifest.json into a folder; confirmation.csv too if the sweep has `confirm`, and "
        + "failures.csv if runs failed. A stopped sweep continues when the same command runs again, without --fresh."
    ],
    groups: .options([
      .set, .value("--repeats", "N", "Number of repetitions of each point."),
      .value("--seed", "N", "The seed of all randomness."), .jobs,
      .value("--output", "FOLDER", "The folder of the results. Default: Results/NAME, by the sweep's name."),
      .value("--results", "FOLDER", "The folder in which the folder NAME is made. Default: Results."),
      .flag("--where", "Prints the folder of the results and runs nothing."),
      .value("--shard", "I/N", "Runs every run whose index is I modulo N, for `merge`. Default folder: Results/NAME/shards/I-of-N."),
      .value(
        "--wait", "SECONDS",
        "How long a shard waits for the others' runs that a search or `until` needs before it ends with status 75. Default: 0."),
      .flag("--fresh", "Deletes the runs that an earlier start kept. Without it they are reused, and only missing runs are made."),
      .flag("--resume-anyway", "Reuses kept runs that still fit, although scenario, seed or program have changed."),
      .value("--progress", "bar|lines|json|none", "How progress is shown. Default: a bar on a terminal, else one line per minute."),
      WinnerFile.option, HistoryTarget.option, HistoryTarget.commitOption,
      .flag("--list", "Prints the points and runs nothing."),
      .values(
        "--point", "WHICH",
        "Runs one point only, prints its row and writes nothing: a point's ID or its first digits, or PATH=VALUE for "
          + "the point with that value of an axis and the baseline's values of the others. PATH=VALUE may repeat."),
      .value("--repetition", "K", "The repetition of --point. Default: 1."), .quiet,
    ]))

  private let arguments: Arguments
  private let path: String
  private let overrides: SweepOverrides
  private let jobs: Int
  private let repetition: Int
  private let wait: Int
  private let isQuiet: Bool
  private let shard: Shard?
  private let progress: ProgressDisplay.Mode

  /// - Throws: `UsageProblem` if an option has a wrong value.
  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    path = try arguments.onlyWord("sweep file")
    overrides = try Self.overrides(arguments)
    jobs = try arguments.jobs()
    repetition = try arguments.integer("--repetition", in: 1...ResolvedSweep.repeatsLimit) ?? 1
    wait = try arguments.integer("--wait", in: 0...31_536_000) ?? 0
    isQuiet = arguments.has("--quiet")
    shard = try arguments.value("--shard", "I/N with N up to \(Shard.countLimit) and I from 0 to N - 1, such as 3/16", Shard.init)
    let modes: [(String, ProgressDisplay.Mode)] = [("bar", .bar), ("lines", .lines), ("json", .json), ("none", .none)]
    progress = try arguments.choice("--progress", modes) ?? (isQuiet ? .none : .automatic)
    if arguments.has("--fresh"), arguments.has("--resume-anyway") {
      throw UsageProblem("--fresh: throws away what --resume-anyway takes; choose one")
    }
    if let option = ["--write-winner", "--history"].first(where: arguments.has),
      let other = ["--shard", "--where", "--list", "--point"].first(where: arguments.has)
    {
      throw UsageProblem("\(option): needs the whole sweep, which \(other) does not run; take one of the two out")
    }
  }

  /// Returns the settings of the command line that override the sweep file.
  /// - Throws: `UsageProblem` if an option has a wrong value.
  static func overrides(_ arguments: Arguments) throws -> SweepOverrides {
    var overrides = SweepOverrides()
    overrides.settings = try settings(arguments, "--set").map { SweepOverrides.Setting(path: $0.path, value: $0.value) }
    overrides.repeats = try arguments.integer("--repeats", in: 1...ResolvedSweep.repeatsLimit)
    overrides.seed = try arguments.integer("--seed", in: 0...Int.max).map(UInt64.init)
    for key in ["repeats", "seed"] where arguments.has("--\(key)") {
      guard let other = overrides.settings.last(where: { $0.path == key }) else { continue }
      throw UsageProblem("--\(key): does not go with --set \(key)=\(shown(other.value)), which sets the same; remove one of the two")
    }
    return overrides
  }

  /// Returns the values of an option that takes PATH=VALUE. The last value of a path counts, unless `mayRepeat` is false.
  /// - Throws: `UsageProblem` if a value is not PATH=VALUE, or a path is set twice and may not be.
  static func settings(
    _ arguments: Arguments, _ option: String, mayRepeat: Bool = true
  ) throws(UsageProblem) -> [(path: String, value: String)] {
    var settings: [(path: String, value: String)] = []
    for setting in arguments.values(option) {
      guard let equals = setting.firstIndex(of: "="), equals > setting.startIndex else {
        throw UsageProblem("\(option): is \"\(shown(setting))\"; write PATH=VALUE, such as user.dwell=2s")
      }
      let path = String(setting[..<equals])
      guard mayRepeat || !settings.contains(where: { $0.path == path }) else {
        throw UsageProblem("\(option): \(shown(path)) is set twice; keep one of the two")
      }
      settings.append((path, String(setting[setting.index(after: equals)...])))
    }
    return settings
  }

  /// - Throws: `InvalidInput` or `Refusal` if the sweep cannot run, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus {
    let sweep = try sweep()
    if shard != nil { try sweep.checkSharding() }
    if arguments.has("--where") { return printLine(resultsPath(of: sweep)) ? .good : .failed }
    if arguments.has("--list") { return try list(sweep) }
    let runner = try SweepRunner(sweep, jobs: jobs, live: arguments.live)
    if arguments.has("--point") {
      let names = arguments.values("--point")
      return try showRow(of: sweep.pointID(named: names, option: "--point"), runner)
    }
    if arguments.has("--jobs"), !sweep.backend.isEmulated, !isQuiet {
      printError("--jobs: has no effect on backend.\(sweep.backend.name); its devices decide how many runs go on at once")
    }
    return try makeResults(runner)
  }

  /// Runs the whole sweep and passes its tables to `receive`.
  /// - Throws: `InvalidInput` or `Refusal` if the sweep cannot run, `OutputProblem` if a file cannot be written.
  func run(receive: @escaping (SweepSummary, SweepDescription) -> Void) throws -> ExitStatus {
    try makeResults(SweepRunner(sweep(), jobs: jobs, live: arguments.live), receive: receive)
  }

  /// - Throws: `InvalidInput` if the sweep cannot run.
  func folder() throws -> String { try resultsPath(of: sweep()) }

  /// - Throws: `InvalidInput` if the sweep cannot run.
  private func sweep() throws -> ResolvedSweep { try ResolvedSweep(path: path, overrides: overrides, prefetchers: arguments.prefetchers) }

  /// - Throws: `InvalidInput` if a point cannot be decoded.
  private func list(_ sweep: ResolvedSweep) throws -> ExitStatus {
    let decoder = PointDecoder(sweep.grid)
    var text = (["point"] + sweep.grid.paths + ["baseline"]).map(SafeText.line).joined(separator: "\t") + "\n"
    for index in 0..<sweep.pointCount {
      text += try sweep.row(index, decoder).map(SafeText.line).joined(separator: "\t") + "\n"
      // Up to ten million lines are written in pieces.
      guard text.utf8.count > 1 << 16 else { continue }
      guard writeAll(text, to: STDOUT_FILENO) else { return .failed }
      text.removeAll(keepingCapacity: true)
    }
    return writeAll(text, to: STDOUT_FILENO) ? .good : .failed
  }

  /// - Throws: `InvalidInput` or `Refusal` if there is no such point or its run fails, `OutputProblem` if the folder cannot be used.
  private func showRow(of point: String, _ runner: SweepRunner) throws -> ExitStatus {
    Interruption.install()
    /// - Throws: what the run throws, and `Refusal` if the folder is another's.
    func row(_ folder: ResultsFolder?) throws -> RunRow? {
      // A device makes one run at a time, of a sweep or of this command.
      let lock = try folder?.lock()
      defer {
        folder?.discard()
        withExtendedLifetime(lock) {}
      }
      return try runner.row(point: point, repetition: repetition, folder: folder?.path, isCancelled: { Interruption.signal != 0 })
    }
    let found: RunRow?
    do {
      let path = resultsPath(of: runner.sweep)
      found = runner.executor.isRepeatable ? try row(nil) : try ResultsFolder.with(path, fault: arguments.fault, row)
    } catch  where Interruption.signal != 0 { return Interruption.status }
    guard let row = found else { preconditionFailure("a point with this id was found") }
    let writer = RunWriter(axes: runner.sweep.grid.paths, schema: runner.schema)
    return printData(String(decoding: writer.header + writer.line(row), as: UTF8.self)) ? .good : .failed
  }

  /// - Throws: `InvalidInput` or `Refusal` if the sweep cannot run, `OutputProblem` if a file cannot be written.
  private func makeResults(
    _ runner: SweepRunner, receive: @escaping (SweepSummary, SweepDescription) -> Void = { _, _ in }
  ) throws -> ExitStatus {
    let description = try SweepDescription(runner, overrides: overrides, program: arguments.program)
    noteReplaced(runner, description)
    let winner = try WinnerFile(arguments, of: runner.sweep, overrides: overrides, folder: resultsPath(of: runner.sweep))
    let history = try HistoryTarget(arguments)
    Interruption.install()
    let kept = runner.sweep.standardInput == nil ? [] : [ResolvedSweep.keptInputName]
    return try ResultsFolder.with(
      resultsPath(of: runner.sweep), writes: Publication.fileNames + kept, beside: arguments.outputs, fault: arguments.fault
    ) { folder in
      let started = Date()
      let rule = arguments.has("--fresh") ? ResumeRule.fresh : arguments.has("--resume-anyway") ? .resumeAnyway : .resume
      if let shard, runner.hasRounds, folder.path.split(separator: "/").last.map(String.init) != shard.folderName() {
        throw UsageProblem(
          "--output: is \(shown(folder.path)), and a search reads the folders of the other shards beside it; end it with "
            + "/\(shard.folderName())")
      }
      let sweep = try JournaledSweep(runner, shard: shard ?? .whole, folder: folder, rule: rule, description: description)
      sweep.patience = .seconds(wait)
      return try SweepJob(
        sweep: sweep,
        publication: Publication(folder: folder, description: description, standardInput: runner.sweep.standardInput),
        isShard: shard != nil, progress: progress, isQuiet: isQuiet, started: started, winner: winner,
        history: history, arguments: arguments, receive: receive
      ).run()
    }
  }

  /// Prints a note if the folder's tables are of more points or repetitions than those that will replace them.
  private func noteReplaced(_ runner: SweepRunner, _ new: SweepDescription) {
    let (path, sweep) = (resultsPath(of: runner.sweep), runner.sweep)
    guard let json = try? SystemFile.contents("\(path)/sweep.json"), let old = try? SweepDescription(json: json, file: path),
      old.name == new.name, old.pointCount > new.pointCount || old.repeats > new.repeats
    else { return }
    var parts: [String] = []
    if old.pointCount > new.pointCount {
      let axes = sweep.fileValues.keys.sorted().joined(separator: ", ")
      let cause = axes.isEmpty ? "" : "--set narrows \(axes), and "
      parts.append("has results of \(old.pointCount) points; \(cause)results of \(Words.count(new.pointCount, "point")) replace them")
    }
    if old.repeats > new.repeats {
      parts.append("has results of \(old.repeats) repetitions; results of \(Words.count(new.repeats, "repetition")) replace them")
    }
    printError("note: \(path) \(parts.joined(separator: ", and ")); --output names another folder")
  }

  private func resultsPath(of sweep: ResolvedSweep) -> String {
    let whole = ResultsFolder.path(ofSweep: sweep.name, in: arguments.value("--results") ?? "Results")
    return arguments.value("--output") ?? shard.map { "\(whole)/shards/\($0.folderName())" } ?? whole
  }
}
