// Student's t distribution, and the incomplete beta function that it needs.

import Base

/// Student's t distribution (Student 1908, doi:10.1093/biomet/6.1.1), with a relative error of about 1e-12, also in the tails.
package enum StudentT {
  /// Returns the probability that a t variable is at least as far from 0 as `t`: I_{ν/(ν+t²)}(ν/2, ½) (DLMF 8.17, A&S 26.7.1).
  package static func twoSidedTail(_ t: Double, degreesOfFreedom: Double) -> Double {
    precondition(degreesOfFreedom > 0, "there is no t distribution without degrees of freedom")
    if t.isInfinite { return 0 }
    let square = t * t
    let whole = degreesOfFreedom + square
    return SpecialFunctions.incompleteBeta(a: degreesOfFreedom / 2, b: 0.5, x: degreesOfFreedom / whole, y: square / whole)
  }

  /// Returns the distance from 0 that a t variable exceeds, on either side, with probability `alpha` in all.
  package static func criticalValue(alpha: Double, degreesOfFreedom: Double) -> Double {
    // Newton's method within a bracket; about ten evaluations of the tail.
    precondition(alpha > 0 && alpha <= 1, "a probability lies between 0 and 1")
    if alpha == 1 { return 0 }
    var low = 0.0
    var high = max(1, Normal.upperQuantile(alpha / 2))
    while twoSidedTail(high, degreesOfFreedom: degreesOfFreedom) > alpha {
      low = high
      high *= 2
    }
    let half = Elementary.logBeta(degreesOfFreedom / 2, 0.5)
    let scale = 2 / (degreesOfFreedom.squareRoot() * StableMath.exp(half))
    var t = (low + high) / 2
    for _ in 0..<200 {
      let error = twoSidedTail(t, degreesOfFreedom: degreesOfFreedom) - alpha
      if error > 0 { low = t } else { high = t }
      let slope = scale * StableMath.exp(-(degreesOfFreedom + 1) / 2 * Elementary.log1p(t * t / degreesOfFreedom))
      var next = t + error / slope
      if !(next > low && next < high) { next = (low + high) / 2 }
      let change = (next - t).magnitude
      t = next
      if change <= 1e-15 * t { break }
    }
    return t
  }
}

package enum SpecialFunctions {
  /// Returns the regularised incomplete beta function I_x(a, b) for positive `a` and `b` and x in 0 … 1. Pass y = 1 − x if it is known more
  /// precisely. The continued fraction of DLMF 8.17.22 takes about √max(a, b) steps.
  package static func incompleteBeta(a: Double, b: Double, x: Double, y: Double? = nil) -> Double {
    precondition(a > 0 && b > 0 && x >= 0 && x <= 1, "the incomplete beta function is not defined there")
    let y = y ?? 1 - x
    if x <= 0 { return 0 }
    if y <= 0 { return 1 }
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(a: b, b: a, x: y, y: x) }
    let logX = x > 0.5 ? Elementary.log1p(-y) : StableMath.log(x)
    let logY = y > 0.5 ? Elementary.log1p(-x) : StableMath.log(y)
    return StableMath.exp(a * logX + b * logY - Elementary.logBeta(a, b)) / a * betaFraction(a, b, x)
  }

  /// Returns the continued fraction, evaluated from the front (modified Lentz's method: Thompson & Barnett 1986).
  private static func betaFraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
    var (value, upper, lower) = (1.0, 1.0, 0.0)
    for index in 0..<stepLimit {
      let m = Double((index + 1) / 2)
      let numerator =
        if index == 0 {
          -(a + b) * x / (a + 1)
        } else if index.isMultiple(of: 2) {
          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        } else {
          m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        }
      lower = 1 + numerator * lower
      lower = 1 / (lower == 0 ? 1e-300 : lower)
      upper = 1 + numerator / upper
      if upper == 0 { upper = 1e-300 }
      let change = upper * lower
      value *= change
      if (change - 1).magnitude < 1e-16 { break }
    }
    return 1 / value
  }

  private static let stepLimit = 20_000
}
