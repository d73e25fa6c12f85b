import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The command `check` on devices: a script stands in for two phones and notes its runs.
@Suite struct DeviceCheckTests {
  /// A folder with the script, a sweep and the results.
  private struct Phones {
    let folder: URL
    /// The variables of the script: the phone that is GONE after as many runs as AFTER, the PACE of a run, the EFFECT of an item less ahead
    /// on all phones, or on the phone ODD alone, and the setting at which a run FAILS.
    var environment: [String: String] = [:]

    /// A run of the script.
    struct Run: Hashable { var device: String, ahead: String, seed: String }

    var runs: [Run] {
      text("notes").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }.map {
        .init(device: $0[0], ahead: $0[1], seed: $0[2])
      }
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

    func arguments(_ more: [String], ahead: Int) -> [String] {
      let given = more.contains("--margin") || more.contains("--guard") ? [] : ["--margin", "2%"]
      return ["check", "--sweep", "phones.json5", "--set", "prefetcher.ahead=\(ahead)", "--output", "kept", "--json", "gate.json"] + given
        + more
    }

    func check(_ more: [String] = [], ahead: Int = 2) throws -> ToolResult {
      try BuiltTool.run(
        arguments(more, ahead: ahead), in: folder, environment: environment.merging(["GITHUB_STEP_SUMMARY": ""]) { $1 })
    }

    /// Starts a check in the background.
    func start(_ more: [String] = [], ahead: Int = 2) throws -> Process {
      let process = Process()
      (process.executableURL, process.arguments, process.currentDirectoryURL) = (BuiltTool.path, arguments(more, ahead: ahead), folder)
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging(["GITHUB_STEP_SUMMARY": ""]) { $1 }
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      process.standardInput = FileHandle.nullDevice
      try process.run()
      return process
    }

    func waits(forRuns count: Int) -> Bool {
      for _ in 0..<500 where runs.count < count { usleep(20_000) }
      return runs.count >= count
    }
  }

