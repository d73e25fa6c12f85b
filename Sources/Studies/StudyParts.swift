// Shared parts of studies: traces, scratch folders, runs of the tool and Markdown tables.

import Base
import Foundation
import Import
import Rendering
import Simulation
import SweepTool

func printNote(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Returns the transport that a word of the command line names.
/// - Throws: `UsageProblem` if there is no such transport.
func transport(named name: String) throws -> NetworkConfiguration.TransportKind {
  if let transport = NetworkConfiguration.TransportKind(rawValue: name) { return transport }
  throw UsageProblem(description: "there is no transport \"\(name)\"")
}

/// Returns the rate of a link from a trace file.
/// - Throws: `InvalidInput` if the file is not a trace in that format.
func trace(_ path: String, _ format: TraceOptions.Format) throws -> LinkRate {
  let sink = DiagnosticSink()
  let link = TraceReader.read(try InputFile(path: path), options: TraceOptions(format: format), into: sink)
  try sink.throwIfAny()
  guard let link else { preconditionFailure("a trace without problems has a rate") }
  return link
}

/// Returns the rows of a CSV file, each as texts by column. Cells are never quoted.
/// - Throws: `StudyProblem` if the file cannot be read or a row has too few or too many cells.
func csvRows(_ path: String) throws -> [[String: String]] {
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
    throw StudyProblem(description: "\(path): cannot be read; run in the package's folder")
  }
  let lines = text.split(whereSeparator: \.isNewline).map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  guard let names = lines.first else { throw StudyProblem(description: "\(path): is empty; restore the file") }
  return try lines.enumerated().dropFirst().map { index, cells in
    guard cells.count == names.count else {
      throw StudyProblem(description: "\(path):\(index + 1): has \(cells.count) cells instead of \(names.count); restore the file")
    }
    return Dictionary(zip(names, cells), uniquingKeysWith: { first, _ in first })
  }
}

/// Returns a built-in prefetcher, with its usual settings unless `change` sets others.
func standardPrefetcher(_ name: String, _ change: (inout PrefetcherSettings) -> Void = { _ in }) -> any Prefetcher {
  guard let definition = PrefetcherDefinition.standard.first(where: { $0.name == name }) else {
    preconditionFailure("no built-in prefetcher is named \(name)")
  }
  var settings = PrefetcherSettings()
  // The first value of a key counts.
  change(&settings)
  for parameter in definition.settings {
    if case .value(let usual) = parameter.fallback { settings.set(parameter.key, usual) }
  }
  return definition.make(settings)
}

struct StudyProblem: Error, CustomStringConvertible {
  let description: String
}

/// Runs a command of the tool in this process.
/// - Throws: `StudyProblem` if the command fails; it has printed the reason.
func runTool(_ words: [String]) throws {
  let status = SweepTool.run(words)
  guard status == 0 else { throw StudyProblem(description: "\(words.joined(separator: " ")): ended with status \(status)") }
}

/// Calls `body` with a folder that exists until it returns.
/// - Throws: the errors of `body` and of the file system.
func withScratchFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("run-studies-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

/// Returns a Markdown table without its last line feed.
func markdownTable(_ columns: [Table.Column], _ rows: [[String]]) -> String {
  var table = Table(columns: columns)
  for row in rows { table.append(row) }
  return String(table.markdown.dropLast())
}

/// Returns a Markdown table of unpadded cells without its last line feed; the first columns hold texts, the others numbers.
func unpaddedTable(texts: [String], numbers: [String], _ rows: [[String]]) -> String {
  ([texts + numbers, texts.map { _ in "---" } + numbers.map { _ in "---:" }] + rows).map(markdownRow).joined(separator: "\n")
}

/// Returns a line of an unpadded Markdown table.
func markdownRow(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
