import Foundation
import TestSupport
import Testing

@testable import SweepTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The single files of `check`, `explain` and `import`: replaced, followed, written directly or refused.
@Suite struct OutputTargetTests {
  private static let sweep = """
    { sweep: "s", scenario: { feed: { items: 20 }, user: { scroll: 10 },
      network: { profile: "3G", transport: "fluid" }, prefetcher: { kind: "costBudget" } }, axes: {}, repeats: 1 }
    """

  private static let log = "1 0 0 0 1000 500\n2 1000 0 0 125000 1000\n3 2000 0 0 125000 1000\n"

  /// Runs a command in a folder that has the inputs of all three commands, a link to each, and links to an output and a device.
  private func run(_ arguments: [String], _ body: (URL, ToolResult) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let files = ["s.json5": Self.sweep, "c.json5": "{ \"prefetcher.maxCost\": 4 }", "log.txt": Self.log, "old.txt": ""]
      for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("d"), withIntermediateDirectories: false)
      for (link, target) in [("link", "old.txt"), ("slink", "s.json5"), ("null", "/dev/null"), ("lost", "nowhere")] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
      }
      try FileManager.default.linkItem(
        at: folder.appendingPathComponent("c.json5"), to: folder.appendingPathComponent("hard.json5"))
      mkfifo(folder.appendingPathComponent("fifo").path, 0o600)
      let commands = [
        "check": ["check", "--sweep", "s.json5", "--candidate", "c.json5", "--repeats", "100", "--quiet"],
        "explain": ["explain", "s.json5"], "import": ["import", "log.txt", "--format", "hsdpa"],
      ]
      let words = try #require(commands[arguments[0]]) + arguments.dropFirst()
      try body(folder, try BuiltTool.run(words, in: folder, environment: ["GITHUB_STEP_SUMMARY": ""]))
      for (name, text) in files where name != "old.txt" {
        #expect(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) == text, "\(arguments): \(name)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".partial") }
      #expect(left.isEmpty)
    }
  }

  @Test(arguments: [
    ["check", "--json", "s.json5"], ["check", "--json", "./d/../s.json5"], ["check", "--junit", "slink"],
    ["check", "--markdown", "hard.json5"], ["check", "--bench", "c.json5"], ["check", "--json", "x", "--junit", "./x"],
    ["check", "--json", "d/x", "--json", "d/../d/x"], ["check", "--json", "old.txt", "--markdown", "link"], ["check", "--json", "fifo"],
    ["check", "--json", "lost"], ["check", "--json", "d"], ["check", "--json", "d/"], ["explain", "--har", "s.json5"],
    ["explain", "--feed", "slink"], ["explain", "--trace", "x", "--har", "d/../x"], ["explain", "--feed", "fifo"],
    ["import", "--output", "log.txt"], ["import", "--output", "./log.txt"], ["import", "--output", "fifo"], ["import", "--output", "d"],
  ])
  func anInputAFileNamedTwiceAndAFifoWithoutReaderAreRefused(_ arguments: [String]) throws {
    try run(arguments) { folder, result in
      #expect(result.status == 2, "\(result.errors)")
      #expect(result.errors.hasPrefix("--"), "\(result.errors)")
      #expect(result.errors.contains("; name another file") || result.errors.contains("; name a file"), "\(result.errors)")
      #expect(result.output.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("x").path))
    }
  }

  @Test(arguments: [["check", "--json"], ["explain", "--har"], ["import", "--output"]])
  func aLinkIsFollowedToItsFile(_ arguments: [String]) throws {
    try run(arguments + ["link"]) { folder, result in
      #expect(![1, 2].contains(result.status), "\(result.errors)")
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: folder.appendingPathComponent("link").path)
      let text = try String(contentsOf: folder.appendingPathComponent("old.txt"), encoding: .utf8)
      #expect(target == "old.txt" && !text.isEmpty)
    }
  }

  @Test(arguments: [["check", "--json"], ["explain", "--har"], ["import", "--output"]], ["/dev/null", "null", "/dev/stdout"])
  func aDeviceIsWrittenDirectly(_ arguments: [String], _ path: String) throws {
    try run(arguments + [path]) { folder, result in
      #expect(![1, 2].contains(result.status), "\(result.errors)")
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: folder.appendingPathComponent("null").path)
      #expect(target == "/dev/null")
      var status = stat()
      #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
      if path == "/dev/stdout" { #expect(result.output.contains(arguments[0] == "import" ? "1000" : "{"), "\(result.output)") }
    }
  }
}
