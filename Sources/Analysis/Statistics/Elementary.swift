// Powers, gamma and beta functions from + − × ÷ and StableMath, so that results agree to the last bit on all machines.
// Statistics need relative accuracy near 1 and in tails, hence log1p and the cancellation in logBeta.

import Base

/// Elementary functions built from IEEE operations, accurate to a few units in the last digit.
package enum Elementary {
  /// Returns log(1 + x) without loss near 0: 2·artanh(x / (2 + x)). `x` is above −1.
  static func log1p(_ x: Double) -> Double { x.magnitude < 0.3 ? 2 * artanh(x / (2 + x)) : StableMath.log(1 + x) }

  /// Returns x to the power of `exponent`, for a positive `x`.
  package static func power(_ x: Double, _ exponent: Double) -> Double { StableMath.exp(exponent * StableMath.log(x)) }

  /// Returns x to a whole power of at least 0, by repeated squaring.
  package static func power(_ x: Double, _ exponent: Int) -> Double {
    var result = 1.0
    var square = x
    var rest = exponent
    while rest > 0 {
      if !rest.isMultiple(of: 2) { result *= square }
      square *= square
      rest /= 2
    }
    return result
  }

  /// Returns the logarithm of the gamma function of a positive `x`: Stirling's series from 15 up (DLMF 5.11.1), by recurrence below.
  static func logGamma(_ x: Double) -> Double {
    var product = 1.0
    var shifted = x
    while shifted < stirlingStart {
      product *= shifted
      shifted += 1
    }
    return (shifted - 0.5) * StableMath.log(shifted) - shifted + halfLogTwoPi + stirlingRest(shifted) - StableMath.log(product)
  }

  /// Returns the logarithm of the beta function. Large parts cancel before they are summed
  /// (as in DiDonato & Morris 1992, doi:10.1145/131766.131776, algorithm 708).
  static func logBeta(_ a: Double, _ b: Double) -> Double {
    let large = max(a, b)
    let small = min(a, b)
    guard large >= stirlingStart else { return logGamma(a) + logGamma(b) - logGamma(a + b) }
    let ratio = -(a + b - 0.5) * log1p(small / large) - small * StableMath.log(large) + small
    return logGamma(small) + ratio + stirlingRest(large) - stirlingRest(a + b)
  }

  /// Returns artanh by its series; |ratio| is below 0.18, so that 23 powers reach 1e-18.
  private static func artanh(_ ratio: Double) -> Double {
    let square = ratio * ratio
    var sum = 0.0
    for odd in stride(from: 23.0, through: 1, by: -2) { sum = sum * square + 1 / odd }
    return ratio * sum
  }

  /// Returns the remainder of Stirling's formula, 1/12x − 1/360x³ + … (DLMF 5.11.1), to 1e-17 for x from 15.
  private static func stirlingRest(_ x: Double) -> Double {
    let inverse = 1 / (x * x)
    return stirlingCoefficients.reversed().reduce(0.0) { (sum: Double, next: Double) -> Double in sum * inverse + next } / x
  }

  private static let stirlingStart = 15.0
  private static let stirlingCoefficients: [Double] = [
    1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360_360, 1.0 / 156,
  ]
  private static let halfLogTwoPi = 0.918_938_533_204_672_8
}
