import Foundation
import TestSupport
import Testing

@testable import SweepTool

/// No output of a command replaces one of its inputs, or a file that the output did not write.
@Suite struct OutputSafetyTests {
  /// A command with the words before its outputs.
  struct Case: CustomTestStringConvertible, Sendable {
    var words: [String]
    var option: String
    var testDescription: String { "\(words[0]) \(option)" }
  }

  private static let words: [String: [String]] = [
    "run": ["run", "s.json5", "--output", "new", "--quiet"],
    "check": [
      "check", "--sweep", "s.json5", "--candidate", "c.json5", "--baseline", "b.json5", "--waivers", "waivers.json5", "--repeats", "500",
      "--cache", "cache", "--quiet",
    ],
    "merge": ["merge", "s0", "s1", "--output", "new", "--quiet"], "report": ["report", "out"],
    "history": ["history", "add", "out"], "explain": ["explain", "s.json5"],
    "fit": ["fit", "telemetry.json5", "--sweep", "s.json5", "--repeats", "1", "--levels", "1"],
    "import": ["import", "a.har", "--format", "har"],
  ]

  /// Every option of every command that writes a single file.
  static var cases: [Case] {
    Tool.commands.flatMap { command in
      command.help.options.filter { $0.form != nil }.map { Case(words: words[command.name] ?? [command.name], option: $0.name) }
    }
  }

  private static let files: [String: String] = [
    "s.json5": """
    { sweep: "s", settings: "settings.json5", baseline: "base.json5", axes: { "prefetcher.maxCost": [1, 9] }, repeats: 6,
      scenario: { feed: { file: "feed.json" }, user: { recording: "sub/visits.csv" },
        network: { trace: "trace.json", transport: "fluid" }, prefetcher: "costBudget" } }
    """,
    "settings.json5": "{ \"downloads.connections\": 4 }", "base.json5": "{ \"prefetcher.maxCost\": 1 }",
    "c.json5": "{ \"prefetcher.maxCost\": 9 }", "b.json5": "{ \"prefetcher.maxCost\": 1 }", "waivers.json5": "[]",
    "trace.json": "[ { \"duration_ms\": 10000, \"bandwidth_kbps\": 780, \"latency_ms\": 100 } ]\n",
    "sub/visits.csv": "item,dwellMs\n" + (0..<24).map { "\($0),1000\n" }.joined(),
    "feed.json": "{ \"items\": [\n"
      + (0..<24).map { "  { \"kind\": \"image\", \"bytes\": \($0 % 4 == 3 ? 150_000 : 20_000) }" }.joined(separator: ",\n")
      + "\n] }\n",
    "telemetry.json5": """
    { networks: { a: { sessions: 900, timeToFirstByte: { edges: ["100ms", "200ms"], counts: [2, 5, 3] },
      throughput: { edges: ["1Mbps", "3Mbps"], counts: [2, 5, 3] } } } }
    """,
    "note.txt": "mine\n",
    "prior.json5": """
    { sweep: "prior", search: "racing", prior: "out", axes: { "prefetcher.maxCost": [1, 9] }, repeats: 6,
      scenario: { feed: { file: "feed.json" }, user: { recording: "sub/visits.csv" },
        network: { trace: "trace.json", transport: "fluid" }, prefetcher: "costBudget" } }
    """,
  ]

