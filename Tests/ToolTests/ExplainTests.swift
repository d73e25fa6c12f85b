// `explain` from the command line: its formats can be parsed, and agree with the run's row.

import Foundation
import TestSupport
import Testing

@Suite struct ExplainTests {
  private static let sweep = """
    { sweep: "traced", scenario: {
      feed: { items: 40, pages: { size: 10, trigger: "ratio" } }, network: { profile: "3G", transport: "fluid" },
      user: { script: [{ scroll: 6 }, { fling: 8 }, { background: "2s" }, { scroll: 5 }] },
      prefetcher: { kind: "itemsAhead", ahead: 2 } } }
    """

  @Test func linesArchiveAndTraceAreReadable() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("explain-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("traced.json5")
    try Self.sweep.write(to: file, atomically: true, encoding: .utf8)
    let archive = folder.appendingPathComponent("traced.har")
    let traceFile = folder.appendingPathComponent("traced.trace")
    let result = try BuiltTool.run(["explain", file.path, "--format", "json", "--har", archive.path, "--trace", traceFile.path])
    #expect(result.status == 0, "\(result.errors)")
    let lines = try result.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
    let loaders = lines.first?["loaders"] as? Int
    #expect(lines.filter { $0["event"] as? String == "loader" }.count == loaders)
    let requests = lines.filter { $0["event"] as? String == "requested" }.count
    let log = (try JSONSerialization.jsonObject(with: Data(contentsOf: archive)) as? [String: Any])?["log"] as? [String: Any]
    #expect((log?["entries"] as? [Any])?.count == requests)
    let events = (try JSONSerialization.jsonObject(with: Data(contentsOf: traceFile)) as? [String: Any])?["traceEvents"] as? [Any]
    #expect((events?.count ?? 0) > requests)
    let table = try BuiltTool.run(["explain", file.path])
    #expect(table.output.contains("\(loaders ?? -1) loaders of 19 items viewed"))
  }

  private static let budget = """
    { sweep: "budget", scenario: {
      feed: { items: 60, mix: { image: 0.7, video: 0.3 } }, network: { profile: "3G", transport: "fluid" },
      user: { scroll: 60, dwell: "1s" }, prefetcher: { kind: "itemsAhead" } },
      axes: { "prefetcher.ahead": [1, 4] }, baseline: { "prefetcher.ahead": 1 } }
    """

