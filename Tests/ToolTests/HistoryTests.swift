import Foundation
import TestSupport
import Testing

/// The command `history`, and the option `--history`.
@Suite struct HistoryTests {
  private static let sweep = """
    { sweep: "small", repeats: 3, axes: { "prefetcher.ahead": [0, 1, 2] },
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
    """
  private static let plain = ["GITHUB_SHA": "", "CI_COMMIT_SHA": ""]

  /// Runs the tool in a folder that has the sweep `s.json5`.
  private func tool(_ words: [String], _ folder: URL, status: Int32 = 0) throws -> ToolResult {
    let result = try BuiltTool.run(words, in: folder, environment: Self.plain)
    #expect(result.status == status, "\(words): \(result.errors)")
    return result
  }

  private func withSweep(_ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try Self.sweep.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      try body(folder)
    }
  }

  private func lines(_ folder: URL) throws -> [Substring] {
    try String(contentsOf: folder.appendingPathComponent("h"), encoding: .utf8).split(separator: "\n")
  }

  /// Changes a file of a folder.
  private func edit(_ path: String, _ folder: URL, _ change: (String) -> String) throws {
    let file = folder.appendingPathComponent(path)
    try change(String(contentsOf: file, encoding: .utf8)).write(to: file, atomically: false, encoding: .utf8)
  }

  @Test func theSameResultsAreOneLine() throws {
    try withSweep { folder in
      _ = try tool(["run", "s.json5", "--quiet", "--output", "r/a", "--history", "h", "--commit", "c0ffee"], folder)
      #expect(try tool(["history", "add", "r/a/", "--history", "h"], folder).output.contains("already has the results of small"))
      // The journal has all runs, so that the second start makes none.
      _ = try tool(["run", "s.json5", "--quiet", "--output", "r/a", "--history", "h"], folder)
      #expect(try lines(folder).count == 1)
      #expect(try lines(folder)[0].contains("\"commit\":\"c0ffee\""))
      _ = try tool(["history", "add", "r/a"], folder)
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("r/history.jsonl").path))
    }
  }

  @Test(arguments: ["repeats: 3", "repeats: 8, search: \"halving\""])
  func aMergeDoneAgainIsOneLine(_ plan: String) throws {
    try withSweep { folder in
      try edit("s.json5", folder) { $0.replacing("repeats: 3", with: plan) }
      func shards() throws {
        // A shard of a search ends with 75 until the other has its runs of the round.
        var left = ["0", "1"]
        for _ in 0..<9 {
          left = try left.filter { shard in
            let words = ["run", "s.json5", "--quiet", "--shard", "\(shard)/2", "--output", "r/shards/\(shard)-of-2"]
            return try BuiltTool.run(words, in: folder, environment: Self.plain).status == 75
          }
        }
      }
      func merge() throws -> String {
        try tool(["merge", "r/shards/0-of-2", "r/shards/1-of-2", "--output", "m", "--history", "h"], folder).errors
      }
      try shards()
      #expect(try merge() == "")
      let first = try lines(folder)
      #expect(first.count == 1)
      // A search also says that it takes the runs from its journal.
      #expect(try merge().hasSuffix("h: already has the results of small\n"))
      #expect(try tool(["history", "add", "m", "--history", "h"], folder).output == "h: already has the results of small\n")
      // The same commands again make no run.
      try shards()
      #expect(try merge().hasSuffix("h: already has the results of small\n"))
      #expect(try lines(folder) == first)
      // Another night gives the same rows at another time.
      for shard in ["0", "1"] {
        try edit("r/shards/\(shard)-of-2/manifest.json", folder) {
          $0.replacing(#/"resumedRuns" : \d+/#, with: "\"resumedRuns\" : 0")
            .replacing(#/"started" : "[^"]*"/#, with: "\"started\" : \"2999-01-01T00:00:00Z\"")
        }
      }
      try FileManager.default.removeItem(at: folder.appendingPathComponent("m"))
      #expect(try merge() == "")
      #expect(try lines(folder).count == 2)
      #expect(try lines(folder)[1].contains("\"date\":\"2999-01-01T00:00:00Z\""))
    }
  }

  /// The runs and their rows are the same; the first line has no constraints, as lines of older programs.
  @Test func aChangedObjectiveIsANewLineAndANamedCause() throws {
    try withSweep { folder in
      func run(_ objective: String) throws -> String {
        try edit("s.json5", folder) { $0.replacing(/repeats: 3,( objective: .*? },)?/, with: "repeats: 3,\(objective)") }
        _ = try tool(["run", "s.json5", "--quiet", "--output", "r", "--history", "h", "--commit", "c0ffee"], folder)
        // The candidate has fewer loaders and more bytes.
        let check = ["check", "--sweep", "s.json5", "--set", "prefetcher.ahead=1", "--quiet", "--history", "h"]
        _ = try tool(check, folder, status: objective.contains("minimize") ? 3 : 0)
        return try tool(["history", "show", "h"], folder).output
      }
      _ = try run("")
      #expect(try lines(folder).count == 2 && !lines(folder)[0].contains("constraints"))
      let bound = try run(" objective: { subjectTo: [\"bytesReceived <= 1GB\"] },")
      let cause = "The objective changed (loaders per 1000 → loaders per 1000, subject to bytesReceived <= 1GB)."
      #expect(try lines(folder).count == 4 && bound.contains(cause), "\(bound)")
      #expect(bound.contains("the objective changed (loadersPer1000 → loadersPer1000, subject to bytesReceived <= 1GB)"), "\(bound)")
      // Status 0: means of bytes are not compared with means of loaders.
      let other = try run(" objective: { minimize: \"bytesReceived\" },")
      #expect(other.contains("subject to bytesReceived <= 1GB → bytes of bytesReceived)."), "\(other)")
      #expect(!other.contains("UNEXPLAINED") && other.contains(" loaders per 1000 "), "\(other)")
    }
  }

  @Test func aCheckDoneAgainIsOneLine() throws {
    try withSweep { folder in
      func check(_ ahead: String, _ more: [String]) throws -> String {
        let words = ["check", "--sweep", "s.json5", "--set", "prefetcher.ahead=\(ahead)", "--format", "bench", "--history", "h"]
        return try tool(words + more, folder).errors
      }
      let commands: [(ahead: String, more: [String], note: String)] = [
        ("1", [], ""), ("1", [], "h: already has this check of small\n"),
        // The last check counts: a setting may come back.
        ("2", [], ""), ("1", [], ""), ("1", ["--commit", "c0ffee"], ""),
      ]
      for command in commands {
        let errors = try check(command.ahead, command.more)
        #expect(errors == command.note)
      }
      #expect(try lines(folder).count == 4)
    }
  }

  @Test func productionHasALineWhereAChecksSettingsAreAPoint() throws {
    try withSweep { folder in
      func show() throws -> (text: String, page: String) {
        let text = try tool(["history", "show", "h", "--output", "page", "--sweep", "small"], folder).output
        return (text, try String(contentsOf: folder.appendingPathComponent("page/history.html"), encoding: .utf8))
      }
      for seed in ["1", "2"] { _ = try tool(["run", "s.json5", "--quiet", "--output", seed, "--seed", seed, "--history", "h"], folder) }
      #expect(try !show().page.contains("production"))
      // Production is the sweep's baseline.
      _ = try tool(["check", "--sweep", "s.json5", "--set", "prefetcher.ahead=2", "--quiet", "--history", "h"], folder)
      let same = try show()
      #expect(same.text.contains("baseline (production)") && same.page.contains("diamonds: the baseline (production); dashed"))
      #expect(!same.page.contains("squares"))
      // Production is another point, whose mean is that of the sweep's own runs.
      try FileManager.default.removeItem(at: folder.appendingPathComponent("h"))
      for seed in ["1", "2"] { _ = try tool(["history", "add", seed, "--history", "h"], folder) }
      let settings = "{ prefetcher: { kind: \"itemsAhead\", ahead: 1 } }"
      try settings.write(to: folder.appendingPathComponent("p.json5"), atomically: true, encoding: .utf8)
      let check = ["check", "--sweep", "s.json5", "--baseline", "p.json5", "--set", "prefetcher.ahead=2", "--quiet", "--history", "h"]
      _ = try tool(check, folder)
      let other = try show()
      #expect(other.page.contains("diamonds: the baseline; squares: production"))
      for (seed, tip) in zip(["1", "2"], other.page.matches(of: /: production \(ahead 1\), ([0-9.]+)</)) {
        let rows = try String(contentsOf: folder.appendingPathComponent("\(seed)/summary.csv"), encoding: .utf8).split(separator: "\n")
        let cells = rows.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let mean = Double(cells.first { $0[1] == "1" }![cells[0].firstIndex(of: "loadersPer1000")!])!
        #expect((Double(tip.1)! - mean).magnitude <= 5, "\(tip.1) for \(mean)")
        #expect(other.text.contains(" \(tip.1) "), "the table has the chart's number")
      }
      #expect(other.page.matches(of: #/: production \(ahead 1\), /#).count == 2)
    }
  }

  @Test func writersAtOnceLoseNoLine() throws {
    try withSweep { folder in
      let names = (0..<6).map { "r\($0)" }
      for name in names {
        _ = try tool(["run", "s.json5", "--quiet", "--output", name, "--seed", "\(name.count + Int(name.dropFirst())!)"], folder)
      }
      let processes = try names.map { name in
        let process = Process()
        (process.executableURL, process.arguments) = (BuiltTool.path, ["history", "add", name, "--history", "h"])
        (process.currentDirectoryURL, process.standardOutput) = (folder, FileHandle.nullDevice)
        try process.run()
        return process
      }
      for process in processes { process.waitUntilExit() }
      #expect(processes.map(\.terminationStatus) == names.map { _ in 0 })
      #expect(try lines(folder).count == 6)
      #expect(try tool(["history", "show", "h"], folder).errors == "")
    }
  }

  @Test func aTornLineIsDroppedAndTheOthersStay() throws {
    try withSweep { folder in
      for (seed, runs) in [("1", "in its only run"), ("2", "in both runs")] {
        _ = try tool(["run", "s.json5", "--quiet", "--output", seed, "--seed", seed, "--history", "h"], folder)
        #expect(try tool(["history", "show", "h"], folder).output.contains(runs))
      }
      let file = folder.appendingPathComponent("h")
      let whole = try Data(contentsOf: file)
      let first = try lines(folder)[0].utf8.count + 1
      for size in [first + 1, first + 9, first + 30, whole.count - 2] {
        try whole.prefix(size).write(to: file)
        #expect(try tool(["history", "show", "h"], folder).errors.contains("h:2:1: the last line is incomplete and ignored"))
        _ = try tool(["history", "add", "2", "--history", "h"], folder)
        #expect(try Data(contentsOf: file) == whole, "torn after \(size) bytes")
      }
      // A line feed alone may be missing.
      try whole.prefix(whole.count - 1).write(to: file)
      _ = try tool(["run", "s.json5", "--quiet", "--output", "3", "--seed", "3", "--history", "h"], folder)
      #expect(try Data(contentsOf: file).starts(with: whole))
      try edit("h", folder) { $0.replacing("\"seed\":2", with: "\"seed\":4") }
      let edited = try tool(["history", "show", "h"], folder)
      #expect(edited.errors.contains("h:2:1: the checksum is another"), "\(edited.errors)")
      #expect(edited.output.contains("in both runs"))
    }
  }

  @Test(arguments: [
    ("hello\n", "h:1:1: history: this is no history; name a file that `prefetch-sweep history add` wrote"),
    ("", "h: history: has no entry; add results with `prefetch-sweep history add`"),
  ])
  func anotherFileIsRefusedAndKept(_ text: String, _ message: String) throws {
    try withSweep { folder in
      try text.write(to: folder.appendingPathComponent("h"), atomically: true, encoding: .utf8)
      #expect(try tool(["history", "show", "h"], folder, status: 2).errors == message + "\n")
      guard !text.isEmpty else { return }
      #expect(try tool(["run", "s.json5", "--history", "h"], folder, status: 2).errors == message + "\n")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Results").path))
      #expect(try lines(folder) == ["hello"])
    }
  }

  @Test func eachDifferenceHasItsReason() throws {
    try withSweep { folder in
      func run(_ name: String, _ options: [String] = []) throws -> String {
        _ = try tool(["run", "s.json5", "--quiet", "--output", name, "--history", "h"] + options, folder)
        let shown = try tool(["history", "show", "h"], folder).output
        return shown.split(separator: "\n").first { $0.hasPrefix("- ") }.map(String.init) ?? ""
      }
      #expect(try run("1") == "")
      #expect(try run("2") == "", "the same sweep")
      #expect(try run("3", ["--commit", "abc"]).hasSuffix(": The app changed (none → abc)."))
      let scenario = try run("4", ["--commit", "abc", "--set", "user.dwell=2s"])
      #expect(scenario.contains(" moved, most of all ") && scenario.contains("because the scenario changed (user: "), "\(scenario)")
      let seed = try run("5", ["--commit", "abc", "--set", "user.dwell=2s", "--seed", "7"])
      #expect(seed.hasSuffix("because the seed changed (1 → 7)."), "\(seed)")
      let repeats = try run("6", ["--commit", "abc", "--set", "user.dwell=2s", "--seed", "7", "--repeats", "5"])
      #expect(repeats.hasSuffix("because the repetitions changed (3 → 5)."), "\(repeats)")
      let points = try run(
        "7", ["--commit", "abc", "--set", "user.dwell=2s", "--seed", "7", "--repeats", "5", "--set", "prefetcher.ahead=[0, 1]"])
      #expect(points.contains("The points changed (0 new, 1 gone)"), "\(points)")
    }
  }

  @Test func anEditedResultIsUnexplained() throws {
    try withSweep { folder in
      _ = try tool(["run", "s.json5", "--quiet", "--output", "1", "--history", "h"], folder)
      _ = try tool(["run", "s.json5", "--quiet", "--output", "2"], folder)
      // The first run of the first point shows fewer loaders.
      try edit("2/runs.csv", folder) { text in
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let column = lines[0].split(separator: ",").firstIndex(of: "loadersPer1000")!
        var cells = lines[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        cells[column] = "\(Double(cells[column])! - 1)"
        lines[1] = cells.joined(separator: ",")
        return lines.joined(separator: "\n")
      }
      try edit("2/manifest.json", folder) { $0.replacing(#/"started" : "[^"]*"/#, with: "\"started\" : \"2999-01-01T00:00:00Z\"") }
      _ = try tool(["history", "add", "2", "--history", "h"], folder)
      let shown = try tool(["history", "show", "h", "--output", "page"], folder, status: 3)
      #expect(shown.output.contains("UNEXPLAINED. 1 point moved"), "\(shown.output)")
      let page = try String(contentsOf: folder.appendingPathComponent("page/history.html"), encoding: .utf8)
      #expect(page.contains("UNEXPLAINED") && page.contains("1 difference has no explanation"))
      // Each mark of the chart, the crosses of the unexplained among them, has a style.
      let classes = Set(page.matches(of: /<(?:path|line|circle)[^>]* class="([a-z0-9]+)"/).map(\.1))
      #expect(classes.contains("cancelled") && classes.allSatisfy { page.contains(".chart .\($0){") }, "\(classes)")
      // Another model explains it.
      try edit("2/sweep.json", folder) { $0.replacing("\"modelVersion\" : \"4\"", with: "\"modelVersion\" : \"5\"") }
      try edit("2/manifest.json", folder) { $0.replacing("2999", with: "2998") }
      try FileManager.default.removeItem(at: folder.appendingPathComponent("h"))
      for name in ["1", "2"] { _ = try tool(["history", "add", name, "--history", "h"], folder) }
      #expect(try tool(["history", "show", "h"], folder).output.contains("because the model changed (4 → 5)"))
    }
  }

  @Test func checksAreASeriesOfTheirOwn() throws {
    try withSweep { folder in
      for ahead in ["1", "2"] {
        _ = try tool(["check", "--sweep", "s.json5", "--set", "prefetcher.ahead=\(ahead)", "--quiet", "--history", "h"], folder)
      }
      let shown = try tool(["history", "show", "h"], folder).output
      #expect(shown.contains("small (check)") && shown.contains("the candidate changed (prefetcher.ahead: 1 → 2)"), "\(shown)")
    }
  }

  /// Returns what the manual's crontab and systemd unit start, for a shell.
  private func overnightCommands(in home: URL) throws -> [String] {
    let blocks = DocumentationPages.blocks.filter { $0.page.path.hasSuffix("Overnight.md") && $0.text.contains("overnight") }
    let unit = try #require(blocks.first { $0.language == "ini" }).text
    func value(_ key: String) throws -> String {
      String(try #require(unit.split(separator: "\n").first { $0.hasPrefix("\(key)=") }).dropFirst(key.count + 1))
    }
    let start = try value("ExecStart").replacing("%h", with: "\"$HOME\"")
    let crontab = DocumentationPages.commands.joined().filter { $0.block.language == "crontab" && $0.text.contains(" overnight ") }
    return [try #require(crontab.first).text, "cd \(try value("WorkingDirectory").replacing("%h", with: "\"$HOME\"")) && \(start)"]
  }

  /// 36 days of an app's repository, by the commands of the manual: a phone, of which a script is the substitute, is slower from the 31st
  /// overnight run on; the feed is edited before the 32nd.
  @Test func overnightRunsSaySinceWhen() throws {
    try withSweep { folder in
      let (app, programs) = (folder.appendingPathComponent("feed-app"), folder.appendingPathComponent(".local/bin"))
      let (sweeps, results) = (app.appendingPathComponent("Sweeps"), app.appendingPathComponent("Results"))
      for folder in [sweeps, results, programs] { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
      try FileManager.default.moveItem(at: folder.appendingPathComponent("s.json5"), to: sweeps.appendingPathComponent("s.json5"))
      try FileManager.default.createSymbolicLink(
        at: programs.appendingPathComponent("prefetch-sweep"), withDestinationURL: BuiltTool.path)
      let scripts = [
        "feed-app/Sweeps/phone": """
        #!/bin/bash
        awk -v a=$1 -v s=$2 -v n=$RUN 'BEGIN { srand((s % 1000) * 31 + a * 977 + n * 7777); for (i = 0; i < 12; i++) u += rand()
          print "loaders=" int((300 - 60 * a) * (1 + 0.04 * (u - 6)) * (n >= 31 ? 1.2 : 1)) " viewed=1000" }'
        """,
        ".local/bin/mail":
          "#!/bin/sh\nfor last; do :; done; echo \"$# $2 $3 $last\" >> \"$HOME/mails\"; grep -c '| good |' \"$last\" >> \"$HOME/mails\"\n",
      ]
      for (name, text) in scripts {
        try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.appendingPathComponent(name).path)
      }
      try """
      { sweep: "phone", repeats: 6, axes: { "prefetcher.ahead": [0, 1, 2, 3] },
        scenario: { network: "3G", feed: { items: 10 }, prefetcher: { kind: "itemsAhead" } },
        backend: { command: ["./phone", "{prefetcher.ahead}", "{seed}"], metrics: {
          loaders: { pattern: "loaders=([0-9]+)" }, viewed: { pattern: "viewed=([0-9]+)" } } } }
      """.write(to: sweeps.appendingPathComponent("p.json5"), atomically: true, encoding: .utf8)
      let commands = try overnightCommands(in: folder)
      var statuses: [Int32] = []
      for number in 1...36 {
        if number == 32 { try edit("feed-app/Sweeps/s.json5", folder) { $0.replacing("items: 20", with: "items: 30") } }
        // A start continues the folder of a stopped one, so that the date is not today's.
        let date = (number > 31 ? "2026-02-0\(number - 31)" : number > 9 ? "2026-01-\(number)" : "2026-01-0\(number)")
        try date.write(to: results.appendingPathComponent(".unfinished"), atomically: true, encoding: .utf8)
        let environment = [
          "PATH": "\(programs.path):/usr/bin:/bin", "HOME": folder.path, "RUN": "\(number)", "GITHUB_SHA": number < 31 ? "aaaa" : "bbbb",
        ]
        let shell = URL(fileURLWithPath: "/bin/sh")
        let command = ["-c", commands[number == 2 || number == 5 ? 1 : 0]]
        statuses.append(try BuiltTool.run(command, in: folder, environment: environment, program: shell).status)
      }
      #expect(statuses[30] == 3 && statuses.allSatisfy { $0 == 0 || $0 == 3 }, "\(statuses)")
      let last = try String(contentsOf: results.appendingPathComponent("2026-02-05/overnight.md"), encoding: .utf8)
      #expect(last.contains("- p: **ahead 3** wins in all 36 runs.") && last.contains("(history.html)"), "\(last)")
      let shown = try tool(["history", "show", "feed-app/Results/history.jsonl"], folder).output
      #expect(shown.contains("the scenario changed (") && shown.contains("20 items → 30 items"), "\(shown)")
      let change = shown.split(separator: "\n").first { $0.contains("all points together rose by") }
      #expect(change?.hasSuffix("There also the app changed (aaaa → bbbb).") == true, "\(shown)")
      let mails = try String(contentsOf: folder.appendingPathComponent("mails"), encoding: .utf8)
      #expect(mails.hasPrefix("5 sweeps team@example.org Results/2026-01-01/overnight.md\n2\n"), "\(mails)")
      #expect(mails.split(separator: "\n").count == 68, "\(mails)")
      #expect(try String(contentsOf: app.appendingPathComponent("overnight.log"), encoding: .utf8).contains("2 good, 0 failed, 0 refused"))
    }
  }
}
