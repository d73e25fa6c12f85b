import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sweeps on devices, with a stand-in that checks its arguments and can fail in every way.
@Suite struct DeviceTests {
  @Test func everyPointRunsOnceARepetitionOnOneDeviceInARandomOrder() throws {
    try StandIn.with { standIn in
      standIn.repeats = 4
      let result = try standIn.run()
      #expect(result.status == 0, "\(result.errors)")
      #expect(!standIn.hasCollisions)
      let rows = standIn.text("results/runs.csv").split(separator: "\n").dropFirst().map { $0.split(separator: ",", maxSplits: 3) }
      let seeds = rows.prefix(4).map { String($0[2]) }
      var orders: [[String]] = []
      for (index, seed) in seeds.enumerated() {
        let block = standIn.runs.filter { $0.seed == seed }
        #expect(Set(block.map(\.device)) == [["one", "two"][index % 2]], "repetition \(index + 1)")
        orders.append(block.map(\.settings))
      }
      #expect(Set(orders.map { $0.sorted() }).count == 1 && orders[0].count == 12)
      #expect(Set(orders).count == 4)
      // Each device goes through its repetitions one after the other.
      for device in ["one", "two"] {
        let blocks = standIn.runs.filter { $0.device == device }.map { seeds.firstIndex(of: $0.seed) ?? -1 }
        #expect(blocks == blocks.sorted())
      }
      // The same seeds, the same orders, the same tables.
      try FileManager.default.removeItem(atPath: standIn.path("notes/runs"))
      _ = try standIn.run(results: "again")
      #expect(seeds.map { seed in standIn.runs.filter { $0.seed == seed }.map(\.settings) } == orders)
      #expect(standIn.tables("again") == standIn.tables())
    }
  }

  @Test func theTablesHaveTheNumbersOfTheDeviceInTheUnitsOfTheColumns() throws {
    try StandIn.with { standIn in
      standIn.repeats = 1
      #expect(try standIn.run().status == 0)
      let lines = standIn.text("results/runs.csv").split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      let row = Dictionary(uniqueKeysWithValues: zip(lines[0], lines[1]))
      #expect(row["viewed"] == "1000" && row["loaders"] == row["loadersPer1000"], "1000 items were seen")
      #expect(row["bytesReceived"] == "84500000", "from megabytes")
      let loaders = try #require(row["loaders"].flatMap { Int($0) })
      #expect(row["waitMsMean"] == "\(loaders + 10)", "from seconds")
      #expect(row["loadersVideo"] == "4" && row["stalls"] == "", "what a device does not say is empty")
    }
  }

