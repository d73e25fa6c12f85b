import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The command `check`, as a CI job runs it.
@Suite struct CheckTests {
  /// The usual scenario, shorter and faster; 110 pairs are the fewest that give a verdict on 2 guards.
  private let short = [
    "--scenario", "feed.items=80", "--scenario", "user.scroll=80", "--scenario", "network.transport=fluid", "--repeats", "110",
  ]
  private let production = "Sweeps/settings/production.json5"

  private func check(_ arguments: [String], environment: [String: String] = [:]) throws -> ToolResult {
    // Tests do not write to the summary page of a CI service.
    try BuiltTool.run(["check"] + arguments + short, environment: ["GITHUB_STEP_SUMMARY": ""].merging(environment) { $1 })
  }

  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("candidate.json5")
      try text.write(to: file, atomically: true, encoding: .utf8)
      try body(file.path)
    }
  }

  @Test func aWorseCandidateEndsWithStatusThree() throws {
    try withFile(#"{ "prefetcher.kind": "costBudget", "prefetcher.maxCost": 2 } // half of nothing"#) { candidate in
      let result = try check(["--candidate", candidate, "--baseline", production, "--margin", "2%"])
      #expect(result.status == 3, "\(result.errors)")
      #expect(result.output.hasPrefix("REGRESSION: loadersPer1000 rises by more than 2 %"))
      #expect(result.output.contains("prefetcher.maxCost: 5 → 2"))
    }
  }

  /// A bound is on the candidate alone, so that it also judges settings equal to the baseline's.
  @Test func aBoundDecidesWhateverTheBaselineHas() throws {
    let same = ["--candidate", production, "--baseline", production, "--strict"]
    let broken = try check(same + ["--guard", "bytesReceived <= 100KB"])
    #expect(broken.status == 3 && broken.output.hasPrefix("REGRESSION: bytesReceived breaks <= 100KB"), "\(broken)")
    let kept = try check(same + ["--guard", "bytesReceived <= 1GB"])
    #expect(kept.status == 0 && kept.output.contains("bytesReceived keeps <= 1GB"), "\(kept)")
  }

  /// The candidate has more loaders and keeps the bound, which the baseline breaks.
  @Test func aBaselineThatBreaksABoundIsNoAllowedChoice() throws {
    let sweep = """
      { sweep: "small", repeats: 6, axes: { "prefetcher.ahead": [1, 4] }, baseline: { "prefetcher.ahead": 4 },
        objective: { subjectTo: ["bytesReceived <= 1300KB"] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20, mix: { image: 0.7, video: 0.3 } },
          user: { scroll: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """
    try withFile(sweep) { path in
      let words = ["check", "--sweep", path, "--set", "prefetcher.ahead=1"]
      let result = try BuiltTool.run(words, environment: ["GITHUB_STEP_SUMMARY": ""])
      #expect(result.status == 0 && result.output.contains("the margin of loadersPer1000 does not"), "\(result)")
      #expect(result.output.contains(/exempt\n.*1300KB +1\.48 MB +1\.15 MB +from the bound: -0\.15/), "\(result.output)")
      // A guard of the command line is no margin of the objective.
      let strict = try BuiltTool.run(words + ["--guard", "loadersPer1000 +2%"], environment: ["GITHUB_STEP_SUMMARY": ""])
      #expect(strict.status == 3, "\(strict)")
    }
  }

  @Test func theMarginHasTheUnitOfTheMinimizedMetric() throws {
    let sweep = """
      { sweep: "small", repeats: 6, axes: { "prefetcher.ahead": [1, 4] }, objective: { minimize: "bytesReceived" },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """
    try withFile(sweep) { path in
      func check(_ more: [String]) throws -> ToolResult {
        let words = ["check", "--sweep", path, "--set", "prefetcher.ahead=2"]
        return try BuiltTool.run(words + more, environment: ["GITHUB_STEP_SUMMARY": ""])
      }
      let result = try check(["--margin", "10MB"])
      #expect(result.status == 0 && result.output.contains("bytesReceived +10MB"), "\(result)")
      let wrong = try check(["--margin", "50ms"])
      #expect(wrong.status == 2 && wrong.errors.hasPrefix("--margin: "), "\(wrong)")
    }
  }

  @Test func backgroundDownloadsAreGuardedByTheirHeadline() throws {
    let sweep = """
      { sweep: "bg", repeats: 3, axes: { strategy: ["fourPerWake", "endedTask"] }, baseline: { strategy: "fourPerWake" },
        scenario: { kind: "backgroundDownload", resources: { count: 6, slices: 20, slice: "100KB" }, network: "LTE",
          strategy: "fourPerWake" } }
      """
    try withFile(sweep) { path in
      let words = ["check", "--sweep", path, "--set", "strategy=endedTask"]
      let result = try BuiltTool.run(words, environment: ["GITHUB_STEP_SUMMARY": ""])
      #expect(result.status == 0 && result.output.contains("missing8h +2%"), "\(result)")
    }
  }

  @Test func equalSettingsEndWithStatusZero() throws {
    let result = try check(["--candidate", production, "--baseline", production, "--margin", "2%", "--strict"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("PASSED: The candidate is the baseline"))
  }

  @Test func aCandidateMayShipEarlyData() throws {
    let packets = ["--scenario", "network.transport=packet", "--scenario", "feed.items=20", "--scenario", "user.scroll=20"]
    let result = try BuiltTool.run(
      ["check", "--set", "network.http=3", "--set", "network.earlyData=true", "--repeats", "100"] + packets,
      environment: ["GITHUB_STEP_SUMMARY": ""])
    #expect([0, 3].contains(result.status) && result.output.contains("network.earlyData"), "\(result.errors)")
  }

  /// Without an effect a candidate would pass whatever it changes.
  @Test(arguments: [
    ["network.congestion=bbr"], ["network.http=2", "network.tls=1.3"], ["network.congestion=bbr", "prefetcher.maxCost=6"],
  ])
  func aSettingThatTheTransportIgnoresIsRefused(_ settings: [String]) throws {
    let result = try check(settings.flatMap { ["--set", $0] })
    #expect(result.status == 2)
    let ignored = settings.filter { $0.hasPrefix("network") }.map { String($0.prefix { $0 != "=" }) }.sorted()
    let remedy = "add --scenario network.transport=packet, or take it out"
    #expect(
      result.errors.split(separator: "\n").sorted().map(String.init)
        == ignored.map { "--set: \($0): has no effect on either side: the fluid transport ignores it; \(remedy)" }, "\(result.errors)")
  }

  @Test func aBetterCandidateEndsWithStatusZero() throws {
    let result = try check(["--set", "prefetcher.maxCost=10", "--set", "prefetcher.videoCost=1", "--strict"])
    #expect(result.status == 0)
    #expect(result.output.contains("better"))
  }

  @Test func everyMistakeOfACandidateHasALocation() throws {
    let text = """
      {
        "prefetcher.kind": "costBudget",
        "prefetcher.maxCosts": 6,
        "prefetcher.imageCost": "one",
        "nets.videoCost": 2,
      }
      """
    try withFile(text) { candidate in
      let result = try check(["--candidate", candidate])
      #expect(result.status == 2)
      #expect(result.output.isEmpty)
      let locations = result.errors.split(separator: "\n").map { line in line.drop { $0 != ":" }.prefix { $0 != " " } }
      #expect(locations == [":3:26:", ":4:27:", ":5:3:"], "\(result.errors)")
      #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix(candidate) && $0.contains("; ") })
    }
  }

  @Test(arguments: [
    "{ \"prefetcher.maxCost\": 6", "[1, 2]", "", "{ \"prefetcher.maxCost\": 6, \"prefetcher.maxCost\": 7 }",
    "{ prefetcher: \"costBudgets\" }",
  ])
  func aBrokenCandidateEndsWithStatusTwo(text: String) throws {
    try withFile(text) { candidate in
      let result = try check(["--candidate", candidate])
      #expect(result.status == 2)
      #expect(result.errors.firstMatch(of: #/candidate\.json5:\d+:\d+: /#) != nil, "\(result.errors)")
    }
  }

  @Test(arguments: [
    [], ["candidate.json5"], ["--candidate", "nowhere.json5"], ["--set", "novalue"], ["--set", "a.b=1"], ["--set", "prefetcher.maxCost=x"],
    ["--set", "prefetcher.maxCost=5", "--sweep", "nowhere.json5"], ["--set", "prefetcher.maxCost=5", "--margin", "two"],
    ["--set", "prefetcher.maxCost=5", "--guard", "loaders"], ["--set", "prefetcher.maxCost=5", "--guard", "loader +2%"],
    ["--set", "prefetcher.maxCost=5", "--guard", "requests 2%"], ["--set", "prefetcher.maxCost=5", "--confidence", "0.95"],
    ["--set", "prefetcher.maxCost=5", "--margin", "2%", "--guard", "loadersPer1000 +3%"],
    ["--set", "prefetcher.maxCost=5", "--format", "xml"],
    ["--set", "prefetcher.maxCost=5", "--junit", "a", "--json", "a"], ["--set", "prefetcher.maxCost=5", "--junit", "/dev/null/x/y.xml"],
    ["--set", "prefetcher.maxCost=5", "--repeats", "1"],
    ["--set", "prefetcher.maxCost=5", "--margin", "2%", "--margin", "200%"],
    ["--set", "prefetcher.maxCost=5", "--confidence", "95%", "--confidence=80%"],
    ["--set", "prefetcher.maxCost=5", "--floor", "1%"], ["--set", "prefetcher.maxCost=5", "--floor", "-1"],
    ["--set", "prefetcher.maxCost=5", "--margin", "0%", "--floor", "1"], ["--set", "prefetcher.maxCost=5", "--stratum", "LTE"],
    ["--set", "prefetcher.maxCost=5", "--guard", "waitMsMean +5MB"],
    ["--set", "prefetcher.maxCost=5", "--sweep", "Sweeps/settings/production.json5"],
  ])
  func badUsageEndsWithStatusTwoAndARemedy(_ arguments: [String]) throws {
    let result = try BuiltTool.run(["check"] + arguments)
    #expect(result.status == 2, "\(result.output)")
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("; "), "\(result.errors)")
  }

  @Test func inconclusiveFailsOnlyIfStrict() throws {
    // One connection less, with too few pairs for a verdict.
    let arguments = ["--set", "downloads.connections=3", "--margin", "0.5%", "--floor", "0"]
    let lenient = try check(arguments)
    #expect(lenient.status == 0)
    #expect(lenient.output.hasPrefix("INCONCLUSIVE"))
    #expect(lenient.output.contains("--strict"))
    let strict = try check(arguments + ["--strict"])
    #expect(strict.status == 4)
    #expect(strict.output.hasPrefix("INCONCLUSIVE"))
    for options in [[], ["--strict"]] {
      let json = try check(arguments + options + ["--format", "json"])
      let form = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(form["exitStatus"] as? Int == Int(json.status), "\(json)")
    }
  }

  @Test func tooFewPairsAreRefusedBeforeTheFirstRun() throws {
    let options = ["--set", "prefetcher.maxCost=2", "--repeats", "40"]
    let result = try BuiltTool.run(["check"] + options + short.dropLast(2), environment: ["GITHUB_STEP_SUMMARY": ""])
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix(
        "prefetch-sweep check: --repeats: is 40, but a verdict on 1 comparison needs at least 100 pairs; "
          + "write --repeats 100 or more;"), "\(result.errors)")
  }

  @Test func oneBrokenGuardOfSeveralIsEnough() throws {
    let result = try check([
      "--set", "prefetcher.maxCost=10", "--set", "prefetcher.videoCost=1", "--guard", "loadersPer1000 +2%", "--guard", "bytesReceived +1%",
    ])
    #expect(result.status == 3)
    #expect(result.output.hasPrefix("REGRESSION: bytesReceived rises by more than 1 %"))
    #expect(result.output.contains("2 comparisons (2 guards)"))
  }

  @Test func allFormatsAreWrittenAndAgree() throws {
    try BuiltTool.withFolder { folder in
      let paths = ["json", "junit", "markdown", "bench"].map { ($0, folder.appendingPathComponent("new/gate.\($0)")) }
      let summary = folder.appendingPathComponent("summary.md")
      try "before\n".write(to: summary, atomically: true, encoding: .utf8)
      let options = ["--set", "prefetcher.maxCost=4", "--quiet"] + paths.flatMap { ["--\($0.0)", $0.1.path] }
      let result = try check(options, environment: ["GITHUB_STEP_SUMMARY": summary.path])
      #expect(result.status == 3, "\(result.errors)")
      #expect(result.output.isEmpty)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("new").path).count == 4, "and nothing half done")
      let texts = Dictionary(uniqueKeysWithValues: try paths.map { ($0.0, try String(contentsOf: $0.1, encoding: .utf8)) })
      let root = try #require(XMLTree.root(of: texts["junit"] ?? ""))
      #expect(root.attributes["failures"] == "1")
      try expectPythonReads(paths[1].1)
      let bench = BenchmarkGrammar(texts["bench"] ?? "")
      #expect(bench.faults == [])
      let json = try #require(try JSONSerialization.jsonObject(with: Data((texts["json"] ?? "").utf8)) as? [String: Any])
      #expect(bench.results.count == 2 * (json["pairs"] as? Int ?? 0))
      let guards = try #require(json["guards"] as? [[String: Any]])
      let runs = bench.results.filter { $0.configuration["settings"] == "candidate" }.compactMap { $0.values["loaders/1000"] }
      let mean = runs.reduce(0, +) / Double(runs.count)
      #expect((mean - (guards[0]["candidateMean"] as? Double ?? 0)).magnitude < 1e-9)
      #expect(try String(contentsOf: summary, encoding: .utf8) == "before\n" + (texts["markdown"] ?? "") + "\n", "added, not replaced")
    }
  }

  /// Parses a JSON file with Python, if it is installed.
  private func expectPythonReads(_ file: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", file.path]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect([0, 127].contains(process.terminationStatus), "127 where there is no python3")
  }

  @Test func theOutputDoesNotDependOnTheNumberOfJobs() throws {
    for format in ["text", "json", "junit", "markdown", "bench"] {
      let arguments = ["--set", "prefetcher.maxCost=7", "--quiet", "--format", format, "--jobs"]
      let results = try ["1", "3"].map { try check(arguments + [$0]) }
      #expect(!results[0].output.isEmpty)
      #expect(results[0].output == results[1].output)
    }
  }

  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143)), (SIGHUP, Int32(129))])
  func aSignalEndsTheGateWithItsOwnStatusAndLeavesNoFile(_ signal: Int32, _ status: Int32) throws {
    try BuiltTool.withFolder { folder in
      let output = folder.appendingPathComponent("new")
      let process = Process()
      process.executableURL = BuiltTool.path
      process.currentDirectoryURL = Reference.packageRoot
      // One run takes minutes: the signal must stop it, not wait for its end.
      process.arguments = [
        "check", "--set", "downloads.connections=3", "--scenario", "feed.items=100000", "--scenario", "user.scroll=100000",
        "--jobs", "1", "--json", output.appendingPathComponent("gate.json").path,
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try BuiltTool.startWithHangUp(process)
      for _ in 0..<3000 where !FileManager.default.fileExists(atPath: output.path) { usleep(10_000) }
      let hasBegun = FileManager.default.fileExists(atPath: output.path)
      usleep(100_000)
      let start = ContinuousClock.now
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(ContinuousClock.now - start < .seconds(20))
      #expect(hasBegun && process.terminationStatus == status)
      #expect(!FileManager.default.fileExists(atPath: output.path))
    }
  }

  @Test func theScriptReturnsTheStatus() throws {
    try BuiltTool.withFolder { folder in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["bash", "Scripts/ci-check.sh", "--set", "prefetcher.maxCost=2"] + short
      process.currentDirectoryURL = Reference.packageRoot
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["TOOL": BuiltTool.path.path, "OUTPUT": folder.path, "GITHUB_STEP_SUMMARY": ""]) { $1 }
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 3)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(names == ["gate.bench", "gate.json", "gate.md", "gate.xml"])
    }
  }
}
