import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Partial files of killed processes, and of living ones.
@Suite struct PartialFileTests {
  private static let sweep = """
    { sweep: "small", repeats: 2, axes: { "prefetcher.ahead": [0, 1] },
      scenario: { network: "3G", feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
    """

  /// A folder with a sweep, its results and two shards.
  private func withResults(_ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try Self.sweep.write(to: folder.appendingPathComponent("small.json5"), atomically: true, encoding: .utf8)
      for more in [["--output", "results"], ["--shard", "0/2", "--output", "a"], ["--shard", "1/2", "--output", "b"]] {
        #expect(try BuiltTool.run(["run", "small.json5", "--quiet"] + more, in: folder).status == 0)
      }
      try body(folder)
    }
  }

  /// Returns the id of a process that has ended and was waited for.
  private func deadProcess() throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", ":"]
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
  }

  private func partials(_ folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".partial") }.sorted()
  }

  @Test(arguments: [
    ["run", "small.json5", "--quiet", "--output", "results"], ["run", "small.json5", "--quiet", "--fresh", "--output", "results"],
    ["merge", "a", "b", "--quiet", "--output", "results"], ["report", "results"],
  ])
  func theNextStartRemovesAbandonedPartialFiles(_ command: [String]) throws {
    try withResults { folder in
      let (results, dead) = (folder.appendingPathComponent("results"), try deadProcess())
      let stratum = results.appendingPathComponent("charts/stratum-1")
      try FileManager.default.createDirectory(at: stratum, withIntermediateDirectories: true)
      for name in ["", "charts/", "charts/stratum-1/"] {
        for file in ["runs.csv", "cost.svg", "no longer written.md"] {
          try Data("half".utf8).write(to: results.appendingPathComponent("\(name).\(file).\(dead).partial"))
        }
      }
      // Kept: other names, and folders.
      let others = [".notes.partial", ".x.y.partial", "runs.csv.\(dead).partial", ".\(dead).partial"]
      for name in others { try Data().write(to: results.appendingPathComponent(name)) }
      try FileManager.default.createDirectory(at: results.appendingPathComponent(".d.\(dead).partial"), withIntermediateDirectories: true)
      let result = try BuiltTool.run(command, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try partials(results) == (others + [".d.\(dead).partial"]).sorted())
    }
  }

  @Test func aPartialFileStaysWhileAProcessHoldsIt() throws {
    try withResults { folder in
      let results = folder.appendingPathComponent("results")
      let dead = try deadProcess()
      // This process has the one id, which counts for nothing, and holds the other file.
      let free = ".runs.csv.\(getpid()).partial", locked = ".summary.csv.\(dead).partial"
      for name in [free, locked] { try Data("half".utf8).write(to: results.appendingPathComponent(name)) }
      let descriptor = open(results.appendingPathComponent(locked).path, O_RDWR)
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      #expect(try BuiltTool.run(["run", "small.json5", "--quiet", "--output", "results"], in: folder).status == 0)
      #expect(try partials(results) == [locked])
      close(descriptor)
      #expect(try BuiltTool.run(["report", "results"], in: folder).status == 0)
      #expect(try !partials(results).contains(locked))
    }
  }

  @Test func aKillDuringPublicationLeavesNothingAfterTheNextStart() throws {
    try BuiltTool.withFolder { folder in
      let sweep = folder.appendingPathComponent("small.json5")
      try Self.sweep.replacing("[0, 1]", with: "\"0...20\"").replacing("repeats: 2", with: "repeats: 40")
        .write(to: sweep, atomically: true, encoding: .utf8)
      let results = folder.appendingPathComponent("results")
      var left = false
      for _ in 0..<10 where !left {
        let process = Process()
        process.executableURL = BuiltTool.path
        process.arguments = ["run", sweep.path, "--quiet", "--output", results.path]
        try process.run()
        for _ in 0..<20_000 where process.isRunning {
          if try FileManager.default.fileExists(atPath: results.path) && !partials(results).isEmpty { break }
          usleep(1000)
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        left = try !partials(results).isEmpty
      }
      #expect(left, "the moment of publication was missed")
      #expect(try BuiltTool.run(["run", sweep.path, "--quiet", "--output", results.path]).status == 0)
      #expect(try partials(results) == [])
    }
  }

  @Test func importAndCheckRemoveLeftoversOfTheirOwnFilesOnly() throws {
    try BuiltTool.withFolder { folder in
      let dead = try deadProcess()
      try "1 1000 59.9 10.7 120000 1000\n1 2000 59.9 10.7 120000 1000\n"
        .write(to: folder.appendingPathComponent("bus.log"), atomically: true, encoding: .utf8)
      let (trace, junit, other) = (".bus.json.\(dead).partial", ".gate.xml.\(dead).partial", ".other.json.\(dead).partial")
      for name in [trace, junit, other] { try Data().write(to: folder.appendingPathComponent(name)) }
      #expect(try BuiltTool.run(["import", "bus.log", "--format", "hsdpa", "--output", "bus.json", "--quiet"], in: folder).status == 0)
      #expect(try partials(folder) == [junit, other].sorted())
      let (settings, file) = ("Sweeps/settings/production.json5", folder.appendingPathComponent("gate.xml").path)
      let check = try BuiltTool.run(
        ["check", "--candidate", settings, "--baseline", settings, "--margin", "2%", "--repeats", "2", "--junit", file, "--quiet"],
        environment: ["GITHUB_STEP_SUMMARY": ""])
      #expect(check.status == 0, "\(check.errors)")
      #expect(try partials(folder) == [other])
    }
  }

  @Test func aPartialFileIsNeverWrittenThroughALink() throws {
    try withResults { folder in
      // The shell's process id becomes the tool's.
      let script = """
        cd "$1" && echo precious > precious && ln -s "$1/precious" "results/.summary.csv.$$.partial" && exec "$2" report results
        """
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", script, "sh", folder.path, BuiltTool.path.path]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      process.waitUntilExit()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(process.terminationStatus == 2 && text.contains("is a symbolic link, where a file belongs"), "\(text)")
      #expect(try String(contentsOf: folder.appendingPathComponent("precious"), encoding: .utf8) == "precious\n")
    }
  }
}
