import Foundation
import TestSupport
import Testing

@testable import SweepTool

/// A reader who pastes a command or a sweep of README.md or of the manual gets what the page promises.
@Suite struct ReadMeTests {
  /// A command that is not run here, and how it is checked instead.
  private struct Exception {
    /// The first words of the command.
    var beginning: String
    /// A word that makes the command run after all.
    var unless: String?
    var reason: String
    /// An option that makes the tool read the whole command and do nothing; nil where the tool is not asked.
    var option: String?
  }

  private static let exceptions = [
    Exception(beginning: "swift test", reason: "would run itself"),
    Exception(beginning: "swift build", reason: "takes minutes; the product must be in Package.swift"),
    Exception(beginning: ".build/release/prefetch-sweep-live", reason: "needs a server; the product must be in Package.swift"),
    Exception(
      beginning: "prefetch-sweep run Sweeps/device-xcodebuild.json5", unless: "backend=emulated", reason: "needs phones",
      option: "--list"),
    Exception(beginning: "prefetch-sweep check --sweep feed-", reason: "needs phones; DeviceCheckTests acts it out"),
    Exception(
      beginning: "cd $HOME/feed-app && $HOME/.local/bin/prefetch-sweep overnight",
      reason: "runs all sweeps; HistoryTests acts out a week of it"),
    Exception(beginning: "Scripts/package", reason: "builds for minutes"),
    Exception(beginning: "Scripts/check", reason: "runs the tests themselves"),
    Exception(beginning: "Scripts/benchmark", reason: "measures for minutes"),
    Exception(beginning: "Scripts/docs", reason: "builds the package; Scripts/check runs it"),
    Exception(beginning: "Scripts/slurm-sweep.sh", reason: "needs a cluster; Tests/Studies/Checks/Overnight/cluster-test runs it"),
    Exception(beginning: "Scripts/parallel-sweep.sh", reason: "needs GNU parallel; Tests/Studies/Checks/Overnight/cluster-test runs it"),
    Exception(beginning: "Scripts/live-server", reason: "needs nginx; Tests/live-link/live-test runs it"),
    Exception(beginning: "Tests/live-link/live-test", reason: "needs network namespaces; Scripts/check --all runs it"),
    Exception(beginning: "kubectl", reason: "needs a cluster"),
    Exception(beginning: "docker", reason: "needs a container engine"),
    Exception(beginning: "mkdir -p ~/.local/bin && cp .build-package", reason: "needs what Scripts/package builds"),
  ]

  /// Options that shorten a command; they take nothing from what is checked.
  private static let shortening: [(part: String, options: String)] = [
    ("run Sweeps/background.json5", "--repeats 1 --quiet"),
    ("--list", ""), ("--where", ""),
    ("prefetch-sweep run ", "--repeats 1 --quiet --set feed.items=40 --set user.scroll=40"),
    ("prefetch-sweep overnight ", "--repeats 1 --quiet --set feed.items=40 --set user.scroll=40"),
    ("prefetch-sweep fit telemetry.json --output", "--repeats 2"),
    ("prefetch-sweep check ", "--scenario feed.items=20 --scenario user.scroll=20"),
    ("ci-check.sh ", "--scenario feed.items=20 --scenario user.scroll=20"),
    ("prefetch-sweep calibrate ", "--repeats 2 --set feed.items=10 --set user.scroll=10 --quiet"),
  ]

