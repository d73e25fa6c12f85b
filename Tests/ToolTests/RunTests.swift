import Foundation
import TestSupport
import Testing

/// The command `run`.
@Suite struct RunTests {
  private let files = ["runs.csv", "summary.csv", "report.md", "report.html", "charts/effects.svg", "charts/reasons.svg", "sweep.json"]
  private let small = [
    "--set", "prefetcher.maxCost=2...4 by 2", "--set", "feed.items=60", "--set", "user.scroll=60", "--repeats", "3", "--quiet",
  ]

  private func contents(_ folder: URL) throws -> [String] {
    try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
  }

  @Test func theBytesDoNotDependOnTheNumberOfJobs() throws {
    try BuiltTool.withFolder { folder in
      var results: [[String]] = []
      for jobs in ["1", "2", "5"] {
        let output = folder.appendingPathComponent(jobs)
        let result = try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--jobs", jobs, "--output", output.path] + small)
        #expect(result.status == 0, "\(result.errors)")
        results.append(try contents(output))
      }
      #expect(results[0] == results[1])
      #expect(results[0] == results[2])
      #expect(results[0][0].split(separator: "\n").count == 1 + 3 * 11)
    }
  }

  @Test func reportMakesTheSameTablesFromTheRows() throws {
    try BuiltTool.withFolder { folder in
      let output = folder.appendingPathComponent("results")
      #expect(try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--output", output.path] + small).status == 0)
      let before = try contents(output)
      try FileManager.default.removeItem(at: output.appendingPathComponent("report.md"))
      try FileManager.default.removeItem(at: output.appendingPathComponent("summary.csv"))
      let chart = try Data(contentsOf: output.appendingPathComponent("charts/cost.svg"))
      try FileManager.default.removeItem(at: output.appendingPathComponent("charts"))
      // Charts of an earlier report are removed.
      let stale = output.appendingPathComponent("charts/heat-map.svg")
      try FileManager.default.createDirectory(at: stale.deletingLastPathComponent(), withIntermediateDirectories: true)
      try chart.write(to: stale)
      let stratum = output.appendingPathComponent("charts/stratum-2")
      try FileManager.default.createDirectory(at: stratum, withIntermediateDirectories: true)
      try chart.write(to: stratum.appendingPathComponent("cost.svg"))
      #expect(try BuiltTool.run(["report", output.path]).status == 0)
      #expect(try contents(output) == before)
      #expect(!FileManager.default.fileExists(atPath: stratum.path))
      #expect((try String(contentsOf: stale, encoding: .utf8)).contains("heat-map-title"))
    }
  }

  @Test func aRowCanBeShownAgainByItsPointAndRepetition() throws {
    try BuiltTool.withFolder { folder in
      let output = folder.appendingPathComponent("results")
      #expect(try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--output", output.path] + small).status == 0)
      let lines = try contents(output)[0].split(separator: "\n").map(String.init)
      let cells = lines[5].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let again = try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--point", cells[0], "--repetition", cells[1]] + small)
      #expect(again.output == lines[0] + "\n" + lines[5] + "\n")
    }
  }

  @Test func theBytesDoNotDependOnTheWorkingFolder() throws {
    try BuiltTool.withFolder { folder in
      let root = Reference.packageRoot
      let folders = [
        ("Sweeps/cancel-rules.json5", root), ("cancel-rules.json5", root.appendingPathComponent("Sweeps")),
        (root.appendingPathComponent("Sweeps/cancel-rules.json5").path, folder),
      ]
      var results: [[String]] = []
      for (path, working) in folders {
        let output = folder.appendingPathComponent("\(results.count)")
        let result = try BuiltTool.run(
          ["run", path, "--set", "feed.items=20", "--set", "user.scroll=20", "--repeats", "2", "--quiet", "--output", output.path],
          in: working,
          environment: ["TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8"])
        #expect(result.status == 0, "\(result.errors)")
        // Commands name the sweep as the user wrote it, so that they work when they are pasted.
        results.append(
          try contents(output).map { $0.replacing(" \(path) ", with: " SWEEP ").replacing("\"\(path)\"", with: "\"SWEEP\"") })
      }
      #expect(results[1] == results[0])
      #expect(results[2] == results[0])
    }
  }

