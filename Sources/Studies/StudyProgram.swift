// `run-studies`: finds the study that the first word names, and turns what it throws into a line and an exit status.

import Foundation
import Rendering
import Simulation
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

/// The transport that a word of the command line names.
/// - Throws: `UsageProblem` if there is no such transport.
func transport(named name: String) throws -> NetworkConfiguration.TransportKind {
  if let transport = NetworkConfiguration.TransportKind(rawValue: name) { return transport }
  throw UsageProblem(description: "there is no transport \"\(name)\"")
}

/// Why a study cannot go on.
struct StudyProblem: Error, CustomStringConvertible {
  let description: String
}

/// Runs a command of the tool in this process.
///
/// - Throws: `StudyProblem` where it fails; it has said why.
func runTool(_ words: [String]) throws {
  let status = SweepTool.run(words)
  guard status == 0 else { throw StudyProblem(description: "\(words.joined(separator: " ")): ended with status \(status)") }
}

/// Hands on a folder that exists until the body returns.
/// - Throws: what `body` throws, and the file system.
func withScratchFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("run-studies-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path)
}

extension Table {
  /// A table whose first columns hold texts and the others numbers.
  init(texts: [String], numbers: [String] = []) {
    self.init(columns: texts.map { Column($0) } + numbers.map { Column($0, .right) })
  }

  /// Adds a row of plain texts.
  mutating func append(texts: [String]) { append(texts.map { Cell($0) }) }

  /// The table's Markdown without the end of its last line.
  var lines: String { String(markdown.dropLast()) }
}

/// A line of a Markdown table that is not padded.
func markdownRow(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
