import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import SweepTool

/// `fit` from the command line.
@Suite struct FitTests {
  private static let telemetry = "Tests/Corpus/telemetry/two-classes.json5"

  @Test func thePopulationOfTelemetryRunsInASweep() throws {
    try BuiltTool.withFolder { folder in
      let output = folder.appendingPathComponent("population.json5")
      let fitted = try BuiltTool.run(["fit", Self.telemetry, "--output", output.path])
      #expect(fitted.status == 0 && fitted.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("note: ") }, "\(fitted.errors)")
      #expect(fitted.output.contains("Wi-Fi") && fitted.output.contains("dwell"))
      let written = try String(contentsOf: output, encoding: .utf8)
      let part = try #require(written.firstIndex(of: "{").map { written[$0...].dropFirst().dropLast(2) })
      let sweep = """
        { sweep: "fitted", scenario: { feed: { items: 20 }, network: "3G", user: { dwell: "1s" }, prefetcher: "itemsAhead" },
          axes: { "prefetcher.ahead": [1, 3] }, baseline: { "prefetcher.ahead": 1 }, repeats: 2, \(part) }
        """
      try sweep.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      let run = try BuiltTool.run(["run", "s.json5", "--output", "out"], in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let report = try String(contentsOf: folder.appendingPathComponent("out/report.md"), encoding: .utf8)
      #expect(report.contains("Wi-Fi, part 1") && report.contains("LTE, part 3"))
    }
  }

  /// 2 080 000 of 2 770 000 items are those of Wi-Fi.
  @Test func weightsAreSharesOfItems() throws {
    let file = try InputFile(path: Reference.packageRoot.appendingPathComponent(Self.telemetry).path)
    let world = FittedWorld(try TelemetryReader.read(file))
    #expect(abs(world.networks[0].weight - 208.0 / 277) < 1e-12)
    #expect(world.networks[0].weightInterval.contains(208.0 / 277))
  }

  @Test func theBaselinesLoadersStandBesideTheTelemetrys() throws {
    let arguments = [
      "fit", Self.telemetry, "--sweep", "Sweeps/featured-3g.json5", "--repeats", "2", "--levels", "1",
    ]
    let result = try BuiltTool.run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("simulated") && result.output.contains("11.8"))
    #expect(try BuiltTool.run(arguments).output == result.output)
  }

