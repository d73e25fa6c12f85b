// The incomplete beta function, from which the distributions of the tests are read.

/// Special functions of statistics.
package enum SpecialFunctions {
  /// The regularised incomplete beta function I_x(a, b), for positive `a` and `b` and x in 0 … 1; y = 1 − x may be given by itself, so
  /// that nothing is lost where x is close to 1.
  ///
  /// The continued fraction of DLMF 8.17.22; about √max(a, b) steps.
  package static func incompleteBeta(a: Double, b: Double, x: Double, y: Double? = nil) -> Double {
    precondition(a > 0 && b > 0 && x >= 0 && x <= 1, "the incomplete beta function is not defined there")
    let y = y ?? 1 - x
    if x <= 0 { return 0 }
    if y <= 0 { return 1 }
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(a: b, b: a, x: y, y: x) }
    let logX = x > 0.5 ? Elementary.log1p(-y) : Elementary.log(x)
    let logY = y > 0.5 ? Elementary.log1p(-x) : Elementary.log(y)
    return Elementary.exp(a * logX + b * logY - Elementary.logBeta(a, b)) / a * betaFraction(a, b, x)
  }

  /// The continued fraction, evaluated from the front (modified Lentz's method: Thompson & Barnett 1986).
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

  /// More steps than any argument here needs.
  private static let stepLimit = 20_000
}