  /// Files that commands and sweeps name and a reader has.
  private static let files = [
    "report.log": "1289406399 549848 59.85 10.76 100000 1000\n1289406400 550848 59.85 10.76 200000 1000\n",
    "bus.csv": "Timestamp,DL_bitrate,State\n2018.01.01_00.00.01,400,D\n2018.01.01_00.00.02,600,D\n",
    "iperf.txt": "[  3]  0.0- 1.0 sec   384 KBytes  3.15 Mbits/sec\n[  3]  1.0- 2.0 sec   384 KBytes  3.15 Mbits/sec\n",
    "feed.har":
      #"{"log":{"entries":[{"startedDateTime":"2018-01-01T00:00:00Z","time":9,"request":{"method":"GET","url":"http://a/1.png"},"#
      + #""response":{"status":200,"content":{"mimeType":"image/png","size":5000},"bodySize":5000},"timings":{"wait":1,"receive":2}}]}}"#,
    "session.har":
      #"{"log":{"entries":[{"startedDateTime":"2018-01-01T00:00:00Z","time":9,"request":{"method":"GET","url":"http://a/1.png"},"#
      + #""response":{"status":200,"content":{"mimeType":"image/png","size":5000},"bodySize":5000},"timings":{"wait":50,"receive":20}}]}}"#,
    "dwells.csv": "item,dwellMs\n0,1000\n",
    "policy.py": "",
    "session.csv": "item,dwellMs\n0,1000\n1,500\n",
    "profiles.plist": "<plist><dict><key>Train</key><dict><key>DownlinkBandwidth</key><real>800</real></dict></dict></plist>",
    "bus.json": "[\n    {\"duration_ms\": 60000, \"bandwidth_kbps\": 800, \"latency_ms\": 100}\n]\n",
    "lte.down": "1\n2\n4\n", "lte.up": "3\n6\n",
    "sessions/monday.csv": "item,dwellMs\n0,1000\n1,500\n",
    "calibrated.json5": #"{ "network.queue": 40 }"#,
    "feed.json":
      "{ \"items\": [\n{\"kind\": \"image\", \"bytes\": 20000}, {\"kind\": \"video\", \"bytes\": 900000, \"prefixBytes\": 200000}\n] }\n",
    "telemetry.json":
      (try? String(contentsOf: Reference.packageRoot.appendingPathComponent("Tests/Corpus/telemetry/two-classes.json5"), encoding: .utf8))
      ?? "",
    "stays.csv": "item,dwellMs\n0,1000\n1,500\n",
    "candidate.json5": #"{ "prefetcher.maxCost": 5 }"#,
    "prefetch/candidate.json5": #"{ "prefetcher.maxCost": 5 }"#,
    "my-feed.json5": feed, "prefetch/my-feed.json5": feed,
  ]
  private static let feed =
    "{ sweep: 'my-feed', scenario: { network: '3G', feed: { items: 20 }, prefetcher: 'costBudget' }, baseline: { 'prefetcher.maxCost': 5 } }"

  @Test func thePagesHaveCommandsAndSweeps() {
    let (commands, sweeps) = (DocumentationPages.commands.joined().count, DocumentationPages.sweeps.count)
    #expect(commands > 60 && sweeps > 20, "\(commands) commands and \(sweeps) sweeps")
  }

  /// Runs the commands of one block in their order, in one folder.
  @Test(arguments: DocumentationPages.commands) func everyCommandRuns(_ commands: [DocumentationPages.Command]) throws {
    try Self.withReadersFolder(for: commands[0].block.page) { folder in
      for command in commands {
        let exception = Self.exceptions.first { exception in
          command.text.hasPrefix(exception.beginning) && !(exception.unless.map(command.text.contains) ?? false)
        }
        if let exception {
          try check(command, exception)
          continue
        }
        if command.text.contains("calibrate") { try makeDeviceResults(in: folder) }
        var text = command.text
        if text.contains("--point ID") { text = text.replacing("--point ID", with: "--point \(try firstPoint(of: text, in: folder))") }
        let result = try run(text, in: folder)
        // A gate may fail; it is asked nothing that it cannot answer.
        let isGood = text.contains(" check ") || text.contains("ci-check") ? [0, 3].contains(result.status) : result.status == 0
        #expect(isGood, "\(command): \(result.status): \(result.errors)")
      }
    }
  }

  @Test(arguments: DocumentationPages.sweeps) func everySweepIsAccepted(_ sweep: DocumentationPages.Sweep) throws {
    try Self.withReadersFolder(for: sweep.block.page) { folder in
      let file = folder.appendingPathComponent("Sweeps/pasted.json5")
      try Self.completed(sweep).write(to: file, atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["run", "Sweeps/pasted.json5", "--list"], in: folder)
      #expect(result.status == 0, "\(sweep): \(result.errors)")
      #expect(result.output.split(separator: "\n").count > 1)
    }
  }

