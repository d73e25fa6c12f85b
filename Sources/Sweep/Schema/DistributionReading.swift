// A size or a time that may be drawn: a plain quantity, or an object that names a distribution.

import Import
import Simulation

extension ObjectReader {
  /// A distribution of a quantity, `in` limits: "25KB", or { distribution: "lognormal", median: "25KB", sigma: 0.5 }.
  package mutating func distribution(
    _ key: String, _ dimension: Dimension, default fallback: Distribution? = nil, in limits: ClosedRange<Int64>
  ) -> Distribution {
    guard let value = value(key) else {
      if let fallback { record(key, fallback.canonical) } else { reportMissing(key, example: dimension.example) }
      return fallback ?? .constant(limits.lowerBound)
    }
    guard value.members != nil else {
      return .constant(quantity(key, dimension, default: nil, in: limits))
    }
    // Its parts leave no lines of their own: the same distribution has one line, written out or by default.
    var part = ObjectReader(value, path: path(of: key), context: DecodingContext(sink: context.sink))
    let distribution = part.distribution(dimension, in: limits)
    part.finish()
    record(key, distribution.canonical)
    return distribution
  }

  /// The distribution that an object describes.
  private mutating func distribution(_ dimension: Dimension, in limits: ClosedRange<Int64>) -> Distribution {
    switch choice("distribution", of: ["constant", "uniform", "lognormal", "exponential"]) {
    case "uniform":
      let (low, high) = bounds(dimension, in: limits, areRequired: true)
      return .uniform(low, high)
    case "lognormal":
      let median = quantity("median", dimension, default: nil, in: limits)
      let sigma = number("sigma", in: 0...5)
      let (low, high) = bounds(dimension, in: limits, areRequired: false)
      return .lognormal(median: median, sigma: sigma, minimum: low, maximum: high)
    case "exponential":
      let mean = quantity("mean", dimension, default: nil, in: limits)
      let (low, high) = bounds(dimension, in: limits, areRequired: false)
      return .exponential(mean: mean, minimum: low, maximum: high)
    default:
      return .constant(quantity("value", dimension, default: nil, in: limits))
    }
  }

  private mutating func bounds(_ dimension: Dimension, in limits: ClosedRange<Int64>, areRequired: Bool) -> (Int64, Int64) {
    let low = quantity("min", dimension, default: areRequired ? nil : limits.lowerBound, in: limits)
    let high = quantity("max", dimension, default: areRequired ? nil : limits.upperBound, in: limits)
    guard low <= high else {
      report("max", problem: "is less than min", remedy: "write min ≤ max")
      return (low, low)
    }
    return (low, high)
  }

  private mutating func quantity(
    _ key: String, _ dimension: Dimension, default fallback: Int64?, in limits: ClosedRange<Int64>
  ) -> Int64 {
    switch dimension {
    case .size: size(key, default: fallback, in: limits)
    case .rate: rate(key, default: fallback, in: limits)
    default: duration(key, default: fallback, in: limits)
    }
  }
}

extension Distribution {
  /// One text for equal distributions, in base units.
  var canonical: String {
    switch self {
    case .constant(let value): "\(value)"
    case .uniform(let low, let high): "uniform \(low) \(high)"
    case .lognormal(let median, let sigma, let low, let high): "lognormal \(median) \(sigma) \(low) \(high)"
    case .exponential(let mean, let low, let high): "exponential \(mean) \(low) \(high)"
    }
  }

  /// The distribution in words.
  package func described(_ dimension: Dimension) -> String {
    switch self {
    case .constant(let value): Quantity.described(value, dimension)
    case .uniform(let low, let high): "\(Quantity.described(low, dimension)) to \(Quantity.described(high, dimension))"
    case .lognormal(let median, let sigma, _, _): "median \(Quantity.described(median, dimension)) (lognormal, sigma \(sigma))"
    case .exponential(let mean, _, _): "mean \(Quantity.described(mean, dimension)) (exponential)"
    }
  }

  /// The largest value that can be drawn.
  var maximum: Int64 {
    switch self {
    case .constant(let value): value
    case .uniform(_, let high): high
    case .lognormal(_, _, _, let high), .exponential(_, _, let high): high
    }
  }
}
