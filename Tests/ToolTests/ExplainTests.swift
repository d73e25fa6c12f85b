// `explain` as a user meets it: its three forms can be read, and agree with the run's row.

import Foundation
import Testing

@Suite struct ExplainTests {
  private static let sweep = """
    { sweep: "told", scenario: {
      feed: { items: 40, pages: { size: 10, trigger: "ratio" } }, network: { profile: "3G", transport: "fluid" },
      user: { script: [{ scroll: 6 }, { fling: 8 }, { background: "2s" }, { scroll: 5 }] },
      prefetcher: { kind: "itemsAhead", ahead: 2 } } }
    """

  @Test func linesArchiveAndTraceAreReadable() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("explain-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("told.json5")
    try Self.sweep.write(to: file, atomically: true, encoding: .utf8)
    let archive = folder.appendingPathComponent("told.har")
    let trace = folder.appendingPathComponent("told.trace")
    let told = try BuiltTool.run(["explain", file.path, "--format", "json", "--har", archive.path, "--trace", trace.path])
    #expect(told.status == 0, "\(told.errors)")
    let lines = try told.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
    let loaders = lines.first?["loaders"] as? Int
    #expect(lines.filter { $0["event"] as? String == "loader" }.count == loaders)
    let requests = lines.filter { $0["event"] as? String == "requested" }.count
    let log = (try JSONSerialization.jsonObject(with: Data(contentsOf: archive)) as? [String: Any])?["log"] as? [String: Any]
    #expect((log?["entries"] as? [Any])?.count == requests)
    let events = (try JSONSerialization.jsonObject(with: Data(contentsOf: trace)) as? [String: Any])?["traceEvents"] as? [Any]
    #expect((events?.count ?? 0) > requests)
    let table = try BuiltTool.run(["explain", file.path])
    #expect(table.output.contains("\(loaders ?? -1) loaders of 19 items viewed"))
  }

  @Test func theFeedOfARunPlaysAsTheRunDid() throws {
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
        let told = try BuiltTool.run(["explain", file.path, "--repetition", "2", "--feed", export])
        #expect(told.status == 0, "\(told.errors)")
        // The first line names the point, which is another.
        tables.append(told.output.split(separator: "\n").dropFirst().joined(separator: "\n"))
      }
      #expect(tables[0] == tables[1] && tables[0].count > 1000)
      let texts = try ["feed.json", "again.json"].map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
      #expect(texts[0] == texts[1])
    }
  }
}
