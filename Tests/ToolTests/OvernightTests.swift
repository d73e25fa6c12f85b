import Foundation
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
    #expect(mixed.errors.contains("the program is prefetch-sweep 1.0.0, model 0 here"), "\(mixed.errors)")
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

  @Test func theOvernightScriptContinuesAfterAStop() throws {
    try BuiltTool.withFolder { folder in
      let sweeps = try ["first", "second"].map { name in
        let path = folder.appendingPathComponent("\(name).json5")
        let text = try String(contentsOfFile: writeSweep(in: folder, items: 100, repeats: 20), encoding: .utf8)
        try text.replacing("small", with: name).write(to: path, atomically: true, encoding: .utf8)
        return path.path
      }
      let device = folder.appendingPathComponent("phone.json5")
      try "// This sweep needs a device.\n{}".write(to: device, atomically: true, encoding: .utf8)
      func run(_ results: String, stopAfter: UInt32?) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = Reference.packageRoot.appendingPathComponent("Scripts/overnight.sh")
        process.arguments = sweeps + [device.path, "--", "--quiet"]
        process.environment = ProcessInfo.processInfo.environment.merging([
          "TOOL": BuiltTool.path.path, "RESULTS": folder.appendingPathComponent(results).path,
        ]) { $1 }
        let log = folder.appendingPathComponent("log")
        try Data().write(to: log)
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = FileHandle.nullDevice
        try process.run()
        if let stopAfter {
          usleep(stopAfter)
          kill(process.processIdentifier, SIGTERM)
        }
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
      }
      let undisturbed = try run("undisturbed", stopAfter: nil)
      #expect(undisturbed.status == 0, "\(undisturbed.output)")
      #expect(undisturbed.output.contains("phone: skipped, it needs a device"))
      #expect(undisturbed.output.contains("2 good, 0 failed, 0 refused, 1 skipped"))
      for pause in [150_000, 400_000, 700_000] as [UInt32] {
        let stopped = try run("stopped", stopAfter: pause)
        #expect(stopped.status == 143 || stopped.status == 0, "\(stopped.output)")
      }
      #expect(try run("stopped", stopAfter: nil).status == 0)
      for name in ["first", "second"] {
        #expect(
          try contents(folder.appendingPathComponent("undisturbed/\(name)")) == contents(folder.appendingPathComponent("stopped/\(name)")))
      }
    }
  }

  /// Runs the overnight script on some sweeps; sends `signal` to the script alone, once runs are in the journal of `results`.
  private func overnight(
    _ sweeps: [String], _ folder: URL, before: [String] = [], options: [String] = ["--quiet"], signal: Int32? = nil,
    results: String = "", hook: String = ""
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = Reference.packageRoot.appendingPathComponent("Scripts/overnight.sh")
    process.arguments = before + sweeps + ["--"] + options
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    process.environment = ProcessInfo.processInfo.environment.merging([
      "TOOL": BuiltTool.path.path, "RESULTS": folder.appendingPathComponent("results").path, "OVERNIGHT_HOOK": hook,
    ]) { $1 }
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = process.standardOutput
    try BuiltTool.startWithHangUp(process)
    if let signal {
      waitForRuns(in: folder.appendingPathComponent("results/\(results)"))
      kill(process.processIdentifier, signal)
    }
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
  }

  @Test(arguments: zip([SIGHUP, SIGTERM, SIGINT], [Int32(129), 143, 130]))
  func aSignalToTheOvernightScriptAloneStopsTheTool(_ signal: Int32, _ status: Int32) throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 200, repeats: 100_000)
      let result = try overnight([sweep, sweep], folder, signal: signal, results: "small")
      #expect(result.status == status, "\(result.output)")
      #expect(result.output.contains("start this script again to continue"), "\(result.output)")
      // The tool ended normally, so the folder is not locked.
      let lock = open(folder.appendingPathComponent("results/small/.journal/lock").path, O_RDWR)
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      close(lock)
      #expect(result.output.contains("runs are kept in"), "\(result.output)")
    }
  }

  @Test func everyCommandUsesTheSweepsNameForItsFolder() throws {
    try BuiltTool.withFolder { folder in
      let path = try writeSweep(in: folder, items: 20)
      try FileManager.default.moveItem(atPath: path, toPath: folder.appendingPathComponent("another name.json5").path)
      let sweep = folder.appendingPathComponent("another name.json5").path
      let asked = { (options: [String]) in try BuiltTool.run(["run", sweep, "--where"] + options, in: folder).output }
      #expect(try asked([]) == "Results/small\n")
      #expect(try asked(["--shard", "1/3"]) == "Results/small/shards/1-of-3\n")
      #expect(try asked(["--results", "/data"]) == "/data/small\n")
      #expect(try asked(["--output", "x", "--results", "/data"]) == "x\n")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Results").path))
      #expect(try BuiltTool.run(["run", sweep, "--quiet"], in: folder).status == 0)
      for index in 0..<2 { #expect(try BuiltTool.run(["run", sweep, "--quiet", "--shard", "\(index)/2"], in: folder).status == 0) }
      let shards = (0..<2).map { "Results/small/shards/\($0)-of-2" }
      #expect(try BuiltTool.run(["merge", "--quiet"] + shards, in: folder).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("Results").path) == ["small"])
      let result = try overnight([sweep], folder)
      #expect(result.status == 0, "\(result.output)")
      let files = ["history.html", "history.jsonl", "history.md", "overnight.md", "small"]
      #expect(try names(folder.appendingPathComponent("results")).filter { !$0.hasPrefix(".") } == files)
      #expect(try contents(folder.appendingPathComponent("results/small")) == contents(folder.appendingPathComponent("Results/small")))
    }
  }

  private func names(_ folder: URL) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  /// The results before stay beside the new ones, and overnight.md says what ran, what won and what changed.
  @Test func anEditedSweepStartsANewFolder() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 40)
      let results = folder.appendingPathComponent("results")
      #expect(try overnight([sweep], folder).status == 0)
      let before = try contents(results.appendingPathComponent("small"))
      try String(contentsOfFile: sweep, encoding: .utf8).replacing("items: 40", with: "items: 60")
        .write(toFile: sweep, atomically: true, encoding: .utf8)
      let result = try overnight([sweep], folder, hook: "echo hook")
      #expect(result.status == 0, "\(result.output)")
      #expect(result.output.contains("has been edited") && result.output.contains("hook \(results.path)/overnight.md"), "\(result.output)")
      let moved = try #require(try names(results).first { $0.hasPrefix("small.until-") })
      #expect(try contents(results.appendingPathComponent(moved)) == before)
      let text = try String(contentsOf: results.appendingPathComponent("overnight.md"), encoding: .utf8)
      #expect(
        text.contains("| small | good |") && text.contains("of the baseline") && text.contains("The sweeps themselves differ"), "\(text)")
    }
  }

  /// A stopped start continues in its own folder, and only the newest folders stay.
  @Test func foldersByDateAreKeptUpToTheirNumber() throws {
    try BuiltTool.withFolder { folder in
      let sweep = try writeSweep(in: folder, items: 20)
      let results = folder.appendingPathComponent("results")
      for date in ["2026-01-01", "2026-01-02", "2026-01-03"] {
        try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
        // The folder of a start that was stopped.
        try date.write(to: results.appendingPathComponent(".unfinished"), atomically: true, encoding: .utf8)
        let result = try overnight([sweep], folder, before: ["--keep", "2"])
        #expect(result.status == 0, "\(result.output)")
      }
      #expect(try names(results).filter { $0.hasPrefix("2026") } == ["2026-01-02", "2026-01-03"])
      let last = results.appendingPathComponent("2026-01-03")
      #expect(try names(last) == ["history.html", "history.md", "overnight.md", "small"])
      #expect(try String(contentsOf: last.appendingPathComponent("overnight.md"), encoding: .utf8).contains("## Since the results before"))
    }
  }

  @Test(arguments: [["--help"], ["-h"], ["--frehs"], ["Sweeps/recovery.json5", "-q", "--", "--quiet"]])
  func theScriptPrintsItsUsageAndRefusesUnknownOptionsBeforeAnyRun(_ arguments: [String]) throws {
    let status: Int32 = arguments[0].contains("h") && arguments[0] != "--frehs" && arguments.count == 1 ? 0 : 2
    try BuiltTool.withFolder { folder in
      let process = Process()
      process.executableURL = Reference.packageRoot.appendingPathComponent("Scripts/overnight.sh")
      process.arguments = arguments
      let ran = folder.appendingPathComponent("ran").path
      let tool = folder.appendingPathComponent("tool")
      try "#!/bin/sh\ntouch '\(ran)'\n".write(to: tool, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
      process.environment = ProcessInfo.processInfo.environment.merging(["TOOL": tool.path]) { $1 }
      let (output, errors) = (Pipe(), Pipe())
      (process.standardOutput, process.standardError) = (output, errors)
      try process.run()
      process.waitUntilExit()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(process.terminationStatus == status)
      #expect(text.hasPrefix("usage: ") == (status == 0))
      #expect(!FileManager.default.fileExists(atPath: ran))
    }
  }

  @Test func theSecondOfTwoSweepsWithOneNameIsRefused() throws {
    try BuiltTool.withFolder { folder in
      let first = try writeSweep(in: folder, items: 20)
      let second = folder.appendingPathComponent("second.json5").path
      try String(contentsOfFile: first, encoding: .utf8).replacing("items: 20", with: "items: 30")
        .write(toFile: second, atomically: true, encoding: .utf8)
      let broken = folder.appendingPathComponent("broken.json5").path
      try "{ sweep: 3 }".write(toFile: broken, atomically: true, encoding: .utf8)
      let result = try overnight([first, second, broken], folder, options: ["--quiet", "--fresh"])
      #expect(result.status == 2)
      #expect(result.output.contains("second: refused, its results would go to"), "\(result.output)")
      #expect(result.output.contains("1 good, 0 failed, 2 refused, 0 skipped: second broken"), "\(result.output)")
      let alone = folder.appendingPathComponent("alone")
      #expect(try BuiltTool.run(["run", first, "--quiet", "--output", alone.path]).status == 0)
      #expect(try contents(folder.appendingPathComponent("results/small")) == contents(alone))
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
