// The incomplete beta function, from which the distributions of the tests are read.

/// Special functions of statistics.
package enum SpecialFunctions {
  /// The regularised incomplete beta function I_x(a, b), for positive `a` and `b` and x in 0 … 1.
  ///
  /// The continued fraction of DLMF 8.17.22 by Lentz's method; about √max(a, b) steps.
  package static func incompleteBeta(a: Double, b: Double, x: Double) -> Double {
    precondition(a > 0 && b > 0 && x >= 0 && x <= 1, "the incomplete beta function is not defined there")
    return incompleteBeta(a: a, b: b, x: x, y: 1 - x)
  }

  /// The same, with y = 1 − x given by itself, so that nothing is lost where x is close to 1.
  static func incompleteBeta(a: Double, b: Double, x: Double, y: Double) -> Double {
    if x <= 0 { return 0 }
    if y <= 0 { return 1 }
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(a: b, b: a, x: y, y: x) }
    let logX = x > 0.5 ? Elementary.log1p(-y) : Elementary.log(x)
    let logY = y > 0.5 ? Elementary.log1p(-x) : Elementary.log(y)
    return Elementary.exp(a * logX + b * logY - Elementary.logBeta(a, b)) / a * betaFraction(a, b, x)
  }

  private static func betaFraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
    var lentz = Lentz(first: 1)
    for index in 0..<stepLimit {
      let step = Double(index)
      let numerator: Double
      if index == 0 {
        numerator = -(a + b) * x / (a + 1)
      } else if index.isMultiple(of: 2) {
        let m = step / 2
        numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      } else {
        let m = (step + 1) / 2
        numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      }
      if lentz.advance(numerator: numerator, denominator: 1) { break }
    }
    return 1 / lentz.value
  }

  /// More steps than any argument here needs.
  private static let stepLimit = 20_000
}

/// A continued fraction, evaluated from the front (modified Lentz's method: Thompson & Barnett 1986).
private struct Lentz {
  private(set) var value: Double
  private var upper: Double
  private var lower = 0.0

  init(first: Double) {
    value = first == 0 ? 1e-300 : first
    upper = value
  }

  /// Adds a level; true once the value no longer changes.
  mutating func advance(numerator: Double, denominator: Double) -> Bool {
    lower = denominator + numerator * lower
    if lower == 0 { lower = 1e-300 }
    lower = 1 / lower
    upper = denominator + numerator / upper
    if upper == 0 { upper = 1e-300 }
    let change = upper * lower
    value *= change
    return (change - 1).magnitude < 1e-16
  }
}
