import Foundation
import Simulation
import TestSupport
import Testing

/// Sweeps with every feature at once: `run`, a resume, `report` and `merge` write the same files and end with the same status.
@Suite struct DrawnSweepTests {
  /// The seeds of drawn sweeps, all of which run; nil for `measuredAndConfirmed`.
  private static let seeds: [UInt64?] =
    [nil] + (ProcessInfo.processInfo.environment["DRAWN_SWEEPS"].flatMap(UInt64.init).map { Array(0..<$0) } ?? [0, 1, 2])

  /// Its confirmation's rows of the baseline meet `measured` in other worlds than the sweep's own.
  private static let measuredAndConfirmed = """
    { sweep: "s", seed: 5,
      scenario: {
        feed: { items: 34 }, user: { dwell: "1s" }, prefetcher: "itemsAhead",
        network: { down: "800kbps", up: "500kbps", delayDown: "20ms", delayUp: "20ms", transport: "fluid" },
      },
      axes: { "prefetcher.ahead": [0, 1, 3, 5], "downloads.connections": [1, 4] },
      baseline: { "prefetcher.ahead": 1, "downloads.preempt": true },
      uncertain: {
        worlds: 8, "user.dwell": ["500ms", "1s", "2s", "4s"], "feed.image.bytes": ["20KB", "60KB", "120KB"],
        measured: ["loadersPer1000 >= 183"],
      },
      confirm: { repeats: 2, best: 2 }, repeats: 5 }

    """

  /// Returns a drawn sweep, and its features. Some are refused.
  private static func sweep(seed: UInt64) -> String {
    var random = RandomStream(runSeed: seed, name: "drawn sweep")
    func often(_ share: Double) -> Bool { random.unit() < share }
    func one(_ texts: [String]) -> String { texts[Int(random.below(UInt64(texts.count)))] }
    var parts = ["sweep: 's', seed: \(seed)"]
    let isBackground = often(0.1)
    let network = { (rate: Int) in
      "{ down: '\(rate)kbps', up: '500kbps', delayDown: '20ms', delayUp: '20ms', transport: '\(isBackground ? "packet" : "fluid")' }"
    }
    if isBackground {
      parts.append("scenario: { kind: 'backgroundDownload', network: \(network(4000)), strategy: 'archive', resources: { count: 20 } }")
      parts.append("axes: { strategy: ['archive', 'allAtOnce', 'keepAlive'] }")
    } else {
      parts.append(
        "scenario: { feed: { items: \(15 + random.below(20)) }, user: { dwell: '1s' }, network: \(network(800)), prefetcher: 'itemsAhead' }"
      )
      let more = one(["", ", 'downloads.connections': [1, 4]", ", 'downloads.cancel': ['keep', 'resume']"])
      let isSplit = often(0.2)
      let links = isSplit ? ", network: [\(network(500)), \(network(900))]" : ""
      parts.append("axes: { 'prefetcher.ahead': [0, 1, 3, 5]\(more)\(links) }")
      parts.append(one(["", "baseline: { 'prefetcher.ahead': 2 }", "baseline: { 'prefetcher.ahead': 1, 'prefetcher.prefixOnly': false }"]))
      if isSplit {
        parts.append(one(["", "strata: ['network']", "strata: []"]))
      } else {
        let bound = one([
          "", ", measured: ['loadersPer1000 >= \(random.below(300))']", ", measured: ['waitMsMean >= \(random.below(80))ms']",
        ])
        parts.append(
          one([
            "",
            "population: [{ weight: 0.75, name: 'a', network: \(network(600)) }, { weight: 0.25, name: 'b', network: \(network(3000)) }]",
            "uncertain: { worlds: 5, 'user.dwell': ['500ms', '1s', '2s', '4s'], 'feed.image.bytes': ['20KB', '60KB', '120KB']\(bound) }",
            "uncertain: { 'user.dwell': ['500ms', '1s', '3s']\(bound) }",
          ]))
        if often(0.4) {
          parts.append(
            "objective: { minimize: '\(one(["loadersPer1000", "waitMsMean"]))', subjectTo: ['bytesReceived <= \(1 + random.below(4))MB'] }")
        }
      }
    }
    if often(0.8) { parts.append("confirm: { repeats: \(2 + random.below(5)), best: \(1 + random.below(3)) }") }
    if often(0.3) { parts.append("margin: '\(1 + random.below(9))%'") }
    parts.append(
      one([
        "repeats: \(2 + random.below(6))", "repeats: 6, search: 'halving'", "repeats: 8, search: 'racing'",
        "repeats: { min: 3, max: 8, until: '±15%' }",
      ]))
    return "{ \(parts.filter { !$0.isEmpty }.joined(separator: ",\n  ")) }\n".replacing("'", with: "\"")
  }