  @Test func aHistogramThatIsNoLognormalDistributionIsNamed() throws {
    try BuiltTool.withFolder { folder in
      let text = """
        { networks: { mixed: { sessions: 10000,
          timeToFirstByte: { edges: ["10ms", "20ms", "40ms", "80ms", "160ms", "320ms"], counts: [100, 4800, 100, 0, 100, 4800, 100] },
          throughput: { edges: ["1Mbps", "3Mbps"], counts: [2000, 5000, 3000] } } } }
        """
      try text.write(to: folder.appendingPathComponent("t.json"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["fit", "t.json"], in: folder)
      #expect(result.status == 0)
      #expect(result.errors.contains("note: mixed: timeToFirstByte is no lognormal distribution"), "\(result.errors)")
      #expect(result.errors.contains("note: mixed: throughput has too few filled bins to test"), "\(result.errors)")
    }
  }

  /// An interval has one unit, and digits that tell its ends apart.
  @Test func theEndsOfAnIntervalDifferAndHaveOneUnit() throws {
    try BuiltTool.withFolder { folder in
      let text = """
        { networks: { many: { sessions: 60000000,
          timeToFirstByte: { edges: ["40ms", "60ms", "80ms", "110ms"], counts: [8700000, 16300000, 15000000, 11000000, 9000000] },
          throughput: { edges: ["3Mbps", "5100kbps", "8Mbps"], counts: [160, 340, 320, 180] } } } }
        """
      try text.write(to: folder.appendingPathComponent("t.json"), atomically: true, encoding: .utf8)
      let fitted = try BuiltTool.run(["fit", "t.json", "--output", "p.json5"], in: folder)
      let texts = try fitted.output + String(contentsOf: folder.appendingPathComponent("p.json5"), encoding: .utf8)
      let ranges = texts.matches(of: #/([0-9.]+)( ?[a-zA-Z%]+)? … ([0-9.]+)( ?[a-zA-Z%]+)?/#)
      #expect(ranges.count >= 7)
      for range in ranges { #expect(range.1 != range.3 && range.2 == range.4 || range.1 == "100", "\(range.0)") }
    }
  }

  /// 11 values between edges 0.4 % apart say little about sigma, and have digits to say it with.
  @Test func aSmallSigmaHasItsIntervalAndDigits() throws {
    try BuiltTool.withFolder { folder in
      let text = """
        { networks: { narrow: { sessions: 300, timeToFirstByte: { edges: ["68ms", "68.3ms", "68.6ms"], counts: [1, 5, 4, 1] },
          throughput: { edges: ["4.8Mbps", "5Mbps", "5.2Mbps"], counts: [3, 4, 4, 3] } } } }
        """
      try text.write(to: folder.appendingPathComponent("t.json"), atomically: true, encoding: .utf8)
      let output = try BuiltTool.run(["fit", "t.json"], in: folder).output
      #expect(output.contains("0.0033  0.0022 … 0.0054"), "\(output)")
    }
  }

  private static func fitted(_ counts: String, sessions: Int = 900, more: String = "") -> String {
    "{ networks: { a: \(network(counts, sessions: sessions, more: more)) } }"
  }

  private static func network(_ counts: String, sessions: Int, more: String = "") -> String {
    "{ sessions: \(sessions), timeToFirstByte: { edges: [\"1s\", \"2s\"], \(counts) }, throughput: { edges: [\"1Mbps\", \"3Mbps\"], counts: [2, 5, 3] }\(more) }"
  }

  /// Every part has a weight above 0, which a sweep file demands, and together they have 1.
  @Test func theSmallestClassHasAWeight() throws {
    let small = Self.network("counts: [20, 60, 20]", sessions: 1)
    let text = "{ networks: { large: \(Self.network("counts: [20, 60, 30]", sessions: 1_000_000_000_000)), small: \(small) } }"
    let world = FittedWorld(try TelemetryReader.read(InputFile(name: "t.json", bytes: Array(text.utf8))))
    let weights = world.population(levels: 3, source: "t.json").matches(of: #/weight: ([0-9.]+), /#).compactMap { Double($0.1) }
    #expect(weights.count == 6 && weights.suffix(3) == [1e-6, 1e-6, 1e-6] && abs(weights.reduce(0, +) - 1) < 1e-12, "\(weights)")
  }

  @Test func dwellsOfHoursMayLastADay() throws {
    for (edges, most) in [("[\"1s\", \"4s\"]", "1h"), ("[\"5h\", \"10h\"]", "24h")] {
      let text = Self.fitted("counts: [20, 60, 20]", more: ", dwell: { edges: \(edges), counts: [25, 50, 25] }")
      let world = FittedWorld(try TelemetryReader.read(InputFile(name: "t.json", bytes: Array(text.utf8))))
      #expect(world.population(levels: 1, source: "t.json").contains("max: \"\(most)\""))
    }
  }

  @Test(arguments: [
    ("{}", "networks: is missing"), ("{ networks: {} }", "networks: has 0 classes"), ("[]", "has no telemetry of a known form"),
    ("{ networks: { a: { sessions: 0 } } }", "networks.a.sessions: is 0"),
    ("{ networks: { a: { sesions: 10 } } }", "did you mean \"sessions\""),
    ("{ networks: { a: { sessions: 9, throughput: { edges: [\"1Mbps\"], counts: [1, 2] } } } }", "are not 2 to 1000 values"),
    ("{ networks: { a: { sessions: 9, throughput: { edges: [\"2Mbps\", \"1Mbps\"], counts: [1, 2, 3] } } } }", "in increasing order"),
    ("{ networks: { a: { sessions: 9, throughput: { edges: [\"1Mbps\", \"2Mbps\"], counts: [1, 2] } } } }", "has 2 values for 2 edges"),
    ("{ networks: { a: { sessions: 9, throughput: { edges: [\"1Mbps\", \"2Mbps\"], counts: [0, 2, 0] } } } }", "fewer than three bins"),
    (fitted("counts: [1000, 1, 3000]"), "networks.a.timeToFirstByte: has counts that fit no lognormal distribution"),
    (fitted("counts: [1, 1, 1000000000000]"), "networks.a.timeToFirstByte: has counts that fit no lognormal distribution"),
    (fitted("counts: [20, 60, 20]", more: ", serverTime: \"2s\""), "networks.a.serverTime: is more than the median time to the first byte"),
    (
      "{ networks: { a: { sessions: 9, throughput: { edges: [\"1MB\", 2], counts: [-1, 2.5, \"x\"] } } } }",
      "networks.a.throughput.counts: is -1"
    ),
  ])
  func mistakesHaveALocationAndARemedy(text: String, problem: String) throws {
    try BuiltTool.withFolder { folder in
      try text.write(to: folder.appendingPathComponent("t.json"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["fit", "t.json", "--output", "p.json5"], in: folder)
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errors.contains(problem), "\(result.errors)")
      for line in result.errors.split(separator: "\n") {
        #expect(line.wholeMatch(of: /t\.json:[0-9]+:[0-9]+: .+; .+/) != nil, "\(line)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["t.json"])
    }
  }
}
