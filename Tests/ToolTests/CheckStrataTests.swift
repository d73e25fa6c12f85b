import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The gate over a sweep with strata, and the settings that a candidate may have.
@Suite struct CheckStrataTests {
  private func check(_ arguments: [String], in folder: URL = Reference.packageRoot) throws -> ToolResult {
    try BuiltTool.run(["check"] + arguments, in: folder, environment: ["GITHUB_STEP_SUMMARY": ""])
  }

  private func withFiles(_ files: [String: String], _ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      for (name, text) in files { try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8) }
      try body(folder)
    }
  }

  /// A sweep on two networks. On the slow one of the scenario a high video cost is better, on the other it is worse.
  private static let slow = """
    { sweep: "slow", scenario: {
        feed: { items: 60 }, network: { profile: "WPT 3G Slow", transport: "fluid" }, user: { scroll: 60 }, prefetcher: { kind: "costBudget" } },
      axes: { network: [{ profile: "WPT 3G Slow", transport: "fluid" }, { profile: "3G", transport: "fluid" }] },
      baseline: { "prefetcher.maxCost": 5, "prefetcher.videoCost": 2 } }
    """

  @Test func aRegressionOnTheSecondNetworkIsFound() throws {
    let candidate = #"{ "prefetcher.maxCost": 12, "prefetcher.videoCost": 6 }"#
    try withFiles(["sweep.json5": Self.slow, "candidate.json5": candidate]) { folder in
      let gate = ["--sweep", "sweep.json5", "--candidate", "candidate.json5", "--margin", "2%"]
      let all = try check(gate, in: folder)
      #expect(all.status == 3, "\(all.errors)")
      #expect(all.output.hasPrefix("REGRESSION: 3G, transport fluid: loadersPer1000 rises by more than 2 %"), "\(all.output)")
      // On the network of the scenario the candidate is better.
      let own = try check(gate + ["--stratum", "WPT 3G Slow, transport fluid"], in: folder)
      #expect(own.status == 0 && own.output.hasPrefix("PASSED"), "\(own.output)")
      #expect(try check(gate + ["--stratum", "3G, transport fluid"], in: folder).status == 3)
    }
  }

  /// Two networks with short runs.
  private static let fluid = """
    { sweep: "fluid", scenario: {
        feed: { items: 40 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 40 }, prefetcher: { kind: "itemsAhead", ahead: 3 } },
      population: [
        { weight: 0.5, name: "train", network: { profile: "LTE", transport: "fluid" } },
        { weight: 0.5, name: "home", network: { profile: "Wi-Fi", transport: "fluid" } },
      ],
      axes: { "prefetcher.ahead": [1, 3] }, baseline: { "prefetcher.ahead": 3 } }
    """

  @Test func allFormatsOfAPopulationAreTheSameForAnyNumberOfJobs() throws {
    try withFiles(["sweep.json5": Self.fluid]) { folder in
      for format in ["text", "json", "junit", "markdown", "bench"] {
        let arguments = [
          "--sweep", "sweep.json5", "--set", "prefetcher.ahead=2", "--repeats", "140", "--quiet", "--format", format, "--jobs",
        ]
        let results = try ["1", "2"].map { try check(arguments + [$0], in: folder) }
        #expect(results[0].output == results[1].output)
        for name in ["scenario", "train", "home"] { #expect(results[0].output.contains(name), "\(format)") }
        #expect(results[0].output.contains("population") == (format != "bench"), "\(format)")
        if format == "bench" { #expect(BenchmarkGrammar(results[0].output).faults == []) }
        if format == "junit" { #expect(XMLTree.root(of: results[0].output)?.all("testcase").count == 4) }
      }
    }
  }

  @Test func aCandidateOfConnectionsHoldsInEveryMemberOfAPopulation() throws {
    let packets = Self.fluid.replacing(", transport: \"fluid\"", with: "")
    try withFiles(["sweep.json5": packets, "candidate.json5": #"{ "network.http": "2", "prefetcher.ahead": 3 }"#]) { folder in
      let arguments = ["--sweep", "sweep.json5", "--candidate", "candidate.json5", "--repeats", "140", "--format", "json", "--quiet"]
      let short = ["feed.items=10", "user.scroll=10"].flatMap { ["--scenario", $0] }
      let result = try check(arguments + short, in: folder)
      let form = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result.errors)")
      let strata = try #require(form["strata"] as? [[String: Any]])
      #expect(strata.count == 4)
      for stratum in strata.dropFirst() { #expect(stratum["baseline"] as? String != stratum["candidate"] as? String) }
      let changes = try #require(form["changes"] as? [[String: Any]])
      #expect(changes.map { $0["path"] as? String } == ["network.http", "network.requestBytes", "network.responseHeaderBytes"])
    }
  }

  @Test func aProfileBelowAnAxisOfNetworksNamesTheNetworkAsItsRemedy() throws {
    let result = try check(["--sweep", "Sweeps/networks.json5", "--set", "prefetcher.ahead=2", "--scenario", "network.profile=LTE"])
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errors
        == "--scenario: network.profile: lies below network, which is swept whole, and would change its values under their old names; "
        + "write network=LTE\n")
  }

  @Test func theNameOfAStratumDoesNotBreakALineOfStandardError() throws {
    let sweep = Self.fluid.replacing("name: \"train\"", with: "name: \"tr\\nain\\u001B[31m\"")
    try withFiles(["sweep.json5": sweep]) { folder in
      let options = ["--sweep", "sweep.json5", "--set", "prefetcher.ahead=2", "--repeats", "140"]
      let result = try check(options + ["--guard", "bound +2%", "--scenario", "user.patience=8s"], in: folder)
      #expect(result.errors.split(separator: "\n").count <= 1 && !result.errors.contains("\u{1B}"), "\(result.errors)")
    }
  }

  // MARK: Settings of a candidate

  @Test(arguments: [
    "network.profile", "network", "network.transport", "network.lossDown", "user.dwell", "user", "feed", "feed.items", "feed.video.prefix",
    "feed.file", "network.dns",
  ])
  func aSettingOfTheWorldIsRefusedOnBothSides(path: String) throws {
    try withFiles(["bad.json5": "{ \"prefetcher.maxCost\": 5,\n  \"\(path)\": \"Wi-Fi\" }", "good.json5": "{ \"prefetcher.maxCost\": 5 }"])
    { folder in
      let sweep = Reference.packageRoot.appendingPathComponent("Sweeps/featured-3g.json5").path
      for (arguments, location) in [
        (["--candidate", "bad.json5"], "bad.json5:2:3: candidate.\(path): "),
        (["--candidate", "good.json5", "--baseline", "bad.json5"], "bad.json5:2:3: baseline.\(path): "),
        (["--set", "\(path)=Wi-Fi"], "--set: \(path): "),
      ] {
        let result = try check(["--sweep", sweep] + arguments, in: folder)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.hasPrefix(location), "\(result.errors)")
        #expect(result.errors.contains("--scenario \(path)=VALUE"))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      }
    }
  }

  @Test func settingsThatATeamShipsAreAccepted() throws {
    let text = """
      { "prefetcher.maxCost": 5, "downloads.connections": 6, "feed.pages": { size: 20 }, "feed.hosts.image": "cdn", "network.http": "2",
        "network.tls": "1.3", "network.serverTime": "20ms", "network.idleTimeout": "5s" }
      """
    try withFiles(["candidate.json5": text]) { folder in
      let sweep = Reference.packageRoot.appendingPathComponent("Sweeps/featured-3g.json5").path
      let arguments = ["--sweep", sweep, "--candidate", "candidate.json5", "--repeats", "140"]
      let result = try check(arguments + ["--scenario", "feed.items=30", "--scenario", "user.scroll=30"], in: folder)
      #expect(result.errors.isEmpty && [0, 3].contains(result.status), "\(result.errors)")
    }
  }

  @Test func allProblemsAreReportedAtOnce() throws {
    let text = "{ \"network.profile\": \"Wi-Fi\", \"user.dwell\": \"30s\", \"nets.x\": 1, \"prefetcher.maxCost\": \"many\" }"
    try withFiles(["candidate.json5": text]) { folder in
      let sweep = Reference.packageRoot.appendingPathComponent("Sweeps/networks.json5").path
      let result = try check(["--sweep", sweep, "--candidate", "candidate.json5", "--set", "user.scroll=3", "--stratum", "5G"], in: folder)
      #expect(result.status == 2)
      let lines = result.errors.split(separator: "\n")
      for part in ["network.profile: ", "user.dwell: ", "nets.x: ", "prefetcher.maxCost: ", "--set: user.scroll: ", "--stratum: "] {
        #expect(lines.count { $0.contains(part) } == 1, "\(part) in \(result.errors)")
      }
    }
  }

  @Test(arguments: ["--candidate", "--baseline"])
  func aWholeSweepAsSettingsGetsOneMessage(option: String) throws {
    let result = try check([option, "Sweeps/networks.json5"] + (option == "--baseline" ? ["--set", "prefetcher.maxCost=5"] : []))
    #expect(result.status == 2)
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.errors.contains("is a whole sweep file, not settings; write the settings alone"))
  }

  @Test func settingsThatTheStrataSetAreRefused() throws {
    let sweep = Self.fluid.replacing(#/population: \[[^\]]*\],/#, with: "strata: [\"downloads.connections\"],").replacing(
      "axes: {", with: "axes: { \"downloads.connections\": [2, 4],")
    try withFiles(["sweep.json5": sweep]) { folder in
      for path in ["downloads.connections=3", "downloads={ connections: 3 }"] {
        let result = try check(["--sweep", "sweep.json5", "--set", path], in: folder)
        #expect(result.status == 2)
        #expect(result.errors.contains("sets downloads.connections, which tells the strata of the sweep apart"), "\(result.errors)")
      }
      let result = try check(["--sweep", "sweep.json5", "--set", "downloads.cancel=drop", "--repeats", "140"], in: folder)
      #expect(result.errors.isEmpty && result.output.contains("stratum"), "\(result.errors)")
    }
  }

  @Test func aBaselineInAnotherWorldIsRefused() throws {
    let sweep = """
      { sweep: "elsewhere", scenario: { feed: { items: 30 }, network: "3G", user: { scroll: 30 }, prefetcher: "none" },
        baseline: { network: "LTE" } }
      """
    try withFiles(["sweep.json5": sweep, "candidate.json5": "{ prefetcher: \"itemsAhead\" }"]) { folder in
      let arguments = ["--sweep", "sweep.json5", "--candidate", "candidate.json5", "--repeats", "140"]
      let result = try check(arguments, in: folder)
      #expect(result.status == 2)
      #expect(result.errors.contains("is not the same for both sides") && result.errors.contains("--scenario"), "\(result.errors)")
      #expect(try check(arguments + ["--scenario", "network=LTE"], in: folder).status == 0)
    }
  }

  // MARK: Signals

  @Test func aSignalEndsAGateOfManyStrata() throws {
    let dwells = (0..<150).map { "\"\(500 + $0)ms\"" }.joined(separator: ", ")
    let sweep = """
      { sweep: "many", scenario: { feed: { items: 2000 }, network: "3G", user: { scroll: 2000 }, prefetcher: { kind: "costBudget" } },
        axes: { "user.dwell": [\(dwells)] }, strata: ["user.dwell"] }
      """
    try withFiles(["sweep.json5": sweep]) { folder in
      let process = Process()
      process.executableURL = BuiltTool.path
      process.currentDirectoryURL = folder
      process.arguments = ["check", "--sweep", "sweep.json5", "--set", "prefetcher.maxCost=9", "--json", "new/gate.json"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let output = folder.appendingPathComponent("new").path
      for _ in 0..<3000 where !FileManager.default.fileExists(atPath: output) { usleep(10_000) }
      usleep(300_000)
      kill(process.processIdentifier, SIGINT)
      process.waitUntilExit()
      #expect(process.terminationStatus == 130)
      #expect(!FileManager.default.fileExists(atPath: output))
    }
  }
}
