// Every field of a file that others may have written, in every output: sweep.json and the lines of a history.

import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Rendering
@testable import Sweep

@Suite struct FieldInjectionTests {
  /// Markup, control characters, changes of the direction of writing, lines, and a text far too long.
  private static let evil = [
    "z<script>alert(1)</script><meta http-equiv=\"refresh\" content=\"0;url=//192.0.2.1\"/>",
    "\u{1B}[2J\u{1B}]0;x\u{7}\u{9B}31m\u{202A}\u{202E}\u{2066}\u{2069}\u{200B}", "a\n::error::b\r\n# c\n\n- d\n<meta x>",
    "](javascript:1) `|*_<b>&lt;", String(repeating: "long<b> ", count: 4000),
  ]

  /// The paths of all strings in a JSON value.
  private static func strings(_ value: Any, at path: [AnyHashable] = []) -> [[AnyHashable]] {
    if value is String { return [path] }
    if let list = value as? [Any] { return list.enumerated().flatMap { strings($1, at: path + [$0]) } }
    return (value as? [String: Any])?.sorted { $0.key < $1.key }.flatMap { strings($1, at: path + [$0]) } ?? []
  }

  private static func replacing(_ value: Any, at path: ArraySlice<AnyHashable>, with text: String) -> Any {
    guard let key = path.first else { return text }
    if var list = value as? [Any], let index = key as? Int {
      list[index] = replacing(list[index], at: path.dropFirst(), with: text)
      return list
    }
    guard var object = value as? [String: Any], let name = key as? String, let old = object[name] else { return value }
    object[name] = replacing(old, at: path.dropFirst(), with: text)
    return object
  }

  /// Calls `body` with the bytes of JSON in which one string is evil, for each string and evil.
  private static func forEachChange(of json: [UInt8], _ body: (String, [UInt8]) throws -> Void) throws {
    let whole = try JSONSerialization.jsonObject(with: Data(json))
    for path in strings(whole) {
      for text in evil {
        let changed = try JSONSerialization.data(withJSONObject: replacing(whole, at: path[...], with: text), options: .sortedKeys)
        try body("\(path.map { "\($0)" }.joined(separator: ".")) = \(text.prefix(20))", [UInt8](changed))
      }
    }
  }

