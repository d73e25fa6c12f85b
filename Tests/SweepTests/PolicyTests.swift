import Analysis
import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

/// Policies that are programs: the same plans as the Swift kind, and what is wrong with a policy.
@Suite struct PolicyTests {
  static let hasPython = ProgramPath.find("python3", folder: "") != nil

  /// A sweep in a folder of its own, with the policies of `Tests/Policies`.
  struct Folder: ~Copyable {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "/policy-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for name in try FileManager.default.contentsOfDirectory(atPath: "Tests/Policies") {
        try FileManager.default.copyItem(atPath: "Tests/Policies/\(name)", toPath: "\(path)/\(name)")
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func sweep(_ text: String) throws -> ResolvedSweep {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/sweep.json5"))
      return try ResolvedSweep(file: InputFile(path: "\(path)/sweep.json5"))
    }

    /// Returns the outcomes of the first repetitions of all points.
    func outcomes(_ text: String, repeats: Int = 2) throws -> [RunOutcome?] {
      let runner = try SweepRunner(try sweep(text), jobs: 1)
      let decoder = PointDecoder(runner.sweep.grid)
      return try (1...repeats).flatMap { repetition in
        try (0..<runner.sweep.pointCount).map { runner.outcome(of: try runner.sweep.point($0, decoder), repetition: repetition) }
      }
    }
  }

