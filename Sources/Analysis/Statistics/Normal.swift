// The standard normal distribution, and how much better than it is the best of many settings looks (the winner's curse).

/// The standard normal distribution, to about 1e-14 of each value, in the tails too.
package enum Normal {
  /// The probability that a standard normal variable is at most `z`.
  package static func cumulative(_ z: Double) -> Double { z > 0 ? 1 - upperTail(z) : upperTail(-z) }

  /// The probability that it exceeds `z`.
  ///
  /// Near 0 the series of Marsaglia (2004, doi:10.18637/jss.v011.i04), whose terms are all positive; in the tail Laplace's
  /// continued fraction (Abramowitz & Stegun 26.2.14).
  package static func upperTail(_ z: Double) -> Double {
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

  /// The density at `z`.
  package static func density(_ z: Double) -> Double { Elementary.exp(-z * z / 2) * inverseRootTwoPi }

  /// The value that is exceeded with probability `tail`, which lies between 0 and 1.
  ///
  /// Abramowitz & Stegun 26.2.23 to start with, then Halley's iteration.
  package static func upperQuantile(_ tail: Double) -> Double {
    precondition(tail > 0 && tail < 1, "a probability lies between 0 and 1")
    if tail > 0.5 { return -upperQuantile(1 - tail) }
    let t = (-2 * Elementary.log(tail)).squareRoot()
    var z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    for _ in 0..<4 {
      let error = (upperTail(z) - tail) / density(z)
      z += 2 * error / (2 - error * z)
    }
    return z
  }

  /// The expected largest of `count` independent standard normal variables: how much better than it is the winner of
  /// so many equal settings looks, in standard errors.
  ///
  /// ∫ z·k·φ(z)·Φ(z)ᵏ⁻¹ dz (David & Nagaraja 2003, Order Statistics, 3.1.1) by the trapezoidal rule, to 1e-12.
  package static func expectedMaximum(of count: Int) -> Double {
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

  /// The expected advance of the best of `count` equal settings over the baseline, whose difference has the standard error given.
  ///
  /// E[max of K normals]·SE/√2 (David & Nagaraja 2003, Order Statistics, 3.1.1): half of a difference's variance is the baseline's,
  /// which all differences share (the correlation ½ of Dunnett 1955, doi:10.1080/01621459.1955.10501294), so that only the other half
  /// is selected from. For 100 equal settings that is 1.8 standard errors.
  package static func selectionBias(ofBest count: Int, standardError: Double) -> Double {
    expectedMaximum(of: max(1, count)) * standardError / 2.0.squareRoot()
  }

  private static let inverseRootTwoPi = 0.398_942_280_401_432_7
}
