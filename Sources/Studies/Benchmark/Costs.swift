// What sessions cost beside themselves: a second core, the runner around them, and a start of the tool.

import Analysis
import Foundation
import Import
import Simulation
import Sweep
import Synchronization

/// How long a call takes, in µs.
/// - Throws: what `body` throws.
func microseconds(_ body: () throws -> Void) rethrows -> Double { try ContinuousClock().measure(body) / Duration.microseconds(1) }

/// Sessions a second on so many cores: sessions share nothing, so that two cores should do almost twice as many.
struct Scaling: Codable {
  var transport: String
  var cores: Int
  var sessionsPerSecond = 0.0
  /// Over one core.
  var speedup = 1.0
  /// The processor's time for a session, in µs: what the cores take from each other by locks, memory and caches shows here, and what
  /// other programs take does not.
  var processorUs = Double.infinity

  /// Measures one core and two, for each transport, in turn, `rounds` times; the best round of each counts, as noise only ever slows.
  static func measure(rounds: Int) -> [Scaling] {
    NetworkConfiguration.TransportKind.allCases.flatMap { transport in
      let scenario = BenchmarkCase(connections: 4, transport: transport, isGenerated: true).scenario
      let one = microseconds { for seed in 0..<4 { _ = scenario.run(seed: UInt64(seed)) } } / 4
      // A round takes some 8 ms on a core: long against the start of a thread, short enough that both cores are free for some rounds.
      let count = max(1, Int(8000 / one))
      var results = [1, 2].map { Scaling(transport: transport.rawValue, cores: $0) }
      for _ in 0..<rounds {
        for index in results.indices {
          let cores = results[index].cores
          let used = Mutex(0.0)
          let elapsed = microseconds {
            WorkerPool.run(cores, threads: cores, worker: {}) { _, _ in
              let before = threadMicroseconds
              // The same sessions on each core: others would take another time.
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

  /// The processor's time of this thread so far.
  private static var threadMicroseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

/// The cost of the runner, in µs a run on one core: points, journal, rows in order, tables.
struct RunnerCost: Codable {
  var transport: String
  /// The session itself, its metrics included.
  var sessionUs: Double
  /// All of the runner beside it: the point, the journal, its row read back in order and written.
  var runnerUs: Double
  var share: Double

  /// Measures sweeps of sessions of 1000 items, each round the sessions alone and then with the runner around them. The medians of the
  /// rounds count: a difference of two minima would be one of two accidents.
  /// - Throws: what the sweeps and their files throw.
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
        let scenarios = try (0..<sweep.pointCount).compactMap { try sweep.feedScenario($0) }
        let times = try (0..<rounds).map { _ in
          let alone = microseconds {
            for repetition in 1...repeats { for scenario in scenarios { _ = scenario.run(seed: sweep.seed(of: repetition)) } }
          }
          return (alone: alone, whole: try microseconds { try makeRows(sweep, in: folder + "/results") })
        }
        let runs = Double(scenarios.count * repeats)
        let session = times.map(\.alone).sorted()[rounds / 2] / runs
        // Each round's own difference: what slows a round slows both of its halves.
        let runner = times.map { $0.whole - $0.alone }.sorted()[rounds / 2] / runs
        return RunnerCost(transport: transport, sessionUs: session, runnerUs: runner, share: runner / session)
      }
    }
  }

  /// - Throws: what the sweep and its files throw.
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

/// What a start of the tool costs, in ms: from the call that starts it to its end, as a shell meets it.
struct StartCost: Codable {
  /// Until it has printed its version.
  var versionMs: Double
  /// Until a sweep of one short run has been read, run, and its tables are on the disk.
  var firstRunMs: Double

  /// The fastest of some starts of the tool beside this program; nil where there is none.
  /// - Throws: what starting the tool and its files throw.
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

  /// How long a program takes from its start to its end. By the system's calls: Foundation's `Process` looks for the end every 50 ms.
  /// - Throws: `StudyProblem` where the program cannot be started or fails.
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
