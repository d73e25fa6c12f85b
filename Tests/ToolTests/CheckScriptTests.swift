import Foundation
import TestSupport
import Testing

/// Tests of the scripts: the count of skipped tests in every locale, the benchmark, the production settings.
@Suite struct CheckScriptTests {
  private static let log = """
    ◇ Test run started.
    ➜ Suite SabreTraceTests skipped.
    ➜ Test loadersAgreeWithTheRealClient() skipped.
    ➜ Test sortingAndFilteringWork() skipped: "no Chromium on this machine: install one"
    ◇ Test aTestThatIsSkipped() started.
    ✔ Test aTestThatIsSkipped() passed after 0.001 seconds.
    ➜ Test realSabreTracesAreReadWhole(_:) skipped.
    ✘ Test "what is skipped: nothing" failed after 0.001 seconds.
    ➜ Test "a name with spaces" skipped.
    a test skipped: of the tool's own output
    ✔ Test run with 10 tests in 4 suites passed after 0.573 seconds.

    """

  @Test(
    arguments: [log, log.replacing("➜ ", with: "\u{1007DF}  "), log.replacing("➜", with: "?"), "✔ Test run with 1 test passed.\n"],
    ["C", "C.UTF-8"])
  func skippedTestsAreCountedInEveryLocale(_ log: String, _ locale: String) throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("tests.log")
      try log.write(to: file, atomically: true, encoding: .utf8)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", "source <(sed -n '/^skipped_tests()/,/^}/p' Scripts/check); skipped_tests \"$1\"", "bash", file.path]
      process.currentDirectoryURL = Reference.packageRoot
      process.environment = ["LC_ALL": locale, "PATH": "/usr/bin:/bin"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let count = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(count == (log.contains("SabreTrace") ? "4\n" : "0\n"))
    }
  }

  @Test func theBenchmarkTimesAStartBySystemCalls() throws {
    let folder = Reference.packageRoot.appendingPathComponent("Tests/Studies/Checks/Benchmark")
    let texts = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
      try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
    }
    // Foundation's Process polls for the end of a program every 50 ms.
    #expect(texts.contains { $0.contains("Platform.spawn(") && $0.contains("waitpid(") })
    #expect(!texts.contains { $0.contains("Process()") })
  }

  @Test func productionIsTheArticlesExampleAndSaysSo() throws {
    let root = Reference.packageRoot.appendingPathComponent("Sweeps")
    let text = try String(contentsOf: root.appendingPathComponent("settings/production.json5"), encoding: .utf8)
    for part in [#""prefetcher.maxCost": 5,"#, #""prefetcher.imageCost": 1,"#, #""prefetcher.videoCost": 2,"#, "An assumption"] {
      #expect(text.contains(part), "\(part)")
    }
    // In sweeps over budgets, the production settings are one of the points.
    for sweep in ["featured-3g", "article-lab", "article-field", "device-xcodebuild"] {
      let list = try BuiltTool.run(["run", "Sweeps/\(sweep).json5", "--list", "--set", "strata=[]"]).output.split(separator: "\n")
      let baselines = list.filter { $0.hasSuffix("baseline") }.dropFirst()
      let isFive = baselines.allSatisfy { $0.contains("\t5\t") || $0.contains("maxCost\":5") }
      #expect(!baselines.isEmpty && isFive, "\(sweep): \(baselines)")
    }
  }

  /// Substitutes of sbatch, which runs the tasks at once, and of GNU parallel.
  private static let cluster = [
    "sbatch": """
    #!/bin/bash
    for ((i = 1; i <= $#; i++)); do case ${!i} in --wrap) j=$((i + 1)); wrap=${!j} ;; --array=0-*) last=${!i#--array=0-} ;; esac; done
    for index in $(seq 0 "${last:-0}"); do SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$index bash -c "$wrap" >&2 || exit; done
    echo 1
    """,
    "parallel": #"""
    #!/bin/bash
    while (($#)); do case $1 in --joblog) log=$2; shift 2 ;; --tagstring) shift 2 ;; --*) shift ;; *) break ;; esac; done
    echo head > "$log"
    while read -r index; do bash -c "${1//\{\}/$index}" >&2 || exit; echo "1 : 0 0 0 0 0 0 command" >> "$log"; done
    """#,
  ]

  /// Copies of the scripts find the installed tool, and paths are relative to the current folder.
  @Test func theClusterScriptsRunFromAnAppsRepository() throws {
    try BuiltTool.withFolder { folder in
      let (app, programs) = (folder.appendingPathComponent("app"), folder.appendingPathComponent("bin"))
      for made in [app.appendingPathComponent("my sweeps"), programs] {
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
      }
      for (name, text) in Self.cluster {
        let file = programs.appendingPathComponent(name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
      }
      try FileManager.default.createSymbolicLink(
        at: programs.appendingPathComponent("prefetch-sweep"), withDestinationURL: BuiltTool.path)
      try """
      { sweep: "small", repeats: 5, axes: { "prefetcher.ahead": [0, 1, 3] },
        scenario: { network: "3G", feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """.write(to: app.appendingPathComponent("my sweeps/small.json5"), atomically: true, encoding: .utf8)
      let sweep = "my sweeps/small.json5"
      #expect(try BuiltTool.run(["run", sweep, "--quiet", "--output", "one"], in: app).status == 0)
      func script(_ name: String, _ words: [String], path: String = programs.path + ":") throws -> ToolResult {
        let copy = app.appendingPathComponent(name)
        try? FileManager.default.copyItem(at: Reference.packageRoot.appendingPathComponent("Scripts/\(name)"), to: copy)
        return try BuiltTool.run(
          [copy.path] + words, in: app, environment: ["PATH": path + "/usr/bin:/bin", "TOOL": "", "RESULTS": "", "OUTPUT": ""],
          program: URL(fileURLWithPath: "/bin/bash"))
      }
      func text(_ path: String) throws -> String { try String(contentsOf: app.appendingPathComponent(path), encoding: .utf8) }
      for name in ["parallel-sweep.sh", "slurm-sweep.sh"] {
        let result = try script(name, [sweep, "3"])
        #expect(result.status == 0, "\(name): \(result.errors)")
        for file in ["runs.csv", "sweep.json", "report.md"] {
          #expect(try text("Results/small/\(file)") == text("one/\(file)"), "\(name): \(file)")
        }
        // Each start of a shard would delete what the one before kept.
        let fresh = try script(name, [sweep, "3", "--fresh"])
        #expect(fresh.status == 2 && fresh.errors.contains("--fresh would delete"), "\(name): \(fresh.errors)")
        #expect(try script(name, ["nowhere.json5", "3"]).status == 2)
        try FileManager.default.removeItem(at: app.appendingPathComponent("Results"))
      }
      #expect(try script("ci-check.sh", ["--sweep", sweep, "--set", "prefetcher.ahead=3", "--quiet"]).status == 0)
      #expect(FileManager.default.fileExists(atPath: app.appendingPathComponent(".build/gate/gate.json").path))
      for (name, words) in [("slurm-sweep.sh", [sweep, "3"]), ("ci-check.sh", ["--set", "prefetcher.ahead=3"])] {
        let missing = try script(name, words, path: "")
        #expect(missing.status == 2 && missing.errors.contains("prefetch-sweep is not on PATH"), "\(name): \(missing.errors)")
      }
    }
  }
}
