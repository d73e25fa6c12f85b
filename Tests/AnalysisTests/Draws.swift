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
