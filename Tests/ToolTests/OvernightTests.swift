import Foundation
import Sweep
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Interruptions of long runs: kills, signals, full disks, removed folders and restarts. `run-studies kills` tests more of them.
@Suite struct OvernightTests {
  private static let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]

  private func contents(_ folder: URL) throws -> [String] {
    try Self.files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
  }

  private func writeSweep(in folder: URL, items: Int = 60, repeats: Int = 5) throws -> String {
    let sweep = folder.appendingPathComponent("small.json5")
    try """
    { sweep: "small", repeats: \(repeats), axes: { "prefetcher.ahead": [0, 1, 3] },
      scenario: { network: "3G", feed: { items: \(items) }, prefetcher: { kind: "itemsAhead" } } }
    """.write(to: sweep, atomically: true, encoding: .utf8)
    return sweep.path
  }

  private func start(
    _ arguments: [String], errors: URL? = nil, in folder: URL? = nil, program: URL = BuiltTool.path
  ) throws -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    if let errors {
      try Data().write(to: errors)
      process.standardError = try FileHandle(forWritingTo: errors)
    } else {
      process.standardError = FileHandle.nullDevice
    }
    try process.run()
    return process
  }

  /// Waits until some runs are in the journal.
  private func waitForRuns(in folder: URL) {
    let journal = folder.appendingPathComponent(".journal/runs").path
    for _ in 0..<3000 where ((try? FileManager.default.attributesOfItem(atPath: journal))?[.size] as? Int ?? 0) < 5000 { usleep(10_000) }
  }

  @Test func aRunKilledManyTimesEndsWithTheSameBytes() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder)
      let whole = folder.appendingPathComponent("whole")
      #expect(try BuiltTool.run(["run", sweep, "--quiet", "--output", whole.path]).status == 0)
      var random = SystemRandomNumberGenerator()
      let killed = folder.appendingPathComponent("killed")
      for _ in 0..<25 {
        let process = try start(["run", sweep, "--quiet", "--output", killed.path])
        usleep(UInt32.random(in: 10_000...200_000, using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      #expect(try BuiltTool.run(["run", sweep, "--quiet", "--output", killed.path]).status == 0)
      #expect(try contents(killed) == contents(whole))
    }
  }

  @Test(arguments: [(SIGTERM, Int32(143)), (SIGINT, Int32(130))])
  func aSignalKeepsFinishedRunsAndNamesTheRemedy(_ signal: Int32, _ status: Int32) throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 200, repeats: 100_000)
      let (output, errors) = (folder.appendingPathComponent("results"), folder.appendingPathComponent("errors"))
      let process = try start(["run", sweep, "--quiet", "--output", output.path], errors: errors)
      waitForRuns(in: output)
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      let text = try String(contentsOf: errors, encoding: .utf8)
      #expect(text.contains("the same command goes on"), "\(text)")
      #expect(text.contains("of 300000 runs are kept"), "\(text)")
      #expect(!FileManager.default.fileExists(atPath: output.appendingPathComponent("runs.csv").path))
      // Tables of the repetitions that all points have can be made now.
      let part = try BuiltTool.run(["run", sweep, "--repeats", "1", "--output", output.path])
      #expect(part.status == 0)
      #expect(part.errors.contains("3 of 3 runs were done before"), "\(part.errors)")
    }
  }

  /// The command in a message continues, whatever the options were: the one that was typed, or the one that is named.
  @Test(
    arguments: [
      (["small.json5"], nil), (["--fresh", "small.json5"], "small.json5"), (["it's a sweep.json5", "--fresh"], "'it'\\''s a sweep.json5'"),
      (["--fresh", "--", "-odd.json5"], "-- -odd.json5"),
      (["small.json5", "--set=feed.items=100", "--fresh", "--output", "a b"], "small.json5 --set=feed.items=100 --output 'a b'"),
      (["small.json5", "--fresh", "--output", "--fresh"], "small.json5 --output --fresh"),
      (["small.json5", "--fresh", "--shard", "0/2", "--wait", "1"], "small.json5 --shard 0/2 --wait 1"),
      (["small.json5", "--set", "repeats=90000", "--fresh"], "small.json5 --set repeats=90000"),
      (["small.json5", "--repeats", "90000", "--fresh", "--history", "h"], "small.json5 --repeats 90000 --history h"),
      (["small.json5", "--resume-anyway"], nil),
    ] as [([String], String?)])
  func theCommandInTheMessageOfAStopContinues(_ arguments: [String], _ named: String?) throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 200, repeats: 100_000)
      for name in ["it's a sweep.json5", "-odd.json5"] {
        try FileManager.default.copyItem(atPath: sweep, toPath: folder.appendingPathComponent(name).path)
      }
      let output = arguments.firstIndex(of: "--output").map { arguments[$0 + 1] }
      let results = folder.appendingPathComponent(output ?? (arguments.contains("0/2") ? "Results/small/shards/0-of-2" : "Results/small"))
      let errors = folder.appendingPathComponent("errors")
      /// Stops a command once runs are in the journal. Returns its messages.
      func stopped(_ program: URL, _ words: [String]) throws -> String {
        let process = try start(words, errors: errors, in: folder, program: program)
        func text() throws -> String { try String(contentsOf: errors, encoding: .utf8) }
        waitForRuns(in: results)
        for _ in 0..<3000 {
          if try program == BuiltTool.path || text().contains("were done before") { break }
          usleep(10_000)
        }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        return try text()
      }
      let typed = ["run", "--progress", "none"] + arguments
      let message = try stopped(BuiltTool.path, typed)
      let kept = try #require(message.firstMatch(of: #/stopped: (\d+) of/#)).output.1
      let command = message.firstMatch(of: #/; `(.+)`, without --fresh, goes on\n/#).map { String($0.output.1) }
      #expect(command == named.map { "\(BuiltTool.path.path) run --progress none \($0)" }, "\(message)")
      #expect(message.contains("; the same command goes on\n") == (named == nil), "\(message)")
      let again = command ?? ([BuiltTool.path.path] + typed).joined(separator: " ")
      // The tables of the first repetitions, whose command has no --fresh either.
      if let part = message.firstMatch(of: #/repetitions; `(.+)` makes the tables of these\n/#).map({ String($0.output.1) }) {
        let made = try BuiltTool.run(["-c", part], in: folder, program: URL(fileURLWithPath: "/bin/bash"))
        #expect(made.status == 0 && made.errors.contains("were done before"), "\(part): \(made.errors)")
      } else {
        #expect(arguments.contains("--shard"), "\(message)")
      }
      let continued = try stopped(URL(fileURLWithPath: "/bin/bash"), ["-c", "exec \(again)"])
      #expect(continued.firstMatch(of: #/(\d+) of \d+ runs were done before/#)?.output.1 == kept, "\(kept): \(continued)")
    }
  }

  @Test(arguments: [1, 2, 7, 16])
  func shardsInAnyOrderMergeToOneMachinesBytes(_ count: Int) throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 20)
      let whole = folder.appendingPathComponent("whole")
      #expect(try BuiltTool.run(["run", sweep, "--quiet", "--output", whole.path]).status == 0)
      let shards = (0..<count).map { folder.appendingPathComponent("shard-\($0)").path }
      for index in 0..<count {
        #expect(try BuiltTool.run(["run", sweep, "--quiet", "--shard", "\(index)/\(count)", "--output", shards[index]]).status == 0)
      }
      let merged = folder.appendingPathComponent("merged")
      let result = try BuiltTool.run(["merge"] + shards.shuffled() + ["--output", merged.path])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try contents(merged) == contents(whole))
      guard count == 7 else { return }
      // With a folder of the whole sweep among the shards: equal duplicates.
      #expect(try BuiltTool.run(["merge", whole.path] + shards + ["--output", merged.path, "--quiet"]).status == 0)
      let gap = try BuiltTool.run(["merge"] + shards.dropLast(2) + ["--output", merged.path])
      #expect(gap.status == 2)
      #expect(gap.errors.contains("shards 5/7, 6/7 are missing"), "\(gap.errors)")
      try disagree(shards, whole: whole, folder)
    }
  }

  /// Changes a cell of the whole sweep's first row, so that the row differs from that of a shard.
  private func disagree(_ shards: [String], whole: URL, _ folder: URL) throws {
    let file = whole.appendingPathComponent("runs.csv")
    var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var cells = lines[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    cells[4] = "21"
    lines[1] = cells.joined(separator: ",")
    try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    let output = folder.appendingPathComponent("none").path
    let result = try BuiltTool.run(["merge", whole.path] + shards + ["--output", output])
    #expect(result.status == 2)
    #expect(result.errors.contains("have different rows") && result.errors.contains(cells[0]), "\(result.errors)")
    // A shard of another program is recognized by its description.
    let label = URL(fileURLWithPath: shards[1]).appendingPathComponent("sweep.json")
    let text = try String(contentsOf: label, encoding: .utf8)
    try text.replacing(#/"modelVersion" : "[^"]*"/#, with: "\"modelVersion\" : \"0\"").write(to: label, atomically: true, encoding: .utf8)
    let mixed = try BuiltTool.run(["merge"] + shards + ["--output", output])
    #expect(mixed.status == 2)
    #expect(mixed.errors.contains("the program is prefetch-sweep \(Sweep.Program.version), model 0 here"), "\(mixed.errors)")
    #expect(!FileManager.default.fileExists(atPath: output + "/runs.csv"))
    // A shard of another build is recognized by its label.
    try text.write(to: label, atomically: true, encoding: .utf8)
    let build = URL(fileURLWithPath: shards[2]).appendingPathComponent("shard.json")
    let built = try String(contentsOf: build, encoding: .utf8)
    try built.replacing(#/"build" : "[^"]*"/#, with: "\"build\" : \"0123\"").write(to: build, atomically: true, encoding: .utf8)
    let builds = try BuiltTool.run(["merge"] + shards.dropFirst() + ["--output", output])
    #expect(builds.status == 2)
    #expect(builds.errors.contains("build 0123 of the program wrote it"), "\(builds.errors)")
    #expect(!builds.errors.contains("--any-build: "))
  }

  private static let canMount: Bool = {
    #if os(Linux)
      guard getuid() == 0 else { return false }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mount-\(UUID().uuidString)").path
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { rmdir(folder) }
      guard mount("none", folder, "tmpfs", 0, "size=64k") == 0 else { return false }
      return umount(folder) == 0
    #else
      return false
    #endif
  }()

  @Test(.enabled(if: canMount, "a tmpfs cannot be mounted here; that needs root on Linux"))
  func aFullDiskIsReportedAndARestartContinues() throws {
    #if os(Linux)
      try BuiltTool.withFolder { folder in
        let sweep = try writeSweep(in: folder, repeats: 200)
        let whole = folder.appendingPathComponent("whole")
        #expect(try BuiltTool.run(["run", sweep, "--quiet", "--output", whole.path]).status == 0)
        let disk = folder.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        try #require(mount("none", disk.path, "tmpfs", 0, "size=40k") == 0)
        defer { umount(disk.path) }
        let results = disk.appendingPathComponent("results")
        let full = try BuiltTool.run(["run", sweep, "--quiet", "--output", results.path])
        #expect(full.status == 1)
        #expect(full.errors.contains("no space left on device"), "\(full.errors)")
        #expect(full.errors.contains("runs are kept in"), "\(full.errors)")
        #expect(mount("none", disk.path, "tmpfs", UInt(MS_REMOUNT), "size=8m") == 0)
        let again = try BuiltTool.run(["run", sweep, "--output", results.path])
        #expect(again.status == 0)
        #expect(again.errors.contains("of 600 runs were done before"), "\(again.errors)")
        #expect(!again.errors.contains("damaged"), "\(again.errors)")
        #expect(try contents(results) == contents(whole))
        // A read-only disk.
        #expect(mount("none", disk.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "") == 0)
        let closed = try BuiltTool.run(["run", sweep, "--quiet", "--output", results.path])
        #expect(closed.status != 0)
        #expect(closed.errors.contains("read-only file system"), "\(closed.errors)")
      }
    #endif
  }

  /// A name that is too long, a file in the place of a folder, and a folder that vanishes while its path is made.
  @Test(arguments: ["new/deep/" + String(repeating: "x", count: 300), "new//deep/../../small.json5/x", "./new/deep/../../small.json5/x"])
  func aRefusedDeepOutputLeavesNoFolder(_ output: String) throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder)
      for command in [["run", sweep, "--output", output], ["overnight", sweep, "--results", output]] {
        let refused = try BuiltTool.run(command + ["--quiet"], in: folder)
        #expect(refused.errors.contains("output: the folder cannot be made: "), "\(refused.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["small.json5"])
      }
    }
  }

  @Test func aRemovedFolderAndAClosedPipeAreReported() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, repeats: 100_000)
      let (output, errors) = (folder.appendingPathComponent("results"), folder.appendingPathComponent("errors"))
      let process = try start(["run", sweep, "--quiet", "--output", output.path], errors: errors)
      waitForRuns(in: output)
      try FileManager.default.removeItem(at: output)
      process.waitUntilExit()
      #expect(process.terminationStatus == 1)
      #expect(try String(contentsOf: errors, encoding: .utf8).contains("the folder was removed while it was written"))

      let piped = Process()
      piped.executableURL = BuiltTool.path
      piped.arguments = ["run", sweep, "--repeats", "2", "--output", output.path]
      let pipe = Pipe()
      piped.standardOutput = pipe
      try Data().write(to: errors)
      piped.standardError = try FileHandle(forWritingTo: errors)
      try pipe.fileHandleForReading.close()
      try piped.run()
      piped.waitUntilExit()
      #expect(piped.terminationStatus == 1)
      #expect(try String(contentsOf: errors, encoding: .utf8).contains("standard output takes no more; the results are in"))
      #expect(FileManager.default.fileExists(atPath: output.appendingPathComponent("runs.csv").path))
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full here; Linux has one"))
  func aFullStandardOutputEndsWithStatus1() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 10)
      let list = try BuiltTool.run(["run", sweep, "--list"]).output.split(separator: "\n")
      let point = String(try #require(list.last?.split(separator: "\t").first))
      let network = ["network", "--profile", "3G", "--get", "10KB", "--format"]
      let commands = [
        ["run", sweep, "--list"], ["run", sweep, "--point", point], ["explain", sweep], ["explain", sweep, "--format", "svg"],
        network + ["table"], network + ["csv"], network + ["json"], ["list", "networks"], ["list", "metrics"],
      ]
      for command in commands {
        #expect(try BuiltTool.run(command).status == 0, "\(command)")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        #expect(try BuiltTool.run(command, output: full).status == 1, "\(command)")
      }
    }
  }

  @Test func progressForToolsIsOneObjectOnEachLine() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder)
      let result = try BuiltTool.run(["run", sweep, "--progress", "json", "--output", folder.appendingPathComponent("r").path])
      #expect(result.status == 0)
      let objects = result.errors.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      #expect(objects.last?["done"] as? Int == 15)
      #expect(objects.last?["total"] as? Int == 15)
      #expect(objects.last?["failed"] as? Int == 0)
    }
  }

  @Test(arguments: [
    ["run", "x.json5", "--shard", "3/3"], ["run", "x.json5", "--progress", "loud"], ["run", "x.json5", "--fresh", "--resume-anyway"],
    ["merge"], ["merge", "nowhere"], ["merge", "nowhere", "--output", "nowhere"],
  ])
  func badArgumentsEndWithStatus2AndARemedy(_ arguments: [String]) throws {
    let result = try BuiltTool.run(arguments)
    #expect(result.status == 2)
    #expect(!result.errors.isEmpty)
  }
}