  @Test(arguments: zip([SIGINT, SIGTERM, SIGHUP], [Int32(130), 143, 129]))
  func aSignalLeavesOnlyTheJournal(_ signal: Int32, _ status: Int32) throws {
    try BuiltTool.withFolder { folder in
      let process = Process()
      process.executableURL = BuiltTool.path
      process.arguments = [
        "run", "Sweeps/featured-3g.json5", "--repeats", "100000", "--output", folder.appendingPathComponent("made/here").path, "--quiet",
      ]
      process.currentDirectoryURL = Reference.packageRoot
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The folder is made after the signal handlers.
      for _ in 0..<1000 where !FileManager.default.fileExists(atPath: folder.appendingPathComponent("made/here").path) { usleep(10_000) }
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      #expect(left.allSatisfy { ["made", "made/here"].contains($0) || $0.hasPrefix("made/here/.journal") }, "\(left)")
    }
  }

  @Test func listPrintsThePointsAndStartsNoRun() throws {
    let result = try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--list"])
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 51)
    #expect(lines.filter { $0.hasSuffix("baseline") }.count == 2)
    #expect(Set(lines.map { $0.split(separator: "\t")[0] }).count == 51, "every point has an id of its own")
  }

  @Test func aPointsIdDoesNotDependOnTheGrid() throws {
    let whole = try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--list"]).output.split(separator: "\n").map(String.init)
    let narrow = try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--list", "--set", "prefetcher.maxCost=7"]).output
      .split(separator: "\n").map(String.init)
    // The baseline has maxCost 5. It is outside of the narrowed grid and the last point.
    for line in narrow.dropFirst().dropLast() { #expect(whole.contains(line), "\(line)") }
  }

  @Test func aScenarioWithoutRandomnessRunsOnce() throws {
    try BuiltTool.withFolder { folder in
      let sweep = folder.appendingPathComponent("fixed.json5")
      try """
      { sweep: "fixed", repeats: 5, axes: { "prefetcher.ahead": [0, 2] },
        scenario: { network: "3G", feed: { items: 30, mix: { image: 1 }, image: { bytes: "60KB" } }, prefetcher: "itemsAhead" } }
      """.write(to: sweep, atomically: true, encoding: .utf8)
      let output = folder.appendingPathComponent("results")
      let result = try BuiltTool.run(["run", sweep.path, "--output", output.path, "--quiet"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try contents(output)[0].split(separator: "\n").count == 3)
      #expect(try contents(output)[2].contains("randomness"))
    }
  }

  @Test func anOutputThatCannotBeWrittenIsReportedAndNoFileIsLeft() throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("taken")
      try "not a folder".write(to: file, atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["run", "Sweeps/featured-3g.json5", "--output", file.path] + small)
      #expect(result.status == 2)
      #expect(result.errors.contains("taken"))
      #expect(result.errors.contains("--output"))
      #expect(try String(contentsOf: file, encoding: .utf8) == "not a folder")
    }
  }

  @Test(arguments: [
    ["run"], ["run", "a", "b"], ["run", "x.json5", "--jobs", "0"], ["run", "x.json5", "--jobs"], ["run", "x.json5", "--nonsense"],
    ["run", "x.json5", "--set", "novalue"], ["run", "nowhere.json5"], ["frobnicate"], ["report", "nowhere"], ["list", "everything"],
  ])
  func badArgumentsEndWithStatusTwoAndARemedy(_ arguments: [String]) throws {
    let result = try BuiltTool.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(!result.errors.isEmpty)
  }

  @Test func everyCommandHasHelp() throws {
    for arguments in [["help"], ["--help"], ["help", "run"], ["run", "--help"], ["report", "-h"], ["--version"]] {
      let result = try BuiltTool.run(arguments)
      #expect(result.status == 0)
      #expect(!result.output.isEmpty)
    }
  }

  /// Runs all 43 logs of the 3G data set as one axis.
  @Test(.enabled(if: Reference.hasTraces, "needs the public 3G logs; PREFETCH_SWEEP_REFERENCE names their folder"))
  func realTracesAreAnAxis() throws {
    try BuiltTool.withFolder { folder in
      let sweep = folder.appendingPathComponent("real.json5")
      try """
      { sweep: "real", repeats: 1,
        axes: { "network.trace": { files: "\(Reference.publicFolder.path)/traces/3g/*.json" }, "prefetcher.maxCost": [2, 6] },
        scenario: {
          network: { offset: "random", transport: "fluid" }, feed: { items: 100 }, user: { dwell: "1s" }, prefetcher: "costBudget" } }
      """.write(to: sweep, atomically: true, encoding: .utf8)
      let output = folder.appendingPathComponent("results")
      let result = try BuiltTool.run(["run", sweep.path, "--output", output.path, "--quiet"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try contents(output)[0].split(separator: "\n").count == 1 + 43 * 2)
    }
  }
}
