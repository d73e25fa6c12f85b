// Random numbers for tests, and quantiles at both ends of a distribution.

import Analysis
import Simulation

package typealias SplitMix64 = Simulation.SplitMix64

extension Normal {
  /// Returns the value that is exceeded with probability 1 − `probability`.
  package static func quantile(_ probability: Double) -> Double {
    probability < 0.5 ? -upperQuantile(probability) : upperQuantile(1 - probability)
  }
}

/// Uniform and normal numbers of a seed.
package struct Draws {
  private var random: SplitMix64
  private var sum = 0.0

  package init(seed: UInt64) { random = SplitMix64(state: seed) }

  package mutating func unit() -> Double { (Double(random.next() >> 11) + 0.5) * 0x1p-53 }
  package mutating func normal() -> Double { Normal.quantile(unit()) }
}
