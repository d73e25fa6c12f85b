// `run-studies`: finds the study that the first word names, and turns what it throws into a line and an exit status.

import Foundation
import SweepTool

/// A subcommand of `run-studies`.
package protocol Study {
  /// The subcommand.
  static var name: String { get }
  /// The words that follow the name.
  static var usage: String { get }
  /// The options that the study takes.
  static var options: [Option] { get }
  /// Runs the study.
  ///
  /// - Throws: `UsageProblem` where the words are wrong, and what the study throws.
  static func run(_ arguments: Arguments) throws
}

/// The program.
package enum StudyProgram {
  /// Runs the study that the program's arguments name and ends the process: 0 good, 2 refused.
  package static func main(_ studies: [any Study.Type]) -> Never {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let study = studies.first(where: { $0.name == words.first }) else {
      refuse("usage:" + studies.map { "\n  run-studies \($0.name) \($0.usage)" }.joined())
    }
    do {
      try study.run(Arguments(Array(words.dropFirst()), options: study.options))
      exit(0)
    } catch let problem as UsageProblem {
      refuse("\(problem.description)\nusage: run-studies \(study.name) \(study.usage)")
    } catch { refuse("\(error)") }
  }

  private static func refuse(_ text: String) -> Never {
    printNote(text)
    exit(2)
  }
}

/// Prints a line on standard error.
func printNote(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
