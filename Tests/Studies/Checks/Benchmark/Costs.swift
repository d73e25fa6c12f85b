// Costs other than single sessions: a second core, the runner, and a start of the tool.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import StudyParts
import Sweep
import Synchronization

/// Returns the duration of a call, in µs.
/// - Throws: the errors of `body`.
func microseconds(_ body: () throws -> Void) rethrows -> Double { try ContinuousClock().measure(body) / Duration.microseconds(1) }

/// The sessions per second on one core or two. Sessions share nothing, so that two cores should do almost twice as many.
struct Scaling: Codable {
  var transport: String
  var cores: Int
  var sessionsPerSecond = 0.0
  /// The ratio to one core.
  var speedup = 1.0
  /// The processor time of a session, in µs. It includes contention of the cores for locks, memory and caches, and excludes other programs.
  var processorUs = Double.infinity

  /// Measures one core and two in turn for each transport, `rounds` times; the best round counts, because noise only adds time.
  static func measure(rounds: Int) -> [Scaling] {
    NetworkConfiguration.TransportKind.allCases.flatMap { transport in
      let scenario = BenchmarkCase(connections: 4, transport: transport, isGenerated: true).scenario
      let one = microseconds { for seed in 0..<4 { _ = scenario.run(seed: UInt64(seed)) } } / 4
      // A round takes about 8 ms on a core: long against the start of a thread, short enough that both cores are free in some rounds.
      let count = max(1, Int(8000 / one))
      var results = [1, 2].map { Scaling(transport: transport.rawValue, cores: $0) }
      for _ in 0..<rounds {
        for index in results.indices {
          let cores = results[index].cores
          let used = Mutex(0.0)
          let elapsed = microseconds {
            WorkerPool.run(cores, threads: cores, worker: {}) { _, _ in
              let before = threadMicroseconds
              // All cores run the same sessions, because others take another time.
              for seed in 0..<count { _ = scenario.run(seed: UInt64(seed)) }
              let spent = threadMicroseconds - before
              used.withLock { $0 += spent }
              return true
            }
          }
          results[index].sessionsPerSecond = max(results[index].sessionsPerSecond, Double(cores * count) * 1e6 / elapsed)
          results[index].processorUs = min(results[index].processorUs, used.withLock { $0 } / Double(cores * count))
        }
      }
      results[1].speedup = results[1].sessionsPerSecond / results[0].sessionsPerSecond
      return results
    }
  }

  /// The processor time of this thread so far.
  private static var threadMicroseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

/// The cost of the runner, in µs per run on one core: points, journal, ordered rows, tables.
struct RunnerCost: Codable {
  var transport: String
  /// The time of the session with its metrics.
  var sessionUs: Double
  /// The time of the rest of the runner: point, journal, and the row read back in order and written.
  var runnerUs: Double
  var share: Double

  /// Measures sweeps of sessions of 1000 items, alone and with the runner, in each round. The medians of the rounds count, because the
  /// difference of two minima would be noisy.
  /// - Throws: the errors of the sweeps and their files.
  static func measure(rounds: Int) throws -> [RunnerCost] {
    try [("fluid", 100), ("packet", 4)].map { transport, repeats in
      try withScratchFolder { folder in
        let file = folder + "/cost.json5"
        let text = """
          { sweep: "cost", repeats: \(repeats), axes: { "prefetcher.ahead": "1...10" },
            scenario: { network: { profile: "3G", transport: "\(transport)" }, feed: { items: 1000 }, prefetcher: { kind: "itemsAhead" } } }
          """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let sweep = try ResolvedSweep(path: file)
        let scenarios = try (0..<sweep.pointCount).compactMap { try sweep.decoded($0).scenario as? Scenario }
        let times = try (0..<rounds).map { _ in
          let alone = microseconds {
            for repetition in 1...repeats { for scenario in scenarios { _ = scenario.run(seed: sweep.seed(of: repetition)) } }
          }
          return (alone: alone, whole: try microseconds { try makeRows(sweep, in: folder + "/results") })
        }
        let runs = Double(scenarios.count * repeats)
        let session = times.map(\.alone).sorted()[rounds / 2] / runs
        // A disturbance of a round slows both of its halves, so that the difference is taken within each round.
        let runner = times.map { $0.whole - $0.alone }.sorted()[rounds / 2] / runs
        return RunnerCost(transport: transport, sessionUs: session, runnerUs: runner, share: runner / session)
      }
    }
  }

  /// - Throws: the errors of the sweep and its files.
  private static func makeRows(_ sweep: ResolvedSweep, in folder: String) throws {
    let results = try ResultsFolder(path: folder)
    let runs = try JournaledSweep(SweepRunner(sweep, jobs: 1), folder: results, rule: .fresh)
    try runs.run()
    let writer = RunWriter(axes: sweep.grid.paths)
    let file = try results.open("runs.csv")
    try file.append(writer.header)
    try runs.rows.forEachRow { try file.append(writer.line($0)) }
    try file.close()
    try results.publish()
  }
}

/// The cost of a start of the tool, in ms from the call that starts it to its end.
struct StartCost: Codable {
  /// The time until the tool has printed its version.
  var versionMs: Double
  /// The time until a sweep of one short run is read and run, and its tables are on the disk.
  var firstRunMs: Double

  /// Returns the fastest of some starts of the tool beside this program; nil if there is no tool.
  /// - Throws: the errors of starting the tool and of its files.
  static func measure(starts: Int) throws -> StartCost? {
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("prefetch-sweep").path
    guard FileManager.default.isExecutableFile(atPath: tool) else { return nil }
    return try withScratchFolder { folder in
      let text = #"{ sweep: "one", repeats: 1, scenario: { network: "3G", feed: { items: 1 }, prefetcher: "none" } }"#
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/one.json5"))
      let commands = [["--version"], ["run", folder + "/one.json5", "--fresh", "--quiet", "--output", folder + "/results"]]
      let fastest = try commands.map { command in try (0..<starts).map { _ in try milliseconds(tool, command) }.min() ?? 0 }
      return StartCost(versionMs: fastest[0], firstRunMs: fastest[1])
    }
  }

  /// Returns the duration of a program. It uses system calls, because Foundation's `Process` checks for the end every 50 ms only.
  /// - Throws: `StudyProblem` if the program cannot be started or fails.
  private static func milliseconds(_ program: String, _ arguments: [String]) throws -> Double {
    let null = open("/dev/null", O_RDWR)
    defer { close(null) }
    let start = ProcessStart(
      path: program, arguments: [program] + arguments, environment: ProcessInfo.processInfo.environment.map { "\($0)=\($1)" },
      descriptors: [(null, 1), (null, 2)])
    var status: Int32 = 0
    let elapsed = try microseconds {
      let child = try Platform.spawn(start).get()
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    }
    guard status == 0 else { throw StudyProblem(description: "\(program): ended with status \(status)") }
    return elapsed / 1000
  }
}
