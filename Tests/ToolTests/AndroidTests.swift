// Sweeps on Android phones, as `init --template android` and the page Android write them, with StandIn/adb instead of adb and phones.

import Foundation
import TestSupport
import Testing

@Suite struct AndroidTests {
  /// Runs a sweep in a folder, with the stand-in in the path.
  private func run(_ file: String, in folder: URL, _ environment: [String: String] = [:]) throws -> ToolResult {
    let own = ["PATH": "\(StandIn.folder.path):/usr/bin:/bin", "NOTES": folder.appendingPathComponent("notes").path]
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("notes"), withIntermediateDirectories: true)
    return try BuiltTool.run(
      ["run", file, "--repeats", "3", "--output", "results", "--set", "backend.retries=0"], in: folder,
      environment: own.merging(environment) { $1 })
  }

  /// Checks that each row has the loaders that the stand-in makes of its settings and its seed.
  private func checkRows(in folder: URL, waits: (_ loaders: Int) -> Double) throws {
    let text = try String(contentsOf: folder.appendingPathComponent("results/runs.csv"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(lines.count == 1 + 4 * 3)
    for line in lines.dropFirst() {
      let row = Dictionary(uniqueKeysWithValues: zip(lines[0], line))
      let (ahead, seed) = (try #require(row["prefetcher.ahead"].flatMap { Int($0) }), try #require(row["seed"].flatMap { UInt64($0) }))
      let loaders = 20 / ahead + Int(seed % 10_000 % 3)
      #expect(row["loaders"] == "\(loaders)" && row["viewed"] == "300")
      #expect(abs((row["waitMsMean"].flatMap { Double($0) } ?? -1) - waits(loaders)) < 0.01, "\(row)")
    }
  }

  @Test func theTemplateReadsTheLineOfTheApp() throws {
    try BuiltTool.withFolder { folder in
      #expect(try BuiltTool.run(["init", "--template", "android"], in: folder).status == 0)
      let result = try run("android.json5", in: folder)
      #expect(result.status == 0 && result.output.contains("per 1000"), "\(result)")
      try checkRows(in: folder) { Double(10 + $0) }
    }
  }

  @Test func theScriptOfThePageReadsTheJSONOfMacrobenchmark() throws {
    let blocks = DocumentationPages.blocks.filter { $0.page.path.hasSuffix("/Android.md") }
    let script = try #require(blocks.first { $0.language == "bash" }).text
    let backend = try #require(blocks.first { $0.language == "json5" && $0.text.contains("on-android.sh") }).text
    try BuiltTool.withFolder { folder in
      try script.write(to: folder.appendingPathComponent("on-android.sh"), atomically: true, encoding: .utf8)
      let sweep = """
        { sweep: "benchmark", scenario: { feed: { items: 300 }, network: "LTE", prefetcher: { kind: "itemsAhead" } },
          axes: { "prefetcher.ahead": [1, 2, 3, 5] }, baseline: { "prefetcher.ahead": 2 },
        \(backend) }
        """
      try sweep.write(to: folder.appendingPathComponent("benchmark.json5"), atomically: true, encoding: .utf8)
      let result = try run("benchmark.json5", in: folder)
      #expect(result.status == 0, "\(result)")
      try checkRows(in: folder) { Double($0) + 0.5 / 300 }
      // The numbers of the run before are no result of a test that fails.
      try FileManager.default.removeItem(at: folder.appendingPathComponent("results"))
      #expect(try run("benchmark.json5", in: folder, ["FAILS": "1"]).errors.contains("every run failed"))
    }
  }

  /// am ends with status 0 even if the test fails.
  @Test func aFailedTestIsAFailedRun() throws {
    try BuiltTool.withFolder { folder in
      #expect(try BuiltTool.run(["init", "--template", "android"], in: folder).status == 0)
      let result = try run("android.json5", in: folder, ["FAILS": "1"])
      #expect(result.status == 1 && result.errors.contains("no line of it has \"INSTRUMENTATION_STATUS: feedStatistics=\""), "\(result)")
    }
  }
}
