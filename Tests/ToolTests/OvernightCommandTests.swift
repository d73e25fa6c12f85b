import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `overnight`, run from the repository of an app: no clone of this package is around it.
@Suite struct OvernightCommandTests {
  private static let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]

  private func contents(_ folder: URL) throws -> [String] {
    try Self.files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Writes a sweep into a folder, under the name of its file or another.
  private func write(_ file: String, named name: String? = nil, in folder: URL, items: Int = 20, repeats: Int = 5) throws {
    let path = folder.appendingPathComponent(file)
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try """
    { sweep: "\(name ?? path.deletingPathExtension().lastPathComponent)", repeats: \(repeats), axes: { "prefetcher.ahead": [0, 1, 3] },
      scenario: { network: "3G", feed: { items: \(items) }, prefetcher: { kind: "itemsAhead" } } }
    """.write(to: path, atomically: true, encoding: .utf8)
  }

  /// Runs `overnight` in a folder; sends `signal` to it once runs are in the journal of `results`.
  private func overnight(
    _ arguments: [String], in folder: URL, signal: Int32? = nil, results: String = "Results/small", after: UInt32 = 0
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = BuiltTool.path
    process.arguments = ["overnight"] + arguments
    process.currentDirectoryURL = folder
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = process.standardOutput
    process.standardInput = FileHandle.nullDevice
    try BuiltTool.startWithHangUp(process)
    if let signal {
      let journal = folder.appendingPathComponent("\(results)/.journal/runs").path
      func size() -> Int { (try? FileManager.default.attributesOfItem(atPath: journal))?[.size] as? Int ?? 0 }
      if after > 0 { usleep(after) } else { for _ in 0..<3000 where size() < 5000 { usleep(10_000) } }
      kill(process.processIdentifier, signal)
    }
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
  }

  @Test func aStoppedStartContinuesToTheBytesOfAnUndisturbedOne() throws {
    try BuiltTool.withFolder { folder in
      for name in ["first", "second"] { try write("Sweeps/\(name).json5", in: folder, items: 100, repeats: 20) }
      try "// This sweep needs a device.\n{}".write(
        to: folder.appendingPathComponent("Sweeps/phone.json5"), atomically: true, encoding: .utf8)
      let undisturbed = try overnight(["--quiet", "--results", "undisturbed"], in: folder)
      #expect(undisturbed.status == 0, "\(undisturbed.output)")
      #expect(undisturbed.output.contains("phone: skipped, it needs a device; --device runs it"))
      #expect(undisturbed.output.contains("2 good, 0 failed, 0 refused, 1 skipped"))
      for pause in [150_000, 400_000, 700_000] as [UInt32] {
        let stopped = try overnight(["--quiet", "--results", "stopped"], in: folder, signal: SIGTERM, after: pause)
        #expect(stopped.status == 143 || stopped.status == 0, "\(stopped.output)")
      }
      #expect(try overnight(["--quiet", "--results", "stopped"], in: folder).status == 0)
      for name in ["first", "second"] {
        #expect(
          try contents(folder.appendingPathComponent("undisturbed/\(name)")) == contents(folder.appendingPathComponent("stopped/\(name)")))
      }
      // The sweep itself is refused.
      let device = try overnight(["--quiet", "--device", "Sweeps/phone.json5"], in: folder)
      #expect(device.status == 2 && device.output.contains("0 good, 0 failed, 1 refused, 0 skipped: phone"), "\(device.output)")
    }
  }

  @Test(arguments: zip([SIGHUP, SIGTERM, SIGINT], [Int32(129), 143, 130]))
  func aSignalStopsTheStartAndKeepsTheRuns(_ signal: Int32, _ status: Int32) throws {
    try BuiltTool.withFolder { folder in
      try write("small.json5", in: folder, items: 200, repeats: 100_000)
      let result = try overnight(["small.json5", "small.json5", "--quiet"], in: folder, signal: signal)
      #expect(result.status == status, "\(result.output)")
      #expect(result.output.contains("runs are kept in Results/small; the same command goes on"), "\(result.output)")
      #expect(result.output.contains("stopped; the same command goes on"), "\(result.output)")
      #expect(!result.output.contains("small: refused"), "\(result.output)")
      // The tool ended normally, so the folder is not locked.
      let lock = open(folder.appendingPathComponent("Results/small/.journal/lock").path, O_RDWR)
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      close(lock)
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Results/overnight.md").path))
    }
  }

  @Test func everyCommandUsesTheSweepsNameForItsFolder() throws {
    try BuiltTool.withFolder { folder in
      let sweep = "another name.json5"
      try write(sweep, named: "small", in: folder)
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
      #expect(try names(folder.appendingPathComponent("Results")) == ["small"])
      let result = try overnight([sweep, "--quiet", "--results", "results"], in: folder)
      #expect(result.status == 0, "\(result.output)")
      let files = ["history.html", "history.jsonl", "history.md", "overnight.md", "small"]
      #expect(try names(folder.appendingPathComponent("results")).filter { !$0.hasPrefix(".") } == files)
      #expect(try contents(folder.appendingPathComponent("results/small")) == contents(folder.appendingPathComponent("Results/small")))
    }
  }

  /// The results before stay beside the new ones, and overnight.md says what ran, what won and what changed.
  @Test func anEditedSweepStartsANewFolder() throws {
    try BuiltTool.withFolder { folder in
      try write("small.json5", in: folder, items: 40)
      let results = folder.appendingPathComponent("Results")
      #expect(try overnight(["small.json5", "--quiet"], in: folder).status == 0)
      let before = try contents(results.appendingPathComponent("small"))
      try write("small.json5", in: folder, items: 60)
      let result = try overnight(["small.json5", "--quiet", "--hook", "echo 'a  hook'"], in: folder)
      #expect(result.status == 0, "\(result.output)")
      #expect(result.output.contains("has been edited") && result.output.contains("a  hook Results/overnight.md\n"), "\(result.output)")
      let moved = try #require(try names(results).first { $0.hasPrefix("small.until-") })
      #expect(try contents(results.appendingPathComponent(moved)) == before)
      let text = try String(contentsOf: results.appendingPathComponent("overnight.md"), encoding: .utf8)
      #expect(
        text.contains("| small | good |") && text.contains("of the baseline") && text.contains("The sweeps themselves differ"), "\(text)")
      #expect(FileManager.default.fileExists(atPath: results.appendingPathComponent("small/comparison.md").path))
      // A second edit on the same day has a folder of its own, and a hook that fails is named.
      try write("small.json5", in: folder, items: 80)
      let again = try overnight(["small.json5", "--quiet", "--hook", "exit 7 #"], in: folder)
      #expect(again.status == 0 && again.output.contains("the hook ended with status 7"), "\(again.output)")
      #expect(try names(results).filter { $0.hasPrefix("small.until-") } == [moved, "\(moved)-2"])
    }
  }

  /// A stopped start continues in its own folder, and only the newest folders stay.
  @Test func foldersByDateAreKeptUpToTheirNumber() throws {
    try BuiltTool.withFolder { folder in
      try write("small.json5", in: folder)
      let results = folder.appendingPathComponent("Results")
      try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
      for date in ["2026-01-01", "2026-01-02", "2026-01-03"] {
        // The folder of a start that was stopped.
        try date.write(to: results.appendingPathComponent(".unfinished"), atomically: true, encoding: .utf8)
        let result = try overnight(["--keep", "2", "small.json5", "--quiet"], in: folder)
        #expect(result.status == 0, "\(result.output)")
      }
      #expect(try names(results) == ["2026-01-02", "2026-01-03", "history.jsonl"])
      let last = results.appendingPathComponent("2026-01-03")
      #expect(try names(last) == ["history.html", "history.md", "overnight.md", "small"])
      #expect(
        try String(contentsOf: last.appendingPathComponent("overnight.md"), encoding: .utf8).contains(
          "## Changes since the earlier results"))
      // Folders that no start wrote stay, and so do those with an input, and links.
      for (date, file) in [("2020-01-01", "photo.jpg"), ("2020-01-02", "overnight.md")] {
        let own = results.appendingPathComponent(date)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        try "mine\n".write(to: own.appendingPathComponent(file), atomically: true, encoding: .utf8)
      }
      try write("Results/2026-01-02/input.json5", in: folder)
      try FileManager.default.createSymbolicLink(at: results.appendingPathComponent("2020-01-03"), withDestinationURL: last)
      let others = try overnight(["--keep", "1", "Results/2026-01-02/input.json5", "--quiet"], in: folder)
      #expect(others.output.contains("Results/2026-01-02: is kept, it has Results/2026-01-02/input.json5"), "\(others.output)")
      let left = try names(results).filter { $0 < "2026-02" }
      #expect(left == ["2020-01-01", "2020-01-02", "2020-01-03", "2026-01-02"], "\(left)")
      // A start whose sweeps are all refused deletes no results, and no date leads out of the folder.
      try "../../../x".write(to: results.appendingPathComponent(".unfinished"), atomically: true, encoding: .utf8)
      let kept = try names(results).filter { $0.hasPrefix("20") }
      #expect(try overnight(["--keep", "1", "nowhere.json5"], in: folder).status == 2)
      #expect(try names(results).filter { $0.hasPrefix("20") } == kept)
    }
  }

  @Test(arguments: [
    (["--frehs"], "did you mean \"--fresh\""), (["small.json5", "-q"], "--quiet"), (["--keep", "0", "small.json5"], "--keep: is \"0\""),
    (["--repeats", "x", "small.json5"], "--repeats: is \"x\""), (["--output", "x", "small.json5"], "--output: unknown option"),
    (["--fresh", "--resume-anyway", "small.json5"], "--fresh"), ([], "no sweep was named"), (["small.json5", "-"], "-: standard input"),
  ])
  func wrongWordsAreRefusedBeforeAnyRun(_ arguments: [String], _ says: String) throws {
    try BuiltTool.withFolder { folder in
      try write("small.json5", in: folder)
      let result = try overnight(arguments, in: folder)
      #expect(result.status == 2 && result.output.contains(says), "\(result.output)")
      #expect(try names(folder) == ["log", "small.json5"])
    }
  }

  @Test func refusedSweepsDoNotStopTheOthers() throws {
    try BuiltTool.withFolder { folder in
      try write("first.json5", named: "small", in: folder)
      try write("second.json5", named: "small", in: folder, items: 30)
      try "{ sweep: 3 }".write(to: folder.appendingPathComponent("broken.json5"), atomically: true, encoding: .utf8)
      let result = try overnight(["nowhere.json5", "first.json5", "second.json5", "broken.json5", "--quiet", "--fresh"], in: folder)
      #expect(result.status == 2)
      #expect(result.output.contains("second: refused, its results would go to Results/small, which has"), "\(result.output)")
      #expect(result.output.contains("broken.json5:1:10: sweep:"), "\(result.output)")
      #expect(result.output.contains("1 good, 0 failed, 3 refused, 0 skipped: nowhere second broken"), "\(result.output)")
      #expect(try BuiltTool.run(["run", "first.json5", "--quiet", "--output", "alone"], in: folder).status == 0)
      #expect(try contents(folder.appendingPathComponent("Results/small")) == contents(folder.appendingPathComponent("alone")))
      // If all are refused, and there are no results yet, overnight.md says so.
      let none = try overnight(["nowhere.json5", "broken.json5", "--results", "new", "--hook", "cp -t ."], in: folder)
      #expect(none.status == 2 && none.output.contains("0 good, 0 failed, 2 refused, 0 skipped: nowhere broken"), "\(none.output)")
      let page = try String(contentsOf: folder.appendingPathComponent("overnight.md"), encoding: .utf8)
      #expect(page.contains("| nowhere | refused | 0 |  |"), "\(page)")
      // What cannot be written is named.
      try "".write(to: folder.appendingPathComponent("file"), atomically: true, encoding: .utf8)
      let closed = try overnight(["first.json5", "--results", "file/x", "--quiet"], in: folder)
      #expect(closed.status == 1 && closed.output.contains("file/x: output: the folder cannot be made"), "\(closed.output)")
    }
  }

  /// A file that no start wrote is in the place of one that a start writes at its end.
  @Test(arguments: ["history.jsonl", "overnight.md", "history.md", "history.html"])
  func aFileThatNoStartWroteIsRefusedBeforeAnyRun(_ name: String) throws {
    try BuiltTool.withFolder { folder in
      try write("a.json5", in: folder)
      let file = folder.appendingPathComponent("Results/\(name)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try "mine\n".write(to: file, atomically: true, encoding: .utf8)
      let result = try overnight(["a.json5", "--quiet"], in: folder)
      #expect(result.status == 2 && result.output.contains("Results/\(name)"), "\(result.output)")
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine\n")
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      #expect(try overnight(["a.json5", "--quiet"], in: folder).status == 2)
      #expect(try names(folder.appendingPathComponent("Results")) == [name])
      #expect(try overnight(["a.json5", "--results", ""], in: folder).output.contains("--results: is empty; name a folder"))
    }
  }

  /// With folders by date, too, an edited sweep is no regression.
  @Test func anEditedSweepIsNoRegressionInFoldersByDate() throws {
    try BuiltTool.withFolder { folder in
      let results = folder.appendingPathComponent("Results")
      try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
      for (date, items) in [("2026-01-01", 20), ("2026-01-02", 200)] {
        try write("small.json5", in: folder, items: items)
        try date.write(to: results.appendingPathComponent(".unfinished"), atomically: true, encoding: .utf8)
        let result = try overnight(["--keep", "5", "small.json5", "--quiet"], in: folder)
        #expect(result.status == 0, "\(result.output)")
      }
    }
  }
}
