// The exact paired test: under the null hypothesis the sign of every difference is a fair coin.

/// The sign-flip (paired permutation) test of Fisher (1935, The Design of Experiments, §21), two-sided on the sum.
package struct SignFlipTest: Hashable, Sendable {
  /// The two-sided p-value; 1 if every difference is zero.
  package let pValue: Double

  /// Tests the hypothesis that the differences are symmetric about zero. O(n·S), with S the sum of the differences in units.
  package init(differences: [Double]) {
    // Dynamic programming over the reachable sums (Pagano & Tritchler 1983, doi:10.2307/2288653). Differences without a common unit are
    // enumerated up to 20 of them; beyond that they are rounded to a grid of 1/65536 of the sum of their sizes.
    let size = differences.reduce(0) { max($0, $1.magnitude) }
    let used = differences.filter { $0.magnitude > size * 1e-12 }
    if used.isEmpty {
      pValue = 1
    } else if used.allSatisfy({ $0 > 0 }) || used.allSatisfy({ $0 < 0 }) {
      // Only all plus and all minus are as extreme.
      pValue = SignFlipTest.smallestPValue(count: used.count)
    } else if let units = SignFlipTest.commonUnits(used) {
      pValue = SignFlipTest.extremeShare(units)
    } else if used.count <= SignFlipTest.enumerationLimit {
      pValue = SignFlipTest.enumeratedShare(used, size: size)
    } else {
      let sum = used.reduce(0) { $0 + $1.magnitude }
      pValue = SignFlipTest.extremeShare(used.map { Int(($0 / sum * 65536).rounded(.toNearestOrEven)) })
    }
  }

  /// Returns the smallest two-sided p-value that `count` differences can reach, 2¹⁻ⁿ.
  package static func smallestPValue(count: Int) -> Double {
    count < 1 ? 1 : Double(sign: .plus, exponent: max(-1000, 1 - count), significand: 1)
  }

  /// Returns the fewest differences whose smallest p-value is at most `level`, which is above 0.
  package static func fewestDifferences(reaching level: Double) -> Int {
    precondition(level > 0, "no test reaches a level of zero")
    var count = 1
    while smallestPValue(count: count) > level { count += 1 }
    return count
  }

  private static let enumerationLimit = 20, stepLimit = 20_000_000.0

  /// Returns the differences as whole multiples of their greatest common divisor; nil if it is too small.
  private static func commonUnits(_ values: [Double]) -> [Int]? {
    let size = values.reduce(0) { max($0, $1.magnitude) }
    var unit = 0.0
    for value in values {
      var (larger, smaller) = (max(unit, value.magnitude), min(unit, value.magnitude))
      while smaller > size * 1e-7 {
        // Euclid's algorithm with the nearest multiple, so that rounding in the values does not look like a remainder.
        let rest = (larger - (larger / smaller).rounded(.toNearestOrEven) * smaller).magnitude
        (larger, smaller) = (smaller, rest)
      }
      unit = larger
    }
    let sum = values.reduce(0) { $0 + $1.magnitude }
    guard sum / unit * Double(values.count) <= stepLimit else { return nil }
    let units = values.map { ($0 / unit).rounded(.toNearestOrEven) }
    guard zip(values, units).allSatisfy({ ($0 - $1 * unit).magnitude <= size * 1e-9 }) else { return nil }
    return units.map { Int($0) }
  }

  /// Returns the share of sign patterns whose sum is at least as far from 0 as the observed one; exact up to 53 differences.
  private static func extremeShare(_ units: [Int]) -> Double {
    let sizes = units.map { Int($0.magnitude) }
    let total = sizes.reduce(0, +)
    let seen = abs(units.reduce(0, +))
    if seen == 0 { return 1 }
    // The probability that the sizes with a plus add up to each sum P. The pattern's sum is 2P − total; both tails are alike.
    var chance = [Double](repeating: 0, count: total + 1)
    chance[0] = 1
    var reached = 0
    for size in sizes {
      reached += size
      for sum in stride(from: reached, through: 0, by: -1) { chance[sum] = (chance[sum] + (sum >= size ? chance[sum - size] : 0)) / 2 }
    }
    return min(1, 2 * chance[((total + seen + 1) / 2)...].reduce(0, +))
  }

  /// Returns the share of extreme sign patterns by enumeration in Gray code order, on a grid far finer than the values' rounding.
  private static func enumeratedShare(_ values: [Double], size: Double) -> Double {
    var signed = values.map { Int64(($0 / size * 0x1p40).rounded(.toNearestOrEven)) }
    var sum = signed.reduce(0, +)
    let threshold = abs(sum) - 1 << 12
    let patterns = 1 << values.count
    var extreme = 0
    for pattern in 1...patterns {
      if abs(sum) >= threshold { extreme += 1 }
      if pattern == patterns { break }
      let flipped = pattern.trailingZeroBitCount
      sum -= 2 * signed[flipped]
      signed[flipped] = -signed[flipped]
    }
    return Double(extreme) / Double(patterns)
  }
}

/// Corrections for families of tests, which bound the probability of any false alarm.
package enum MultipleTests {
  /// Returns Holm's adjusted p-values (1979, https://www.jstor.org/stable/4615733), in the given order. Each is the smallest level at which
  /// its test is rejected. O(n log n).
  package static func adjusted(_ pValues: [Double]) -> [Double] {
    var adjusted = pValues
    var largest = 0.0
    let order = pValues.indices.sorted { (pValues[$0], $0) < (pValues[$1], $1) }
    for (step, index) in order.enumerated() {
      largest = max(largest, pValues[index] * Double(pValues.count - step))
      adjusted[index] = min(1, largest)
    }
    return adjusted
  }

  /// Returns the confidence that each of `count` intervals needs for all of them to hold at once with `confidence`:
  /// 1 − α/K (Bonferroni's inequality; Dunn 1961, doi:10.1080/01621459.1961.10482090).
  package static func simultaneousConfidence(_ confidence: Double, count: Int) -> Double { 1 - (1 - confidence) / Double(max(1, count)) }
}
