import Foundation
import TestSupport
import Testing

/// Results of 1.0.0, with model 2 and without digests. `transports-tcp` is of the last program with the transport `tcp`.
@Suite struct OlderResultsTests {
  private static let corpus = Reference.packageRoot.appendingPathComponent("Tests/ToolTests/OlderResults")
  private static let names = ["cancel-rules", "background"]

  private func tool(_ words: [String], _ folder: URL, status: Int32 = 0) throws -> ToolResult {
    let result = try BuiltTool.run(words, in: folder)
    #expect(result.status == status, "\(words): \(result.errors)")
    return result
  }

  /// Returns the cells of a table by point, axis values and column.
  private func cells(_ file: URL) throws -> [String: String] {
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let first = rows[0].firstIndex(of: "baseline")!
    return rows.dropFirst().reduce(into: [:]) { cells, row in
      for (name, cell) in zip(rows[0], row) { cells["\(row[..<first]) \(name)"] = cell }
    }
  }

  @Test(arguments: names) func meansAreThoseOfTheProgramThatMadeThem(_ name: String) throws {
    try BuiltTool.withFolder { folder in
      let old = Self.corpus.appendingPathComponent(name)
      _ = try tool(["report", old.path, "--output", "r"], folder)
      let now = try cells(folder.appendingPathComponent("r/summary.csv"))
      // Intervals, verdicts and the repetitions needed depend on the program's statistics, which have changed.
      let changed = ["Low", "High", " verdict", " neededRepetitions"]
      let before = try cells(old.appendingPathComponent("summary.csv")).filter { cell in !changed.contains { cell.key.hasSuffix($0) } }
      #expect(before.count > 1000)
      // Quantiles and maxima of the weighted whole, whose rows have no id, are left out.
      func isLeftOut(_ key: String) -> Bool {
        key.hasPrefix("[\"\",") && ["P50", "P90", "P99", "Max"].contains { key.hasSuffix(" waitMs\($0)") }
      }
      for (key, value) in before { #expect(now[key] == (isLeftOut(key) ? "" : value), "\(key)") }
    }
  }

  @Test(arguments: [("cancel-rules", 24), ("background", 28)])
  func aComparisonSaysWhatDiffersAndFindsThePoints(_ name: String, _ shared: Int) throws {
    try BuiltTool.withFolder { folder in
      let now = Reference.packageRoot.appendingPathComponent("Results/\(name)")
      let old = Self.corpus.appendingPathComponent(name)
      let text = try tool(["report", now.path, "--compare", old.path, "--output", "r"], folder).output
      #expect(text.contains("Of \(shared) points in both") && text.contains("paired by seed"), "\(text)")
      #expect(try tool(["report", now.path, "--compare", old.path, "--output", "r", "--quiet"], folder).output.isEmpty)
      let table = try String(contentsOf: folder.appendingPathComponent("r/comparison.md"), encoding: .utf8).replacing(#/ +/#, with: " ")
      #expect(table.contains("| model | 2 | 4 |"), "\(table)")
      #expect(!table.contains("## New") && !table.contains("## Gone"))
    }
  }

  @Test func whatCannotBeComparedIsNamed() throws {
    try BuiltTool.withFolder { folder in
      try """
      { sweep: "small", repeats: 3, axes: { "prefetcher.ahead": [0, 1, 2] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      _ = try tool(["run", "s.json5", "--quiet", "--output", "now"], folder)
      func compared(_ options: [String], edit: (String) -> String = { $0 }) throws -> String {
        _ = try tool(["run", "s.json5", "--quiet", "--output", "old"] + options, folder)
        let rows = folder.appendingPathComponent("old/runs.csv")
        try edit(String(contentsOf: rows, encoding: .utf8)).write(to: rows, atomically: true, encoding: .utf8)
        _ = try tool(["report", "now", "--compare", "old", "--output", "r"], folder)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("old"))
        return try String(contentsOf: folder.appendingPathComponent("r/comparison.md"), encoding: .utf8).replacing(#/ +/#, with: " ")
      }
      let seed = try compared(["--seed", "2"])
      #expect(seed.contains("| seed | 2 | 1 | no run has a pair: the noise of both counts |"), "\(seed)")
      let values = try compared(["--set", "prefetcher.ahead=[0, 1, 5]"])
      #expect(values.contains("| values of prefetcher.ahead | 5 | 2 | points with these are in one of the two only |"), "\(values)")
      let sweep = folder.appendingPathComponent("s.json5")
      let text = try String(contentsOf: sweep, encoding: .utf8)
      let wider = text.replacing("axes: {", with: "axes: { \"prefetcher.prefixOnly\": [true, false],")
      try wider.write(to: sweep, atomically: true, encoding: .utf8)
      let axes = try compared([])
      try text.write(to: sweep, atomically: true, encoding: .utf8)
      #expect(
        axes.contains("| axes | prefetcher.ahead and prefetcher.prefixOnly | prefetcher.ahead | points are matched by id |"), "\(axes)")
      // A program that did not know the last metrics, nor digests.
      let columns = try compared([]) { text in
        text.split(separator: "\n").enumerated().map { index, line in
          let cells = line.split(separator: ",", omittingEmptySubsequences: false)
          return (index == 0 ? cells.dropLast(1) : cells.dropLast(2) + [""]).joined(separator: ",") + "\n"
        }.joined()
      }
      #expect(columns.contains("| metrics | | radioActiveMs | one of the two has no values |"), "\(columns)")
    }
  }

  @Test func aHistoryNamesTheModelsAndVerifyRefuses() throws {
    try BuiltTool.withFolder { folder in
      let old = Self.corpus.appendingPathComponent("cancel-rules").path
      let now = Reference.packageRoot.appendingPathComponent("Results/cancel-rules").path
      for path in [old, now, old] { _ = try tool(["history", "add", path, "--history", "h"], folder) }
      let shown = try tool(["history", "show", "h"], folder).output
      #expect(shown.contains("in both runs") && shown.contains("the model changed (2 → 4)"), "\(shown)")
      #expect(try tool(["verify", old], folder, status: 2).errors.contains("use the program that made the results"))
    }
  }

  @Test func aStoppedSweepHasResultsInAnotherFolder() throws {
    try BuiltTool.withFolder { folder in
      try JournalSweep.text.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      _ = try tool(["run", "s.json5", "--quiet", "--output", "r", "--jobs", "1"], folder)
      let rows = try String(contentsOf: folder.appendingPathComponent("r/runs.csv"), encoding: .utf8)
      // As if the sweep had been stopped in its last runs, before any results.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("r").path) where name != ".journal" {
        try FileManager.default.removeItem(at: folder.appendingPathComponent("r/\(name)"))
      }
      let journal = folder.appendingPathComponent("r/.journal/runs")
      try Data(contentsOf: journal).dropLast(300).write(to: journal)
      let bytes = try Data(contentsOf: journal)
      for options in [[], ["--output", "r"]] {
        let refused = try tool(["report", "r"] + options, folder, status: 2).errors
        #expect(refused.contains("r: its sweep has not ended, so that it has no results; make some of the 10 runs"), "\(refused)")
      }
      #expect(try tool(["report", "r", "--format", "json", "--output", "f"], folder, status: 2).errors.contains("leave out --output"))
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("f").path))
      let made = try tool(["report", "r", "--output", "o"], folder)
      #expect(made.output.hasPrefix("o: results of 10 runs that r keeps, made by prefetch-sweep "), "\(made.output)")
      #expect(made.errors.contains("2 runs of sweep.json have no row"), "\(made.errors)")
      let kept = try String(contentsOf: folder.appendingPathComponent("o/runs.csv"), encoding: .utf8).split(separator: "\n")
      #expect(kept.count == 11 && kept == rows.split(separator: "\n").filter(kept.contains))
      #expect(try Data(contentsOf: journal) == bytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("r").path) == [".journal"])
      let taken = try tool(["report", "r", "--output", "s"], folder)
      #expect(taken.output.hasPrefix("s: results of 10 runs"))
      _ = try tool(["run", "s.json5", "--quiet", "--output", "other"], folder)
      let own = try tool(["report", "r", "--output", "other"], folder, status: 2).errors
      #expect(own.contains("other has runs of its own"), "\(own)")
      _ = try tool(["run", "s.json5", "--quiet", "--output", "r"], folder)
      #expect(try String(contentsOf: folder.appendingPathComponent("r/runs.csv"), encoding: .utf8) == rows, "the stopped sweep goes on")
    }
  }

  /// Reports, merges and histories read results of a transport that is no longer simulated; no run of it can be repeated.
  @Test func resultsOfTheTransportTCPAreRead() throws {
    try BuiltTool.withFolder { folder in
      let old = Self.corpus.appendingPathComponent("transports-tcp")
      let rows = try String(contentsOf: old.appendingPathComponent("runs.csv"), encoding: .utf8)
      let before = try cells(old.appendingPathComponent("summary.csv"))
      func expectTheSame(_ name: String) throws {
        #expect(try cells(folder.appendingPathComponent("\(name)/summary.csv")) == before)
        #expect(try String(contentsOf: folder.appendingPathComponent("\(name)/report.md"), encoding: .utf8).contains("tcp, packet"))
      }
      _ = try tool(["report", old.path, "--output", "r"], folder)
      try expectTheSame("r")
      _ = try tool(["merge", old.path + "/shards/0", old.path + "/shards/1", "--output", "m"], folder)
      try expectTheSame("m")
      #expect(try String(contentsOf: folder.appendingPathComponent("m/runs.csv"), encoding: .utf8) == rows)
      let journal = folder.appendingPathComponent("stopped/.journal")
      try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: old.appendingPathComponent("journal/runs"), to: journal.appendingPathComponent("runs"))
      _ = try tool(["report", "stopped", "--output", "s"], folder)
      try expectTheSame("s")
      #expect(try String(contentsOf: folder.appendingPathComponent("s/runs.csv"), encoding: .utf8) == rows)
      for _ in 0..<2 { _ = try tool(["history", "add", old.path, "--history", "h"], folder) }
      #expect(try tool(["history", "show", "h"], folder).output.contains("tcp"))
    }
  }

  private enum JournalSweep {
    static let text = """
      { sweep: "small", repeats: 4, axes: { "prefetcher.ahead": [0, 1, 2] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """
  }
}
