import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `import` from the command line.
@Suite struct ImportCommandTests {
  private let lines = "1 1000 59.9 10.7 120000 1000\n1 2000 59.9 10.7 oops 1000\n1 3000 59.9 10.7 90000 1000\n"

  @Test func aMalformedLineEndsTheImportUnlessItIsSkipped() throws {
    try BuiltTool.withFolder { folder in
      try lines.write(to: folder.appendingPathComponent("bus.log"), atomically: true, encoding: .utf8)
      let fatal = try BuiltTool.run(["import", "bus.log", "--format", "hsdpa", "--output", "bus.json"], in: folder)
      #expect(fatal.status == 2)
      #expect(fatal.errors == "bus.log:2:1: has \"oops\" for its bytes; write a whole number of bytes\n")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bus.log"])
      let skipping = try BuiltTool.run(
        ["import", "bus.log", "--format", "hsdpa", "--output", "bus.json", "--malformed", "skip", "--progress", "lines"], in: folder)
      #expect(skipping.status == 0)
      #expect(skipping.output == "2 periods in bus.json, 1 malformed lines skipped.\n")
      #expect(skipping.errors.contains("skipped: bus.log:2:1: has \"oops\""))
      #expect(skipping.errors.contains("100 %"))
    }
  }

  @Test func importedFilesRunInASweep() throws {
    try BuiltTool.withFolder { folder in
      try lines.write(to: folder.appendingPathComponent("bus.log"), atomically: true, encoding: .utf8)
      try "item,dwell_s\n0,1\n1,2.5\n".write(to: folder.appendingPathComponent("s.csv"), atomically: true, encoding: .utf8)
      let explained = try BuiltTool.run(
        [
          "explain", "Sweeps/featured-3g.json5", "--set", "feed.items=20", "--set", "user.scroll=20", "--har",
          folder.appendingPathComponent("f.har").path,
        ])
      #expect(explained.status == 0)
      for arguments in [
        ["bus.log", "--format", "hsdpa", "--malformed", "skip", "--output", "bus.json", "--latency", "50ms"],
        ["s.csv", "--format", "session", "--output", "session.csv"], ["f.har", "--output", "feed.json"],
      ] {
        let result = try BuiltTool.run(["import"] + arguments, in: folder)
        #expect(result.status == 0, "\(result.errors)")
      }
      let sweep = """
        { sweep: "imported", scenario: { feed: { file: "feed.json" }, network: { trace: "bus.json", transport: "fluid" },
          user: { recording: "session.csv" }, prefetcher: "none" }, repeats: 1 }
        """
      try sweep.write(to: folder.appendingPathComponent("imported.json5"), atomically: true, encoding: .utf8)
      let run = try BuiltTool.run(["run", "imported.json5", "--output", "results", "--quiet"], in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143)), (SIGHUP, Int32(129))])
  func aSignalEndsAWaitingImportAtOnceAndLeavesNothing(_ signal: Int32, _ status: Int32) throws {
    try BuiltTool.withFolder { folder in
      let process = Process()
      process.executableURL = BuiltTool.path
      process.arguments = ["import", "-", "--format", "hsdpa", "--output", "bus.json"]
      process.currentDirectoryURL = folder
      let input = Pipe()
      process.standardInput = input
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try BuiltTool.startWithHangUp(process)
      // The import has read all data and waits for more.
      try input.fileHandleForWriting.write(contentsOf: Data(String(repeating: "1 1000 59.9 10.7 120000 1000\n", count: 1000).utf8))
      var files: [String] = []
      for _ in 0..<500 where files.isEmpty {
        usleep(10_000)
        files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      }
      #expect(files.count == 1 && files[0].hasSuffix(".partial"))
      usleep(100_000)
      let start = Date()
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      // 0.1 s is promised; a busy machine may take longer.
      #expect(Date().timeIntervalSince(start) < 1)
      #expect(process.terminationStatus == status)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test(arguments: [
    (["bus.log", "--output", "x"], "--format: is missing"), (["bus.log", "--format", "hsdpa"], "--output: is missing"),
    (["bus.log", "--format", "bus", "--output", "x"], "write one of: har, hsdpa, ghent, irish, iperf, session"),
    (["a.har", "--output", "x", "--join", "1s"], "--join: has no effect on --format har"),
    (["a.har", "--output", "x", "--timings", "x"], "--timings: x: is the file of --output too"),
    (["bus.log", "--format", "hsdpa", "--output", "x", "--join", "soon"], "--join: is \"soon\""),
    (["no-such.log", "--format", "hsdpa", "--output", "x"], "no-such.log: cannot be read"),
  ])
  func impossibleImportsAreRefused(_ arguments: [String], _ message: String) throws {
    try BuiltTool.withFolder { folder in
      try Data("{}".utf8).write(to: folder.appendingPathComponent("a.har"))
      let result = try BuiltTool.run(["import"] + arguments, in: folder)
      #expect(result.status == 2)
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }
}
