// Runs that take long or do not end: they stop on a signal or fail with a reason.

import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct LongRunTests {
  private static let scenario = """
    scenario: { feed: { items: 100000, mix: { image: 1 }, image: { bytes: "1MB" } }, prefetcher: "itemsAhead",
      network: { down: "1Gbps", up: "1Gbps", delayDown: "5ms", delayUp: "5ms", lossDown: 0.001 } }
    """

  /// Writes sweeps whose runs take minutes, and the results of a short sweep as those of a device.
  private func write(to folder: URL) throws {
    try "{ sweep: \"long\", repeats: 1, axes: {}, \(Self.scenario) }"
      .write(to: folder.appendingPathComponent("long.json5"), atomically: true, encoding: .utf8)
    try "{ sweep: \"axis\", repeats: 2, axes: { \"prefetcher.ahead\": [0, 1] }, \(Self.scenario) }"
      .write(to: folder.appendingPathComponent("axis.json5"), atomically: true, encoding: .utf8)
    let short = ["--set", "feed.items=10", "--set", "feed.image.bytes=1KB"]
    let result = try BuiltTool.run(["run", "axis.json5", "--quiet", "--output", "device"] + short, in: folder)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// True if a process handles SIGINT. On other systems than Linux it waits instead and returns true.
  private func handlesSignals(_ process: Process) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    guard let caught = status?.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") })?.split(separator: "\t").last else {
      usleep(2_000_000)
      return true
    }
    return UInt64(caught, radix: 16).map { $0 & 1 << UInt64(SIGINT - 1) != 0 } ?? false
  }

  private static let commands = [
    ["run", "long.json5", "--output", "r"], ["run", "axis.json5", "--output", "r"], ["explain", "long.json5"],
    ["check", "--sweep", "long.json5", "--set", "prefetcher.ahead=1"],
    ["network", "--down", "1Gbps", "--up", "1Gbps", "--loss", "0.1", "--get", "1GB", "--parallel", "32", "--over", "1"],
    ["calibrate", "device", "--sweep", "axis.json5"],
  ]

  /// The promise is an end within one second of the signal. A busy machine gets 10 s.
  @Test(.timeLimit(.minutes(5)), arguments: commands, [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func aLongRunEndsWithASignal(_ command: [String], _ signal: (number: Int32, status: Int32)) throws {
    try BuiltTool.withFolder { folder in
      try write(to: folder)
      let process = Process()
      process.executableURL = BuiltTool.path
      process.arguments = command
      process.currentDirectoryURL = folder
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try BuiltTool.startWithHangUp(process)
      for _ in 0..<3000 where process.isRunning && !handlesSignals(process) { usleep(10_000) }
      // Waits until the feed is drawn and the run has begun.
      usleep(1_500_000)
      #expect(process.isRunning, "the run is too short for this test")
      let start = ContinuousClock.now
      kill(process.processIdentifier, signal.number)
      process.waitUntilExit()
      #expect(ContinuousClock.now - start < .seconds(10))
      if ProcessInfo.processInfo.environment["LONG_RUN_TIMES"] != nil { print(command, signal.number, ContinuousClock.now - start) }
      #expect(process.terminationReason == .exit && process.terminationStatus == signal.status)
    }
  }

  @Test func aRunThatNeverEndsFailsWithItsReasonInTheList() throws {
    try BuiltTool.withFolder { folder in
      let trace = "[{ duration_ms: 86400000, bandwidth_kbps: 0 }, { duration_ms: 0.002, bandwidth_kbps: 0.001 }]"
      try trace.write(to: folder.appendingPathComponent("trace.json"), atomically: true, encoding: .utf8)
      try """
      { sweep: "endless", repeats: 1, axes: {},
        scenario: { feed: { items: 3, pages: { size: 3, trigger: "endReached" } }, network: { trace: "trace.json" }, prefetcher: "none" } }
      """.write(to: folder.appendingPathComponent("endless.json5"), atomically: true, encoding: .utf8)
      let reason = "no byte of the first page arrived for 24 hours of virtual time"
      let run = try BuiltTool.run(["run", "endless.json5", "--quiet", "--output", "r"], in: folder)
      #expect(run.status == 1 && run.errors.contains(reason), "\(run.errors)")
      let failures = try String(contentsOf: folder.appendingPathComponent("r/failures.csv"), encoding: .utf8)
      #expect(failures.contains(reason), "\(failures)")
      let list = try BuiltTool.run(["run", "endless.json5", "--list"], in: folder).output.split(separator: "\n")
      let point = String(try #require(list.last?.split(separator: "\t").first))
      for command in [["run", "endless.json5", "--point", point], ["explain", "endless.json5"]] {
        let result = try BuiltTool.run(command, in: folder)
        #expect(result.status == 1 && result.output.isEmpty && result.errors.contains(reason), "\(command): \(result.errors)")
      }
    }
  }
}
