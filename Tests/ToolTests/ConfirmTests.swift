import Foundation
import TestSupport
import Testing

/// Confirmation: the best points run again on new seeds.
@Suite struct ConfirmTests {
  private let files = ["runs.csv", "confirmation.csv", "summary.csv", "report.md", "sweep.json"]

  private func sweep(_ text: String = "", in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("c.json5")
    try """
    { sweep: "c", repeats: 4, confirm: { repeats: 5, best: 2 }, axes: { "prefetcher.ahead": [0, 1, 3, 5, 6] },
      baseline: { "prefetcher.ahead": 2 }, \(text)
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 40 }, user: { dwell: "1s" }, prefetcher: "itemsAhead" } }
    """.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  private func contents(_ folder: URL) throws -> [String] {
    try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
  }

  private func run(_ arguments: [String], to output: URL) throws -> [String] {
    let result = try BuiltTool.run(arguments + ["--output", output.path, "--quiet"])
    #expect(result.status == 0, "\(result.errors)")
    return try contents(output)
  }

  @Test func theBestPointsRunAgainOnNewSeeds() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(in: folder)
      let results = try run(["run", path], to: folder.appendingPathComponent("one"))
      let confirmation = results[1].split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
      #expect(results[0].split(separator: "\n").count == 1 + 6 * 4)
      #expect(
        confirmation.count == 1 + 3 * 5 && confirmation[0] == results[0].split(separator: "\n")[0].split(separator: ",").map(String.init))
      #expect(Set(confirmation.dropFirst().map { $0[1] }) == ["5", "6", "7", "8", "9"])
      #expect(Set(confirmation.dropFirst().map { $0[0] }).count == 3)
      // A row of the confirmation is the row of its repetition, which `run --point` shows again.
      let row = try BuiltTool.run(["run", path, "--point", confirmation[3][0], "--repetition", confirmation[3][1]])
      #expect(row.output.split(separator: "\n")[1] == results[1].split(separator: "\n")[3])
      #expect(results[3].contains("on new seeds"))
    }
  }

  @Test(arguments: ["", #"population: [{ weight: 1, network: { profile: "DSL", transport: "fluid" } }],"#])
  func theBytesDoNotDependOnJobsShardsResumesOrReports(_ more: String) throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(more, in: folder)
      let one = try run(["run", path, "--jobs", "1"], to: folder.appendingPathComponent("one"))
      #expect(try run(["run", path, "--jobs", "4"], to: folder.appendingPathComponent("four")) == one)
      // Runs of an earlier, smaller start are used again. Its confirmation is not.
      let resumed = folder.appendingPathComponent("resumed")
      _ = try run(["run", path, "--repeats", "2"], to: resumed)
      #expect(try run(["run", path], to: resumed) == one)
      let shards = (0..<3).map { folder.appendingPathComponent("shard\($0)").path }
      for (index, shard) in shards.enumerated() {
        #expect(try BuiltTool.run(["run", path, "--shard", "\(index)/3", "--output", shard, "--quiet"]).status == 0)
      }
      let merged = folder.appendingPathComponent("merged")
      #expect(try run(["merge"] + shards, to: merged) == one)
      #expect(try run(["merge", "--sweep", path] + shards, to: merged) == one, "and again over its own journal")
      let again = folder.appendingPathComponent("again")
      #expect(try BuiltTool.run(["report", merged.path, "--output", again.path]).status == 0)
      for (name, index) in [("summary.csv", 2), ("report.md", 3)] {
        #expect(try String(contentsOf: again.appendingPathComponent(name), encoding: .utf8) == one[index])
      }
    }
  }

  @Test func mergeNamesTheSweepFileThatItNeeds() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(in: folder)
      let shard = folder.appendingPathComponent("shard").path
      #expect(try BuiltTool.run(["run", path, "--shard", "0/1", "--output", shard, "--quiet"]).status == 0)
      let moved = folder.appendingPathComponent("moved.json5")
      try FileManager.default.moveItem(atPath: path, toPath: moved.path)
      let output = folder.appendingPathComponent("merged").path
      let gone = try BuiltTool.run(["merge", shard, "--output", output, "--quiet"])
      #expect(gone.status == 2 && gone.errors.contains("name it with --sweep"))
      _ = try sweep("seed: 5,", in: folder)
      let other = try BuiltTool.run(["merge", shard, "--output", output, "--quiet"])
      #expect(other.status == 2 && other.errors.contains("is not the sweep of the shards"))
    }
  }

  @Test func aSweepWithoutRandomnessHasNoConfirmation() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(in: folder)
      let output = folder.appendingPathComponent("fixed")
      let fixed = ["--set", "feed={ items: 20, mix: { image: 1 }, image: { bytes: \"60KB\" } }"]
      let result = try BuiltTool.run(["run", path, "--output", output.path, "--quiet"] + fixed)
      #expect(result.status == 0, "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: output.appendingPathComponent("confirmation.csv").path))
      let report = try String(contentsOf: output.appendingPathComponent("report.md"), encoding: .utf8)
      #expect(report.contains("exact") && !report.contains("fresh"))
    }
  }
}