  @Test func theFirstExampleNeedsNoOtherFile() throws {
    let example = try #require(DocumentationPages.sweeps.first)
    #expect(example.key == nil && example.block.page.path == "README.md")
    try BuiltTool.withFolder { folder in
      try example.text.write(to: folder.appendingPathComponent("pasted.json5"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["run", "pasted.json5", "--list"], in: folder)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  /// The first two commands under the first heading are all that a reader of a fresh clone needs. The built tool stands in for the build;
  /// Scripts/check runs the first command as it is written.
  @Test func theFirstCommandRunsInAClone() throws {
    let page = try #require(DocumentationPages.all.first { $0.path == "README.md" }).text
    let section = try #require(page.firstMatch(of: #/(?m)^## .*\n([^\0]*?)^```sh\n([^\0]*?)^```$/#))
    #expect(!section.output.1.contains("## ") && section.output.1.contains(#/Swift \d+\.\d+/#), "the version comes first")
    let commands = section.output.2.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: "  ")?.lowerBound ?? $0.endIndex) }
    #expect(commands == ["swift run -c release prefetch-sweep run Sweeps/featured-3g.json5", "swift test"])
    try BuiltTool.withFolder { folder in
      let clone = folder.appendingPathComponent("clone")
      let root = Reference.packageRoot.path
      let made = try BuiltTool.run(["clone", "--quiet", "--no-hardlinks", root, clone.path], program: URL(fileURLWithPath: "/usr/bin/git"))
      #expect(made.status == 0, "\(made.errors)")
      let words = commands[0].split(separator: " ").dropFirst("swift run -c release prefetch-sweep".split(separator: " ").count)
      let result = try BuiltTool.run(words.map(String.init) + ["--repeats", "2", "--output", "\(folder.path)/results"], in: clone)
      #expect(result.status == 0 && result.output.contains("maxCost"), "\(result)")
    }
  }

  // MARK: The reader

