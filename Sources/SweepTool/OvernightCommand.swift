// `overnight`: runs several sweeps one after the other, and reports what ran, what won and what changed.

import Analysis
import Base
import Rendering

struct OvernightCommand: Command {
  static let name = "overnight"
  static let summary = "Runs several sweeps, and reports what changed since the results before."
  /// The options of `run` that apply to each sweep.
  private static let shared = ["--set", "--repeats", "--seed", "--jobs", "--fresh", "--resume-anyway", "--progress", "--quiet"]
  private static let usualFolder = "Sweeps"
  static let help = CommandHelp(
    synopsis: "[SWEEP …] [options]", operand: "SWEEP …",
    text: [
      "Runs the sweep files one after the other, by default all of \(usualFolder). A stopped start continues when the same command runs "
        + "again, without --fresh. A failed sweep does not stop the next one. Results of a sweep that has been edited since move aside to "
        + "NAME.until-DATE. A sweep whose results would go to the folder of an earlier one is refused.",
      "Adds the results to history.jsonl in the folder of all results, and writes overnight.md: what ran, what won, what failed, what "
        + "changed since the results before, and since when the winners win.",
    ],
    groups: .options(
      [
        .value("--results", "FOLDER", "The folder of all results: those of a sweep go to FOLDER/NAME. Default: Results."),
        .value("--keep", "N", "Puts the results of each start into a folder by date in that folder, and removes all but the newest N."),
        .flag("--device", "Also runs sweeps whose first five lines contain \"needs a device\"."),
        .value("--hook", "COMMAND", "Runs a shell command at the end, with the path of overnight.md as its last argument."),
        HistoryTarget.commitOption,
      ] + RunCommand.help.options.filter { shared.contains($0.name) }),
    notes: [
      "Exit status: 0 good, 1 a sweep failed, 2 a sweep was refused, 3 a point is worse than in the results before, or results differ "
        + "without a reason, 129, 130 or 143 stopped by a signal."
    ])

  private let arguments: Arguments
  private let sweeps: [String]
  private let keep: Int?

  /// - Throws: `UsageProblem` if an option has a wrong value, or there is no sweep.
  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    keep = try arguments.integer("--keep", in: 1...9999)
    let usual = (try? FileManager.default.contentsOfDirectory(atPath: Self.usualFolder)) ?? []
    let found = usual.filter { $0.hasSuffix(".json5") && !$0.hasPrefix(".") }.sorted().map { "\(Self.usualFolder)/\($0)" }
    sweeps = arguments.words.isEmpty ? found : arguments.words
    guard !sweeps.isEmpty else {
      throw UsageProblem("no sweep was named, and there is no \(Self.usualFolder)/*.json5 here; write the sweep files")
    }
    if sweeps.contains(InputFile.standardInputName) {
      throw UsageProblem("\(InputFile.standardInputName): standard input is read once; write a file")
    }
    // Wrong values are refused before anything runs.
    _ = try Self.command(sweeps[0], in: ".", arguments)
  }

  /// - Throws: `UsageProblem` if an option has a wrong value.
  static func command(_ sweep: String, in results: String, _ arguments: Arguments) throws -> RunCommand {
    try RunCommand(
      Arguments(
        arguments.typed(shared) + ["--results", results, "--", sweep], options: RunCommand.help.options,
        prefetchers: arguments.prefetchers, live: arguments.live, program: arguments.program))
  }

  /// - Throws: `OutputProblem` if the folder of all results cannot be written.
  func run() throws -> ExitStatus {
    Interruption.install()
    var start = try OvernightStart(arguments, results: arguments.value("--results") ?? "Results", keep: keep)
    for sweep in sweeps {
      if Interruption.signal == 0 { start.run(sweep) }
      guard Interruption.signal != 0 else { continue }
      let command = arguments.commandLine(of: Self.name, without: ["--fresh"])
      let again = arguments.has("--fresh") ? "`\(command)`, without --fresh, goes on; it begins no sweep anew" : "the same command goes on"
      OvernightStart.say("stopped; \(again)")
      return Interruption.status
    }
    return start.finish(hook: arguments.value("--hook"))
  }
}

/// One start of `overnight`: its folders, the sweeps that ran, and its report.
private struct OvernightStart {
  private enum Outcome: String, CaseIterable { case good, failed, refused, skipped }

  private let arguments: Arguments
  private let results: String, keep: Int?
  private let root: String
  private let history: String
  private var report = OvernightReport()
  private var outcomes: [(sweep: String, outcome: Outcome)] = []
  private var owners: [(folder: String, sweep: String)] = []
  private var isWorse = false, hasHistory = false, lacksFiles = false

