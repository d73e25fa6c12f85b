import Foundation
import Testing

/// The bytes of results do not depend on how paths were typed.
@Suite struct PathSpellingTests {
  private static let sweep = """
    { sweep: "s", repeats: 12, axes: { "prefetcher.maxCost": [1, 9] }, settings: "set.json5",
      scenario: { feed: { items: 60 }, user: { scroll: 50, dwell: "1s" }, network: { profile: "3G", transport: "fluid" },
        prefetcher: "costBudget" } }
    """

  /// Makes a folder `here` with a sweep, and a link to it.
  private func withSweep(_ body: (_ here: URL, _ spellings: [String]) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let here = folder.appendingPathComponent("here")
      try FileManager.default.createDirectory(at: here.appendingPathComponent("sub"), withIntermediateDirectories: true)
      try Self.sweep.write(to: here.appendingPathComponent("t.json5"), atomically: true, encoding: .utf8)
      try "{ \"downloads.connections\": 4 }".write(to: here.appendingPathComponent("set.json5"), atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(atPath: folder.appendingPathComponent("link").path, withDestinationPath: "here")
      try body(
        here, ["t.json5", "./t.json5", "sub/../t.json5", "../here/t.json5", "../link/../here/t.json5", "../link/t.json5", ".//t.json5"])
    }
  }

  private func results(_ folder: URL, without names: [String] = ["manifest.json"]) throws -> [String: Data] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      !path.hasPrefix(".journal") && !names.contains(path)
    }
    return paths.reduce(into: [:]) { $0[$1] = try? Data(contentsOf: folder.appendingPathComponent($1)) }
  }

  @Test func resultsHaveTheSameBytes() throws {
    try withSweep { here, spellings in
      var all: [[String: Data]] = []
      for (index, path) in spellings.enumerated() {
        let words = ["run", path, "--output", "r\(index)", "--write-winner", "w.json5", "--quiet"]
        let result = try BuiltTool.run(words, in: here)
        #expect(result.status == 0, "\(result.errors)")
        var files = try results(here.appendingPathComponent("r\(index)"))
        files["w"] = try Data(contentsOf: here.appendingPathComponent("w.json5"))
        all.append(files)
        let report = String(decoding: try #require(files["report.md"]), as: UTF8.self)
        #expect(report.contains(" run t.json5 "), "\(path)")
      }
      for (path, files) in zip(spellings, all) { #expect(files == all[0], "\(path)") }
      // In a working folder that is a link, too.
      let link = here.deletingLastPathComponent().appendingPathComponent("link")
      #expect(try BuiltTool.shell("prefetch-sweep run ./t.json5 --output linked --quiet", in: link).status == 0)
      #expect(try results(here.appendingPathComponent("linked")) == all[0].filter { $0.key != "w" })
      // Kept runs and the gate do not depend on it either.
      let again = try BuiltTool.run(["run", spellings[3], "--output", "r0"], in: here)
      #expect(again.status == 0 && again.errors.contains("24 of 24 runs were done before"), "\(again.errors)")
      #expect(try results(here.appendingPathComponent("r0")) == all[0].filter { $0.key != "w" })
      let gates = try spellings.map { path in
        let words = ["check", "--sweep", path, "--candidate", "./w.json5", "--repeats", "200", "--format", "json"]
        return try BuiltTool.run(words, in: here, environment: ["GITHUB_STEP_SUMMARY": ""]).output
      }
      #expect(Set(gates).count == 1 && gates[0].contains("\"the baseline of t.json5\"") && gates[0].contains("\"w.json5\""))
    }
  }

  @Test func mergedShardsHaveTheSameBytesInAnyOrder() throws {
    try withSweep { here, spellings in
      for (index, path) in [spellings[1], spellings[3], spellings[2]].enumerated() {
        let result = try BuiltTool.run(["run", path, "--shard", "\(index)/3", "--output", "s\(index)", "--quiet"], in: here)
        #expect(result.status == 0, "\(result.errors)")
      }
      #expect(try BuiltTool.run(["run", "t.json5", "--output", "whole", "--quiet"], in: here).status == 0)
      let whole = try results(here.appendingPathComponent("whole"))
      for order in [["s0", "s1", "s2"], ["s2", "./s0", "s1/"], ["sub/../s1", "s2", "s0"]] {
        let result = try BuiltTool.run(["merge"] + order + ["--output", "m", "--quiet"], in: here)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try results(here.appendingPathComponent("m")) == whole, "\(order)")
      }
      // Shards of the last version have the path as it was typed.
      for (shard, path) in [("s0", "./t.json5"), ("s1", "sub/../t.json5")] {
        let url = here.appendingPathComponent("\(shard)/sweep.json")
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.contains("t.json5"))
        try text.replacing("t.json5", with: path).write(to: url, atomically: true, encoding: .utf8)
      }
      let merged = try [["s0", "s1", "s2"], ["s2", "s1", "s0"]].map { order in
        #expect(try BuiltTool.run(["merge"] + order + ["--output", "m", "--quiet"], in: here).status == 0)
        return try results(here.appendingPathComponent("m"))
      }
      #expect(merged[0] == merged[1])
    }
  }

  /// The copy of a sweep from standard input is named in one way, too.
  @Test func theFolderOfAReportHasOneSpelling() throws {
    try withSweep { here, _ in
      for output in ["out", "./out", "sub/../out"] {
        let result = try BuiltTool.shell("prefetch-sweep run - --output \(output) --quiet < t.json5", in: here)
        #expect(result.status == 0, "\(result.errors)")
        let now = try results(here.appendingPathComponent("out"))
        for folder in ["out", "./out", "../here/out", "sub/../out/"] {
          #expect(try BuiltTool.run(["report", folder], in: here).status == 0)
          #expect(try results(here.appendingPathComponent("out")) == now, "\(output) \(folder)")
        }
        #expect(String(decoding: try #require(now["report.md"]), as: UTF8.self).contains(" out/standard-input.json5 "))
      }
    }
  }
}