  /// A folder like a clone's without results, with the files that a reader has, and those that the page tells them to write.
  private static func withReadersFolder(for page: DocumentationPages.Page, _ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let manager = FileManager.default
      let root = Reference.packageRoot
      try manager.copyItem(at: root.appendingPathComponent("Sweeps"), to: folder.appendingPathComponent("Sweeps"))
      try manager.createSymbolicLink(
        at: folder.appendingPathComponent("Scripts"), withDestinationURL: root.appendingPathComponent("Scripts"))
      let prior = folder.appendingPathComponent("Results/featured-3g")
      try manager.createDirectory(at: prior, withIntermediateDirectories: true)
      for name in ["runs.csv", "sweep.json"] {
        try manager.copyItem(
          at: root.appendingPathComponent("Results/featured-3g/\(name)"), to: prior.appendingPathComponent("\(name)"))
      }
      for (name, text) in files {
        for file in [folder.appendingPathComponent(name), folder.appendingPathComponent("Sweeps/\(name)")] {
          try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
          try text.write(to: file, atomically: true, encoding: .utf8)
        }
      }
      for block in DocumentationPages.blocks where block.page.path == page.path {
        guard let name = block.fileName else { continue }
        try block.text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
      }
      try manager.createSymbolicLink(at: folder.appendingPathComponent("feed-app"), withDestinationURL: folder)
      try body(folder)
    }
  }

  /// Runs a command as it stands; programs in the path hand the tool's words to the built tool, with options that shorten the run.
  private func run(_ command: String, in folder: URL) throws -> ToolResult {
    let programs = folder.appendingPathComponent("programs")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let options = Self.shortening.first { command.contains($0.part) }?.options ?? ""
    let command = options.contains("--repeats") ? command.replacing(#/ --repeats \d+/#, with: "") : command
    let scripts = [
      "prefetch-sweep": "exec '\(BuiltTool.path.path)' \"$@\" \(options)",
      "swift": "[ \"$1 $2 $3 $4\" = 'run -c release prefetch-sweep' ] || exit 99; shift 4; exec '\(BuiltTool.path.path)' \"$@\" \(options)",
    ]
    for (name, text) in scripts {
      let file = programs.appendingPathComponent(name)
      try "#!/bin/sh\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    // Where Installation puts it.
    let bin = folder.appendingPathComponent(".local/bin")
    if !FileManager.default.fileExists(atPath: bin.path) {
      try FileManager.default.createDirectory(at: folder.appendingPathComponent(".local"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(at: bin, withDestinationURL: programs)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(programs.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment["HOME"] = folder.path
    environment["TOOL"] = programs.appendingPathComponent("prefetch-sweep").path
    environment["OUTPUT"] = folder.appendingPathComponent("gate").path
    environment["GITHUB_STEP_SUMMARY"] = nil
    process.environment = environment
    let errors = folder.appendingPathComponent("errors")
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return ToolResult(output: "", errors: try String(contentsOf: errors, encoding: .utf8), status: process.terminationStatus)
  }

  /// Checks a command that is not run: the script is sound, the product exists, the tool accepts the words.
  private func check(_ command: DocumentationPages.Command, _ exception: Exception) throws {
    let words = command.text.split(separator: " ").map(String.init)
    let root = Reference.packageRoot
    for word in words where word.hasPrefix("Scripts/") {
      let path = root.appendingPathComponent(word).path
      #expect(FileManager.default.fileExists(atPath: path), "\(command)")
      if word == words[0] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-n", path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && FileManager.default.isExecutableFile(atPath: path), "\(command)")
      }
    }
    if let product = words.firstIndex(of: "--product").map({ words[$0 + 1] }) ?? words[0].split(separator: "/").last.map(String.init),
      words[0] == "swift" && words[1] == "build" || words[0].hasPrefix(".build/")
    {
      let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
      #expect(manifest.contains(".executable(name: \"\(product)\""), "\(command)")
    }
    guard let option = exception.option, let start = words.firstIndex(of: "prefetch-sweep") else { return }
    let result = try BuiltTool.run(Array(words[(start + 1)...]) + [option])
    #expect(result.status == 0, "\(command): \(result.errors)")
  }

  /// Results as a device would have made them, in a folder and as a file.
  private func makeDeviceResults(in folder: URL) throws {
    let results = folder.appendingPathComponent("path/to/phone-results")
    if FileManager.default.fileExists(atPath: results.path) { return }
    let made = try BuiltTool.run(
      [
        "run", "Sweeps/featured-3g.json5", "--repeats", "2", "--quiet", "--output", results.path, "--set", "feed.items=10", "--set",
        "user.scroll=10", "--set", "prefetcher.maxCost=4...6", "--set", "prefetcher.imageCost=1",
      ], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    try FileManager.default.copyItem(at: results.appendingPathComponent("runs.csv"), to: folder.appendingPathComponent("runs.csv"))
  }

  /// The id of the first point of the sweep that a command names.
  private func firstPoint(of command: String, in folder: URL) throws -> String {
    let sweep = try #require(command.split(separator: " ").first { $0.hasSuffix(".json5") })
    let list = try BuiltTool.run(["run", String(sweep), "--list"], in: folder).output.split(separator: "\n")
    return String(try #require(list.dropFirst().first).prefix(16))
  }

  /// A sweep as a whole file: a line with "…" stands for the shipped sweep's keys, and a part goes into a small sweep.
  private static func completed(_ sweep: DocumentationPages.Sweep) -> String {
    let keys: KeyValuePairs = [
      "scenario": #"{ feed: { items: 1000 }, network: "3G", prefetcher: { kind: "costBudget" } }"#,
      "axes": #"{ "prefetcher.maxCost": "1...10", "prefetcher.videoCost": [1, 2, 3], "prefetcher.imageCost": [1, 2] }"#,
      "where": #"["prefetcher.videoCost >= prefetcher.imageCost"]"#, "baseline": #""settings/production.json5""#,
    ]
    let ahead: KeyValuePairs = [
      "scenario": #"{ feed: { items: 300 }, network: "LTE", prefetcher: { kind: "itemsAhead" } }"#,
      "axes": #"{ "prefetcher.ahead": [1, 2, 3, 5] }"#,
    ]
    func text(_ pairs: KeyValuePairs<String, String>, without key: String? = nil) -> String {
      pairs.filter { $0.key != key }.map { "\($0.key): \($0.value),\n" }.joined()
    }
    guard let key = sweep.key else {
      return sweep.text.split(separator: "\n").map { $0.contains("// … ") ? text(keys) : String($0) }.joined(separator: "\n")
    }
    let parts: KeyValuePairs = ["feed": "{ items: 1000 }", "network": "\"3G\"", "prefetcher": "\"none\""]
    let scenarioKeys = ["feed", "network", "user", "downloads", "prefetcher"]
    return switch key {
    case _ where key.hasPrefix("\""): "{ sweep: \"part\", scenario: { \(text(parts)) }, axes: {\n\(sweep.text)\n} }"
    case _ where scenarioKeys.contains(key): "{ sweep: \"part\", scenario: {\n\(text(parts, without: key))\(sweep.text)\n} }"
    case "scenario": "{ sweep: \"part\",\n\(sweep.text)\n}"
    default: "{ sweep: \"part\",\n\(text(sweep.text.contains("{prefetcher.ahead}") ? ahead : keys, without: key))\(sweep.text)\n}"
    }
  }
}
