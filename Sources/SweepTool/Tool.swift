// Finds the command and turns what it throws into lines and an exit status.

import Analysis
import Import
import Sweep

/// How the program ends (design §7).
enum ExitStatus: Int32 {
  /// All went well.
  case good = 0
  /// Some runs failed, or the program did.
  case failed = 1
  /// Usage, bad input, or refused.
  case badInput = 2
  /// The candidate of `check` is worse than the baseline.
  case regression = 3
  /// `check --strict` cannot tell.
  case inconclusive = 4
  /// The terminal went away.
  case hungUp = 129
  /// Stopped by Ctrl-C.
  case interrupted = 130
  /// Stopped by SIGTERM.
  case terminated = 143
}

enum Tool {
  static var commands: [any Command.Type] {
    [
      RunCommand.self, CheckCommand.self, MergeCommand.self, ReportCommand.self, NetworkCommand.self, ListCommand.self, ExplainCommand.self,
      ImportCommand.self, CalibrateCommand.self,
    ]
  }

  static func run(_ words: [String], prefetchers: PrefetcherCatalogue, live: LiveClient?) -> ExitStatus {
    guard let name = words.first, name != "help", name != "--help", name != "-h" else {
      if let named = words.dropFirst().first, let command = commands.first(where: { $0.name == named }) {
        printLine(command.usage)
      } else if words.dropFirst().first == "sweep-file" {
        printLine(ListCommand.sweepFile(prefetchers))
      } else {
        printLine(usage)
      }
      return .good
    }
    if name == "--version" {
      printLine("\(Program.name), model \(Program.modelVersion)")
      return .good
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      let known = commands.map { $0.name }.joined(separator: ", ")
      return complain("\(Program.name): \(shown(name)): unknown command; use one of \(known), or see \(Program.name) --help")
    }
    if words.contains("--help") || words.contains("-h") {
      printLine(command.usage)
      return .good
    }
    do {
      let arguments = try Arguments(Array(words.dropFirst()), options: command.options, prefetchers: prefetchers, live: live)
      return try command.init(arguments).run()
    } catch let error as UsageProblem {
      return complain("\(Program.name) \(name): \(error.description); see \(Program.name) \(name) --help")
    } catch {
      printError("\(error)")
      return (error as? Refusal)?.isFailure == true ? .failed : .badInput
    }
  }

  private static func complain(_ text: String) -> ExitStatus {
    printError(text)
    return .badInput
  }

  private static var usage: String {
    let lines = commands.map { "  \($0.name)\(String(repeating: " ", count: 10 - $0.name.count))\($0.summary)" }
    return """
      Sweeps settings of feed prefetchers over an emulated network and compares them with a baseline.

      usage: \(Program.name) <command> …

      \(lines.joined(separator: "\n"))
        help      Says more about a command, or about all keys of a sweep file: help sweep-file.

      exit status: 0 good, 1 some runs failed, 2 usage, bad input or refused, 3 regression, 4 inconclusive,
      129, 130 or 143 stopped by a signal (the terminal went away, Ctrl-C, SIGTERM)
      """
  }
}

protocol Command {
  static var name: String { get }
  static var summary: String { get }
  static var usage: String { get }
  static var options: [Option] { get }
  /// - Throws: `UsageProblem` if an argument is wrong.
  init(_ arguments: Arguments) throws
  /// - Throws: `InvalidInput` or `Refusal` if an input cannot be used, `OutputProblem` if a file cannot be written.
  func run() throws -> ExitStatus
}

/// Prints a line on standard output; false if that takes no more.
@discardableResult func printLine(_ text: String) -> Bool { writeAll(SafeText.lines(text) + "\n", to: STDOUT_FILENO) }

/// Prints lines that hold the codes of their colours and otherwise safe texts only; false if standard output takes no more.
func printStyled(_ text: String) -> Bool { writeAll(text + "\n", to: STDOUT_FILENO) }
func printError(_ text: String) { writeAll(SafeText.lines(text) + "\n", to: STDERR_FILENO) }

/// Prints data for other programs: as it is, but to a terminal without control characters of it.
func printData(_ text: String) -> Bool { writeAll(isatty(STDOUT_FILENO) == 1 ? SafeText.lines(text) : text, to: STDOUT_FILENO) }

/// Writes all of a text to a descriptor; false if that does not take it.
@discardableResult func writeAll(_ text: String, to descriptor: Int32) -> Bool {
  Array(text.utf8).withUnsafeBytes(SystemFile(descriptor: descriptor).write)
}