  /// Returns all files of results but the manifest, which names the time and the command.
  private static func files(_ folder: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasPrefix(".") {
      let path = folder.appendingPathComponent(name)
      if name != "manifest.json", !path.hasDirectoryPath, let data = try? Data(contentsOf: path) { files[name] = data }
    }
    return files
  }

  private static func differing(_ first: [String: Data], _ second: [String: Data]) -> [String] {
    Set(first.keys).union(second.keys).filter { first[$0] != second[$0] }.sorted()
  }

  @Test(arguments: seeds) func runReportMergeAndResumeAgree(seed: UInt64?) throws {
    try BuiltTool.withFolder { folder in
      let text = seed.map(Self.sweep) ?? Self.measuredAndConfirmed
      /// Runs the tool in a folder of its own, where all paths are the same.
      func tool(_ name: String, _ arguments: String) throws -> ToolResult {
        let own = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        try text.write(to: own.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
        return try BuiltTool.run(arguments.split(separator: " ").map(String.init), in: own)
      }
      func written(_ name: String) throws -> [String: Data] {
        var files = try Self.files(folder.appendingPathComponent("\(name)/out"))
        files["winner"] = try? Data(contentsOf: folder.appendingPathComponent("\(name)/winner.json5"))
        return files
      }
      let winner = "--write-winner winner.json5"
      let run = try tool("one", "run s.json5 --output out --quiet \(winner)")
      if run.status == 2, Self.seeds.count > 4 { return }
      #expect(run.status <= 1, "\(run.errors)\n\(text)")
      let files = try written("one")
      func expectSame(_ name: String, _ result: ToolResult, _ what: String) throws {
        let different = Self.differing(files, try written(name))
        #expect(different.isEmpty && result.status == run.status, "\(what): \(different), \(result.errors)\n\(text)")
      }
      try expectSame("one", try tool("one", "report out \(winner)"), "report")
      // A journal that ends within a run.
      let journal = folder.appendingPathComponent("one/out/.journal/runs")
      let bytes = try Data(contentsOf: journal)
      try bytes.prefix(bytes.count * 6 / 10).write(to: journal)
      try expectSame("one", try tool("one", "run s.json5 --output out --quiet --jobs 3 \(winner)"), "resume")
      var shards: [ToolResult] = []
      // A shard of a search ends with 75 until it has the others' runs.
      for index in [0, 1, 0, 1, 0, 1, 0, 1, 0, 1] where shards.suffix(2).contains(where: { $0.status != 0 }) || shards.count < 2 {
        shards.append(try tool("shards", "run s.json5 --shard \(index)/2 --output p/\(index)-of-2 --quiet"))
      }
      #expect(shards.suffix(2).allSatisfy { $0.status == 0 }, "\(shards.map { "\($0.status) \($0.errors)" })\n\(text)")
      try expectSame("shards", try tool("shards", "merge p/0-of-2 p/1-of-2 --output out --quiet \(winner)"), "merge")
      let same = try tool("one", "report out --compare out --fail-on-worse")
      #expect(same.status == 0 && same.output.contains("0 are better, 0 worse"), "\(same.output)\n\(text)")
    }
  }
}