  /// Scenarios in which plans are made for different reasons: pages, returns, flings, renditions, memory warnings, all cancel rules.
  static let scenarios = [
    #"network: "3G", feed: { items: 120 }, user: { dwell: "1s" }, downloads: { cancel: "keep" }"#,
    #"network: "3G", feed: { items: 120 }, user: { people: "image-feed" }, downloads: { cancel: "drop", connections: 2 }"#,
    #"network: "LTE", feed: { items: 150 }, user: { dwell: "500ms" }, downloads: { cancel: "resume" }"#,
    #"network: "DSL", feed: { items: 100 }, user: { dwell: "2s", back: "20%" }, downloads: { cancel: "never" }"#,
    #"network: { profile: "3G", lossDown: "1%" }, feed: { items: 100 }, user: { dwell: "1s", patience: "5s" }"#,
    #"network: { profile: "3G", http: 2 }, feed: { items: 100, pages: { size: 10, trigger: "itemsFromEnd", fromEnd: 5 } }"#,
    #"network: { profile: "LTE", http: 3 }, feed: { items: 100 }, user: { people: "image-flings" }"#,
    #"network: { profile: "3G", transport: "fluid" }, feed: { items: 200, pages: { size: 20, trigger: "remainingScreens" } }"#,
    #"network: "LTE", feed: { items: 60, video: { renditions: ["400kbps", "1Mbps", "3Mbps"], segment: "2s" } }, user: { dwell: "4s" }"#,
    #"""
    network: "3G", feed: { items: 100 }, downloads: { onMemoryWarning: "drop" }, user: { script: [
      { scroll: 30 }, { fling: 15, dwell: "2s" }, { back: 3 }, { memoryWarning: true }, { scroll: 9 }, { background: "30s" }, { scroll: 9 }] }
    """#,
  ]

  @Test(.enabled(if: hasPython, "no python3"), arguments: scenarios.indices)
  func aProgramOfTheSameRuleHasTheSameRuns(_ index: Int) throws {
    let folder = try Folder()
    func text(_ prefetcher: String) -> String {
      """
      { sweep: "s", seed: \(index + 1), repeats: 2, axes: { "prefetcher.ahead": [0, 1, 4, 30] },
        scenario: { \(Self.scenarios[index]), prefetcher: \(prefetcher) } }
      """
    }
    let swift = try folder.outcomes(text("{ kind: \"itemsAhead\" }"))
    let python = try folder.outcomes(text(Self.python("items_ahead.py")))
    #expect(swift == python)
    let digests = swift.compactMap { outcome -> UInt64? in if case .metrics(let metrics)? = outcome { metrics.digest } else { nil } }
    #expect(digests.count == 8 && Set(digests).count > 4)
  }

  static func python(_ file: String, _ more: String = "settings: { ahead: 3 }") -> String {
    "{ kind: \"command\", command: [\"python3\", \"\(file)\"], files: [\"\(file)\"], \(more) }"
  }

  static func command(_ words: [String], _ more: String = "") -> String {
    "{ kind: \"command\", command: [\(words.map(jsonString).joined(separator: ", "))], settings: { ahead: 3 }, \(more) }"
  }

  /// The clients of other languages: the program whose presence decides, the command that makes it, and its words.
  static let clients: [(needs: String, make: [String]?, words: [String], files: String)] = [
    ("node", nil, ["node", "items_ahead.ts"], "items_ahead.ts"),
    ("java", nil, ["java", "ItemsAhead.java"], "ItemsAhead.java"),
    ("rustc", ["rustc", "-O", "items_ahead.rs", "-o", "items_ahead"], ["./items_ahead"], "./items_ahead"),
  ]

  @Test(arguments: clients.indices)
  func theClientsOfOtherLanguagesPlanAlike(_ index: Int) throws {
    let client = Self.clients[index]
    // A shim of a version manager may be there without its runtime.
    guard let path = ProgramPath.find(client.needs, folder: ""), try Self.run([path, "--version"]) == 0 else { return }
    let folder = try Folder()
    if let make = client.make { try #require(try Self.run(make, in: folder.path) == 0) }
    func text(_ prefetcher: String) -> String {
      """
      { sweep: "s", repeats: 1, axes: { "prefetcher.ahead": [0, 5] }, scenario: { \(Self.scenarios[5]), prefetcher: \(prefetcher) } }
      """
    }
    let other = try folder.outcomes(text(Self.command(client.words, "files: [\"\(client.files)\"], timeLimit: \"20s\"")), repeats: 1)
    #expect(try other == folder.outcomes(text("{ kind: \"itemsAhead\" }"), repeats: 1))
  }

  private static func run(_ words: [String], in folder: String = ".") throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Programs that misbehave, as shell scripts, and the reason that the run gives. `R` and `P` answer once as they should.
  static let misbehaviours: [(script: String, says: String)] = [
    ("exit 3", "ended (answer to begin); it ended with status 3"),
    ("read x; exit 0", "it ended with status 0"),
    ("R; exit 7", "ended (answer to plan 1 at 0s); it ended with status 7"),
    ("R; P 1; exit 7", "it ended with status 7"),
    ("R; kill -SEGV $$", "by signal 11"),
    ("R; kill -KILL $$", "by signal 9"),
    ("kill -TERM $$", "by signal 15"),
    ("exec >&-; sleep 5", "closed its output"),
    ("R; exec >&-; sleep 5", "closed its output"),
    ("exec <&-; exit 0", "it ended with status 0"),
    ("R; exec <&-; sleep 5", "gave no answer within 200ms (answer to plan 1"),
    ("R; sleep 5", "gave no answer within 200ms"),
    ("R; P 1; sleep 5", "gave no answer within 200ms"),
    ("R; read x; sleep 5; P 1", "gave no answer within 200ms"),
    ("R; read x; printf '{\"id\": 1, '; sleep 5", "gave no answer within 200ms"),
    ("R; while :; do :; done", "gave no answer within 200ms"),
    ("trap '' TERM INT HUP; R; sleep 5", "gave no answer within 200ms"),
    ("R; sleep 5 & wait", "gave no answer within 200ms"),
    ("R; (sleep 5; echo) & exit 0", "ended (answer to plan 1 at 0s); it ended with status 0"),
    ("read x; echo hello", "answer to begin:1:1: is no line of JSON: \"hello\"; print nothing but answers"),
    ("read x; echo", "answer to begin:1:1"),
    ("read x; echo '{\"ready\": 2}'", "an unknown version of the protocol"),
    ("read x; echo '{\"ready\": \"yes\"}'", "answer to begin:1:11: ready: is"),
    ("read x; echo '{}'", "ready: is missing"),
    ("read x; echo '[]'", "answer to begin:1:1"),
    ("read x; echo '{\"ready\": 1, \"name\": \"x\"}'", "name: unknown key"),
    // Whether the second line is there in time for the first answer depends on the moment.
    ("read x; echo '{\"ready\": 1}'; echo '{\"ready\": 1}'", "answer"),
    ("R; read x; echo '{\"id\": 1, \"fetches\": []'", "answer to plan 1:1:"),
    ("R; read x; echo '{\"id\": 2, \"fetches\": []}'", "id: is 2, but plan 1 was asked for"),
    ("R; read x; echo '{\"fetches\": []}'", "id: is missing"),
    ("R; read x; echo '{\"id\": 1}'", "fetches: is missing"),
    ("R; read x; echo '{\"id\": 1, \"fetches\": {}}'", "fetches: is an object, not a list"),
    ("R; F '{\"item\": 20}'", "answer to plan 1:1:32: fetches.0.item: is 20"),
    ("R; F '{\"item\": -1}'", "fetches.0.item: is -1"),
    ("R; F '{\"item\": 1.5}'", "fetches.0.item: is 1.5"),
    ("R; F '{\"item\": 99999999999999999999}'", "fetches.0.item: is 99999999999999999999"),
    ("R; F '{\"item\": 1, \"bytes\": 0}'", "fetches.0.bytes: is 0"),
    ("R; F '{\"item\": 1, \"bytes\": \"all\"}'", "fetches.0.bytes: is \"all\""),
    ("R; F '{\"item\": 1, \"priority\": \"high\"}'", "fetches.0.priority: is"),
    ("R; F '{\"item\": 1, \"rendition\": 1}'", "fetches.0.rendition: is 1"),
    ("R; F '{\"item\": 1, \"url\": \"x\"}'", "fetches.0.url: unknown key"),
    ("R; F 7", "fetches.0: is the number 7, not an object"),
    ("R; read x; echo '{\"id\": 1, \"fetches\": [], \"askAgainAt\": \"soon\"}'", "askAgainAt: is"),
    ("R; read x; echo '{\"id\": 1, \"fetches\": [], \"askAgainAt\": -1}'", "askAgainAt: is -1"),
    ("R; read x; echo '{\"id\": 1, \"fetches\": [], \"askAgainAt\": 0.0009}'", "askAgainAt: is less than 1ms after"),
    ("R; P 1; P 1", "answer to plan 2:1:"),
    ("yes", "answer to begin"),
    ("read x; yes 'x' | tr -d '\\n'", "printed a line of more than 16MB (answer to begin)"),
    ("R; read x; head -c 300 /dev/urandom | tr -d '\\n'; echo", "gave a wrong answer"),
    ("R; read x; printf '{\"id\": 1, \"fetches\": []}\\r\\n'; exit 4", "it ended with status 4"),
    ("R; echo problem >&2; exit 5", "it ended with status 5; its last message: \"problem\""),
  ]

  @Test(arguments: misbehaviours.indices)
  func aFailingPolicyIsAFailedRunWithItsReason(_ index: Int) throws {
    let (script, says) = Self.misbehaviours[index]
    let folder = try Folder()
    let shell = """
      R() { read x; echo '{"ready": 1}'; }; P() { read x; echo "{\\"id\\": $1, \\"fetches\\": [{\\"item\\": 0}]}"; }
      F() { read x; echo "{\\"id\\": 1, \\"fetches\\": [$1]}"; }; \(script)
      """
    // A program that does not answer at first has 30 s; these scripts are quick.
    let outcomes = try folder.outcomes(
      """
      { sweep: "s", repeats: 1, scenario: { network: "3G", feed: { items: 20 }, user: { dwell: "1s" },
        prefetcher: \(Self.command(["sh", "-c", shell], "timeLimit: \"200ms\"")) } }
      """, repeats: 1)
    guard case .failure(let reason)? = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(reason.contains(says), "\(reason)")
    #expect(reason.hasPrefix("the policy "))
  }

  /// Policies whose answers depend on more than the run.
  static let unsteady = [
    "runs = globals().setdefault('runs', 0) + 1", "import time; runs = time.time_ns()", "import random; runs = random.randrange(10**9)",
    "import os; runs = os.getpid()", "globals()['n'] = globals().get('n', 0) + 1; runs = max(0, n - 5)",
    "runs = hash('feed')",
  ]

  @Test(.enabled(if: hasPython, "no python3"), arguments: unsteady.indices)
  func answersThatDependOnMoreThanTheRunAreRefused(_ index: Int) throws {
    let folder = try Folder()
    let program = """
      import json, sys
      for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "begin":
          \(Self.unsteady[index])
          print('{"ready": 1}', flush=True)
        elif message["type"] == "plan":
          later = [{"item": 1 + runs % 7}] if message["id"] > 2 else []
          print(json.dumps({"id": message["id"], "fetches": [{"item": message["activeItem"]}] + later}), flush=True)
      """
    try Data(program.utf8).write(to: URL(filePath: "\(folder.path)/unsteady.py"))
    let outcomes = try folder.outcomes(
      """
      { sweep: "s", repeats: 3, axes: { "prefetcher.ahead": [1, 2, 3] },
        scenario: { network: "3G", feed: { items: 20 }, user: { dwell: "1s" }, prefetcher: \(Self.python("unsteady.py")) } }
      """, repeats: 3)
    let reasons = outcomes.compactMap { outcome -> String? in if case .failure(let reason)? = outcome { reason } else { nil } }
    #expect(reasons.contains { $0.contains("answers that depend on more than the run: plan ") }, "\(reasons)")
    #expect(reasons.count == 1 || reasons.last?.hasSuffix("the policy was refused") == true, "\(reasons)")
  }

  /// A cancellation in the middle of an answer, of a first run and of a replay, is neither a failure nor a refusal.
  @Test(arguments: [1, 7, 20, 25, 38]) func aCancelledRunIsNoFailure(_ asked: Int) throws {
    let folder = try Folder()
    let script =
      "read x; echo '{\"ready\": 1}'; i=0; while read x; do case $x in *begin*) echo '{\"ready\": 1}'; i=0;; *end*) ;; "
      + "*) i=$((i+1)); echo a >>asked; sleep 0.06; echo '{\"id\": '$i', \"fetches\": []}';; esac; done"
    let runner = try SweepRunner(
      try folder.sweep(
        """
        { sweep: "s", repeats: 2, axes: { "prefetcher.ahead": [1, 2] }, scenario: { network: { profile: "3G", lossDown: "1%" }, feed: { items: 20 },
          prefetcher: \(Self.command(["sh", "-c", script])) } }
        """), jobs: 1)
    let (path, point) = ("\(folder.path)/asked", try runner.sweep.point(0, PointDecoder(runner.sweep.grid)))
    #expect(runner.outcome(of: point, repetition: 1, isCancelled: { SystemFile.size(path) >= 2 * asked }) == nil)
  }

  @Test(.enabled(if: hasPython, "no python3")) func theCommandItsSettingsAndItsFilesArePartOfTheID() throws {
    let folder = try Folder()
    func id(_ prefetcher: String) throws -> UInt64 {
      let scenario = "network: \"3G\", feed: { items: 20 }, user: { dwell: \"1s\" }, prefetcher: \(prefetcher)"
      let sweep = try folder.sweep("{ sweep: \"s\", repeats: 1, scenario: { \(scenario) } }")
      return try sweep.point(0, PointDecoder(sweep.grid)).id
    }
    let first = try id(Self.python("items_ahead.py"))
    #expect(try id(Self.python("items_ahead.py", "settings: { ahead: 3 }, timeLimit: \"5s\"")) == first)
    #expect(try id(Self.python("items_ahead.py", "settings: { ahead: 9 }, ahead: 3")) == first)
    #expect(try id(Self.python("items_ahead.py", "settings: { ahead: 4 }")) != first)
    #expect(try id(Self.python("items_ahead.py", "settings: { ahead: 3 }, triggers: [\"activation\"]")) != first)
    try Data("# another one\n".utf8).write(to: URL(filePath: "\(folder.path)/items_ahead.py"))
    #expect(try id(Self.python("items_ahead.py")) != first)
  }
}
