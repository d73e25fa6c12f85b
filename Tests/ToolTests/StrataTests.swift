import Foundation
import TestSupport
import Testing

/// Sweeps with strata and populations.
@Suite struct StrataRunTests {
  private let scenario = """
    { network: { profile: "3G", transport: "fluid" }, feed: { items: 40 }, user: { scroll: 40, dwell: "1s" }, prefetcher: "itemsAhead" }
    """
  private let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]

  private func write(_ text: String, _ name: String, in folder: URL) throws -> String {
    let file = folder.appendingPathComponent(name)
    try text.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  private func run(_ arguments: [String], in folder: URL, _ name: String) throws -> [String] {
    let output = folder.appendingPathComponent(name)
    let result = try BuiltTool.run(["run"] + arguments + ["--output", output.path, "--quiet"])
    #expect(result.status == 0, "\(result.errors)")
    return try files.map { try String(contentsOf: output.appendingPathComponent($0), encoding: .utf8) }
  }

  private func population(in folder: URL) throws -> String {
    try write(
      """
      { sweep: "field", repeats: 6, axes: { "prefetcher.ahead": [1, 3, 6] }, baseline: { "prefetcher.ahead": 2 }, scenario: \(scenario),
        population: [
          { weight: 0.7, network: { profile: "DSL", transport: "fluid" }, name: "home" },
          { weight: "30%", network: { profile: "3G", transport: "fluid", delayDown: "300ms" }, user: { scroll: 40, dwell: "2s" }, name: "train" },
        ] }
      """, "field.json5", in: folder)
  }

  @Test func aPopulationRunsEveryPointInEachStratumOnTheSameSeeds() throws {
    try BuiltTool.withFolder { folder in
      let field = try run([try population(in: folder)], in: folder, "field")
      let lines = field[0].split(separator: "\n").map(String.init)
      #expect(lines.count == 1 + 3 * 4 * 6)
      #expect(lines[0].hasPrefix("point,repetition,seed,network,user,prefetcher.ahead,viewed,loaders,"))
      // The rows of a stratum equal those of a sweep on its network.
      let alone = try write(
        """
        { sweep: "home", repeats: 6, axes: { "prefetcher.ahead": [1, 3, 6] }, baseline: { "prefetcher.ahead": 2 }, scenario: \(scenario) }
        """, "home.json5", in: folder)
      let rows = try run([alone, "--set", #"network={ profile: "DSL", transport: "fluid" }"#], in: folder, "home")[0].split(separator: "\n")
      for row in rows.dropFirst() {
        let id = row.prefix(16)
        let repetition = row.dropFirst(17).prefix(1)
        let metrics = row.split(separator: ",").dropFirst(4).joined(separator: ",")
        #expect(lines.contains { $0.hasPrefix("\(id),\(repetition),") && $0.hasSuffix(metrics) }, "\(row)")
      }
      #expect(field[2].contains("Over the population (70\u{A0}% home, 30\u{A0}% train): "))
      #expect(field[2].contains("## Scenario and population, best over the population first"))
    }
  }

  @Test func theBytesDoNotDependOnJobsShardsOrReports() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try population(in: folder)
      let one = try run([sweep, "--jobs", "1"], in: folder, "one")
      #expect(try run([sweep, "--jobs", "5"], in: folder, "five") == one)
      var shards: [String] = []
      for index in 0..<3 {
        shards.append(folder.appendingPathComponent("shard\(index)").path)
        #expect(try BuiltTool.run(["run", sweep, "--shard", "\(index)/3", "--output", shards[index], "--quiet"]).status == 0)
      }
      let merged = folder.appendingPathComponent("merged")
      let result = try BuiltTool.run(["merge"] + shards + ["--output", merged.path, "--quiet"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try files.map { try String(contentsOf: merged.appendingPathComponent($0), encoding: .utf8) } == one)
      let again = folder.appendingPathComponent("again")
      #expect(try BuiltTool.run(["report", merged.path, "--output", again.path]).status == 0)
      for (name, index) in [("summary.csv", 1), ("report.md", 2)] {
        #expect(try String(contentsOf: again.appendingPathComponent(name), encoding: .utf8) == one[index])
      }
    }
  }

  @Test func anAxisOfTheWorldIsAStratumUnlessTheFileSaysOtherwise() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try write(
        """
        { sweep: "worlds", repeats: 3, baseline: { "prefetcher.ahead": 2 }, scenario: \(scenario),
          axes: { "network.profile": ["3G", "DSL"], "prefetcher.ahead": [1, 2, 4] } }
        """, "worlds.json5", in: folder)
      let automatic = try run([sweep], in: folder, "automatic")
      #expect(automatic[2].contains("Winner of each stratum: 3G: "))
      #expect(automatic[1].split(separator: "\n").count == 1 + 6 + 3)
      #expect(automatic[1].split(separator: "\n").filter { $0.contains(",true,3,") }.count == 3, "a baseline a stratum, and the whole's")
      let named = try run([sweep, "--set", #"strata=["network.profile"]"#], in: folder, "named")
      #expect(named[1] == automatic[1])
      let none = try run([sweep, "--set", "strata=[]"], in: folder, "none")
      #expect(none[0] == automatic[0])
      #expect(none[1].split(separator: "\n").count == 1 + 6)
      #expect(!none[2].contains("The winner of each stratum"))
    }
  }

  /// A sweep over nothing but networks has no strata: it compares the networks.
  @Test func aSweepOfNetworksAloneComparesThem() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try write(
        #"{ sweep: "n", repeats: 2, scenario: \#(scenario), axes: { "network.profile": ["3G", "DSL"] } }"#, "n.json5", in: folder)
      let result = try run([sweep], in: folder, "n")
      #expect(!result[2].contains("stratum") && result[1].split(separator: "\n").count == 3)
      let against = try run([sweep, "--set", "baseline={prefetcher: \"none\"}"], in: folder, "against")
      #expect(against[2].contains("The winner of each stratum"))
      // A baseline on a network that is not swept keeps that network.
      let elsewhere = try run([sweep, "--set", "baseline={prefetcher: \"none\", \"network.profile\": \"LTE\"}"], in: folder, "elsewhere")
      #expect(!elsewhere[2].contains("The winner of each stratum"))
    }
  }

  @Test func aBaselineOutsideOfTheGridStandsInEveryStratum() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try write(
        """
        { sweep: "outside", repeats: 2, baseline: { "prefetcher.ahead": 9, "network.profile": "DSL" }, scenario: \(scenario),
          axes: { "network.profile": ["3G", "DSL"], "prefetcher.ahead": [1, 2] }, where: ["prefetcher.ahead != 2"] }
        """, "outside.json5", in: folder)
      let list = try BuiltTool.run(["run", sweep, "--list"]).output.split(separator: "\n").map { $0.split(separator: "\t").dropFirst() }
      #expect(
        list.map { $0.joined(separator: " ") } == [
          "network.profile prefetcher.ahead baseline", "3G 1", "DSL 1", "3G 9 baseline", "DSL 9 baseline",
        ])
      #expect(try run([sweep], in: folder, "outside")[2].contains("The baseline's network.profile is left aside"))
    }
  }

  /// A stratum that equals the scenario runs once and counts for both.
  @Test func aStratumThatEqualsTheScenarioRunsOnce() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try write(
        """
        { sweep: "same", repeats: 2, axes: { "prefetcher.ahead": [1, 2] }, scenario: \(scenario), population: [
            { weight: 0.5, network: { transport: "fluid", profile: "3G" }, name: "3G" },
            { weight: 0.5, network: { profile: "DSL", transport: "fluid" }, name: "DSL" } ] }
        """, "same.json5", in: folder)
      let result = try run([sweep], in: folder, "same")
      #expect(result[0].split(separator: "\n").count == 1 + 2 * 2 * 2)
      #expect(result[2].contains("Over the population (50\u{A0}% 3G, 50\u{A0}% DSL)"))
    }
  }
  /// A scenario without a network is the first member, under that member's name and with its id.
  @Test func aPopulationNeedsNoNetworkOfItsScenario() throws {
    try BuiltTool.withFolder { folder in
      let members = [
        "{ weight: 0.8, network: { profile: 'DSL', transport: 'fluid' }, name: 'home' }",
        "{ weight: 0.2, network: { profile: '3G', transport: 'fluid' }, name: 'train' }",
      ]
      func write(_ network: String, _ population: [String], _ name: String) throws -> String {
        try self.write(
          """
          { sweep: "bare", repeats: 2, axes: { "prefetcher.ahead": [1, 2] },
            scenario: { \(network) feed: { items: 40 }, user: { scroll: 40, dwell: "1s" }, prefetcher: "itemsAhead" },
            population: [\(population.joined(separator: ", "))] }
          """, name, in: folder)
      }
      let sweep = try write("", members, "bare.json5")
      let bare = try run([sweep], in: folder, "bare")
      #expect(bare[0].split(separator: "\n").count == 1 + 2 * 2 * 2, "no third stratum")
      #expect(bare[2].contains("Over the population (80\u{A0}% home, 20\u{A0}% train)") && !bare[2].contains("In the scenario itself"))
      // The rows are those of a scenario that has the first member's parts.
      let full = try write("network: { profile: 'DSL', transport: 'fluid' },", [members[0], members[1]], "full.json5")
      let whole = try run([full], in: folder, "full")
      func rows(_ csv: String) -> Set<String> {
        Set(csv.split(separator: "\n").dropFirst().map { $0.split(separator: ",").prefix(3).joined(separator: ",") })
      }
      #expect(rows(whole[0]).intersection(rows(bare[0])).count >= 4)
      // A scenario with a user of its own keeps it, beside a first member that has another.
      let other = members[0].replacing("name:", with: "user: { scroll: 30 }, name:")
      let own = try run([try write("", [other, members[1]], "own.json5")], in: folder, "own")
      #expect(own[0].split(separator: "\n").count == 1 + 2 * 2 * 3, "a third stratum")
      let check = try BuiltTool.run(["check", "--sweep", sweep, "--set", "prefetcher.ahead=2", "--repeats", "200"])
      #expect([0, 3].contains(check.status), "\(check.errors)")
      let point = String(bare[0].split(separator: "\n")[1].prefix(16))
      #expect(try BuiltTool.run(["explain", sweep, "--point", point, "--repetition", "1"]).status == 0)
      // Without a network of the first member, the message says what is missing where.
      let later = try BuiltTool.run([
        "run", try write("", [members[1].replacing("network:", with: "'network.profile':"), members[0]], "later.json5"), "--list",
      ])
      #expect(later.status == 2, "\(later.output)")
    }
  }
}
