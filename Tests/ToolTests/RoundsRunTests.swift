import Foundation
import TestSupport
import Testing

/// Sweeps that decide who goes on, as a user runs them.
@Suite struct RoundsRunTests {
  private let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]
  private let halving = #"search: "halving", repeats: 8,"#
  private let until = #"repeats: { min: 3, max: 24, until: "±10%" },"#

  private func sweep(_ plan: String, in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("r.json5")
    try """
    { sweep: "r", \(plan) axes: { "prefetcher.ahead": "0...8" }, baseline: { "prefetcher.ahead": 2 },
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 60 }, user: { dwell: "1s" }, prefetcher: "itemsAhead" } }
    """.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  private func run(_ arguments: [String], to output: URL) throws -> [String] {
    let result = try BuiltTool.run(arguments + ["--output", output.path, "--quiet"])
    #expect(result.status == 0, "\(result.errors)")
    return try files.map { try String(contentsOf: output.appendingPathComponent($0), encoding: .utf8) }
  }

  private func repetitions(_ runs: String) -> [String: Int] {
    runs.split(separator: "\n").dropFirst().reduce(into: [:]) { counts, row in
      counts[row.split(separator: ",")[3].description, default: 0] += 1
    }
  }

  @Test func theBytesDoNotDependOnJobsResumesOrReports() throws {
    for plan in [halving, until] {
      try BuiltTool.withFolder { folder in
        let path = try sweep(plan, in: folder)
        let one = try run(["run", path, "--jobs", "1"], to: folder.appendingPathComponent("one"))
        #expect(try run(["run", path, "--jobs", "4"], to: folder.appendingPathComponent("four")) == one)
        // A folder that has runs of every point keeps them, and shows those of the plan alone.
        let full = folder.appendingPathComponent("full")
        _ = try run(["run", path, "--repeats", "8", "--set", "search=null"], to: full)
        #expect(try run(["run", path], to: full) == one)
        #expect(try run(["run", path], to: full) == one)
        let again = folder.appendingPathComponent("again")
        #expect(try BuiltTool.run(["report", full.path, "--output", again.path]).status == 0)
        for (name, place) in [("summary.csv", 1), ("report.md", 2)] {
          #expect(try String(contentsOf: again.appendingPathComponent(name), encoding: .utf8) == one[place])
        }
      }
    }
  }

  @Test func halvingFindsTheFullGridsWinnerOnNestedSeeds() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(halving, in: folder)
      let halved = try run(["run", path], to: folder.appendingPathComponent("halved"))
      let full = try run(["run", path, "--set", "search=null"], to: folder.appendingPathComponent("full"))
      let rows = Set(full[0].split(separator: "\n"))
      #expect(halved[0].split(separator: "\n").allSatisfy(rows.contains), "its rows are some of the full grid's")
      // Rounds of 2, 4 and 8 repetitions: eight candidates, then four, then two, and the baseline in all.
      #expect(repetitions(halved[0]).values.sorted() == [2, 2, 2, 2, 4, 4, 8, 8, 8])
      let winner = { (report: String) in report.split(separator: "\n")[2].split(separator: "wins")[0] }
      #expect(winner(halved[2]) == winner(full[2]))
      #expect(halved[2].contains("| runs        | 40 of 72 (56 %)"))
    }
  }

  @Test func pointsEndOnceTheirDifferenceIsKnown() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(until, in: folder)
      let results = try run(["run", path], to: folder.appendingPathComponent("until"))
      let counts = repetitions(results[0])
      #expect(counts.values.allSatisfy { [3, 6, 12, 24].contains($0) } && Set(counts.values).count > 1, "\(counts)")
      #expect(counts["2"] == counts.values.max(), "the baseline runs as long as any point")
      let fixed = try run(["run", path, "--repeats", "3"], to: folder.appendingPathComponent("fixed"))
      #expect(repetitions(fixed[0]).values.allSatisfy { $0 == 3 })
      #expect(results[2].contains("3 to 24, until a difference is known to ±10% of the baseline; looked at after 3, 6, 12 and 24"))
    }
  }

  @Test func whatNeedsEarlierResultsDoesNotShard() throws {
    try BuiltTool.withFolder { folder in
      for (plan, key) in [(halving, "search: "), (until, "repeats.until: ")] {
        let path = try sweep(plan, in: folder)
        let result = try BuiltTool.run(["run", path, "--shard", "0/2", "--output", folder.appendingPathComponent("s").path])
        #expect(result.status == 2)
        let says = key + "decides by the results of earlier runs, which a shard does not have"
        #expect(result.errors.contains("r.json5:1:") && result.errors.contains(says))
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("s").path))
      }
    }
  }

  /// Strata halve by themselves, a population by the field.
  @Test(arguments: [
    #"axes: { "network.profile": ["3G", "DSL"], "prefetcher.ahead": "0...4" },"#,
    #"population: [{ weight: 0.5, network: { profile: "DSL", transport: "fluid" } }, { weight: 0.5, network: { profile: "WPT 3G", transport: "fluid" } }], axes: { "prefetcher.ahead": "0...4" },"#,
  ])
  func strataGoOnToo(_ more: String) throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("s.json5")
      try """
      { sweep: "s", \(halving) confirm: { repeats: 3, best: 1 }, \(more) baseline: { "prefetcher.ahead": 2 },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 40 }, user: { dwell: "1s" }, prefetcher: "itemsAhead" } }
      """.write(to: file, atomically: true, encoding: .utf8)
      let one = try run(["run", file.path, "--jobs", "1"], to: folder.appendingPathComponent("one"))
      #expect(try run(["run", file.path, "--jobs", "3"], to: folder.appendingPathComponent("three")) == one)
      #expect(one[2].contains("dropped (2 repetitions)") && one[2].contains("on fresh seeds"))
      #expect(one[1].split(separator: "\n").count > 10)
    }
  }
}
