// Random numbers for tests, and quantiles at both ends of a distribution.

@testable import Analysis
@testable import Simulation

typealias SplitMix64 = Simulation.SplitMix64

extension Normal {
  /// Returns the value that is exceeded with probability 1 − `probability`.
  static func quantile(_ probability: Double) -> Double {
    probability < 0.5 ? -upperQuantile(probability) : upperQuantile(1 - probability)
  }
}

/// Uniform and normal numbers of a seed.
struct Draws {
  private var random: SplitMix64
  private var sum = 0.0

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  mutating func unit() -> Double { (Double(random.next() >> 11) + 0.5) * 0x1p-53 }
  mutating func normal() -> Double { Normal.quantile(unit()) }
}