  private static let script = #"""
    echo "$1 $2 $3" >> notes
    own=$(grep -c "^$1 " notes)
    if [ "$1" = "${GONE:-}" ] && [ "$own" -gt "${AFTER:-0}" ]; then echo "no device" >&2; exit 1; fi
    if [ "$2" = "${FAILS:-}" ]; then echo "crash" >&2; exit 1; fi
    sleep "${PACE:-0}"
    effect=$(( (3 - $2) * ${EFFECT:-0} ))
    if [ -n "${ODD:-}" ] && [ "$1" != "$ODD" ]; then effect=0; fi
    # Noise by the seed and the settings alone.
    digits=000$3
    echo "{\"loaders\": $((200 + (10#${digits: -4} * $2) % 7 + effect))}"
    """#

  private static let sweep = """
    { sweep: "phones", seed: 3,
      backend: { command: ["/bin/bash", "phone.sh", "{device}", "{prefetcher.ahead}", "{seed}"], devices: ["one", "two"], giveUpAfter: 2,
        backOff: "10ms", metrics: { loadersPer1000: "loaders" } },
      scenario: { feed: { items: 30 }, network: { profile: "3G", transport: "fluid" }, prefetcher: { kind: "itemsAhead" } },
      axes: { "prefetcher.ahead": [2, 3] }, baseline: { "prefetcher.ahead": 3 } }
    """

  private func withPhones(_ body: (inout Phones) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try Self.script.write(to: folder.appendingPathComponent("phone.sh"), atomically: true, encoding: .utf8)
      try Self.sweep.write(to: folder.appendingPathComponent("phones.json5"), atomically: true, encoding: .utf8)
      var phones = Phones(folder: folder)
      try body(&phones)
    }
  }

  @Test func blocksAreMirroredOnOneDeviceAndSomeAreOfProductionAlone() throws {
    try withPhones { phones in
      phones.environment["EFFECT"] = "20"
      let worse = try phones.check()
      #expect(worse.status == 3, "\(worse)")
      #expect(worse.output.contains("REGRESSION: loadersPer1000 rises by more than 2 %") && worse.output.contains("on 2 devices"))
      var orders: [String: Int] = [:]
      for device in ["one", "two"] {
        let runs = phones.runs.filter { $0.device == device }
        for first in stride(from: 0, to: runs.count, by: 4) {
          let block = runs[first..<first + 4]
          #expect(Set(block.map(\.seed)).count == 1)
          orders[block.map(\.ahead).joined(), default: 0] += 1
        }
      }
      #expect(orders.keys.sorted() == ["2332", "3223", "3333"] && [1, 2].contains(orders["3333"]), "\(orders)")
      let blocks = orders.values.reduce(0, +)
      #expect(blocks - (orders["3333"] ?? 0) == 18, "half of 37 blocks, which production and candidate share")
      // A check that has its verdict is over: the next one has runs of its own.
      #expect(try phones.check(["--time-limit", "20s"]).status == 3)
      #expect(phones.runs.count >= 4 * blocks + 76)
      phones.environment["EFFECT"] = "0"
      #expect(try phones.check(["--strict"]).status == 0)
      #expect(phones.text("gate.json").contains(#""outcome" : "passed""#))
    }
  }

  /// Half a block is made again; whole ones are kept, whatever kills the check.
  @Test(arguments: [SIGKILL, SIGTERM])
  func aKilledCheckGoesOnWithItsWholeBlocks(_ signal: Int32) throws {
    try withPhones { phones in
      phones.environment["EFFECT"] = "20"
      // Of one device, the same blocks are made in any case.
      let alone = Self.sweep.replacing(#", "two"]"#, with: "]")
      try alone.write(toFile: phones.path("phones.json5"), atomically: true, encoding: .utf8)
      _ = try phones.check()
      let calm = phones.text("gate.json")
      try FileManager.default.removeItem(atPath: phones.path("notes"))
      phones.environment["PACE"] = "0.03"
      var kills = 0
      for count in [6, 21, 50] {
        let process = try phones.start()
        #expect(phones.waits(forRuns: count))
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        kills += 1
        if signal == SIGTERM { #expect(process.terminationStatus == 143) }
      }
      phones.environment["PACE"] = nil
      let result = try phones.check()
      #expect(result.status == 3 && phones.text("gate.json") == calm, "\(result)")
      // Each kill lost at most the block that it was in, of 4 runs.
      #expect((81...80 + kills * 4).contains(phones.runs.count), "\(phones.runs.count)")
    }
  }

  @Test func aVanishedDeviceLosesItsBlockAndNothingElse() throws {
    try withPhones { phones in
      (phones.environment["EFFECT"], phones.environment["GONE"], phones.environment["AFTER"]) = ("20", "two", "10")
      let result = try phones.check()
      #expect(result.status == 3, "\(result)")
      #expect(phones.runs.count { $0.device == "two" } == 12, "the run in which it vanished, and the first of one more block")
      // Two whole blocks of the vanished device count.
      #expect(phones.runs.count { $0.device == "one" } == 4 * 18, "\(phones.runs.count)")
      #expect(result.output.contains("on two failed in a run of"), "\(result.output)")
      // Where no device is left there is no verdict; once one is there again, the same command goes on.
      phones.environment["FAILS"] = "3"
      let none = try phones.check()
      #expect(none.status == 1 && none.output.hasPrefix("FAILED: 4 blocks of runs failed"), "\(none)")
      (phones.environment["GONE"], phones.environment["FAILS"]) = (nil, nil)
      #expect(try phones.check().status == 3)
    }
  }

  @Test func aCandidateWhoseRunsFailGetsNoVerdictFromTheOthers() throws {
    try withPhones { phones in
      phones.environment["FAILS"] = "2"
      let result = try phones.check()
      #expect(result.status == 1 && result.output.contains("failed in a run of the candidate"), "\(result)")
    }
  }

  @Test func devicesThatDisagreeAreUnfit() throws {
    try withPhones { phones in
      (phones.environment["EFFECT"], phones.environment["ODD"]) = ("30", "two")
      let result = try phones.check(["--junit", "gate.xml"])
      #expect(
        result.status == 0 && result.output.hasPrefix("INSTRUMENT UNFIT: loadersPer1000 has no verdict, because devices disagree"),
        "\(result)")
      #expect(result.output.contains("exclude") && phones.text("gate.xml").contains("<skipped message=\"unfit: "))
      #expect(phones.text("gate.json").contains(#""outcome" : "unfit""#))
      let strict = try phones.check(["--strict", "--junit", "gate.xml"])
      #expect(strict.status == 4 && phones.text("gate.xml").contains(#"<failure message="#), "\(strict)")
    }
  }

  @Test func theTimeLimitKeepsWholeBlocks() throws {
    try withPhones { phones in
      (phones.environment["EFFECT"], phones.environment["PACE"]) = ("20", "0.05")
      let limited = try phones.check(["--time-limit", "1s", "--strict"])
      #expect(limited.status == 4 && limited.output.contains("The time limit ended the check after"), "\(limited)")
      let made = phones.runs.count
      phones.environment["PACE"] = nil
      #expect(try phones.check().status == 3)
      #expect(phones.runs.count - made < 80, "whole blocks of the first start count")
    }
  }

  @Test func nullBlocksOfEarlierChecksAreKept() throws {
    try withPhones { phones in
      let cache = ["--cache", "nulls"]
      #expect(try phones.check(cache).status == 0)
      let second = try phones.check(cache, ahead: 2)
      #expect(second.output.contains(/null\s+blocks?\s+and\s+[12]\s+of\s+earlier\s+checks/), "\(second.output)")
    }
  }

  @Test func wrongInputIsRefusedBeforeTheFirstRun() throws {
    try withPhones { phones in
      func refused(_ more: [String], _ message: String) throws {
        let result = try phones.check(more)
        #expect(result.status == 2 && result.errors.contains(message), "\(result)")
      }
      try refused(["--guard", "waitMsMean +20ms"], "--guard: waitMsMean is not measured by the backend of phones.json5")
      try refused(["--repeats", "5"], "needs at least 7 blocks; write --repeats 7 or more")
      try refused(
        ["--set", "downloads.connections=3"], "downloads.connections: is set, but the command does not contain {downloads.connections}")
      #expect(phones.runs.isEmpty)
      phones.environment["PACE"] = "0.05"
      _ = try phones.check(["--time-limit", "1s"])
      let other = try phones.check(ahead: 1)
      #expect(other.status == 2 && other.errors.contains("blocks of another check"), "\(other)")
      phones.environment["PACE"] = nil
      #expect(try phones.check(["--fresh"], ahead: 1).status == 0)
      let emulated = try BuiltTool.run(["check", "--set", "prefetcher.maxCost=4", "--fresh"])
      #expect(emulated.status == 2 && emulated.errors.contains("--fresh: is for devices"), "\(emulated)")
    }
  }

  /// The page's sweeps, candidate and commands as they stand, with stand-ins for adb and xcodebuild.
  @Test(arguments: ["feed-android", "feed-ios"]) func thePageIsActedOut(_ name: String) throws {
    let blocks = DocumentationPages.blocks.filter { $0.page.path.hasSuffix("/DeviceGate.md") }
    try BuiltTool.withFolder { folder in
      for block in blocks {
        guard let file = block.fileName else { continue }
        let text = block.text.replacing(/coolDown: "\w+"/, with: "coolDown: \"0s\"")
        try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
      }
      if name == "feed-ios" {
        try #"{ "prefetcher.maxCost": 6 }"#.write(to: folder.appendingPathComponent("candidate.json5"), atomically: true, encoding: .utf8)
      }
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("notes"), withIntermediateDirectories: true)
      let commands = DocumentationPages.commands.joined().filter { $0.block.page.path.hasSuffix("/DeviceGate.md") }.map {
        $0.text.replacing("feed-android", with: name).replacing(
          "prefetcher.ahead=2", with: name == "feed-ios" ? "prefetcher.maxCost=5" : "prefetcher.ahead=2")
      }
      #expect(commands.count == 2)
      for command in commands {
        let script = "export NIGHT=20270131 NOTES=notes PATH='\(StandIn.folder.path)':$PATH\n\(command)"
        let result = try BuiltTool.shell(script, in: folder)
        let output = result.output.replacing("\n", with: " ")
        #expect([0, 3].contains(result.status) && output.contains("null block"), "\(command): \(result)")
      }
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("gate.xml").path))
    }
  }

  /// The whole path over real sockets; what is planted is large, because tests share their machine.
  @Test func theDemonstrationEndsAsItShould() throws {
    try BuiltTool.withFolder { folder in
      let programs = BuiltTool.studies.deletingLastPathComponent()
      let result = try BuiltTool.run(
        [Reference.packageRoot.appendingPathComponent("Scripts/device-demo").path, folder.path],
        environment: [
          "TOOL": BuiltTool.path.path, "APP": programs.appendingPathComponent("stand-in-app").path, "LINK": "", "PERCENT": "30",
          "MARGIN": "10%",
        ], program: URL(fileURLWithPath: "/bin/bash"))
      #expect(result.status == 0, "\(result)")
      for verdict in ["REGRESSION: waitMsMean rises by more than 10 %", "PASSED: ", "INSTRUMENT UNFIT: ", "devices disagree"] {
        #expect(result.output.contains(verdict), "\(verdict)")
      }
    }
  }
}
