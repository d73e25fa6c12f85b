import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Folders of results that contain files of others, and outputs that are inputs.
@Suite struct ForeignFileTests {
  private func withShards(_ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try """
      { sweep: "small", repeats: 2, axes: { "prefetcher.ahead": [0, 1] },
        scenario: { network: "3G", feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """.write(to: folder.appendingPathComponent("small.json5"), atomically: true, encoding: .utf8)
      for (index, name) in ["a", "b"].enumerated() {
        #expect(try BuiltTool.run(["run", "small.json5", "--quiet", "--shard", "\(index)/2", "--output", name], in: folder).status == 0)
      }
      try body(folder)
    }
  }

  /// Returns the result of a command; nil if it has not ended in time.
  private func run(_ arguments: [String], in folder: URL, seconds: Int = 60) throws -> ToolResult? {
    let errors = folder.appendingPathComponent("errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    let process = Process()
    process.executableURL = BuiltTool.path
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    for _ in 0..<seconds * 100 where process.isRunning { usleep(10_000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      return nil
    }
    guard process.terminationReason == .exit else { return nil }
    return ToolResult(output: "", errors: try String(contentsOf: errors, encoding: .utf8), status: process.terminationStatus)
  }

  @Test(arguments: ["a", "./a", "a/", "a/.", "b/../a", "link", "link/", "WHOLE/a"])
  func mergeNeverWritesIntoAShard(_ output: String) throws {
    try withShards { folder in
      symlink("a", folder.appendingPathComponent("link").path)
      let shard = folder.appendingPathComponent("a")
      let before = try FileManager.default.subpathsOfDirectory(atPath: shard.path).sorted()
      let rows = try Data(contentsOf: shard.appendingPathComponent("runs.csv"))
      let path = output.replacing("WHOLE", with: folder.path)
      for shards in [["a", "b"], ["b", "./a/"], ["b", "link"]] {
        let result = try BuiltTool.run(["merge"] + shards + ["--output", path, "--quiet"], in: folder)
        #expect(result.status == 2 && result.errors.contains("is the shard"), "\(result.errors)")
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: shard.path).sorted() == before)
      #expect(try Data(contentsOf: shard.appendingPathComponent("runs.csv")) == rows)
    }
  }

  @Test func mergeRefusesItsDefaultFolderIfThatIsAShard() throws {
    try withShards { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("Results"), withIntermediateDirectories: true)
      symlink("../a", folder.appendingPathComponent("Results/small").path)
      let result = try BuiltTool.run(["merge", "a", "b", "--quiet"], in: folder)
      #expect(result.status == 2 && result.errors.contains("is the shard"), "\(result.errors)")
      // A link to another folder is a folder like any other.
      unlink(folder.appendingPathComponent("Results/small").path)
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("elsewhere"), withIntermediateDirectories: true)
      symlink("../elsewhere", folder.appendingPathComponent("Results/small").path)
      #expect(try BuiltTool.run(["merge", "a", "b", "--quiet"], in: folder).status == 0)
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("elsewhere/runs.csv").path))
    }
  }

  @Test(arguments: ["runs", "lock"], ["fifo", "folder", "link", "device"])
  func anythingButAFileInTheJournalIsNamedAndKept(_ name: String, _ kind: String) throws {
    try withShards { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("r/.journal"), withIntermediateDirectories: true)
      let precious = folder.appendingPathComponent("precious")
      try "precious".write(to: precious, atomically: true, encoding: .utf8)
      let path = folder.appendingPathComponent("r/.journal/\(name)").path
      switch kind {
      case "fifo": mkfifo(path, 0o600)
      case "folder": mkdir(path, 0o700)
      case "link": symlink(precious.path, path)
      default: symlink("/dev/zero", path)
      }
      let result = try #require(try run(["run", "small.json5", "--quiet", "--output", "r"], in: folder), "it crashed or hung")
      #expect(result.status == 2 && result.errors.contains("r/.journal/\(name)"), "\(result.errors)")
      #expect(try String(contentsOf: precious, encoding: .utf8) == "precious")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("r/runs.csv").path))
    }
  }

  @Test func anotherFileAtTheLocksPathIsKept() throws {
    try withShards { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("r/.journal"), withIntermediateDirectories: true)
      let precious = folder.appendingPathComponent("precious")
      try "precious".write(to: precious, atomically: true, encoding: .utf8)
      link(precious.path, folder.appendingPathComponent("r/.journal/lock").path)
      for command in [["run", "small.json5", "--quiet", "--output", "r"], ["merge", "a", "b", "--output", "r"]] {
        let result = try BuiltTool.run(command, in: folder)
        #expect(result.status == 2 && result.errors.contains("holds something else than a lock"), "\(result.errors)")
      }
      #expect(try String(contentsOf: precious, encoding: .utf8) == "precious")
      // A holder's text, complete, torn or zeroed, is a lock.
      for text in ["", "4711 on host\n", "47", "4711 on", "\0\0\0\0"] {
        unlink(folder.appendingPathComponent("r/.journal/lock").path)
        try Data(text.utf8).write(to: folder.appendingPathComponent("r/.journal/lock"))
        #expect(try BuiltTool.run(["run", "small.json5", "--quiet", "--output", "r"], in: folder).status == 0, "\(text)")
      }
    }
  }

  @Test(arguments: ["runs.csv", "sweep.json", "shard.json"], ["fifo", "folder", "device"])
  func readersNameAnythingButAFileAndEnd(_ name: String, _ kind: String) throws {
    try withShards { folder in
      let path = folder.appendingPathComponent("a/\(name)").path
      unlink(path)
      switch kind {
      case "fifo": mkfifo(path, 0o600)
      case "folder": mkdir(path, 0o700)
      default: symlink("/dev/zero", path)
      }
      let commands = [
        ["merge", "a", "b", "--output", "m"], ["report", "a", "--output", "m"], ["report", "b", "--compare", "a", "--output", "m"],
      ]
      for command in commands where command[0] == "merge" || name != "shard.json" {
        let result = try #require(try run(command, in: folder), "\(command): it crashed or hung")
        #expect(result.status == 2 && result.errors.contains("a/\(name)"), "\(command): \(result.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("m/runs.csv").path))
    }
  }

  @Test func aFolderAtAFilesPathIsFoundBeforeAnyRename() throws {
    try withShards { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("r/report.md/x"), withIntermediateDirectories: true)
      let result = try BuiltTool.run(["run", "small.json5", "--quiet", "--output", "r"], in: folder)
      #expect(result.status == 1 && result.errors.contains("r/report.md"), "\(result.errors)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("r").path).sorted() == [".journal", "report.md"])
      try FileManager.default.removeItem(at: folder.appendingPathComponent("r/report.md"))
      #expect(try BuiltTool.run(["run", "small.json5", "--quiet", "--output", "r"], in: folder).status == 0)
    }
  }

  @Test(arguments: ["<&- >&- 2>&-", "<&-", ">&-", "2>&-", ">&- 2>&-"])
  func closedDescriptorsDoNotGetIntoTheResults(_ closed: String) throws {
    try withShards { folder in
      #expect(try BuiltTool.run(["run", "small.json5", "--quiet", "--output", "whole"], in: folder).status == 0)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      // Everything is printed: the closing table, notes and progress.
      process.arguments = ["-c", "exec \"$0\" run small.json5 --progress json --output closed \(closed)", BuiltTool.path.path]
      process.currentDirectoryURL = folder
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      for name in [".journal/runs", "runs.csv", "report.md", "summary.csv"] {
        let (one, two) = (folder.appendingPathComponent("whole/\(name)"), folder.appendingPathComponent("closed/\(name)"))
        if name == ".journal/runs" {
          // Its runs are in the order in which they ended.
          #expect(try Data(contentsOf: one).count == Data(contentsOf: two).count)
        } else {
          #expect(try Data(contentsOf: one) == Data(contentsOf: two))
        }
      }
      let again = try BuiltTool.run(["run", "small.json5", "--output", "closed"], in: folder)
      #expect(
        again.status == 0 && again.errors.contains("4 of 4 runs were done before") && !again.errors.contains("damaged"), "\(again.errors)")
    }
  }

  @Test func ofTwoMergesIntoOneFolderOneIsRefusedAndOneCompletes() throws {
    try withShards { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("m/.journal"), withIntermediateDirectories: true)
      let lock = open(folder.appendingPathComponent("m/.journal/lock").path, O_RDWR | O_CREAT, 0o600)
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      let refused = try BuiltTool.run(["merge", "a", "b", "--output", "m", "--quiet"], in: folder)
      #expect(refused.status == 2 && refused.errors.contains("is writing these results"), "\(refused.errors)")
      close(lock)
      #expect(try BuiltTool.run(["merge", "a", "b", "--output", "m", "--quiet"], in: folder).status == 0)
    }
  }
}
