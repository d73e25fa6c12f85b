// Parts that studies share: options, runs of the tool, scratch folders and tables.

import Base
import Foundation
import Oracles
import Rendering
import Simulation
import SweepTool

package func printNote(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Returns the transport that a word of the command line names.
/// - Throws: `UsageProblem` if there is no such transport.
package func transport(named name: String) throws -> NetworkConfiguration.TransportKind {
  if let transport = NetworkConfiguration.TransportKind(rawValue: name) { return transport }
  throw UsageProblem("there is no transport \"\(name)\"")
}

/// Runs a command of the tool in this process.
/// - Throws: `StudyProblem` if the command fails; it has printed the reason.
package func runTool(_ words: [String]) throws {
  let status = SweepTool.run(words)
  guard status == 0 else { throw StudyProblem(description: "\(words.joined(separator: " ")): ended with status \(status)") }
}

/// Calls `body` with a folder that exists until it returns.
/// - Throws: the errors of `body` and of the file system.
package func withScratchFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("run-studies-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

/// Returns a page of Tests/Studies/Results/Pages with values in place of their names in braces.
/// - Throws: `StudyProblem` if it cannot be read.
package func page(_ name: String, _ values: [String: String]) throws -> String {
  let path = "Tests/Studies/Results/Pages/\(name).md"
  guard let bytes = try? SystemFile.contents(path) else {
    throw StudyProblem(description: "\(path): cannot be read; run in the package's folder")
  }
  return String(decoding: bytes.dropLast(), as: UTF8.self).replacing(#/\{(\w+)\}/#) { match in
    guard let value = values[String(match.output.1)] else { preconditionFailure("\(path): {\(match.output.1)} has no value") }
    return value
  }
}

/// Returns a Markdown table without its last line feed.
package func markdownTable(_ columns: [Table.Column], _ rows: [[String]]) -> String {
  String(Table(columns: columns, rows: rows).markdown.dropLast())
}

/// Returns a Markdown table of unpadded cells without its last line feed; the first columns hold texts, the others numbers.
package func unpaddedTable(texts: [String], numbers: [String], _ rows: [[String]]) -> String {
  ([texts + numbers, texts.map { _ in "---" } + numbers.map { _ in "---:" }] + rows).map(markdownRow).joined(separator: "\n")
}

/// Returns a line of an unpadded Markdown table.
package func markdownRow(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
