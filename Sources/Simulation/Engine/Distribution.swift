// Distributions of sizes and times, drawn from a seeded stream with StableMath.

import Base

/// A distribution of positive whole numbers: bytes or nanoseconds.
package enum Distribution: Hashable, Sendable {
  case constant(Int64)
  /// Uniform over the whole numbers from the first to the second.
  case uniform(Int64, Int64)
  /// exp(ln median + sigma × normal), clamped to the bounds.
  case lognormal(median: Int64, sigma: Double, minimum: Int64, maximum: Int64)
  /// −mean × ln(1 − unit), clamped to the bounds.
  case exponential(mean: Int64, minimum: Int64, maximum: Int64)
  /// Increasing values at increasing probabilities from 0 to 1, as many of each; straight lines between them.
  case quantiles([Int64], at: [Double])

  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .uniform(let low, let high): low == high
    case .lognormal(_, let sigma, let minimum, let maximum): sigma == 0 || minimum == maximum
    case .exponential(_, let minimum, let maximum): minimum == maximum
    case .quantiles(let values, _): values.first == values.last
    }
  }

  /// Draws a value with `random`; the result is within the bounds.
  package func draw(from random: inout RandomStream) -> Int64 {
    switch self {
    case .constant(let value): return value
    case .uniform(let low, let high): return low + Int64(random.below(UInt64(high - low) + 1))
    case .lognormal(let median, let sigma, let minimum, let maximum):
      return bounded(Double(median) * StableMath.exp(sigma * random.normal()), minimum, maximum)
    case .exponential(let mean, let minimum, let maximum):
      return bounded(-Double(mean) * StableMath.log(1 - random.unit()), minimum, maximum)
    case .quantiles(let values, let probabilities):
      let unit = random.unit()
      var upper = 1
      while probabilities[upper] < unit { upper += 1 }
      let (low, high) = (values[upper - 1], values[upper])
      let part = (unit - probabilities[upper - 1]) / (probabilities[upper] - probabilities[upper - 1])
      return min(high, low + Int64(part * Double(high - low)))
    }
  }

  private func bounded(_ value: Double, _ minimum: Int64, _ maximum: Int64) -> Int64 {
    if value <= Double(minimum) { return minimum }
    if value >= Double(maximum) { return maximum }
    return Int64(value)
  }
}
