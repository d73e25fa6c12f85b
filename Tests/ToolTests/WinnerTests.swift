import Foundation
import TestSupport
import Testing

@testable import Sweep

/// The winner's settings as a candidate: `run --write-winner`, then `check`.
@Suite struct WinnerTests {
  private func write(_ sweep: String, to folder: URL) throws -> String {
    let file = folder.appendingPathComponent("w.json5")
    try sweep.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  private static let feed = "feed: { items: 40 }, user: { dwell: '1s' }"

  /// Runs a sweep, writes its winner, and checks it with the command in the file. Returns the command and the file's id as a point.
  private func roundTrip(_ sweep: String, _ options: [String] = []) throws -> (command: String, winner: String, candidate: String) {
    var outcome = ("", "", "")
    try BuiltTool.withFolder { folder in
      let (path, file) = (try write(sweep, to: folder), folder.appendingPathComponent("winner.json5").path)
      let output = folder.appendingPathComponent("r").path
      let result = try BuiltTool.run(["run", path, "--output", output, "--write-winner", file] + options)
      #expect(result.status == 0, "\(result.errors)\(result.output)")
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let command = try #require(text.split(separator: "\n").first { $0.contains(" check ") }).dropFirst(3)
      #expect(result.output.hasSuffix("Winner: \(file); check it on new seeds: \(command)\n"), "\(result.output)")
      let checked = try BuiltTool.shell("\(command) --repeats 500 --format json", in: folder)
      #expect([0, 3].contains(checked.status), "\(text)\(checked.errors)")
      let ids = checked.output.matches(of: /"point" ?: ?"([0-9a-f]{16})"/).map { String($0.1) }
      let summary = try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8).split(separator: "\n")
      let winner = try #require(
        summary.filter { $0.contains(/,better[, ]/) }.map { $0.split(separator: ",") }.min { Double($0[5]) ?? 0 < Double($1[5]) ?? 0 })
      outcome = (String(command), String(winner[0]), ids.last ?? "")
    }
    return outcome
  }

  @Test func checkTakesTheWinnerAsTheSamePoint() throws {
    let sweep = """
      { sweep: "w", repeats: 12, axes: { "prefetcher.ahead": [1, 4], "downloads.connections": [2, 4] },
        baseline: { "prefetcher.ahead": 0, "downloads.connections": 4 },
        scenario: { network: { profile: "3G", transport: "fluid" }, \(Self.feed), prefetcher: "itemsAhead" } }
      """
    let plain = try roundTrip(sweep)
    #expect(plain.winner == plain.candidate && !plain.winner.isEmpty, "\(plain)")
    let changed = try roundTrip(sweep, ["--set", "feed.items=30", "--set", "downloads.cancel=drop", "--set", "seed=3"])
    #expect(changed.winner == changed.candidate && changed.winner != plain.winner, "\(changed)")
    #expect(changed.command.hasSuffix("--scenario feed.items=30 --scenario downloads.cancel=drop"), "\(changed.command)")
  }

  @Test func settingsOfUsersAreOptionsOfTheCheckAndKindsAreObjects() throws {
    let found = try roundTrip(
      """
      { sweep: "w", repeats: 12, strata: [], axes: { "user.dwell": ["1s", "2s"], prefetcher: ["none", { kind: "itemsAhead" }] },
        baseline: { "user.dwell": "1s", prefetcher: "none" },
        scenario: { network: { profile: "3G", transport: "fluid" }, \(Self.feed), prefetcher: "none" } }
      """)
    #expect(found.command.hasSuffix(" --scenario user.dwell=2s"), "\(found.command)")
    #expect(found.winner == found.candidate, "\(found)")
  }

  /// The commands of report.md, of the page and of the terminal, pasted where the run was started: the sweep file lies in another folder.
  @Test func commandsOfAReportWorkInTheFolderOfTheRun() throws {
    try BuiltTool.withFolder { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("a b"), withIntermediateDirectories: true)
      let sweep = """
        { sweep: "w", repeats: 12, axes: { "prefetcher.ahead": [1, 4] }, baseline: { "prefetcher.ahead": 0 },
          scenario: { network: { profile: "3G", transport: "fluid" }, \(Self.feed), prefetcher: "itemsAhead" } }
        """
      try sweep.write(to: folder.appendingPathComponent("a b/w.json5"), atomically: true, encoding: .utf8)
      for (start, name) in [("'a b/w.json5' --set feed.items=30", "r"), ("- --set feed.items=30 < 'a b/w.json5'", "s")] {
        let result = try BuiltTool.shell("prefetch-sweep run --repeats 8 --output \(name) \(start)", in: folder)
        #expect(result.status == 0, "\(result.errors)")
        let report = try String(contentsOf: folder.appendingPathComponent("\(name)/report.md"), encoding: .utf8)
        let shown = report.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
        let printed = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let commands = Set((shown + printed).filter { $0.hasPrefix("prefetch-sweep ") })
        #expect(commands.count >= 4 && commands.count { $0.contains(" explain ") } == 1, "\(commands)")
        #expect(commands.count { $0.contains("--output") } >= 2, "\(commands)")
        for command in commands {
          let again = try BuiltTool.shell(command.replacing(/--repeats \d+/, with: "--repeats 9"), in: folder)
          #expect(again.status == 0, "\(command): \(again.errors)")
        }
      }
    }
  }

  /// The three commands write the same candidate.
  @Test func reportAndMergeWriteTheWinnerOfTheRun() throws {
    try BuiltTool.withFolder { folder in
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      let sweep = try write(
        """
        { sweep: "w", repeats: 12, axes: { "prefetcher.ahead": [1, 4] }, baseline: { "prefetcher.ahead": 0 },
          scenario: { network: { profile: "3G", transport: "fluid" }, \(Self.feed), prefetcher: "itemsAhead" } }
        """, to: folder)
      func winner(_ name: String, _ arguments: [String]) throws -> String {
        let result = try BuiltTool.run(arguments + ["--write-winner", path(name)])
        #expect(result.status == 0 && result.output.contains("Winner: \(path(name)); check it on new seeds: "), "\(result.errors)")
        return try String(contentsOfFile: path(name), encoding: .utf8).replacing(name, with: "NAME")
      }
      let settings = ["--set", "feed.items=30"]
      let own = try winner("a.json5", ["run", sweep, "--output", path("r")] + settings)
      #expect(own.contains("\"prefetcher.ahead\": 4") && own.contains("--scenario feed.items=30"), "\(own)")
      #expect(try winner("b.json5", ["report", path("r"), "--sweep", sweep]) == own)
      let shards = ["s0", "s1"].map(path)
      for (index, shard) in shards.enumerated() {
        #expect(try BuiltTool.run(["run", sweep, "--shard", "\(index)/2", "--output", shard, "--quiet"] + settings).status == 0)
      }
      #expect(try winner("c.json5", ["merge", "--output", path("m")] + shards) == own)
      let other = path("other.json5")
      try String(contentsOfFile: sweep, encoding: .utf8).replacing("[1, 4]", with: "[1, 5]").write(
        toFile: other, atomically: true, encoding: .utf8)
      for (arguments, problem) in [
        (["report", path("r"), "--sweep", other], "other.json5: is not the sweep of "),
        (["merge", "--output", path("n"), "--sweep", other] + shards, "is not the sweep of the shards"),
      ] {
        let refused = try BuiltTool.run(arguments + ["--write-winner", path("d.json5")])
        #expect(refused.status == 2 && refused.errors.contains(problem), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: path("d.json5")))
      }
      // Results name the sweep file as the user wrote it.
      #expect(try winner("e.json5", ["report", path("r")]) == own)
      try FileManager.default.removeItem(atPath: sweep)
      let refused = try BuiltTool.run(["report", path("r"), "--write-winner", path("d.json5")])
      #expect(refused.status == 2 && refused.errors.contains("--write-winner: needs the sweep file of "), "\(refused.errors)")
    }
  }

  @Test func withoutAWinnerNoFileIsWrittenAndTheStatusSaysSo() throws {
    try BuiltTool.withFolder { folder in
      let path = try write(
        """
        { sweep: "w", repeats: 6, axes: { "prefetcher.ahead": [0, 1] }, baseline: { "prefetcher.ahead": 8 },
          scenario: { network: { profile: "3G", transport: "fluid" }, \(Self.feed), prefetcher: "itemsAhead" } }
        """, to: folder)
      let file = folder.appendingPathComponent("winner.json5")
      let arguments = ["run", path, "--output", folder.appendingPathComponent("r").path, "--write-winner", file.path]
      let result = try BuiltTool.run(arguments)
      #expect(result.status == 1 && result.errors.contains("no point is better than the baseline, so that no file was written"))
      // No candidate of an earlier result stays beside this one.
      try "{}".write(to: file, atomically: true, encoding: .utf8)
      let others = try BuiltTool.run(arguments)
      #expect(others.status == 2 && others.errors.contains("is a file that this option did not write"), "\(others.errors)")
      try "// The winner of the sweep w, as a candidate.\n{}\n".write(to: file, atomically: true, encoding: .utf8)
      let again = try BuiltTool.run(arguments)
      #expect(again.status == 1 && again.errors.contains("so that \(file.path), of an earlier result, was removed"), "\(again.errors)")
      #expect(!FileManager.default.fileExists(atPath: file.path))
      #expect(result.output.contains("Report: ") && !FileManager.default.fileExists(atPath: file.path))
      for option in [["--shard", "0/2"], ["--list"], ["--point", "baseline"], ["--where"]] {
        let refused = try BuiltTool.run(arguments + option)
        #expect(refused.status == 2 && refused.errors.contains("--write-winner: needs the whole sweep"), "\(refused.errors)")
      }
      let input = try BuiltTool.run(["run", path, "--write-winner", path])
      #expect(input.status == 2 && input.errors.contains("which this command reads"), "\(input.errors)")
    }
  }
}
