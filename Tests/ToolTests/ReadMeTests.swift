import Foundation
import TestSupport
import Testing

@testable import SweepTool

/// Every command and every sweep of README.md, taken from the page itself, does what a reader who pastes it expects.
@Suite struct ReadMeTests {
  /// Why a command is not run here, and what is looked at instead.
  private struct Exception {
    /// What the command begins with.
    var beginning: String
    /// What it does not hold, if that makes a difference.
    var besides: String?
    var reason: String
    /// An option that makes the tool read all of the command and do nothing; nil where no tool is asked.
    var option: String?
  }

  private static let exceptions = [
    Exception(beginning: "swift test", reason: "would run itself"),
    Exception(beginning: "swift build", reason: "takes minutes; the product must be in Package.swift"),
    Exception(beginning: ".build/release/prefetch-sweep-live", reason: "needs a server; the product must be in Package.swift"),
    Exception(
      beginning: "swift run -c release prefetch-sweep run Sweeps/device-xcodebuild.json5", besides: "backend=emulated",
      reason: "needs phones", option: "--list"),
    Exception(beginning: "Scripts/overnight.sh", reason: "runs all sweeps; Scripts/overnight-test runs it on a small one"),
    Exception(beginning: "Scripts/package", reason: "builds for minutes"),
    Exception(beginning: "Scripts/slurm-sweep.sh", reason: "needs a cluster; Scripts/cluster-test runs it"),
    Exception(beginning: "Scripts/parallel-sweep.sh", reason: "needs GNU parallel; Scripts/cluster-test runs it"),
    Exception(beginning: "Scripts/live-server", reason: "needs nginx; Scripts/live-test runs it"),
    Exception(beginning: "kubectl", reason: "needs a cluster"),
  ]

  /// What makes a command short; it takes nothing from what is checked.
  private static let shortening: [(part: String, options: String)] = [
    ("run Sweeps/background.json5", "--repeats 1 --quiet"),
    ("prefetch-sweep run ", "--repeats 1 --quiet --set feed.items=40 --set user.scroll=40"),
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
    "session.csv": "item,dwellMs\n0,1000\n1,500\n",
    "bus.json": #"[{"duration_ms": 60000, "bandwidth_kbps": 800, "latency_ms": 100}]"#,
    "sessions/monday.csv": "item,dwellMs\n0,1000\n1,500\n",
    "calibrated.json5": #"{ "network.queue": 40 }"#,
    "candidate.json5": #"{ "prefetcher.maxCost": 5 }"#,
  ]

  @Test func theReadMeHasCommandsAndSweeps() {
    #expect(ReadMe.commands.count > 25 && ReadMe.sweeps.count > 10, "\(ReadMe.commands.count) and \(ReadMe.sweeps.count)")
  }

  @Test(arguments: ReadMe.commands) func everyCommandRuns(_ command: ReadMe.Command) throws {
    let exception = Self.exceptions.first { exception in
      command.text.hasPrefix(exception.beginning) && !(exception.besides.map(command.text.contains) ?? false)
    }
    if let exception { return try check(command, exception) }
    try Self.withReadersFolder { folder in
      if command.text.contains("calibrate") { try makeDeviceResults(in: folder) }
      var text = command.text
      if text.contains("--point ID") { text = text.replacing("--point ID", with: "--point \(try firstPoint(of: text, in: folder))") }
      let result = try run(text, in: folder)
      // A gate may fail; it is asked nothing that it cannot answer.
      let isGood = text.contains(" check ") || text.contains("ci-check") ? [0, 3].contains(result.status) : result.status == 0
      #expect(isGood, "\(command): \(result.status): \(result.errors)")
    }
  }

  @Test(arguments: ReadMe.sweeps) func everySweepIsAccepted(_ sweep: ReadMe.Sweep) throws {
    try Self.withReadersFolder { folder in
      let file = folder.appendingPathComponent("Sweeps/pasted.json5")
      try Self.completed(sweep).write(to: file, atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["run", "Sweeps/pasted.json5", "--list"], in: folder)
      #expect(result.status == 0, "\(sweep): \(result.errors)")
      #expect(result.output.split(separator: "\n").count > 1)
    }
  }

  @Test func theWholeExampleNeedsNoOtherFile() throws {
    let example = try #require(ReadMe.sweeps.first)
    #expect(example.isWhole)
    try BuiltTool.withFolder { folder in
      try example.text.write(to: folder.appendingPathComponent("pasted.json5"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(["run", "pasted.json5", "--list"], in: folder)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  // MARK: The reader

  /// A folder like a clone's, without its own results, and with the files that a reader has.
  private static func withReadersFolder(_ body: (URL) throws -> Void) throws {
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
      try body(folder)
    }
  }

  /// Runs a command as it stands, with programs in the path that hand the tool's own words to the built tool, and more to be short.
  private func run(_ command: String, in folder: URL) throws -> ToolResult {
    let programs = folder.appendingPathComponent("programs")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let options = Self.shortening.first { command.contains($0.part) }?.options ?? ""
    let scripts = [
      "prefetch-sweep": "exec '\(BuiltTool.path.path)' \"$@\" \(options)",
      "swift": "[ \"$1 $2 $3 $4\" = 'run -c release prefetch-sweep' ] || exit 99; shift 4; exec '\(BuiltTool.path.path)' \"$@\" \(options)",
    ]
    for (name, text) in scripts {
      let file = programs.appendingPathComponent(name)
      try "#!/bin/sh\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(programs.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
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

  /// What can be known of a command that is not run: the script is sound, the product exists, the tool reads the words.
  private func check(_ command: ReadMe.Command, _ exception: Exception) throws {
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

  /// A sweep as a whole file: what the page leaves out with "…" or shows alone stands in the shipped sweep.
  private static func completed(_ sweep: ReadMe.Sweep) -> String {
    let rest = """
      scenario: { feed: { items: 1000 }, network: "3G", prefetcher: { kind: "costBudget" } },
      axes: { "prefetcher.maxCost": "1...10", "prefetcher.videoCost": [1, 2, 3], "prefetcher.imageCost": [1, 2] },
      where: ["prefetcher.videoCost >= prefetcher.imageCost"],
      baseline: "settings/production.json5",
      """
    if sweep.isWhole {
      return sweep.text.split(separator: "\n").map { $0.contains("// … ") ? rest : String($0) }.joined(separator: "\n")
    }
    let key = sweep.text.prefix { $0 != ":" }
    if key == "scenario" { return "{ sweep: \"part\", \(sweep.text)\n}" }
    if !["feed", "user", "network"].contains(key) { return "{ sweep: \"part\",\n\(rest)\n\(sweep.text)\n}" }
    // Several examples of one part stand below each other.
    let others = [("feed", "{ items: 1000 }"), ("network", "\"3G\""), ("prefetcher", "\"none\"")].filter { $0.0 != key }
    return "{ sweep: \"part\", scenario: {\n\(others.map { "\($0.0): \($0.1)," }.joined(separator: "\n"))\n\(sweep.text)\n} }"
  }
}
