import Foundation
import TestSupport
import Testing

/// Messages of the command line, and of `check` and `report` about their inputs.
@Suite struct CommandLineTests {
  private static let long = String(repeating: "x y", count: 300)

  @Test(arguments: [
    [long], ["run", "s", "--repeats", long], ["run", "s", "--jobs", long], ["run", "s", "--seed", long], ["run", "s", "--set", long],
    ["run", "s", "--shard", long], ["run", "s", "--progress", long], ["run", long], ["run", "s", long], ["check", "--" + long],
    ["check", "--format", long], ["check", "--set", "a=1", "--floor", long], ["check", "--set", "a=1", "--confidence", long],
    ["check", "--candidate", long], ["check", "--set", "prefetcher.maxCost=" + long], ["check", long],
    ["check", "--set", "a=1", "--guard", long], ["check", "--set", "prefetcher.maxCost=1", "--stratum", long],
    ["check", "--set", "prefetcher.maxCost=1", "--json", long + "/"], ["explain", "s", "--format", long],
    ["explain", "s", "--items", long],
    ["import", "s.har", "--output", "o", "--malformed", long], ["import", "s", "--output", "o", "--format", long], ["list", long],
    ["network", long], ["network", "--set", long], ["report", long], ["merge", long], ["calibrate", long, "--hold-out", long],
  ])
  func aMessageRepeatsAtMost200CharactersOfItsInput(_ arguments: [String]) throws {
    let result = try BuiltTool.run(arguments, environment: ["GITHUB_STEP_SUMMARY": ""])
    #expect(result.status == 2)
    #expect(!result.errors.contains(Self.long.prefix(202)), "\(result.errors)")
  }

  @Test(arguments: ["prefetchers", "strategies", "networks", "metrics", "parameters"], ["80", "100"])
  func aListFitsTheTerminal(_ list: String, _ columns: String) throws {
    let result = try BuiltTool.run(["list", list], environment: ["COLUMNS": columns])
    let lines = result.output.split(separator: "\n")
    #expect(result.status == 0 && lines.count > 5)
    for line in lines { #expect(line.count <= Int(columns) ?? 0, "\(line)") }
  }

  @Test func allKeysAreListedWithTheirDefaultsAndRanges() throws {
    let parameters = try BuiltTool.run(["list", "parameters"])
    #expect(parameters.status == 0 && parameters.output.contains("network.jitter"), "\(parameters.errors)")
    #expect(parameters.output.contains("prefetcher.maxCost (costBudget)"))
    #expect(parameters.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "wrapped as help is")
    let prefetchers = try BuiltTool.run(["list", "prefetchers"]).output
    #expect(prefetchers.contains("  costBudget  "))
    #expect(
      prefetchers.contains(#/prefetcher\.prefetchDistance \(paging3\)[^:]*Whole\s+number:\s+1\s+to[^:]*Default:\s+30\./#), "\(prefetchers)")
    let help = try BuiltTool.run(["help", "sweep-file"])
    for key in ["sweep", "axes", "population", "network.queue", "user.dwell", "strategy.kind"] {
      #expect(help.output.split(separator: "\n").contains { $0.hasPrefix("  \(key) ") }, "\(key)")
    }
  }

  @Test func oneCandidatePathSetTwiceIsRefused() throws {
    let result = try BuiltTool.run(["check", "--set", "prefetcher.maxCost=5", "--set", "prefetcher.maxCost=6"])
    #expect(result.status == 2)
    #expect(result.errors.contains("--set: prefetcher.maxCost is set twice; keep one of the two"), "\(result.errors)")
  }

  @Test func oneScenarioPathSetTwiceIsRefused() throws {
    let result = try BuiltTool.run(
      ["check", "--set", "prefetcher.maxCost=5", "--scenario", "feed.items=80", "--scenario", "feed.items=90"])
    #expect(result.status == 2)
    #expect(result.errors.contains("--scenario: feed.items is set twice"), "\(result.errors)")
  }

  private static let strata = """
    { sweep: "two", scenario: { feed: { items: 20 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 10 },
      prefetcher: { kind: "costBudget" } },
      axes: { network: [{ profile: "3G", transport: "fluid" }, { profile: "LTE", transport: "fluid" }] },
      baseline: { "prefetcher.maxCost": 5 } }
    """

  private func check(_ arguments: [String]) throws -> ToolResult {
    var result: ToolResult?
    try BuiltTool.withFolder { folder in
      try Self.strata.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      let fixed = ["check", "--sweep", "s.json5", "--set", "prefetcher.maxCost=6", "--repeats", "200"]
      result = try BuiltTool.run(fixed + arguments, in: folder, environment: ["GITHUB_STEP_SUMMARY": ""])
    }
    return try #require(result)
  }

  @Test(arguments: ["text", "json", "markdown"])
  func strataThatTheCommandLineReplacesAreNamed(_ format: String) throws {
    let network = "network={ profile: \"WPT 4G\", transport: \"fluid\" }"
    let result = try check(["--scenario", network, "--format", format])
    #expect(result.status == 0, "\(result.errors)")
    let text = result.output.replacing("\n", with: " ")
    #expect(text.contains("The file's strata over network were not judged"), "\(result.output)")
    let other = try check(["--scenario", "feed.items=21", "--format", format])
    #expect(!other.output.contains("were not judged"))
  }

  @Test func aStratumOfAnAxisThatScenarioRemovedIsExplained() throws {
    let result = try check(["--scenario", "network=3G", "--stratum", "LTE, transport fluid"])
    #expect(result.status == 2)
    #expect(
      result.errors.hasPrefix("--stratum: is \"LTE, transport fluid\", but --scenario network=3G removed the axis network; "),
      "\(result.errors)")
  }

  @Test(arguments: ["text", "json", "junit", "markdown"])
  func guardsKeepTheUnitsOfTheUser(_ format: String) throws {
    let guards = ["--guard", "bytesReceived +1.5MB", "--guard", "waitMsMean +50ms", "--guard", "requests +3"]
    let output = try check(guards + ["--format", format]).output
    for label in ["1.5MB", "50ms", "3"] { #expect(output.contains("+\(label)"), "\(output)") }
  }

  @Test func aCandidateWithManyRefusedKeysSaysHowManyMore() throws {
    try BuiltTool.withFolder { folder in
      let text = "{" + (0..<50).map { "\"user.x\($0)\": 1" }.joined(separator: ",") + "}"
      try text.write(to: folder.appendingPathComponent("c.json5"), atomically: true, encoding: .utf8)
      let errors = try BuiltTool.run(["check", "--candidate", folder.appendingPathComponent("c.json5").path]).errors
      #expect(errors.contains("cannot be set by a candidate"))
      #expect(errors.hasSuffix("\n… and 30 more\n"), "\(errors)")
    }
  }

  // MARK: Results

  private func withResults(_ body: (URL, (_ file: String, _ change: (String) -> String) throws -> ToolResult) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let sweep = """
        { sweep: "s", scenario: { feed: { items: 20 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 10 },
          prefetcher: { kind: "costBudget" } }, axes: { "prefetcher.maxCost": [3, 4, 5] }, repeats: 3 }
        """
      try sweep.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      #expect(try BuiltTool.run(["run", "s.json5", "--quiet", "--output", "r"], in: folder).status == 0)
      let originals = try ["runs.csv", "sweep.json"].map {
        ($0, try String(contentsOf: folder.appendingPathComponent("r/\($0)"), encoding: .utf8))
      }
      try body(folder) { file, change in
        for (name, text) in originals {
          try (name == file ? change(text) : text)
            .write(to: folder.appendingPathComponent("r/\(name)"), atomically: true, encoding: .utf8)
        }
        return try BuiltTool.run(["report", "r"], in: folder)
      }
    }
  }

  /// The text with a cell of a line replaced; both count from 0.
  private static func changed(_ text: String, line: Int, cell: Int, to value: String) -> String {
    var lines = text.components(separatedBy: "\n")
    var cells = lines[line].components(separatedBy: ",")
    cells[cell] = value
    lines[line] = cells.joined(separator: ",")
    return lines.joined(separator: "\n")
  }

  @Test func aChangedAxisCellAndAnEmptyCountAreRefusedWithLineAndColumn() throws {
    try withResults { folder, report in
      for (cell, value) in [(3, "4"), (3, "7"), (3, ""), (4, ""), (5, "")] {
        let result = try report("runs.csv") { Self.changed($0, line: 2, cell: cell, to: value) }
        #expect(result.status == 2, "\(cell) \(value)")
        #expect(result.errors.firstMatch(of: #/r/runs\.csv:\d+:\d+: /#) != nil, "\(result.errors)")
        let merged = try BuiltTool.run(["merge", "r", "--output", "m", "--quiet"], in: folder)
        #expect(merged.status == 2, "\(cell) \(value)")
      }
    }
  }

  @Test func runsWithoutARowAreCountedOnStandardErrorAndInTheReport() throws {
    try withResults { folder, report in
      let whole = try report("") { $0 }
      #expect(whole.errors.isEmpty)
      let result = try report("runs.csv") { text in
        let lines = text.components(separatedBy: "\n")
        return (lines[..<3] + lines[5...]).joined(separator: "\n")
      }
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.errors.contains("r/runs.csv: 2 runs of sweep.json have no row"), "\(result.errors)")
      let page = try String(contentsOf: folder.appendingPathComponent("r/report.md"), encoding: .utf8)
      #expect(page.contains("2 of 9 runs have no row"))
    }
  }