  /// The faults of the stand-in, each at one of the settings, with the message.
  static let misbehaviours: [(how: String, says: String, set: [String])] = [
    ("hang", "it did not end within 500ms and was ended", ["backend.timeLimit=500ms"]),
    ("stubborn", "it did not end within 500ms and was ended", ["backend.timeLimit=500ms"]),
    ("crash", "it was ended by signal 11", []),
    ("fail", "it ended with status 65", []),
    ("flood", "it printed more than 200KB and was ended", ["backend.outputLimit=200KB"]),
    ("silent", #"no line of it has "FEED-STATISTICS""#, []),
    ("garbled", "its JSON is incomplete", []),
    ("missing", "it has no loaders", []),
    ("word", #""loaders" is the string "many", not a number"#, []),
  ]

  @Test(arguments: misbehaviours.indices)
  func theOutputOfAFailedRunIsKeptUntilTheRunSucceeds(_ index: Int) throws {
    let (how, says, set) = Self.misbehaviours[index]
    try StandIn.with { standIn in
      standIn.repeats = 1
      #expect(try standIn.run(results: "calm").status == 0)
      standIn.settings += set + ["backend.retries=0"]
      standIn.environment["MISBEHAVE"] = "\(how) if MAX_PREFETCH_COST=5"
      let result = try standIn.run()
      #expect(result.status == 1, "\(result.errors)")
      #expect(result.errors.contains(says) && result.errors.contains("3 of 12 runs failed"), "\(result.errors)")
      #expect(!standIn.hasGrandchild, "the whole group is ended")
      #expect(!standIn.hasCollisions)
      let isSilent = ["hang", "stubborn", "crash", "silent"].contains(how)
      let failures = standIn.text("results/failures.csv").split(separator: "\n").dropFirst()
      #expect(failures.count == 3 && failures.allSatisfy { $0.contains("failed-runs/") != isSilent }, "\(failures)")
      #expect(standIn.text("results/runs.csv").split(separator: "\n").count == 10)
      let point = try #require(failures.first?.prefix(16))
      let folder = standIn.path("results/failed-runs/\(point)-1")
      for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        #expect(try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")[.posixPermissions] as? Int == 0o600, "\(file)")
      }
      let kept = standIn.text("results/failed-runs/\(point)-1/attempt-1.out") + standIn.text("results/failed-runs/\(point)-1/attempt-1.err")
      #expect(kept.isEmpty == isSilent && kept.utf8.count < 1_200_000)
      // The same command tries them again and then deletes the output.
      standIn.environment["MISBEHAVE"] = nil
      #expect(try standIn.run().status == 0)
      #expect(!FileManager.default.fileExists(atPath: standIn.path("results/failed-runs")))
      #expect(!FileManager.default.fileExists(atPath: standIn.path("results/failures.csv")))
      #expect(standIn.text("results/runs.csv") == standIn.text("calm/runs.csv"))
    }
  }

  @Test func aFailedRunIsTriedAgainAfterAWaitThatDoubles() throws {
    try StandIn.with { standIn in
      standIn.repeats = 1
      standIn.settings += ["backend.backOff=150ms", "backend.retries=2", "prefetcher.maxCost=5"]
      standIn.environment["MISBEHAVE"] = "flaky"
      let started = ContinuousClock.now
      let result = try standIn.run()
      #expect(result.status == 0, "\(result.errors)")
      #expect(standIn.runs.count == 9, "three settings, three tries")
      // 150 ms and 300 ms before the second and third try of each of 3 runs.
      #expect(ContinuousClock.now - started >= .milliseconds(3 * 450))
      #expect(!FileManager.default.fileExists(atPath: standIn.path("results/failed-runs")))
      standIn.settings += ["backend.retries=1"]
      try FileManager.default.removeItem(atPath: standIn.path("notes/runs"))
      let short = try standIn.run(results: "short")
      #expect(short.status == 1 && short.errors.contains("tried 2 times: it ended with status 65"), "\(short.errors)")
      #expect(short.errors.contains("every run failed"))
    }
  }

  @Test func aDeviceThatOnlyFailsGetsNoRunUntilTheNextStart() throws {
    try StandIn.with { standIn in
      standIn.settings += ["backend.retries=0", "backend.giveUpAfter=2"]
      standIn.environment["MISBEHAVE"] = "fail if DEVICE=two"
      let result = try standIn.run()
      #expect(result.status == 1)
      #expect(standIn.runs.filter { $0.device == "two" }.count == 2 && standIn.runs.filter { $0.device == "one" }.count == 24)
      #expect(standIn.text("results/failures.csv").contains("not tried: device 2 of 2 failed 2 times in a row"))
      standIn.environment["MISBEHAVE"] = nil
      #expect(try standIn.run().status == 0)
      #expect(standIn.runs.count == 26 + 12, "only what was missing")
    }
  }

  @Test func aDeviceRestsBetweenRuns() throws {
    try StandIn.with { standIn in
      standIn.repeats = 2
      standIn.settings += ["backend.coolDown=200ms", "prefetcher.maxCost=5", #"backend.devices=["one"]"#]
      let started = ContinuousClock.now
      let result = try standIn.run()
      #expect(result.status == 0, "\(result.errors)")
      // Six runs, five rests.
      #expect(ContinuousClock.now - started >= .milliseconds(1000))
    }
  }

  @Test func aProcessThatARunLeavesBehindIsEndedBeforeTheNextRun() throws {
    try StandIn.with { standIn in
      standIn.repeats = 1
      standIn.settings += ["prefetcher.maxCost=5", "prefetcher.videoCost=2", "prefetcher.imageCost=1"]
      standIn.environment["MISBEHAVE"] = "leave"
      let result = try standIn.run()
      #expect(result.status == 0, "\(result.errors)")
      #expect(!standIn.text("notes/grandchild").isEmpty && !standIn.hasGrandchild)
    }
  }

  @Test(arguments: [(SIGTERM, Int32(143)), (SIGINT, Int32(130))])
  func aSignalEndsTheCurrentRunsAndCountsNoneAsFailed(_ signal: Int32, _ status: Int32) throws {
    try StandIn.with { standIn in
      standIn.environment["MISBEHAVE"] = "hang if MAX_PREFETCH_COST=5"
      let process = try standIn.start()
      #expect(standIn.waits { standIn.hasGrandchild })
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      #expect(standIn.waits { !standIn.hasGrandchild })
      #expect(!FileManager.default.fileExists(atPath: standIn.path("results/failed-runs")))
      standIn.environment["MISBEHAVE"] = nil
      #expect(try standIn.run().status == 0)
      #expect(try standIn.run(results: "calm").status == 0)
      #expect(standIn.tables() == standIn.tables("calm"))
    }
  }

  @Test func aKilledProgramLeavesNoRunBehindAndResumesToTheSameTables() throws {
    try StandIn.with { standIn in
      #expect(try standIn.run(results: "calm").status == 0)
      try FileManager.default.removeItem(atPath: standIn.path("notes/runs"))
      var seen = 0
      for _ in 0..<6 {
        standIn.environment["PACE"] = "0.15"
        let process = try standIn.start()
        #expect(standIn.waits { standIn.runs.count >= seen + 3 })
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        seen = standIn.runs.count
      }
      standIn.environment["PACE"] = nil
      // The next start begins while the process reaper of the last one still works.
      #expect(try standIn.run().status == 0)
      #expect(!standIn.hasCollisions, "no device had two runs at once")
      #expect(standIn.tables() == standIn.tables("calm"))
      #expect(standIn.runs.count < 36 + 6 * 4, "what was done is not done again")
      standIn.environment["MISBEHAVE"] = "hang"
      let hung = try standIn.start(results: "hung")
      #expect(standIn.waits { standIn.hasGrandchild })
      kill(hung.processIdentifier, SIGKILL)
      hung.waitUntilExit()
      #expect(standIn.waits { !standIn.hasGrandchild }, "the reaper ends what hears no signal")
    }
  }

  static let canLeave = ["timeout", "setsid"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }

  @Test(.enabled(if: canLeave, "there is no timeout or no setsid here"), arguments: ["timeout 300", "setsid"])
  func aProgramThatLeavesItsProcessGroupIsEndedToo(_ how: String) throws {
    try StandIn.with { standIn in
      standIn.repeats = 1
      standIn.settings += ["backend.retries=0", #"backend.devices=["one"]"#]
      standIn.environment["MISBEHAVE"] = how
      let process = try standIn.start()
      #expect(standIn.waits { standIn.hasGrandchild })
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      // The next start waits until the program has ended.
      standIn.environment["MISBEHAVE"] = "\(how) if MAX_PREFETCH_COST=5"
      standIn.settings += ["backend.timeLimit=500ms"]
      let result = try standIn.run()
      #expect(result.status == 1 && result.errors.contains("3 of 12 runs failed"), "\(result.errors)")
      #expect(result.errors.contains("it did not end within 500ms and was ended"), "\(result.errors)")
      #expect(!standIn.hasCollisions && !standIn.hasGrandchild)
    }
  }

  @Test func aProgramThatIsStillRunningHasTheWholeGraceBeforeItIsKilled() throws {
    try StandIn.with { standIn in
      standIn.settings += ["backend.grace=8s", #"backend.devices=["one"]"#]
      let list = try standIn.run(["--list"]).output.split(separator: "\n")
      let point = try #require(list.last?.split(separator: "\t").first.map(String.init))
      standIn.environment["MISBEHAVE"] = "late"
      let process = try standIn.start()
      #expect(standIn.waits { standIn.hasGrandchild })
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      // The next start waits for that, `run --point` too.
      standIn.environment["MISBEHAVE"] = nil
      let alone = try standIn.run(["--point", point])
      #expect(alone.status == 0 && !standIn.hasCollisions, "\(alone.errors)")
      #expect(!standIn.hasGrandchild)
      #expect(standIn.text("notes/ended") == "ended\n", "it was asked, and had the time that it needs")
    }
  }

  @Test func aSecondSignalStopsAtOnce() throws {
    try StandIn.with { standIn in
      standIn.settings += ["backend.grace=8s", #"backend.devices=["one"]"#]
      standIn.environment["MISBEHAVE"] = "late"
      let process = try standIn.start()
      #expect(standIn.waits { standIn.hasGrandchild })
      kill(process.processIdentifier, SIGTERM)
      // Signals within 100 ms are one. The program now has its grace.
      usleep(500_000)
      #expect(process.isRunning)
      kill(process.processIdentifier, SIGTERM)
      process.waitUntilExit()
      #expect(process.terminationStatus == 143)
      #expect(standIn.text("errors").isEmpty, "a stop in order says what is kept")
    }
  }

  @Test func onlyTheProgramSeesASecret() throws {
    try StandIn.with { standIn in
      standIn.repeats = 1
      let secret = "s3cr3t-\(UInt32.random(in: 0...UInt32.max))"
      standIn.settings += ["backend.retries=0", "prefetcher.maxCost=[5, 6]", #"backend.environment={ TOKEN: { env: "OUR_TOKEN" } }"#]
      let unset = try standIn.run()
      #expect(
        unset.status == 2 && unset.errors.contains("backend.environment.TOKEN: takes OUR_TOKEN, which is not set here; export OUR_TOKEN"))
      standIn.environment["OUR_TOKEN"] = secret
      standIn.environment["MISBEHAVE"] = "telling if MAX_PREFETCH_COST=5"
      let result = try standIn.run()
      #expect(result.status == 1)
      #expect(!(result.errors + result.output).contains(secret))
      var found = 0
      let names = FileManager.default.enumerator(atPath: standIn.path("results"))?.compactMap { $0 as? String } ?? []
      for name in names {
        let bytes = FileManager.default.contents(atPath: standIn.path("results/\(name)")) ?? Data()
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
        if String(decoding: bytes, as: UTF8.self).contains("the token is •••") { found += 1 }
      }
      #expect(found == 3, "the output is there, the secret is not")
    }
  }

  @Test func runsOfEarlierStartsAreUsedIfAllSettingsThatDecideThemAreEqual() throws {
    try StandIn.with { standIn in
      standIn.repeats = 1
      #expect(try standIn.run().status == 0)
      let made = standIn.runs.count
      // The network of the emulator, cool-downs and limits decide nothing that a phone measured.
      let calm = standIn.settings
      standIn.settings = calm + ["backend.timeLimit=1h", "backend.retries=3"]
      #expect(try standIn.run().status == 0)
      #expect(standIn.runs.count == made, "all were done")
      let changes = [
        (#"backend.devices=["one"]"#, "backend.devices has changed"), ("backend.line=STATISTICS", "backend.metrics has changed"),
        (#"backend.environment={ MODE: "fast" }"#, "backend.environment has changed"),
        ("backend=emulated", "what makes the runs was backend.command and is the emulator"),
      ]
      for (setting, says) in changes {
        standIn.settings = (setting == "backend=emulated" ? [] : calm) + [setting]
        let result = try standIn.run()
        #expect(result.status == 2 && result.errors.contains(says), "\(result.errors)")
      }
    }
  }

  @Test func aScriptGetsTheValuesAndIsAFileThatDecidesRuns() throws {
    try BuiltTool.withFolder { folder in
      let (sweep, app) = (folder.appendingPathComponent("s.json5"), folder.appendingPathComponent("app"))
      try #"""
      { sweep: "s", repeats: 2, axes: { "prefetcher.ahead": [1, 2] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } },
        backend: {
          shell: true, folder: "work", log: "logs/{point}", files: ["app"],
          command: [
            "mkdir -p logs; printf '%s\\n' \"$2\" >> words; echo \"loaders=$AHEAD of 10\" >> \"logs/$1\"",
            "{point}", "{network}; $(touch trap) '",
          ],
          environment: { AHEAD: "{prefetcher.ahead}" }, metrics: { viewed: 10, loaders: "loaders" },
        } }
      """#.write(to: sweep, atomically: true, encoding: .utf8)
      try "one".write(to: app, atomically: true, encoding: .utf8)
      let work = folder.appendingPathComponent("work")
      try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
      let arguments = ["run", sweep.path, "--quiet", "--output", folder.appendingPathComponent("r").path]
      let first = try BuiltTool.run(arguments)
      #expect(first.status == 0, "\(first.errors)")
      let rows = try String(contentsOf: folder.appendingPathComponent("r/runs.csv"), encoding: .utf8).split(separator: "\n").dropFirst()
      #expect(rows.map { $0.split(separator: ",")[6] } == ["100", "100", "200", "200"], "each run's own line of the log")
      let words = try String(contentsOf: work.appendingPathComponent("words"), encoding: .utf8)
      let word = #"{"profile":"3G","transport":"fluid"}; $(touch trap) '"#
      #expect(words == String(repeating: word + "\n", count: 4), "no shell has read a value")
      #expect(!FileManager.default.fileExists(atPath: work.appendingPathComponent("trap").path))
      try "two".write(to: app, atomically: true, encoding: .utf8)
      let other = try BuiltTool.run(arguments)
      #expect(other.status == 2 && other.errors.contains("backend.files has changed"), "\(other.errors)")
    }
  }

  @Test func onlyColumnsThatTheDeviceReportsAreShown() throws {
    try StandIn.with { standIn in
      standIn.repeats = 4
      standIn.settings += [#"backend.metrics={ loadersPer1000: { pattern: "\"loaders\": ([0-9]+)" } }"#]
      #expect(try standIn.run().status == 0)
      let report = standIn.text("results/report.md")
      #expect(report.contains("loaders per 1000") && !report.contains("MB received") && !report.contains("above bound"), "\(report)")
      #expect(!report.contains("Loaders by reason") && !report.contains("fewer bytes"))
      #expect(report.contains("## Repeat a run") && !report.contains("A timeline of"), "what a phone did cannot be drawn")
      let again = try BuiltTool.run(["report", standIn.path("results"), "--output", standIn.path("made")])
      #expect(again.status == 0 && standIn.text("made/report.md") == report)
    }
  }

  @Test func theWinnerIsConfirmedOnTheDevices() throws {
    try StandIn.with { standIn in
      standIn.settings += ["confirm={ repeats: 3, best: 1 }", "search=halving"]
      let result = try standIn.run()
      #expect(result.status == 0, "\(result.errors)")
      let confirmation = standIn.text("results/confirmation.csv").split(separator: "\n").dropFirst()
      #expect(confirmation.count == 6, "the best and the baseline")
      let seeds = Set(confirmation.map { $0.split(separator: ",")[2] })
      for seed in seeds { #expect(Set(standIn.runs.filter { $0.seed == seed }.map(\.device)).count == 1) }
      #expect(standIn.runs.count < 36 + 6, "the worse half ended early")
    }
  }

  @Test func oneRunCanBeRepeated() throws {
    try StandIn.with { standIn in
      standIn.repeats = 2
      #expect(try standIn.run().status == 0)
      let line = standIn.text("results/runs.csv").split(separator: "\n")[4]
      let cells = line.split(separator: ",").map(String.init)
      let alone = try standIn.run(["--point", cells[0], "--repetition", cells[1]])
      #expect(alone.status == 0 && alone.output.split(separator: "\n").last == line)
    }
  }

  @Test func aSingleRunIsRefusedWhileASweepRuns() throws {
    try StandIn.with { standIn in
      let list = try standIn.run(["--list"]).output.split(separator: "\n")
      let point = try #require(list.last?.split(separator: "\t").first.map(String.init))
      standIn.environment["MISBEHAVE"] = "hang"
      let process = try standIn.start()
      #expect(standIn.waits { standIn.hasGrandchild && standIn.runs.count == 2 }, "a run on each device")
      let started = standIn.runs.count
      let (alone, sweep) = (try standIn.run(["--point", point]), try standIn.run())
      #expect(alone.status == 2 && alone.output == "" && alone.errors == sweep.errors)
      #expect(alone.errors.contains("process \(process.processIdentifier) "), "\(alone.errors)")
      #expect(alone.errors.contains("is writing these results; wait for it, stop it, or name another folder with --output"))
      #expect(standIn.runs.count == started && !standIn.hasCollisions)
      kill(process.processIdentifier, SIGTERM)
      process.waitUntilExit()
      // A missing folder is locked as well, and is missing afterwards.
      standIn.environment["MISBEHAVE"] = nil
      #expect(try standIn.run(["--point", point], results: "none").status == 0)
      #expect(!FileManager.default.fileExists(atPath: standIn.path("none")))
      standIn.environment["PACE"] = "2"
      let held = try standIn.start(["--point", point], results: "none")
      #expect(standIn.waits { FileManager.default.fileExists(atPath: standIn.path("none/.journal/lock")) })
      #expect(try standIn.run(results: "none").errors.contains("process \(held.processIdentifier) "))
      held.waitUntilExit()
      #expect(held.terminationStatus == 0)
      #expect(!FileManager.default.fileExists(atPath: standIn.path("none")))
    }
  }

  @Test func optionsThatDevicesDoNotSupportAreRefused() throws {
    try StandIn.with { standIn in
      let shard = try standIn.run(["--shard", "0/2"])
      #expect(shard.status == 2 && shard.errors.contains("so it has no shards; run the whole sweep"))
      let sweep = "Sweeps/device-xcodebuild.json5"
      let explain = try BuiltTool.run(["explain", sweep])
      #expect(explain.status == 2 && explain.errors.contains("backend: is command, and explain works with the emulator only"), "\(explain)")
      let missing = try BuiltTool.run(standIn.arguments([], results: "results"), environment: ["PATH": "/usr/bin:/bin"])
      #expect(missing.status == 2 && missing.errors.contains(#"names "xcodebuild", which is no program here"#), "\(missing.errors)")
      #expect(!FileManager.default.fileExists(atPath: standIn.path("results")))
      #expect(standIn.runs.isEmpty)
    }
  }

  @Test func theOvernightScriptSkipsASweepThatNeedsADevice() throws {
    let text = try String(contentsOf: Reference.packageRoot.appendingPathComponent("Sweeps/device-xcodebuild.json5"), encoding: .utf8)
    #expect(text.split(separator: "\n").prefix(5).joined().contains("needs a device"), "`overnight` looks for this text")
    let list = try BuiltTool.run(["run", "Sweeps/device-xcodebuild.json5", "--list"])
    #expect(list.status == 0, "its points can be looked at without one")
  }
}
