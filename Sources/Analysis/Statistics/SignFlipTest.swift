// The exact paired test: under the null the sign of every difference is a fair coin.

/// The sign-flip (paired permutation) test of Fisher (1935, The Design of Experiments, §21), two-sided on the sum.
package struct SignFlipTest: Hashable, Sendable {
  /// How the p-value was found.
  package enum Method: Hashable, Sendable {
    /// All sign patterns counted, differences in multiples of their common unit.
    case exact
    /// All sign patterns counted, differences rounded to a grid of 1/65536 of the sum of their sizes.
    case rounded
  }

  /// The number of differences that are not zero; the others do not change any sum.
  package let usedCount: Int
  /// How many of the sign patterns have a sum at least as far from 0 as the one seen; nil above 62 differences.
  package let extremeCount: UInt64?
  /// The number of sign patterns, 2ⁿ; nil above 62 differences.
  package let patternCount: UInt64?
  /// The two-sided p-value; 1 where every difference is zero.
  package let pValue: Double
  /// How it was found.
  package let method: Method

  /// Tests whether the differences are centred on zero.
  ///
  /// Dynamic programming over the sums that can be reached (Pagano & Tritchler 1983, doi:10.2307/2288653): O(n·S) with S the sum
  /// of the differences in units; differences without a common unit are enumerated, up to twenty of them.
  package init(differences: [Double]) {
    let size = differences.reduce(0) { max($0, $1.magnitude) }
    let used = differences.filter { $0.magnitude > size * 1e-12 }
    usedCount = used.count
    patternCount = used.count <= 62 ? 1 << UInt64(used.count) : nil
    guard !used.isEmpty else {
      (extremeCount, pValue, method) = (1, 1, .exact)
      return
    }
    if used.allSatisfy({ $0 > 0 }) || used.allSatisfy({ $0 < 0 }) {
      // Only all plus and all minus are as far out.
      (extremeCount, pValue, method) = (used.count <= 62 ? 2 : nil, SignFlipTest.smallestPValue(count: used.count), .exact)
    } else if let units = SignFlipTest.commonUnits(used) {
      (extremeCount, pValue) = SignFlipTest.count(units)
      method = .exact
    } else if used.count <= SignFlipTest.enumerationLimit {
      let extreme = SignFlipTest.enumerate(used, size: size)
      (extremeCount, pValue) = (extreme, Double(extreme) / Double(UInt64(1) << UInt64(used.count)))
      method = .exact
    } else {
      let sum = used.reduce(0) { $0 + $1.magnitude }
      let units = used.map { Int(($0 / sum * 65536).rounded(.toNearestOrEven)) }
      pValue = SignFlipTest.count(units).pValue
      extremeCount = nil
      method = .rounded
    }
  }

  /// The smallest two-sided p-value that `count` differences can reach, 2¹⁻ⁿ.
  package static func smallestPValue(count: Int) -> Double {
    count < 1 ? 1 : Double(sign: .plus, exponent: max(-1000, 1 - count), significand: 1)
  }

  /// The fewest differences whose smallest p-value is at most `level`, which is above 0.
  package static func fewestDifferences(reaching level: Double) -> Int {
    precondition(level > 0, "no test reaches a level of zero")
    var count = 1
    while smallestPValue(count: count) > level { count += 1 }
    return count
  }

  private static let enumerationLimit = 20
  private static let stepLimit = 20_000_000.0

  /// The differences as whole multiples of their greatest common divisor; nil where they have none that is large enough.
  private static func commonUnits(_ values: [Double]) -> [Int]? {
    let size = values.reduce(0) { max($0, $1.magnitude) }
    var unit = 0.0
    for value in values {
      var (larger, smaller) = (max(unit, value.magnitude), min(unit, value.magnitude))
      while smaller > size * 1e-7 {
        // Euclid's algorithm with the nearest multiple, so that rounding in the values does not look like a rest.
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

  /// Counts the sign patterns whose sum is at least as far from 0 as the one seen.
  private static func count(_ units: [Int]) -> (extreme: UInt64?, pValue: Double) {
    let total = units.reduce(0) { $0 + $1.magnitude.asInt }
    let seen = units.reduce(0, +).magnitude.asInt
    // With P the sum of the sizes that get a plus, the pattern's sum is 2P − total; both tails are alike.
    let firstExtreme = (total + seen + 1) / 2
    if units.count <= 62 {
      var ways = [UInt64](repeating: 0, count: total + 1)
      ways[0] = 1
      extend(&ways, units) { $0 + $1 }
      let upper = ways[firstExtreme...].reduce(0, +)
      let all = UInt64(1) << UInt64(units.count)
      let extreme = seen == 0 ? all : 2 * upper
      return (extreme, Double(extreme) / Double(all))
    }
    var chance = [Double](repeating: 0, count: total + 1)
    chance[0] = 1
    extend(&chance, units) { ($0 + $1) / 2 }
    return (nil, seen == 0 ? 1 : min(1, 2 * chance[firstExtreme...].reduce(0, +)))
  }

  private static func extend<Count: AdditiveArithmetic>(_ ways: inout [Count], _ units: [Int], _ join: (Count, Count) -> Count) {
    var reached = 0
    for unit in units.map(\.magnitude.asInt) {
      reached += unit
      for sum in stride(from: reached, through: 0, by: -1) { ways[sum] = join(ways[sum], sum >= unit ? ways[sum - unit] : .zero) }
    }
  }

  /// Goes through all patterns in Gray code's order, on a grid far finer than the values' own rounding.
  private static func enumerate(_ values: [Double], size: Double) -> UInt64 {
    let units = values.map { Int64(($0 / size * 0x1p40).rounded(.toNearestOrEven)) }
    let slack = Int64(1) << 12
    let threshold = units.reduce(0, +).magnitude.asInt64 - slack
    var signs = [Int64](repeating: 1, count: units.count)
    var sum = units.reduce(0, +)
    var extreme: UInt64 = 0
    for pattern in 1...(UInt64(1) << UInt64(units.count)) {
      if sum.magnitude.asInt64 >= threshold { extreme += 1 }
      let flipped = pattern.trailingZeroBitCount
      guard flipped < units.count else { break }
      sum -= 2 * signs[flipped] * units[flipped]
      signs[flipped] = -signs[flipped]
    }
    return extreme
  }
}

extension UInt {
  fileprivate var asInt: Int { Int(self) }
}

extension UInt64 {
  fileprivate var asInt64: Int64 { Int64(self) }
}
