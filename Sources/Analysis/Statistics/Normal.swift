// The standard normal distribution, and the selection bias of the best of many settings (the winner's curse).

import Base

/// The standard normal distribution, with a relative error of about 1e-14, also in the tails.
package enum Normal {
  /// Returns the probability that a standard normal variable is at most `z`.
  package static func cumulative(_ z: Double) -> Double { z > 0 ? 1 - upperTail(z) : upperTail(-z) }

  /// Returns the probability that a standard normal variable exceeds `z`.
  package static func upperTail(_ z: Double) -> Double {
    // Near 0: the series of Marsaglia (2004, doi:10.18637/jss.v011.i04), all of whose terms are positive.
    // In the tail: Laplace's continued fraction (Abramowitz & Stegun 26.2.14).
    if z < 0 { return 1 - upperTail(-z) }
    guard z < 2.5 else {
      var fraction = z
      for level in stride(from: 120.0, through: 1, by: -1) { fraction = z + level / fraction }
      return density(z) / fraction
    }
    var term = z
    var sum = z
    var odd = 1.0
    while term > sum * 1e-17 {
      odd += 2
      term *= z * z / odd
      sum += term
    }
    return 0.5 - density(z) * sum
  }

  package static func density(_ z: Double) -> Double { StableMath.exp(-z * z / 2) * inverseRootTwoPi }

  /// Returns the value that is exceeded with probability `tail`, which lies between 0 and 1.
  package static func upperQuantile(_ tail: Double) -> Double {
    // Abramowitz & Stegun 26.2.23 is the first guess, which Halley's iteration improves.
    precondition(tail > 0 && tail < 1, "a probability lies between 0 and 1")
    if tail > 0.5 { return -upperQuantile(1 - tail) }
    let t = (-2 * StableMath.log(tail)).squareRoot()
    var z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    for _ in 0..<4 {
      let error = (upperTail(z) - tail) / density(z)
      z += 2 * error / (2 - error * z)
    }
    return z
  }

  /// Returns the expected maximum of `count` independent standard normal variables: the apparent advantage of the best of as many equal
  /// settings, in standard errors.
  package static func expectedMaximum(of count: Int) -> Double {
    // ∫ z·k·φ(z)·Φ(z)ᵏ⁻¹ dz (David & Nagaraja 2003, Order Statistics, 3.1.1) by the trapezoidal rule, to 1e-12.
    precondition(count >= 1, "a maximum needs at least one variable")
    if count == 1 { return 0 }
    let stepsPerUnit = 32
    var sum = 0.0
    for step in (-10 * stepsPerUnit)...(12 * stepsPerUnit) {
      let z = Double(step) / Double(stepsPerUnit)
      sum += z * density(z) * Elementary.power(cumulative(z), count - 1)
    }
    return sum * Double(count) / Double(stepsPerUnit)
  }

  /// Returns the expected apparent advantage of the best of `count` equal settings over the baseline; `standardError` is that of one
  /// difference. For 100 equal settings it is 1.8 standard errors.
  package static func selectionBias(ofBest count: Int, standardError: Double) -> Double {
    // E[max of K normals]·SE/√2 (David & Nagaraja 2003, Order Statistics, 3.1.1): half of a difference's variance is the baseline's, which
    // all differences share (correlation ½: Dunnett 1955, doi:10.1080/01621459.1955.10501294). Only the other half is selected from.
    expectedMaximum(of: max(1, count)) * standardError / 2.0.squareRoot()
  }

  private static let inverseRootTwoPi = 0.398_942_280_401_432_7
}
