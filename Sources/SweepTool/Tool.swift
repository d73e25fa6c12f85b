// Finds the command of the first word, runs it, and turns its errors into lines and an exit status.

import Analysis
import Base
import Sweep

enum ExitStatus: Int32, CaseIterable {
  case good = 0
  case failed = 1
  case badInput = 2
  case regression = 3
  case inconclusive = 4
  case waiting = 75
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  var meaning: String {
    switch self {
    case .good: "Success. Of check: not worse, or inconclusive without --strict."
    case .failed: "Some runs failed, or output could not be written. With --write-winner: no point wins."
    case .badInput: "Wrong usage, invalid input, or a refusal that the message explains."
    case .regression:
      "Of check: the candidate is worse than the baseline. Of report --fail-on-worse and overnight: a point is worse than before. "
        + "Of verify: a row differs or is missing. Of history show and overnight: results differ without a reason."
    case .inconclusive: "Of check --strict: the runs do not tell, or the devices are unfit to tell."
    case .waiting: "Of run --shard: a search needs runs of other shards; the same command, without --fresh, continues."
    case .hungUp: "Stopped because the terminal was closed (SIGHUP)."
    case .interrupted: "Stopped by Ctrl-C (SIGINT)."
    case .terminated: "Stopped by SIGTERM."
    }
  }

  /// Returns the status of `check`.
  init(_ result: GateResult) {
    self =
      switch result.outcome {
      case .passed: .good
      case .failed: .failed
      case .regression: .regression
      case .inconclusive, .unfit: result.isStrict ? .inconclusive : .good
      }
  }
}

enum Tool {
  static var commands: [any Command.Type] {
    [
      InitCommand.self, RunCommand.self, OvernightCommand.self, CheckCommand.self, MergeCommand.self, ReportCommand.self,
      HistoryCommand.self, VerifyCommand.self, ExplainCommand.self, NetworkCommand.self, ListCommand.self, ImportCommand.self,
      CalibrateCommand.self, FitCommand.self, CompletionCommand.self, ManCommand.self, HelpCommand.self,
    ]
  }

  /// Runs the command of `words`. The prefetchers are made only for a command that may need them, which halves the time of `--version`.
  static func run(
    _ words: [String], prefetchers: @autoclosure () throws -> PrefetcherCatalogue, live: LiveClient?, program: String? = nil,
    fault: FileFault? = nil
  ) -> ExitStatus {
    guard let name = words.first, name != "--help", name != "-h" else {
      return printLine(HelpPage.program.text(width: Terminal.width)) ? .good : .failed
    }
    if name == "--version" { return printLine(Program.versionText) ? .good : .failed }
    guard let command = commands.first(where: { $0.name == name }) else {
      let remedy =
        reader(of: name).map { "did you mean \"\($0) \(shown(name))\"?" }
        ?? NearestName.remedy(for: name, among: commands.map { $0.name } + ["--version"], what: "commands")
      return complain("\(Program.name): \(shown(name)): unknown command; \(remedy); see \(Program.name) --help")
    }
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return printLine(HelpPage(of: command).text(width: Terminal.width)) ? .good : .failed
    }
    do {
      let arguments = try Arguments(
        Array(words.dropFirst()), options: command.help.options, prefetchers: prefetchers(), live: live, program: program, fault: fault)
      return try command.init(arguments).run()
    } catch { return report(error, of: name) }
  }

  static func report(_ error: any Error, of name: String) -> ExitStatus {
    if let error = error as? UsageProblem {
      return complain("\(Program.name) \(name): \(error.description); see \(Program.name) \(name) --help")
    }
    if let error = error as? Interrupted {
      if let message = error.message { printError(message) }
      return Interruption.status
    }
    printError("\(error)")
    return (error as? Refusal)?.isFailure == true ? .failed : .badInput
  }

  /// Returns the command that reads a file or folder; nil if there is none of that name.
  private static func reader(of path: String) -> String? {
    if SystemFile.isFolder(path) { return ReportCommand.name }
    if path.hasSuffix(".har") { return ImportCommand.name }
    if path.hasSuffix(".csv") || path.hasSuffix("sweep.json") { return nil }
    if path.hasSuffix(".jsonl") { return "\(HistoryCommand.name) show" }
    return SystemFile.exists(path) || path.hasSuffix(".json5") ? RunCommand.name : nil
  }

  private static func complain(_ text: String) -> ExitStatus {
    printError(text)
    return .badInput
  }
}

protocol Command {
  static var name: String { get }
  static var summary: String { get }
  static var help: CommandHelp { get }
  /// - Throws: `UsageProblem` if an argument is wrong.
  init(_ arguments: Arguments) throws
  /// - Throws: `InvalidInput` or `Refusal` if an input cannot be used, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus
}

/// Prints a line on standard output. False if the output is closed.
@discardableResult func printLine(_ text: String) -> Bool { writeAll(SafeText.lines(text) + "\n", to: STDOUT_FILENO) }

/// Prints lines with colour codes, whose other text is safe already. False if the output is closed.
func printStyled(_ text: String) -> Bool { writeAll(text + "\n", to: STDOUT_FILENO) }
func printError(_ text: String) { writeAll(SafeText.lines(text) + "\n", to: STDERR_FILENO) }

/// Prints data for other programs unchanged; on a terminal without control characters. False if the output is closed.
func printData(_ text: String) -> Bool { writeAll(isatty(STDOUT_FILENO) == 1 ? SafeText.lines(text) : text, to: STDOUT_FILENO) }

/// Writes all of a text to a descriptor. False if the system refuses, which standard error says unless a pipe was closed.
@discardableResult func writeAll(_ text: String, to descriptor: Int32) -> Bool {
  if Array(text.utf8).withUnsafeBytes(SystemFile(descriptor: descriptor).write) { return true }
  if descriptor == STDOUT_FILENO, errno != EPIPE { printError("standard output: \(SystemFile.message); the output is incomplete") }
  return false
}