  /// - Throws: `Refusal` or `OutputProblem` if the folder of all results cannot be written, `InvalidInput` if its history is none.
  init(_ arguments: Arguments, results: String, keep: Int?) throws {
    (self.arguments, self.results, self.keep, history) = (arguments, results, keep, "\(results)/history.jsonl")
    // A start after a stop continues the folder of the stopped one.
    let kept = (try? SystemFile.contents("\(results)/\(Self.unfinishedName)")).map { String(decoding: $0.prefix(10), as: UTF8.self) }
    let date = kept.flatMap { GateWaiver.isDay($0) ? $0 : nil } ?? Self.now("%Y-%m-%d")
    root = keep == nil ? results : "\(results)/\(date)"
    try Self.check(root, history, arguments)
    guard keep != nil else { return }
    try ResultsFolder.with(results) { folder in
      try folder.add(Self.unfinishedName, "\(date)\n".utf8)
      try folder.publish()
    }
  }

  /// Checks the history, and the files that the end of a start writes.
  /// - Throws: `Refusal` if something else is there.
  private static func check(_ root: String, _ history: String, _ arguments: Arguments) throws {
    do {
      _ = try HistoryTarget(path: history, arguments, isQuiet: true)
      if SystemFile.exists(root), !SystemFile.isFolder(root) { throw OutputProblem(path: root, problem: "is no folder") }
      for file in ([OvernightReport.fileName] + HistoryReport.fileNames).map({ "\(root)/\($0)" }) {
        if SystemFile.isFolder(file) { throw OutputProblem(path: file, problem: "is a folder, where a file belongs") }
        try ResultsFolder.check(file)
      }
    } catch let problem as OutputProblem {
      throw Refusal("--results: \(shown(problem.path)): \(problem.problem); name another folder")
    }
  }

  private static let unfinishedName = ".unfinished"

  static func say(_ text: String) { printLine("\(now("%Y-%m-%d %H:%M:%S"))  \(text)") }

