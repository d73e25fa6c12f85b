import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sweeps from standard input, the program's name in results, full outputs and doubled signals.
@Suite struct StandardStreamTests {
  private static let sweep = """
    { sweep: "piped", repeats: 4, confirm: { repeats: 2, best: 1 }, axes: { "prefetcher.ahead": [1, 3] },
      scenario: { feed: { items: 20 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 10 }, prefetcher: "itemsAhead" } }
    """

  private func withSweep(_ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try Self.sweep.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      try body(folder)
    }
  }

  private func text(_ folder: URL, _ path: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  // MARK: Standard input

  @Test func resultsKeepASweepFromStandardInputAndNameTheCopy() throws {
    try withSweep { folder in
      let made = try BuiltTool.shell("prefetch-sweep run - --quiet --output r < s.json5", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      #expect(try text(folder, "r/standard-input.json5") == Self.sweep)
      let report = try text(folder, "r/report.md")
      #expect(report.contains("prefetch-sweep run r/standard-input.json5 --point") && !report.contains("run - "))
      let line = try #require(report.split(separator: "\n").first { $0.contains(" run r/standard-input.json5 ") })
      let words = line.split(separator: " ").drop { $0 != "run" }.map(String.init)
      let row = try BuiltTool.run(words, in: folder)
      #expect(row.status == 0 && row.output.split(separator: "\n").count == 2, "\(row.errors)")
    }
  }

  /// Files that a sweep from standard input names are relative to the folder in which it ran, for its copy too.
  @Test func aKeptSweepFindsItsFiles() throws {
    try withSweep { folder in
      try #"[{ "duration_ms": 1000, "bandwidth_kbps": 800 }]"#.write(
        to: folder.appendingPathComponent("bus.json"), atomically: true, encoding: .utf8)
      let script = """
        prefetch-sweep run - --set 'network={ trace: "bus.json", transport: "fluid" }' --quiet --output r < s.json5
        prefetch-sweep run r/standard-input.json5 --set 'network={ trace: "bus.json", transport: "fluid" }' --quiet --output again
        """
      let result = try BuiltTool.shell(script, in: folder)
      #expect(try result.status == 0 && text(folder, "again/runs.csv") == text(folder, "r/runs.csv"), "\(result.errors)")
    }
  }

  @Test func aFolderThatCannotBeMadeHasTheSystemsReason() throws {
    try withSweep { folder in
      // Not even the superuser makes folders here.
      guard FileManager.default.fileExists(atPath: "/sys/kernel") else { return }
      let result = try BuiltTool.run(["run", "s.json5", "--quiet", "--output", "/sys/kernel/no/folder"], in: folder)
      #expect(result.status == 2 && !result.errors.contains("no such file"), "\(result.errors)")
    }
  }

  @Test func shardsFromStandardInputMergeWithAndWithoutTheFile() throws {
    try withSweep { folder in
      let script = """
        for i in 0 1; do prefetch-sweep run - --quiet --shard $i/2 --output s$i < s.json5; done
        prefetch-sweep run - --quiet --output whole < s.json5
        prefetch-sweep merge s0 s1 --quiet --output bare && prefetch-sweep merge s0 s1 --quiet --sweep s.json5 --output named
        """
      let result = try BuiltTool.shell(script, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      for name in ["runs.csv", "confirmation.csv", "summary.csv", "report.md", "sweep.json", "standard-input.json5"] {
        let whole = try text(folder, "whole/\(name)")
        for merged in ["bare", "named"] {
          // The commands name the copy in their own folder.
          let own = try text(folder, "\(merged)/\(name)").replacing(" \(merged)/standard-input", with: " whole/standard-input")
          #expect(own == whole, "\(merged)/\(name)")
        }
      }
    }
  }

  @Test func shardsOfARewordedSweepMerge() throws {
    try withSweep { folder in
      let script = """
        for i in 0 1; do prefetch-sweep run s.json5 --quiet --shard $i/2 --output s$i --set "question=Question $i?"; done
        prefetch-sweep merge s0 s1 --quiet --sweep s.json5 --output m
        """
      let result = try BuiltTool.shell(script, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try text(folder, "m/report.md").contains("Question 0?"))
    }
  }

  // MARK: The program's name

  @Test func resultsNameTheProgramAsItWasCalled() throws {
    try withSweep { folder in
      try FileManager.default.createSymbolicLink(at: folder.appendingPathComponent("my-sweep"), withDestinationURL: BuiltTool.path)
      let result = try BuiltTool.shell("PATH=.:$PATH my-sweep run s.json5 --quiet --output r", in: folder)
      #expect(result.status == 0, "\(result.errors)")
      let lines = try text(folder, "r/report.md").split(separator: "\n").filter { $0.contains("s.json5 --point") }
      #expect(
        lines.count == 2 && lines[0].hasPrefix("my-sweep run s.json5 ") && lines[1].hasPrefix("my-sweep explain s.json5 "), "\(lines)")
    }
  }

  // MARK: Values of points, words of counts

  @Test func aPointIsFoundByAnyNotationOfItsValue() throws {
    try withSweep { folder in
      let axis = ["--set", #"axes={ "user.dwell": ["1s", "2s"] }"#, "--set", "confirm=null"]
      let first = try BuiltTool.run(["run", "s.json5", "--point", "user.dwell=2s"] + axis, in: folder)
      #expect(first.status == 0, "\(first.errors)")
      #expect(try BuiltTool.run(["run", "s.json5", "--point", "user.dwell=2000ms"] + axis, in: folder).output == first.output)
      #expect(try BuiltTool.run(["run", "s.json5", "--point", "user.dwell=3000ms"] + axis, in: folder).status == 2)
    }
  }

  @Test func oneLoaderIsSingular() throws {
    try withSweep { folder in
      let one = ["--set", "user.scroll=1"]
      #expect(try BuiltTool.run(["explain", "s.json5"] + one, in: folder).output.contains("\n1 loader of 1 item viewed"))
      let page = try BuiltTool.run(["explain", "s.json5", "--format", "html"] + one, in: folder).output
      #expect(page.contains("1 loader in 1 item viewed") && !page.contains("1 loaders"))
    }
  }

  // MARK: Outputs and signals

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["list networks", "init -", "run s.json5 --list"])
  func aFullStandardOutputIsSaid(command: String) throws {
    try withSweep { folder in
      let result = try BuiltTool.shell("prefetch-sweep \(command) > /dev/full", in: folder)
      #expect(result.status == 1 && result.errors == "standard output: no space left on device; the output is incomplete\n")
    }
  }

  @Test func aFileThatCannotBeMadeIsNamedAndNotItsPartialFile() throws {
    try withSweep { folder in
      let result = try BuiltTool.shell(
        "echo > f; prefetch-sweep check --sweep s.json5 --set prefetcher.ahead=2 --json f/x.json", in: folder)
      #expect(result.status == 2 && result.errors.hasPrefix("--json: f: is no folder; "), "\(result.errors)")
      if FileManager.default.fileExists(atPath: "/proc/self") {
        let words = ["check", "--sweep", "s.json5", "--set", "prefetcher.ahead=2", "--json", "/proc/x.json"]
        #expect(try BuiltTool.run(words, in: folder).errors.hasPrefix("--json: /proc/x.json: "))
      }
      let run = try BuiltTool.shell("prefetch-sweep run s.json5 --quiet --output f", in: folder)
      #expect(run.status == 2 && run.errors.hasPrefix("f: output: is no folder; "), "\(run.errors)")
    }
  }

  /// A terminal and a parent may both send the signal of one Ctrl-C.
  @Test func twoSignalsTogetherStopInOrder() throws {
    try withSweep { folder in
      let script = """
        '\(BuiltTool.path.path)' run s.json5 --quiet --set feed.items=2000 --set user.scroll=2000 --repeats 5000 --output r & id=$!
        for i in $(seq 300); do [ -s r/.journal/runs ] && break; sleep 0.1; done
        kill -TERM $id; kill -TERM $id; wait $id
        """
      let result = try BuiltTool.shell(script, in: folder)
      #expect(result.status == 143 && result.errors.contains("stopped: "), "\(result)")
    }
  }
}
