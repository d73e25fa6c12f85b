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
    let folder = Reference.packageRoot.appendingPathComponent("Sources/Studies/Benchmark")
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
}