  /// Checks that a file has no markup, control characters or lines of a field.
  private static func check(_ name: String, _ text: String, _ field: String) throws {
    #expect(SafeText.lines(text) == text, "\(name): \(field)")
    #expect(!text.contains("\n::error") && !text.contains("\r"), "\(name): \(field)")
    if name.hasSuffix(".html") || name.hasSuffix(".svg") || name.hasSuffix(".xml") {
      let root = try #require(XMLTree.root(of: text), "\(name): \(field)")
      let own = name.hasSuffix(".html") ? (scripts: 1, metas: 4) : (0, 0)
      let found = (root.all("script").count, root.all("meta").count)
      #expect(found == own && root.all("b").isEmpty, "\(name): \(found), \(field)")
    }
    if name.hasSuffix(".md") {
      // A code span shows what is in it.
      let shown = text.replacing(#/(`+)[^`](?s:.*?)\1(?!`)/#, with: "")
      #expect(shown.firstMatch(of: #/<(script|meta|b)\b/#) == nil, "\(name): \(field)")
    }
  }

  private static func sweep() -> (table: RunTable, sweep: SweepDescription) {
    let samples = Samples.usual
    var sweep = samples.sweep
    let paths = sweep.axes.map(\.path)
    sweep.strata = SweepDescription.Strata(
      kind: .axes, paths: [paths[1]],
      members: ["keep", "drop"].enumerated().map { index, value in
        let point = samples.points.first { $0.values[1] == value } ?? samples.points[0]
        return SweepDescription.Stratum(
          name: value, values: [value], weight: 0.5,
          baseline: .init(point: point.id, axisValues: point.values, settings: "costBudget", inGrid: true))
      })
    sweep.warnings = ["a warning"]
    sweep.margin = "2%"
    sweep.source?.overrides.settings = [.init(path: "user.dwell", value: "2s")]
    sweep.objective = Objective(
      minimize: nil, subjectTo: [Constraint(.bytesReceived, isUpper: true, bound: 62_000_000, text: "bytesReceived <= 62MB")])
    var table = samples.table
    table.schema = sweep.schema
    return (table, sweep)
  }

  /// The kinds of strata have sentences of their own.
  @Test(arguments: [SweepDescription.Strata.Kind.axes, .population, .worlds, nil])
  func everyFieldOfADescriptionIsTextInEveryOutput(_ kind: SweepDescription.Strata.Kind?) throws {
    var (table, usual) = Self.sweep()
    if let kind { usual.strata?.kind = kind } else { usual.strata = nil }
    if kind == .worlds { usual.strata?.measured = usual.objective?.subjectTo }
    let before = try SweepSummary.of(runs: table, sweep: usual)
    var count = 0
    try Self.forEachChange(of: usual.json) { field, json in
      guard let sweep = try? SweepDescription(json: json, file: "sweep.json"),
        let summary = try? SweepSummary.of(runs: table, sweep: sweep)
      else { return }
      count += 1
      let report = Report.make(summary: summary, sweep: sweep)
      let comparisons = [
        ResultsComparison(before: (before, usual), now: (summary, sweep)),
        ResultsComparison(before: (summary, sweep), now: (before, usual)),
      ]
      for file in report.files + comparisons.flatMap(\.files) {
        try Self.check(file.name, file.contents, field)
      }
      for text in [TerminalSummary.text(summary, sweep: sweep, width: 80)] + comparisons.map({ $0.answer(.plain) }) {
        try Self.check("terminal", text, field)
      }
      // What others wrote is cut before it fills a history, and told apart all the same.
      let entry = HistoryEntry(summary, sweep: sweep, origin: .init(date: "2026-11-24T20:00:00Z", build: nil, commit: nil)).bounded
      #expect(entry.sortedJSON(isIndented: false).count < 100_000, "\(field)")
      #expect(entry.bounded == entry)
    }
    #expect(count > 60)
  }

  @Test func everyFieldOfAHistoryIsTextInEveryOutput() throws {
    let (table, sweep) = Self.sweep()
    let summary = try SweepSummary.of(runs: table, sweep: sweep)
    func entry(_ day: Int, mean: Double = 0) -> HistoryEntry {
      var entry = HistoryEntry(
        summary, sweep: sweep, origin: .init(date: "2026-11-2\(day)T20:00:00Z", build: "b", commit: "c\(day)", rows: "r\(day)"))
      entry.seed += UInt64(day)
      for index in entry.strata.indices { entry.strata[index].points[0].mean += mean }
      return entry
    }
    func lines(_ entries: [[UInt8]]) -> InputFile {
      InputFile(name: "h.jsonl", bytes: entries.flatMap { HistoryFile.withChecksum($0[...]) })
    }
    let others = [entry(1), entry(3, mean: 3)].map { $0.sortedJSON(isIndented: false) }
    #expect(try HistoryFile.contents(lines(others)).entries.count == 2)
    var (read, refused) = (0, 0)
    var made = entry(2, mean: 1)
    made.backend = "command"
    for base in [entry(2, mean: 1), made] {
      try Self.forEachChange(of: base.sortedJSON(isIndented: false)) { field, json in
        var all: [[HistoryEntry]] = []
        do {
          // Ill-formed dates are refused; everything else is data.
          all.append(try HistoryFile.contents(lines([others[0], json, others[1]])).entries)
          #expect(all[0].count == 3 && !field.hasPrefix("date"))
          read += 1
        } catch let error as InvalidInput {
          try Self.check("message", "\(error)", field)
          #expect("\(error)".count < 500 && field.hasPrefix("date"), "\(field): \(error)")
          refused += 1
        }
        // A report is safe without the reader, too.
        let entries = try [others[0], json, others[1]].map { try JSONDecoder().decode(HistoryEntry.self, from: Data($0)) }
        if !field.contains("= long") { all.append(entries) }
        for entries in all {
          let report = HistoryReport(HistorySeries.all(entries))
          let charts = report.series.flatMap(\.charts).map { ("chart.svg", $0.file) }
          for (name, text) in report.files.map({ ($0.name, $0.contents) }) + charts { try Self.check(name, text, field) }
          try Self.check("terminal", report.text(isColored: false), field)
          #expect(report.files.allSatisfy { $0.contents.count < 200_000 }, "\(field)")
        }
      }
    }
    #expect(read > 150 && refused == 10)
  }

  @Test(arguments: [
    ("2026-11-24T20:00:00Z", true), ("2024-02-29T23:59:59Z", true), ("2023-02-29T23:59:59Z", false), ("2026-11-24", false),
    ("2026-11-24T24:00:00Z", false), ("2026-13-24T20:00:00Z", false), ("2026-11-24T20:00:00+00:00", false),
    ("z<script>alert(1)</script>", false), ("2026-11-24T20:00:00Z\n", false), ("２026-11-24T20:00:00Z", false), ("", false),
  ]) func onlyTheProgramsOwnDatesAreDates(_ text: String, _ isDate: Bool) { #expect(HistoryEntry.isTimestamp(text) == isDate) }
}