  @Test func aSettingOfAnAxisChoosesThePoint() throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("budget.json5")
      try Self.budget.write(to: file, atomically: true, encoding: .utf8)
      let explain = { (words: [String]) in try BuiltTool.run(["explain", file.path] + words).output }
      let chosen = try explain(["--set", "prefetcher.ahead=4"])
      #expect(try chosen == explain(["--point", "prefetcher.ahead=4"]) && chosen != explain([]))
      #expect(try explain(["--set", "prefetcher.ahead=1"]) == explain([]))
      // The baseline of a stratum has the stratum's value, and keeps its own settings below it.
      let strata = Self.budget.replacing("axes: {", with: "strata: [\"network\"], axes: { network: [\"3G\", \"LTE\"],")
        .replacing("baseline: {", with: "baseline: { \"network.queue\": 20,")
      try strata.write(to: file, atomically: true, encoding: .utf8)
      let points = try BuiltTool.run(["run", file.path, "--list"]).output.split(separator: "\n")
      let baseline = try #require(points.first { $0.contains("LTE") && $0.contains("baseline") }?.prefix(16))
      #expect(try explain(["--set", "network=LTE"]).hasPrefix("point \(baseline),"), "\(points)")
      try Self.budget.write(to: file, atomically: true, encoding: .utf8)
      // Beside a named point the setting narrows the sweep, as in the commands of results.
      #expect(try explain(["--set", "prefetcher.ahead=4", "--point", "baseline"]) == explain([]))
    }
  }

  /// Returns the number of loader marks of a run in a picture.
  private func marks(_ picture: String, run: Int) throws -> Int {
    let root = try #require(XMLTree.root(of: picture), "the parser refuses the picture")
    let drawing = root.name == "svg" ? root : try #require(root.all("svg").last)
    return drawing.all("path").count { path in
      (path.attributes["class"] ?? "").hasPrefix("loader ") && path.attributes["id"]?.contains("-loader-\(run)-") == true
    }
  }

  private func loaders(_ words: [String]) throws -> Int {
    let lines = try BuiltTool.run(words + ["--format", "json"]).output.split(separator: "\n")
    return lines.count { $0.hasPrefix("{\"event\":\"loader\"") }
  }

  /// With strata, the point belongs to a stratum and the baseline is that stratum's.
  @Test(arguments: ["", #"strata: ["network.profile"], axes: { "network.profile": ["3G", "DSL"], "prefetcher.ahead": [1, 4] },"#])
  func theReportHasTheCommandThatDrawsTheWinnerBesideTheBaseline(_ strata: String) throws {
    try BuiltTool.withFolder { folder in
      let text = strata.isEmpty ? Self.budget : Self.budget.replacing("axes: { \"prefetcher.ahead\": [1, 4] },", with: strata)
      try text.write(to: folder.appendingPathComponent("budget.json5"), atomically: true, encoding: .utf8)
      let arguments = [
        "run", "budget.json5", "--repeats", "4", "--set", "downloads.connections=3", "--seed", "7", "--quiet", "--output", "r",
      ]
      #expect(try BuiltTool.run(arguments, in: folder).status == 0)
      let report = try String(contentsOf: folder.appendingPathComponent("r/report.md"), encoding: .utf8)
      let intro = "A timeline of ahead 4\(strata.isEmpty ? "" : ", 3G") beside the baseline, on the same seed:\n\n```sh\n"
      let line = try #require(report.components(separatedBy: intro).dropFirst().first?.split(separator: "\n").first)
      let ends = ["prefetch-sweep ", " > explain.svg"]
      #expect(line.hasPrefix(ends[0]) && line.hasSuffix(ends[1]), "\(line)")
      let words = line.dropFirst(ends[0].count).dropLast(ends[1].count).split(separator: " ").map(String.init)
      let drawn = try BuiltTool.run(words, in: folder)
      #expect(drawn.status == 0, "\(drawn.errors)")
      let stratum = strata.isEmpty ? "" : "profile 3G, "
      let description = try #require(XMLTree.root(of: drawn.output)?.all("desc").first?.text)
      #expect(description.contains(". \(stratum)ahead 4: ") && description.contains(" baseline: \(stratum)ahead 1: "), "\(description)")
      let page = try String(contentsOf: folder.appendingPathComponent("r/report.html"), encoding: .utf8)
      #expect(page.contains(line.replacing(">", with: "&gt;")))
    }
  }

  @Test func picturesMarkEveryLoaderOfBothPoints() throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("budget.json5").path
      try Self.budget.write(toFile: file, atomically: true, encoding: .utf8)
      let explain = ["explain", file, "--repetition", "3"]
      let first = try loaders(explain)
      let second = try loaders(explain + ["--point", "prefetcher.ahead=4"])
      #expect(first > 3 && second != first)
      // Its values and its id select one point.
      let list = try BuiltTool.run(["run", file, "--list"]).output.split(separator: "\n").map { $0.split(separator: "\t") }
      let id = String(try #require(list.first { $0.count > 1 && $0[1] == "4" })[0])
      #expect(try loaders(explain + ["--point", id]) == second)
      let page = try BuiltTool.run(explain + ["--against", id, "--format", "html"])
      #expect(page.status == 0, "\(page.errors)")
      #expect(try marks(page.output, run: 1) == first)
      #expect(try marks(page.output, run: 2) == second)
      #expect(page.output.contains("<bdi>baseline: ahead 1</bdi></strong>: \(first) loaders in 60 items viewed"))
      let picture = try BuiltTool.run(explain + ["--items", "0...59", "--format", "svg"])
      #expect(try marks(picture.output, run: 1) == first)
      #expect(try BuiltTool.run(explain + ["--items", "0...59", "--format", "svg"]).output == picture.output)
    }
  }

  @Test func aPointIsDrawnBesideTheBaselineOfItsStratum() throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("strata.json5").path
      let sweep = Self.budget.replacing("axes: {", with: "strata: [\"network\"], axes: { network: [\"3G\", \"LTE\"],")
      try sweep.write(toFile: file, atomically: true, encoding: .utf8)
      let list = try BuiltTool.run(["run", file, "--list"]).output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      let point = try #require(list.first { $0.count > 2 && $0[1] == "LTE" && $0[2] == "4" })[0]
      let baseline = try #require(list.first { $0.count > 3 && $0[1] == "LTE" && $0[3] == "baseline" })[0]
      for words in [["--point", point, "--against", "baseline"], ["--against", point]] {
        let page = try BuiltTool.run(["explain", file, "--format", "html"] + words)
        #expect(page.output.contains("baseline: LTE, ahead 1") && page.output.contains("point \(baseline):"), "\(page.errors)")
      }
      let changed = try BuiltTool.run(["explain", file, "--format", "svg", "--point", point, "--against", "prefetcher.ahead=2"])
      #expect(changed.output.contains("the baseline with ahead 2 (LTE)"))
    }
  }

  @Test func loadersComeFirstAndTwoPointsStandSideBySide() throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("budget.json5").path
      try Self.budget.write(toFile: file, atomically: true, encoding: .utf8)
      let one = try BuiltTool.run(["explain", file]).output
      let (table, events) = try (#require(one.range(of: "waited")), #require(one.range(of: "becomes active")))
      #expect(table.lowerBound < events.lowerBound)
      let two = try BuiltTool.run(["explain", file, "--against", "prefetcher.ahead=4"]).output
      #expect(two.contains("A, ") && two.contains("B, the baseline with ahead 4: ") && two.contains("Loaders only in A: "), "\(two)")
      #expect(two.contains(/A: reason +A: waited, s +B: reason +B: waited, s/), "\(two)")
    }
  }

  @Test func impossiblePicturesAreRefused() throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("budget.json5").path
      try Self.budget.write(toFile: file, atomically: true, encoding: .utf8)
      let cases: [([String], String)] = [
        (["--format", "png"], "--format: is \"png\"; write one of: table, json, svg, html"),
        (["--against", "baseline", "--format", "json"], "--against: is for tables and pictures; leave out --format json"),
        (["--items", "3"], "--items: is for pictures; write --format svg or --format html"),
        (["--items", "9...3", "--format", "svg"], "--items: is \"9...3\"; write FIRST...LAST"),
        (["--items", "60...70", "--format", "svg"], "--items: none of them was on screen"),
        (
          ["--against", "0000000000000000", "--format", "svg"],
          "--against: no point of \(file) has an id that begins with \"0000000000000000\""
        ),
        (["--against", "prefetcher.ahed=4", "--format", "svg"], "prefetcher.ahed"),
      ]
      for (words, message) in cases {
        let result = try BuiltTool.run(["explain", file] + words)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.contains(message), "\(result.errors)")
      }
    }
  }

  /// The archive has parts of items, cancelled requests, ads, pages, and none of the items that a fling skipped.
  @Test(arguments: [
    #"feed: { items: 120, mix: { image: 4, video: 2, webApp: 1, nativeAd: 1 } }, user: { scroll: 120, dwell: "1s" }"#,
    #"feed: { items: 60, pages: { size: 10, trigger: "ratio" }, image: { height: 300 } }, downloads: { cancel: "drop" }, "#
      + #"user: { script: [{ scroll: 6 }, { fling: 8 }, { background: "2s" }, { scroll: 5 }] }"#,
  ])
  func anArchiveImportsToTheFeedItCameFrom(_ scenario: String) throws {
    try BuiltTool.withFolder { folder in
      let sweep = """
        { sweep: "archive", scenario: { \(scenario), network: { profile: "3G", http: "2", tls: "1.3" },
          prefetcher: { kind: "costBudget", maxCost: 8 } } }
        """
      try sweep.write(to: folder.appendingPathComponent("archive.json5"), atomically: true, encoding: .utf8)
      let explained = try BuiltTool.run(["explain", "archive.json5", "--har", "run.har", "--feed", "feed.json"], in: folder)
      #expect(explained.status == 0, "\(explained.errors)")
      let imported = try BuiltTool.run(["import", "run.har", "--output", "again.json", "--timings", "timings.csv"], in: folder)
      #expect(imported.status == 0, "\(imported.errors)")
      let feeds = try ["feed.json", "again.json"].map { name in
        try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent(name))) as? NSDictionary
      }
      #expect(feeds[0] != nil && feeds[0] == feeds[1])
      // The rows name items of that feed, and all received bytes are in them.
      let items = try #require(feeds[0]?["items"] as? [[String: Any]])
      let rows = try String(contentsOf: folder.appendingPathComponent("timings.csv"), encoding: .utf8).split(separator: "\n").dropFirst()
      var received: [Int: Int] = [:]
      for row in rows.map({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
        received[try #require(Int(row[0])), default: 0] += try #require(Int(row[row.count - 1]))
      }
      #expect(!received.isEmpty && received.keys.allSatisfy(items.indices.contains))
      #expect(received.contains { $1 == items[$0]["bytes"] as? Int })
    }
  }

  @Test func theFeedOfARunReproducesTheRun() throws {
    try BuiltTool.withFolder { folder in
      let drawn = "{ items: 30, mix: { image: 2, video: 1, webApp: 1, nativeAd: 1 }, image: { height: 300 } }"
      let written = "{ file: \"feed.json\" }"
      var tables: [String] = []
      for (name, feed) in [("drawn", drawn), ("written", written)] {
        let sweep = """
          { sweep: "feeds", seed: 5, scenario: { feed: \(feed), network: "3G", user: { scroll: 30, dwell: "1.5s" },
            prefetcher: { kind: "itemsAhead", ahead: 3, prefixOnly: false } } }
          """
        let file = folder.appendingPathComponent("\(name).json5")
        try sweep.write(to: file, atomically: true, encoding: .utf8)
        let export = folder.appendingPathComponent(name == "drawn" ? "feed.json" : "again.json").path
        let result = try BuiltTool.run(["explain", file.path, "--repetition", "2", "--feed", export])
        #expect(result.status == 0, "\(result.errors)")
        // The first line names the point, which differs.
        tables.append(result.output.split(separator: "\n").dropFirst().joined(separator: "\n"))
      }
      #expect(tables[0] == tables[1] && tables[0].count > 1000)
      let texts = try ["feed.json", "again.json"].map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
      #expect(texts[0] == texts[1])
    }
  }
}