  /// Makes a folder with all inputs of all commands: files, results, shards, a history, a cache and an archive.
  private static func withInputs(_ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
      for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
      for command in [
        "run s.json5 --output out --history h.jsonl", "run s.json5 --shard 0/2 --output s0", "run s.json5 --shard 1/2 --output s1",
        "explain s.json5 --har a.har", "check --sweep s.json5 --candidate c.json5 --cache cache --repeats 500",
      ] {
        let result = try BuiltTool.run(command.split(separator: " ").map(String.init), in: folder, environment: ["GITHUB_STEP_SUMMARY": ""])
        #expect([0, 3].contains(result.status), "\(command): \(result.errors)")
      }
      try body(folder)
    }
  }

  /// Returns the contents of all files below a folder by path.
  private static func contents(_ folder: URL) throws -> [String: Data] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.reduce(into: [:]) { contents, path in
      let file = folder.appendingPathComponent(path)
      if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true { contents[path] = try Data(contentsOf: file) }
    }
  }

  @Test(arguments: cases) func noOutputReplacesAFileThatItsOptionDidNotWrite(_ made: Case) throws {
    try Self.withInputs { folder in
      let rows = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("cache").path)
      var names = Self.files.keys + ["a.har", "h.jsonl", "cache/\(rows[0])"]
      names += ["runs.csv", "sweep.json", "summary.csv", "report.md", "report.html", "manifest.json", "charts/cost.svg", ".journal/runs"]
        .map { "out/\($0)" }
      names += ["s0/runs.csv", "s0/shard.json", "s1/.journal/runs", "out/.journal/lock"]
      // A file of the form that the option itself writes, which the command does not read.
      let own = [
        "--history": ["h.jsonl"], "--har": ["a.har"],
        "--output": made.words[0] == "import" ? ["feed.json", "sub/visits.csv"] : [],
      ]
      names.removeAll { own[made.option]?.contains($0) == true }
      let links = folder.appendingPathComponent("links")
      try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
      for (index, name) in names.enumerated() {
        try FileManager.default.createSymbolicLink(atPath: "\(links.path)/soft\(index)", withDestinationPath: "../\(name)")
        try FileManager.default.linkItem(at: folder.appendingPathComponent(name), to: links.appendingPathComponent("hard\(index)"))
      }
      let before = try Self.contents(folder)
      for (index, name) in names.enumerated() {
        let spellings = [
          name, "./\(name)", "sub/../\(name)", "links/soft\(index)", "links/hard\(index)", folder.appendingPathComponent(name).path,
        ]
        let words =
          made.words + (made.option == "--timings" ? ["--output", "new.json"] : []) + [made.option, spellings[index % spellings.count]]
        let result = try BuiltTool.run(words, in: folder, environment: ["GITHUB_STEP_SUMMARY": ""])
        #expect(result.status == 2 && result.output.isEmpty, "\(words): \(result.status) \(result.errors)")
        #expect(try Self.contents(folder) == before, "\(words)")
      }
    }
  }

  @Test(arguments: cases) func anOutputReplacesItsOwnFile(_ made: Case) throws {
    try Self.withInputs { folder in
      let words = made.words + (made.option == "--timings" ? ["--output", "new.json"] : []) + [made.option, "own/file"]
      for _ in 0..<2 {
        let result = try BuiltTool.run(words, in: folder, environment: ["GITHUB_STEP_SUMMARY": ""])
        #expect([0, 3].contains(result.status), "\(words): \(result.errors)")
        #expect(try !Data(contentsOf: folder.appendingPathComponent("own/file")).isEmpty)
      }
    }
  }

  @Test(arguments: [
    (["run", "s.json5"], "new/runs.csv"), (["run", "s.json5"], "./new/report.md"), (["run", "s.json5"], "new/charts/cost.svg"),
    (["run", "s.json5"], "new/.journal/runs"), (["merge", "s0", "s1"], "new/sweep.json"), (["report", "out"], "new/comparison.md"),
  ]) func aFileOfTheResultsIsNoOtherOutput(_ command: [String], _ path: String) throws {
    try Self.withInputs { folder in
      let before = try Self.contents(folder)
      for option in ["--write-winner", "--history"] where command[0] != "report" || option == "--write-winner" {
        let more = command[0] == "report" ? ["--compare", "out"] : []
        let result = try BuiltTool.run(command + more + ["--output", "new", option, path], in: folder)
        #expect(result.status == 2, "\(option) \(path): \(result.errors)")
        #expect(try Self.contents(folder) == before)
      }
      let both = try BuiltTool.run(["run", "s.json5", "--output", "new", "--write-winner", "x", "--history", "./x"], in: folder)
      #expect(both.status == 2 && both.errors.contains("is the file of --write-winner too"), "\(both.errors)")
      #expect(try Self.contents(folder) == before)
    }
  }

  /// A folder of results gets no file in the place of another's: an input by its name, or a file of another form.
  @Test func aFolderKeepsInputsAndFilesOfOthers() throws {
    try Self.withInputs { folder in
      func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
      for name in ["a", "b", "c", "d", "e"] {
        try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
      }
      let plain = try String(contentsOf: file("s.json5"), encoding: .utf8).replacing("\"settings.json5\"", with: "\"../settings.json5\"")
        .replacing("\"base.json5\"", with: "\"../base.json5\"").replacing("\"feed.json\"", with: "\"../feed.json\"")
        .replacing("\"sub/", with: "\"../sub/").replacing("\"trace.json\"", with: "\"../trace.json\"")
      try plain.write(to: file("a/sweep.json"), atomically: true, encoding: .utf8)
      try "# Notes\n".write(to: file("b/report.md"), atomically: true, encoding: .utf8)
      try "<svg/>".write(to: file("c/summary.csv"), atomically: true, encoding: .utf8)
      try FileManager.default.copyItem(at: file("settings.json5"), to: file("d/manifest.json"))
      try plain.replacing("../settings.json5", with: "manifest.json").write(to: file("d/s.json5"), atomically: true, encoding: .utf8)
      try "# Notes\n".write(to: file("e/history.md"), atomically: true, encoding: .utf8)
      let before = try Self.contents(folder)
      for command in [
        "run a/sweep.json --output a", "run s.json5 --output b", "run s.json5 --output c", "run d/s.json5 --output d",
        "run prior.json5 --output out", "merge s0 s1 --output b", "report out --output b", "report out --compare out --output c",
        "history show h.jsonl --output e", "report out --compare s0 --output s0",
      ] {
        let result = try BuiltTool.run(command.split(separator: " ").map(String.init), in: folder)
        #expect(result.status == 2 && result.output.isEmpty, "\(command): \(result.status) \(result.errors)")
        #expect(try Self.contents(folder) == before, "\(command)")
      }
      for command in [
        "run s.json5 --output out --quiet", "merge s0 s1 --output m --quiet", "report out --compare out --output r",
        "history show h.jsonl --output h", "report out --output r2",
      ] {
        for _ in 0..<2 {
          let result = try BuiltTool.run(command.split(separator: " ").map(String.init), in: folder)
          #expect(result.status == 0, "\(command): \(result.errors)")
        }
      }
    }
  }

  /// Without a winner the sweep's own files stay, and only the option's own file is removed.
  @Test func withoutAWinnerOnlyAnOlderWinnerIsRemoved() throws {
    try Self.withInputs { folder in
      let words = ["run", "s.json5", "--output", "out", "--quiet", "--set", "prefetcher.maxCost=[1]", "--write-winner"]
      let won = try BuiltTool.run(["run", "s.json5", "--output", "out", "--quiet", "--write-winner", "w.json5"], in: folder)
      #expect(won.status == 0, "\(won.errors)")
      let lost = try BuiltTool.run(words + ["w.json5"], in: folder)
      #expect(lost.status == 1 && lost.errors.contains("w.json5, of an earlier result, was removed"), "\(lost.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("w.json5").path))
      #expect(try BuiltTool.run(words + ["note.txt"], in: folder).status == 2)
    }
  }

  /// An option whose value is a file either reads it or declares the form of what it writes.
  @Test func everyOptionOfAFileIsAnInputOrAnOutput() {
    let inputs = ["--sweep", "--candidate", "--baseline", "--waivers", "--trace", "--trace-down", "--trace-up", "--dwells"]
    for command in Tool.commands {
      for option in command.help.options where option.value == "FILE" && option.form == nil {
        #expect(inputs.contains(option.name), "\(command.name) \(option.name)")
      }
    }
  }
}
