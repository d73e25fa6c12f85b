import Foundation
import TestSupport
import Testing

@testable import SweepTool

/// The second scenario through the same runner, journal, merge and tables.
@Suite struct BackgroundSweepTests {
  private let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]
  private let small = ["--set", "resources.count=3", "--set", "resources.slices=12", "--set", "network=LTE", "--repeats", "4", "--quiet"]

  private func contents(_ folder: URL) throws -> [String] {
    try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
  }

  private func run(_ arguments: [String]) throws {
    let result = try BuiltTool.run(arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
  }

  @Test func jobsShardsResumesAndReportsGiveTheSameBytes() throws {
    try BuiltTool.withFolder { folder in
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      try run(["run", "Sweeps/background.json5", "--jobs", "1", "--output", path("one")] + small)
      try run(["run", "Sweeps/background.json5", "--jobs", "3", "--output", path("three")] + small)
      for shard in 0..<2 {
        try run(["run", "Sweeps/background.json5", "--shard", "\(shard)/2", "--output", path("shard\(shard)")] + small)
      }
      try run(["merge", path("shard1"), path("shard0"), "--output", path("merged"), "--quiet"])
      let whole = try contents(folder.appendingPathComponent("one"))
      for other in ["three", "merged"] { #expect(try contents(folder.appendingPathComponent(other)) == whole, "\(other)") }
      try FileManager.default.removeItem(at: folder.appendingPathComponent("one/report.md"))
      try run(["report", path("one")])
      try run(["run", "Sweeps/background.json5", "--output", path("three")] + small)
      #expect(try contents(folder.appendingPathComponent("one")) == whole)
      #expect(try contents(folder.appendingPathComponent("three")) == whole)
      #expect(whole[0].split(separator: "\n").count == 1 + 8 * 4, "seven strategies, and the baseline on its own network")
      #expect(whole[2].contains("resources missing after 8 h"))
    }
  }

  @Test func aRowCanBeShownAgainByItsPoint() throws {
    let runs = try String(contentsOf: Reference.packageRoot.appendingPathComponent("Results/background/runs.csv"), encoding: .utf8)
    let lines = runs.split(separator: "\n")
    let row = try #require(lines.first { $0.contains(",LTE,fourPerWake,") })
    let cells = row.split(separator: ",")
    let shown = try BuiltTool.run(["run", "Sweeps/background.json5", "--point", String(cells[0]), "--repetition", String(cells[1])])
    #expect(shown.output == "\(lines[0])\n\(row)\n")
  }

  @Test func theArticlesTableIsMadeOfTheCommittedResults() throws {
    let process = Process()
    process.executableURL = Reference.packageRoot.appendingPathComponent("Tests/Studies/Results/Background/article")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(
      text == (try String(contentsOf: Reference.packageRoot.appendingPathComponent("Results/background/article.md"), encoding: .utf8)))
  }

  @Test func onlyRunsOfAFeedCanBeExplained() throws {
    let result = try BuiltTool.run(["explain", "Sweeps/background.json5"])
    #expect(result.status == 2)
    #expect(result.errors.contains("only runs of a feed can be explained"))
  }
}
