// What a second core is worth: sessions share nothing, so that two should do almost twice as many.

import Dispatch
import Simulation

/// Sessions a second on so many cores.
struct Scaling: Codable {
  var transport: String
  var cores: Int
  var sessionsPerSecond: Double
  /// Over one core.
  var speedup = 1.0

  /// Measures one core and two, for each transport, in turn, `rounds` times; the best round of each counts, as noise only ever slows.
  static func measure(rounds: Int) -> [Scaling] {
    NetworkConfiguration.TransportKind.allCases.flatMap { transport in
      let scenario = BenchmarkCase(connections: 4, transport: transport, isGenerated: true).scenario
      let clock = ContinuousClock()
      let one = clock.measure { for seed in 0..<4 { _ = scenario.run(seed: UInt64(seed)) } } / 4
      // A round takes some 50 ms on a core.
      let count = max(4, Int(Duration.milliseconds(50) / one))
      var best = [1: 0.0, 2: 0.0]
      for _ in 0..<rounds {
        for cores in [1, 2] {
          let elapsed = clock.measure {
            DispatchQueue.concurrentPerform(iterations: cores) { core in
              for seed in 0..<count { _ = scenario.run(seed: UInt64(core * count + seed)) }
            }
          }
          best[cores] = max(best[cores] ?? 0, Double(cores * count) / (elapsed / Duration.seconds(1)))
        }
      }
      return [1, 2].map { cores in
        Scaling(
          transport: transport.rawValue, cores: cores, sessionsPerSecond: best[cores] ?? 0, speedup: (best[cores] ?? 0) / (best[1] ?? 1))
      }
    }
  }
}
