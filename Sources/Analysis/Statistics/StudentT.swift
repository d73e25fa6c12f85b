// Student's t distribution, from which the intervals come, and the unpaired test for results with different seeds.

/// Student's t distribution (Student 1908, doi:10.1093/biomet/6.1.1), to about 1e-12 of each value, in the tails too.
package enum StudentT {
  /// The probability that a t variable is at least as far from 0 as `t`: I_{ν/(ν+t²)}(ν/2, ½) (DLMF 8.17, A&S 26.7.1).
  package static func twoSidedTail(_ t: Double, degreesOfFreedom: Double) -> Double {
    precondition(degreesOfFreedom > 0, "there is no t distribution without degrees of freedom")
    if t.isInfinite { return 0 }
    let square = t * t
    let whole = degreesOfFreedom + square
    return SpecialFunctions.incompleteBeta(a: degreesOfFreedom / 2, b: 0.5, x: degreesOfFreedom / whole, y: square / whole)
  }

  /// The distance from 0 that a t variable exceeds, on either side, with probability `alpha` in all.
  ///
  /// The tail is solved for by Newton's method within a bracket; about ten evaluations of the tail.
  package static func criticalValue(alpha: Double, degreesOfFreedom: Double) -> Double {
    precondition(alpha > 0 && alpha <= 1, "a probability lies between 0 and 1")
    if alpha == 1 { return 0 }
    var low = 0.0
    var high = max(1, Normal.upperQuantile(alpha / 2))
    while twoSidedTail(high, degreesOfFreedom: degreesOfFreedom) > alpha {
      low = high
      high *= 2
    }
    let half = Elementary.logBeta(degreesOfFreedom / 2, 0.5)
    let scale = 2 / (degreesOfFreedom.squareRoot() * Elementary.exp(half))
    var t = (low + high) / 2
    for _ in 0..<200 {
      let error = twoSidedTail(t, degreesOfFreedom: degreesOfFreedom) - alpha
      if error > 0 { low = t } else { high = t }
      let slope = scale * Elementary.exp(-(degreesOfFreedom + 1) / 2 * Elementary.log1p(t * t / degreesOfFreedom))
      var next = t + error / slope
      if !(next > low && next < high) { next = (low + high) / 2 }
      let change = (next - t).magnitude
      t = next
      if change <= 1e-15 * t { break }
    }
    return t
  }
}

/// Welch's test of two independent samples (Welch 1947, doi:10.1093/biomet/34.1-2.28).
package enum WelchTest {
  /// The two-sided p-value, with Satterthwaite's degrees of freedom (1946); nil below two values a sample, and without any spread.
  package static func pValue(_ first: [Double], _ second: [Double]) -> Double? {
    let (x, y) = (Sample(first), Sample(second))
    let (a, b) = (x.standardError * x.standardError, y.standardError * y.standardError)
    let standardError = (a + b).squareRoot()
    guard x.count > 1, y.count > 1, standardError > 0 else { return nil }
    let degrees = (a + b) * (a + b) / (a * a / Double(x.count - 1) + b * b / Double(y.count - 1))
    return StudentT.twoSidedTail((y.mean - x.mean) / standardError, degreesOfFreedom: degrees)
  }
}
