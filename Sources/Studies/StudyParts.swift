// What studies share: traces, scratch folders, runs of the tool and Markdown tables.

import Foundation
import Import
import Rendering
import Simulation
import SweepTool

func printNote(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// The transport that a word of the command line names.
/// - Throws: `UsageProblem` if there is no such transport.
func transport(named name: String) throws -> NetworkConfiguration.TransportKind {
  if let transport = NetworkConfiguration.TransportKind(rawValue: name) { return transport }
  throw UsageProblem(description: "there is no transport \"\(name)\"")
}

/// The rate of a link from a trace file.
/// - Throws: `InvalidInput` if the file is no such trace.
func trace(_ path: String, _ format: TraceOptions.Format) throws -> LinkRate {
  let sink = DiagnosticSink()
  let link = TraceReader.read(try InputFile(path: path), options: TraceOptions(format: format), into: sink)
  try sink.throwIfAny()
  guard let link else { preconditionFailure("a trace without problems has a rate") }
  return link
}

struct StudyProblem: Error, CustomStringConvertible {
  let description: String
}

/// Runs a command of the tool in this process.
/// - Throws: `StudyProblem` where it fails; it has said why.
func runTool(_ words: [String]) throws {
  let status = SweepTool.run(words)
  guard status == 0 else { throw StudyProblem(description: "\(words.joined(separator: " ")): ended with status \(status)") }
}

/// Hands on a folder that exists until the body returns.
/// - Throws: what `body` throws, and the file system.
func withScratchFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("run-studies-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

/// A Markdown table, without the end of its last line.
func markdownTable(_ columns: [Table.Column], _ rows: [[String]]) -> String {
  var table = Table(columns: columns)
  for row in rows { table.append(row) }
  return String(table.markdown.dropLast())
}

/// A Markdown table whose cells are not padded, without the end of its last line; its first columns hold texts and the others numbers.
func unpaddedTable(texts: [String], numbers: [String], _ rows: [[String]]) -> String {
  ([texts + numbers, texts.map { _ in "---" } + numbers.map { _ in "---:" }] + rows).map(markdownRow).joined(separator: "\n")
}

/// A line of a Markdown table that is not padded.
func markdownRow(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