  @Test func aFormatPrintsAllPointsAndWritesNoFile() throws {
    try withResults { folder, _ in
      let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      let summary = try String(contentsOf: folder.appendingPathComponent("r/summary.csv"), encoding: .utf8)
      try FileManager.default.removeItem(at: folder.appendingPathComponent("r/summary.csv"))
      let csv = try BuiltTool.run(["report", "r", "--format", "csv"], in: folder)
      #expect(csv.status == 0 && csv.output == summary, "\(csv)")
      let json = try BuiltTool.run(["report", "r", "--format", "json"], in: folder)
      #expect(json.status == 0 && json.output.split(separator: "\n").count == 3, "\(json)")
      #expect(json.output.hasPrefix("{\"point\":\"") && json.output.contains("\"metrics\":{\"loadersPer1000\":{\"mean\":"), "\(json)")
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == files.filter { $0 != "r/summary.csv" })
      for other in [["--output", "x"], ["--compare", "r"], ["--fail-on-worse"], ["--write-winner", "w"]] {
        let refused = try BuiltTool.run(["report", "r", "--format", "json"] + other, in: folder)
        #expect(refused.status == 2 && refused.errors.contains("leave out \(other[0])") && refused.output.isEmpty, "\(refused)")
      }
      #expect(try BuiltTool.run(["report", "r", "--format", "xml"], in: folder).errors.contains("json"))
    }
  }

  @Test(arguments: ["\u{200B}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{180E}"])
  func aSweepNameWithAnInvisibleCharacterIsRefused(_ character: String) throws {
    try BuiltTool.withFolder { folder in
      let text = Self.strata.replacing("\"two\"", with: "\"tw\(character)o\"")
      try text.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["run", "s.json5", "--list"], in: folder)
      #expect(result.status == 2)
      #expect(!result.errors.contains(character))
    }
  }
}
