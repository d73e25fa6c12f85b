import Foundation
import Testing

/// The command `verify`, and the checksum of shards.
@Suite struct VerifyTests {
  private static let sweep = """
    { sweep: "small", repeats: 4, seed: 5, scenario: { feed: { items: 30 }, user: { scroll: 30, dwell: { distribution: "exponential", mean: "1s" } },
      network: { transport: "fluid", profile: "3G" }, prefetcher: { kind: "itemsAhead" } },
      axes: { "prefetcher.ahead": [1, 2, 5] }, confirm: { repeats: 2, best: 1 } }
    """

  private func text(_ folder: URL, _ file: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
  }

  private func write(_ text: String, _ folder: URL, _ file: String) throws {
    try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
  }

  /// Passes a folder with small.json5 and its results in `r` to the body.
  private func withResults(_ more: [String] = [], _ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try write(Self.sweep, folder, "small.json5")
      let made = try BuiltTool.run(["run", "small.json5", "--output", "r", "--quiet"] + more, in: folder)
      #expect(made.status == 0, "\(made.errors)")
      try body(folder)
    }
  }

  @Test(arguments: [["--repeats", "3"], ["--set", "feed.items=20", "--set", "user.scroll=20", "--seed", "9"], []])
  func resultsAreTheSameWhenRunAgain(overrides: [String]) throws {
    try withResults(overrides) { folder in
      let rows = overrides.first == "--repeats" ? 9 : 12
      let all = try BuiltTool.run(["verify", "r"], in: folder)
      #expect(all.status == 0 && all.output == "\(rows + 4) rows of \(rows + 4) run again: all are the same\n", "\(all.errors)")
      let some = try BuiltTool.run(["verify", "r", "--sample", "1%", "--seed", "3"], in: folder)
      #expect(some.status == 0 && some.output == "1 row of \(rows + 4) run again: all are the same\n", "\(some.output)")
    }
  }

  @Test func aChangedDigitInAnyColumnIsFound() throws {
    try withResults { folder in
      let original = try text(folder, "r/runs.csv")
      let lines = original.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      for (column, name) in lines[0].enumerated() {
        var changed = lines
        let cell = lines[2][column]
        changed[2][column] = String(cell.dropLast()) + (cell.last == "1" ? "2" : "1")
        try write(changed.map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n", folder, "r/runs.csv")
        let result = try BuiltTool.run(["verify", "r"], in: folder)
        #expect(result.status == 3 || (result.status == 2 && result.errors.hasPrefix("r/runs.csv:")), "\(name): \(result)")
        if result.status == 3 {
          let line = "r/runs.csv: point \(changed[2][0]), repetition \(changed[2][1]): \(name) is \(changed[2][column]), and "
          #expect(result.output.contains(line), "\(name): \(result.output)")
        }
        if column == lines[0].count - 1 {
          #expect(
            result.output.hasSuffix("digest is \(changed[2][column]), and \(cell) when run again\n16 rows of 16 run again: 1 row differs\n")
          )
        }
      }
    }
  }

  @Test func whatCannotBeRepeatedIsRefused() throws {
    try withResults { folder in
      let json = try text(folder, "r/sweep.json")
      func refusal(_ json: String, _ words: [String] = ["verify", "r"]) throws -> String {
        try write(json, folder, "r/sweep.json")
        let result = try BuiltTool.run(words, in: folder)
        #expect(result.status == 2 && result.output.isEmpty)
        return result.errors
      }
      let device = json.replacing("{\n", with: "{\n  \"backend\" : \"command\",\n", maxReplacements: 1)
      #expect(try refusal(device).hasPrefix("r: its runs were made by backend.command and cannot be repeated"))
      let old = json.replacing(#/"modelVersion" : "\d+"/#, with: "\"modelVersion\" : \"0\"")
      #expect(try refusal(old).contains("model 0, and this is prefetch-sweep"))
      try write(Self.sweep.replacing("[1, 2, 5]", with: "[1, 2, 6, 7]"), folder, "other.json5")
      #expect(try refusal(json, ["verify", "r", "--sweep", "other.json5"]).contains("is not of the sweep in other.json5"))
      try FileManager.default.removeItem(at: folder.appendingPathComponent("small.json5"))
      #expect(try refusal(json).contains("is of the sweep file small.json5, which is not here; name it with --sweep"))
      #expect(try refusal(json, ["verify", "r", "--sample", "0"]).contains("--sample: is \"0\"; write a share of the rows"))
    }
  }

  @Test func aChangedDigitOfAShardIsRefused() throws {
    try BuiltTool.withFolder { folder in
      try write(Self.sweep.replacing(/, confirm: .* } }/, with: " }"), folder, "small.json5")
      for shard in ["0", "1"] {
        let words = ["run", "small.json5", "--shard", "\(shard)/2", "--output", shard, "--quiet"]
        #expect(try BuiltTool.run(words, in: folder).status == 0)
      }
      let rows = try text(folder, "1/runs.csv")
      let end = try #require(rows.lastIndex(of: ","))
      // A digit of the last metric: the row is as likely as before.
      let digit = try #require(rows[..<end].last)
      try write(rows[..<end].dropLast() + (digit == "0" ? "1" : "0") + rows[end...], folder, "1/runs.csv")
      let merged = try BuiltTool.run(["merge", "0", "1", "--output", "m", "--quiet"], in: folder)
      #expect(merged.status == 2 && merged.errors.contains("1/runs.csv: is not the file that this shard wrote"), "\(merged.errors)")
      try write(rows, folder, "1/runs.csv")
      #expect(try BuiltTool.run(["merge", "0", "1", "--output", "m", "--quiet"], in: folder).status == 0)
    }
  }
}
