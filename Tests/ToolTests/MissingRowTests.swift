import Foundation
import Testing

/// `verify` of results that lack rows, and their report.
@Suite struct MissingRowTests {
  private static func sweep(_ more: String, user: String = "{ scroll: 30, dwell: { distribution: \"exponential\", mean: \"1s\" } }")
    -> String
  {
    """
    { sweep: "small", seed: 5, scenario: { feed: { items: 30 }, user: \(user),
      network: { transport: "fluid", profile: "3G" }, prefetcher: { kind: "itemsAhead" } },
      axes: { "prefetcher.ahead": [0, 1, 2, 5] }, \(more) }
    """
  }

  private func with(_ sweep: String, _ options: [String] = [], _ body: (_ folder: URL, _ file: (String) -> URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try sweep.write(to: folder.appendingPathComponent("small.json5"), atomically: true, encoding: .utf8)
      let made = try BuiltTool.run(["run", "small.json5", "--output", "r", "--quiet"] + options, in: folder)
      #expect(made.status == 0, "\(made.errors)")
      let whole = try BuiltTool.run(["verify", "r"], in: folder)
      #expect(whole.status == 0 && whole.output.hasSuffix("run again: all are the same\n"), "\(whole)")
      try body(folder) { folder.appendingPathComponent("r/\($0)") }
    }
  }

  /// Removes lines of a table by their numbers, the header being 0.
  private func remove(_ numbers: Set<Int>, from file: URL) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let kept = lines.enumerated().filter { !numbers.contains($0.offset) }.map(\.element)
    try (kept.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
  }

  @Test(arguments: [
    ("repeats: 5", "runs.csv", [20], 1), ("repeats: 5", "runs.csv", [1, 7, 8], 3), ("repeats: 5", "runs.csv", [6, 7, 8, 9, 10], 5),
    ("repeats: 5, confirm: { repeats: 3, best: 1 }", "confirmation.csv", [2], 1),
    ("repeats: 5, confirm: { repeats: 3, best: 1 }", "confirmation.csv", [1, 2, 3], 3),
    ("repeats: 8, search: \"halving\"", "runs.csv", [2], 1), ("repeats: 40, search: \"racing\"", "runs.csv", [2, 3], 2),
    ("repeats: { min: 5, max: 20, until: \"20%\" }", "runs.csv", [3], 1),
    ("repeats: 5, uncertain: { \"network.down\": [\"780kbps\", \"2Mbps\"] }", "runs.csv", [11], 1),
  ]) func deletedRowsAreMissing(_ plan: String, _ file: String, _ rows: [Int], _ count: Int) throws {
    try with(Self.sweep(plan)) { folder, path in
      try remove(Set(rows), from: path(file))
      for options in [[], ["--sample", "1%"]] {
        let result = try BuiltTool.run(["verify", "r"] + options, in: folder)
        #expect(result.status == 3, "\(result)")
        #expect(
          result.output.contains("run again: all are the same; \(count == 1 ? "1 row is" : "\(count) rows are") missing\n"),
          "\(result.output)")
        #expect(result.output.contains("r/\(file): point "), "\(result.output)")
      }
    }
  }

  /// Only a complete table has the same seeds for every point.
  @Test func theReportSaysThatRowsAreMissing() throws {
    try with(Self.sweep("repeats: 5")) { folder, path in
      #expect(try String(contentsOf: path("report.md"), encoding: .utf8).contains("5, the same seeds for every point"))
      try remove([4, 12], from: path("runs.csv"))
      #expect(try BuiltTool.run(["report", "r"], in: folder).status == 0)
      let report = try String(contentsOf: path("report.md"), encoding: .utf8)
      #expect(report.contains("5; 2 of 20 runs have no row") && !report.contains("the same seeds for every point"), "\(report)")
    }
  }

  @Test func aShardAndAnExactSweepHaveFewerRows() throws {
    try with(Self.sweep("repeats: 5"), ["--shard", "1/3"]) { folder, path in
      try remove([2], from: path("runs.csv"))
      let result = try BuiltTool.run(["verify", "r"], in: folder)
      #expect(result.status == 3 && result.output.contains("1 row is missing"), "\(result)")
    }
    let exact = Self.sweep("repeats: 5", user: "{ scroll: 30, dwell: \"1s\" }")
      .replacing("items: 30", with: "items: 30, image: { bytes: \"20KB\" }, video: { bytes: \"1MB\" }, mix: { image: 1 }")
    try with(exact) { _, _ in }
  }
}
