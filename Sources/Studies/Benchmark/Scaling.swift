// What a second core is worth: sessions share nothing, so that two should do almost twice as many.

import Foundation
import Simulation
import Sweep
import Synchronization

/// Sessions a second on so many cores.
struct Scaling: Codable {
  var transport: String
  var cores: Int
  var sessionsPerSecond: Double
  /// Over one core.
  var speedup = 1.0
  /// The processor's time for a session, in µs: what the cores take from each other by locks, memory and caches shows here, and what
  /// other programs take does not.
  var processorUs: Double

  /// Measures one core and two, for each transport, in turn, `rounds` times; the best round of each counts, as noise only ever slows.
  static func measure(rounds: Int) -> [Scaling] {
    NetworkConfiguration.TransportKind.allCases.flatMap { transport in
      let scenario = BenchmarkCase(connections: 4, transport: transport, isGenerated: true).scenario
      let clock = ContinuousClock()
      let one = clock.measure { for seed in 0..<4 { _ = scenario.run(seed: UInt64(seed)) } } / 4
      // A round takes some 8 ms on a core: long against the start of a thread, short enough that both cores are free for some rounds.
      let count = max(1, Int(Duration.milliseconds(8) / one))
      var best = [1: 0.0, 2: 0.0]
      var processor = [1: Double.infinity, 2: Double.infinity]
      for _ in 0..<rounds {
        for cores in [1, 2] {
          let used = Mutex(0.0)
          let elapsed = clock.measure {
            WorkerPool.run(cores, threads: cores, worker: {}) { _, _ in
              let before = threadMicroseconds
              // The same sessions on each core: others would take another time.
              for seed in 0..<count { _ = scenario.run(seed: UInt64(seed)) }
              let spent = threadMicroseconds - before
              used.withLock { $0 += spent }
              return true
            }
          }
          best[cores] = max(best[cores] ?? 0, Double(cores * count) / (elapsed / Duration.seconds(1)))
          processor[cores] = min(processor[cores] ?? .infinity, used.withLock { $0 } / Double(cores * count))
        }
      }
      return [1, 2].map { cores in
        Scaling(
          transport: transport.rawValue, cores: cores, sessionsPerSecond: best[cores] ?? 0, speedup: (best[cores] ?? 0) / (best[1] ?? 1),
          processorUs: processor[cores] ?? 0)
      }
    }
  }

  /// The processor's time of this thread so far.
  private static var threadMicroseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
