// Random numbers for tests, and quantiles at both ends of a distribution.

import Analysis
import Simulation
import Testing

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

  package init(seed: UInt64) { random = SplitMix64(state: seed) }

  package mutating func unit() -> Double { (Double(random.next() >> 11) + 0.5) * 0x1p-53 }
  package mutating func normal() -> Double { Normal.quantile(unit()) }
}

/// A distribution with mean 0, from a uniform and a normal draw.
package struct Law: Sendable, CustomTestStringConvertible {
  package let testDescription: String
  package let draw: @Sendable (_ uniform: Double, _ normal: Double) -> Double

  package init(testDescription: String, draw: @escaping @Sendable (_ uniform: Double, _ normal: Double) -> Double) {
    (self.testDescription, self.draw) = (testDescription, draw)
  }
}