  /// Returns the local time, as `strftime` formats it.
  private static func now(_ format: String) -> String {
    var (seconds, parts) = (time(nil), tm())
    localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, format, &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The folders by date that earlier starts wrote, oldest first.
  private var dates: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: results)) ?? []
    return names.filter(GateWaiver.isDay).sorted().map { "\(results)/\($0)" }.filter { folder in
      SystemFile.isFolder(folder, followsLinks: false) && OutputForm.isResults("\(folder)/\(OvernightReport.fileName)")
    }
  }

  /// Runs a sweep, and adds it to the report unless a signal stopped it.
  mutating func run(_ path: String) {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = file.hasSuffix(".json5") ? String(file.dropLast(6)) : file
    if !arguments.has("--device"), Self.needsDevice(path) {
      Self.say("\(name): skipped, it needs a device; --device runs it")
      return end(name, .skipped, "skipped: needs a device")
    }
    let started = Date()
    var tables: ResultsComparison.Results?
    do {
      let command = try OvernightCommand.command(path, in: root, arguments)
      let folder = try command.folder()
      if let owner = owners.first(where: { $0.folder == folder || SystemFile.isSame($0.folder, folder) }) {
        Self.say(
          "\(name): refused, its results would go to \(folder), which has the results of \(owner.sweep); rename one of the two sweeps")
        return end(name, .refused, "refused: a second sweep of this name")
      }
      owners.append((folder, path))
      Self.say("\(name): starts; results in \(folder)")
      let (status, moved) = try run(command, name, folder) { tables = ($0, $1) }
      let seconds = Int(Date().timeIntervalSince(started))
      guard Interruption.signal == 0 else { return Self.say("\(name): stopped") }
      Self.say("\(name): " + (status == .good ? "good, \(seconds) s" : "failed with status \(status.rawValue) after \(seconds) s"))
      end(name, status == .good ? .good : .failed, status == .good ? "good" : "failed (\(status.rawValue))", seconds, tables)
      guard let tables else { return }
      let own = "/\(tables.sweep.name)"
      let before = moved ?? dates.last { $0 < root && SystemFile.exists("\($0)\(own)/runs.csv") }.map { $0 + own }
      compare(name, tables, with: before)
      addToHistory(name, tables, folder)
    } catch {
      let isFailed = Tool.report(error, of: OvernightCommand.name) == .failed
      Self.say("\(name): \(isFailed ? "failed" : "refused or unreadable"), see above")
      end(name, isFailed ? .failed : .refused, isFailed ? "failed" : "refused", Int(Date().timeIntervalSince(started)))
    }
  }

  private static func needsDevice(_ path: String) -> Bool {
    let lines = ((try? SystemFile.contents(path)) ?? []).split(separator: 0x0A, maxSplits: 5, omittingEmptySubsequences: false)
    return lines.prefix(5).contains { String(decoding: $0, as: UTF8.self).contains("needs a device") }
  }

  private mutating func end(
    _ name: String, _ outcome: Outcome, _ state: String, _ seconds: Int = 0, _ tables: ResultsComparison.Results? = nil
  ) {
    outcomes.append((name, outcome))
    report.add(name, state: state, seconds: seconds, results: tables)
  }

  /// Runs a sweep. Results of an edited one move aside to the returned folder.
  /// - Throws: what `run` throws, and `OutputProblem` if the folder cannot be moved.
  private func run(
    _ command: RunCommand, _ name: String, _ folder: String, receive: @escaping (SweepSummary, SweepDescription) -> Void
  ) throws -> (ExitStatus, moved: String?) {
    do { return (try command.run(receive: receive), nil) } catch let refusal as Refusal where refusal.isOfOlderRuns {
      var (target, number) = ("\(folder).until-\(Self.now("%Y-%m-%d"))", 1)
      let first = target
      while SystemFile.exists(target) {
        number += 1
        target = "\(first)-\(number)"
      }
      guard rename(folder, target) == 0 else { throw OutputProblem(path: target, problem: SystemFile.message) }
      Self.say("\(name): has been edited; its results before are now in \(target)")
      return (try command.run(receive: receive), target)
    }
  }

  /// Adds what changed since the results in another folder.
  private mutating func compare(_ name: String, _ now: ResultsComparison.Results, with before: String?) {
    guard let before, SystemFile.exists("\(before)/runs.csv") else { return }
    do {
      let comparison = ResultsComparison(before: try ReportCommand.results(before), now: now)
      try ResultsFolder.with("\(root)/\(now.sweep.name)") { try $0.publish(comparison.files) }
      report.add(name, comparison)
      // The points of an edited sweep are not compared for the status.
      if comparison.hasWorsePoint, !comparison.isOfEditedSweep { isWorse = true }
    } catch { lack("\(name): is not compared with \(before): \(error)") }
  }

  /// Adds results to the history, and since when their winner wins.
  private mutating func addToHistory(_ name: String, _ now: ResultsComparison.Results, _ folder: String) {
    do {
      try HistoryTarget(path: history, arguments, isQuiet: true).add(now.summary, now.sweep, folder: folder)
      hasHistory = true
      let all = HistorySeries.all(try HistoryTarget.contents(history).entries.filter { $0.sweep == now.sweep.name })
      if let series = all.first(where: { $0.entries.last?.isCheck == false }) { report.add(name, series) }
      if HistoryReport(all).hasUnexplained { isWorse = true }
    } catch { lack("\(name): is not in the history: \(error)") }
  }

  /// Prints that a file is missing, and remembers it for the status.
  private mutating func lack(_ text: String) {
    printError(text)
    lacksFiles = true
  }

  /// Writes overnight.md, deletes the oldest folders by date, and runs the hook.
  mutating func finish(hook: String?) -> ExitStatus {
    func has(_ outcome: Outcome) -> Bool { outcomes.contains { $0.outcome == outcome } }
    let counts = Outcome.allCases.map { outcome in (outcome, outcomes.count { $0.outcome == outcome }) }
    let ended = outcomes.filter { [.failed, .refused].contains($0.outcome) }.map(\.sweep)
    let summary = counts.map { "\($1) \($0)" }.joined(separator: ", ") + (ended.isEmpty ? "" : ": ") + ended.joined(separator: " ")
    Self.say(summary)
    let path = "\(root)/\(OvernightReport.fileName)"
    do {
      try ResultsFolder.with(root) { try $0.publish([report.file(date: Self.now("%Y-%m-%d"), summary: summary)]) }
      if hasHistory {
        do {
          let files = HistoryReport(HistorySeries.all(try HistoryTarget.contents(history).entries)).files
          try ResultsFolder.with(root) { try $0.publish(files) }
        } catch { lack("there are no pages of the history: \(error)") }
      }
      removeOld(hasRun: has(.good) || has(.failed))
      if let hook { run(hook, path) }
    } catch { lack("there is no \(OvernightReport.fileName) of this start: \(error)") }
    if has(.failed) || lacksFiles { return .failed }
    return has(.refused) ? .badInput : isWorse ? .regression : .good
  }

  /// Ends a start with `--keep`, and removes the oldest folders by date; none if no sweep has run.
  private mutating func removeOld(hasRun: Bool) {
    guard let keep else { return }
    unlink("\(results)/\(Self.unfinishedName)")
    for old in hasRun ? dates.dropLast(keep) : [] {
      if let input = InputFile.input(below: old) {
        Self.say("\(old): is kept, it has \(input), which this start has read")
        continue
      }
      do { try FileManager.default.removeItem(atPath: old) } catch { lack("\(old) is not removed: \(SystemFile.message)") }
    }
  }

  private func run(_ hook: String, _ path: String) {
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    let command = ProcessStart(path: "/bin/sh", arguments: ["sh", "-c", "\(hook) \"$1\"", "sh", path], environment: environment)
    switch Platform.spawn(command) {
    case .failure(let problem): Self.say("the hook did not start: \(problem.reason)")
    case .success(let id):
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      if code != 0 { Self.say("the hook ended with status \(code)") }
    }
  }
}
