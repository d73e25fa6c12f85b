// The index pages of Scripts and Sweeps: a row for each file, with the text that the file itself has.

import Foundation
import TestSupport
import Testing

@testable import Base

/// Compares the rows of index pages with the files; `UPDATE_GOLDENS=1` rewrites the rows.
@Suite struct IndexTests {
  private static func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Reference.packageRoot.appendingPathComponent(folder).path)
      .filter { !$0.hasPrefix(".") && $0 != "README.md" }.sorted()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Reference.packageRoot.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the first comment line of a script, which is its summary.
  private static func summary(_ path: String) throws -> String {
    let line = try text(path).split(separator: "\n").first { !$0.hasPrefix("#!") } ?? ""
    #expect((line.hasPrefix("# ") || line.hasPrefix("// ")) && line.hasSuffix("."), "\(path): its first line is a comment of one sentence")
    return String(line.drop { "#/ ".contains($0) }).replacing("|", with: "\\|")
  }

  private static func expectRows(_ rows: [String], in page: String) throws {
    let lines = try text(page).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let found = lines.filter { $0.hasPrefix("| [") }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
      let rule = try #require(lines.firstIndex { $0.hasPrefix("| ---") })
      let text = (lines[...rule] + rows + lines[(rule + 1)...].filter { !$0.hasPrefix("| [") }).joined(separator: "\n")
      try text.write(to: Reference.packageRoot.appendingPathComponent(page), atomically: true, encoding: .utf8)
      return
    }
    #expect(found == rows, "\(page) is out of date; UPDATE_GOLDENS=1 swift test --filter IndexTests writes it")
  }

  @Test func theIndexOfScriptsHasEachScriptWithItsSummary() throws {
    let rows = try Self.files(in: "Scripts").map { "| [\($0)](\($0)) | \(try Self.summary("Scripts/\($0)")) |" }
    try Self.expectRows(rows, in: "Scripts/README.md")
  }

  @Test func theIndexOfSweepsHasEachSweepWithItsQuestionAndResults() throws {
    let rows = try Self.files(in: "Sweeps").filter { $0.hasSuffix(".json5") }.map { file in
      let sink = DiagnosticSink()
      let sweep = try #require(JSON5Parser.parse(try Self.text("Sweeps/\(file)"), file: file, into: sink))
      let question = try #require(sweep["question"]?.text, "\(file) has no question")
      let report = "Results/\(try #require(sweep["sweep"]?.text))/report.md"
      let isMade = FileManager.default.fileExists(atPath: Reference.packageRoot.appendingPathComponent(report).path)
      return "| [\(file)](\(file)) | \(question) | \(isMade ? "[report](../\(report))" : "") |"
    }
    try Self.expectRows(rows, in: "Sweeps/README.md")
  }
}
