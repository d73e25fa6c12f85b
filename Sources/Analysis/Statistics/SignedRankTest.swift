// Wilcoxon's signed-rank test with ties and zeros, and the estimates that belong to it.

/// The signed-rank test (Wilcoxon 1945, doi:10.2307/3001968), two-sided, exact given the ties.
package struct SignedRankTest: Hashable, Sendable {
  /// What becomes of differences that are zero.
  package enum Zeros: Hashable, Sendable {
    /// They are dropped before ranking (Wilcoxon 1945).
    case dropped
    /// They are ranked, then dropped (Pratt 1959, doi:10.1080/01621459.1959.10501526).
    case ranked
    /// They are ranked, and half their ranks go to each side; large samples only.
    case split
  }

  /// The sum of the ranks of positive differences.
  package let positiveSum: Double
  /// The sum of the ranks of negative differences.
  package let negativeSum: Double
  /// The number of differences that are not zero.
  package let usedCount: Int
  /// How many sign patterns have a smaller sum of at most the one seen; nil where the p-value is not exact.
  package let extremeCount: UInt64?
  /// The two-sided p-value; 1 where every difference is zero.
  package let pValue: Double
  /// The standardised statistic of the large-sample test; 0 where every difference is zero.
  package let z: Double
  /// Whether the p-value counts all sign patterns given the ties, or comes from the normal distribution.
  package let isExact: Bool

  /// Tests whether the differences are centred on zero.
  ///
  /// Up to 62 used differences all sign patterns are counted by dynamic programming over doubled midranks, O(n³); above, or where
  /// `isExact` is false, the normal distribution with the variance corrected for ties is used (Hollander, Wolfe & Chicken 2014,
  /// 3.1), with a continuity correction of ½ where `isCorrected`.
  package init(differences: [Double], zeros: Zeros = .dropped, isExact wantsExact: Bool = true, isCorrected: Bool = true) {
    let size = differences.reduce(0) { max($0, $1.magnitude) }
    let isZero = differences.map { $0.magnitude <= size * 1e-12 }
    let kept = differences.indices.filter { zeros != .dropped || !isZero[$0] }
    let ranking = Ranking(kept.map { isZero[$0] ? 0 : differences[$0].magnitude })
    var doubled: [Int] = []
    var (positive, negative, split) = (0, 0, 0)
    for (place, index) in kept.enumerated() {
      let rank = ranking.doubled[place]
      if isZero[index] {
        if zeros == .split { split += rank }
        continue
      }
      doubled.append(rank)
      if differences[index] > 0 { positive += rank } else { negative += rank }
    }
    usedCount = doubled.count
    // The doubled ranks of k zeros add up to k(k + 1), which is even.
    positiveSum = Double(positive + split / 2) / 2
    negativeSum = Double(negative + split / 2) / 2
    let standardised = SignedRankTest.standardised(
      positive: positiveSum, ranking: ranking, zeroCount: kept.count - doubled.count, zeros: zeros, isCorrected: isCorrected)
    z = standardised
    isExact = wantsExact && doubled.count <= 62 && zeros != .split
    guard !doubled.isEmpty else {
      (extremeCount, pValue) = (nil, 1)
      return
    }
    guard isExact else {
      (extremeCount, pValue) = (nil, min(1, 2 * Normal.upperTail(standardised.magnitude)))
      return
    }
    let ways = SignedRankTest.waysBySum(doubled)
    let atMost = ways[...min(positive, negative)].reduce(0, +)
    extremeCount = atMost
    pValue = min(1, 2 * Double(atMost) / Double(UInt64(1) << UInt64(doubled.count)))
  }

  /// The matched-pairs rank-biserial correlation, (W₊ − W₋) / (W₊ + W₋) (Kerby 2014, doi:10.2466/11.IT.3.1): from −1, all
  /// differences negative, to 1; nil where all are zero.
  package var rankBiserial: Double? {
    let sum = positiveSum + negativeSum
    return usedCount > 0 ? (positiveSum - negativeSum) / sum : nil
  }

  /// For each sum of ranks, the number of sign patterns that reach it.
  private static func waysBySum(_ ranks: [Int]) -> [UInt64] {
    var ways = [UInt64](repeating: 0, count: ranks.reduce(0, +) + 1)
    ways[0] = 1
    var reached = 0
    for rank in ranks {
      reached += rank
      for sum in stride(from: reached, through: rank, by: -1) { ways[sum] += ways[sum - rank] }
    }
    return ways
  }

  private static func standardised(positive: Double, ranking: Ranking, zeroCount: Int, zeros: Zeros, isCorrected: Bool) -> Double {
    let n = Double(ranking.doubled.count)
    let none = zeros == .ranked ? Double(zeroCount) : 0
    let mean = n * (n + 1) / 4 - none * (none + 1) / 4
    var variance = n * (n + 1) * (2 * n + 1) - none * (none + 1) * (2 * none + 1)
    let tied = zeros == .ranked && zeroCount > 0 ? Array(ranking.tieSizes.dropFirst()) : ranking.tieSizes
    variance -= tied.reduce(0) { $0 + Double($1) * (Double($1) * Double($1) - 1) } / 2
    guard variance > 0 else { return 0 }
    let distance = positive - mean
    let correction = isCorrected && distance != 0 ? (distance > 0 ? 0.5 : -0.5) : 0
    return (distance - correction) / (variance / 24).squareRoot()
  }
}

extension SignedRankTest {
  /// A shift with the interval that the signed-rank test allows it.
  package struct Shift: Hashable, Sendable {
    /// The Hodges–Lehmann estimate: the median of the means of all pairs of differences.
    package let estimate: Double
    /// Its interval, at least at the confidence asked for; nil where too few differences can reach it.
    package let interval: ConfidenceInterval?
  }

  /// The shift of the differences, estimated without regard to their distribution (Hodges & Lehmann 1963,
  /// doi:10.1214/aoms/1177704172; the interval after Tukey 1949, in Hollander, Wolfe & Chicken 2014, 3.3).
  ///
  /// All n(n+1)/2 means are sorted; at most 2000 differences. The interval's confidence is the exact one, without ties, up to 62
  /// differences and the normal one above. Nil for no differences.
  package static func shift(of differences: [Double], confidence: Double = 0.95) -> Shift? {
    precondition(differences.count <= 2000, "the means of all pairs would fill the memory")
    guard !differences.isEmpty else { return nil }
    var means: [Double] = []
    for (index, value) in differences.enumerated() {
      for other in differences[index...] { means.append((value + other) / 2) }
    }
    means.sort()
    let middle = means.count / 2
    let estimate = means.count.isMultiple(of: 2) ? (means[middle - 1] + means[middle]) / 2 : means[middle]
    guard let (left, reached) = trimmedMeans(count: differences.count, confidence: confidence) else {
      return Shift(estimate: estimate, interval: nil)
    }
    return Shift(
      estimate: estimate,
      interval: ConfidenceInterval(low: means[left], high: means[means.count - 1 - left], confidence: reached))
  }

  /// How many means are left out at each end, and the confidence that this has.
  private static func trimmedMeans(count: Int, confidence: Double) -> (left: Int, confidence: Double)? {
    let alpha = 1 - confidence
    guard count <= 62 else {
      let n = Double(count)
      let deviation = (n * (n + 1) * (2 * n + 1) / 24).squareRoot()
      let left = (n * (n + 1) / 4 - Normal.upperQuantile(alpha / 2) * deviation).rounded(.down)
      return (Int(left), confidence)
    }
    let ways = waysBySum(Array(1...count))
    let all = Double(UInt64(1) << UInt64(count))
    var below: UInt64 = 0
    var best: (left: Int, confidence: Double)?
    for (sum, way) in ways.enumerated() {
      below += way
      if 2 * Double(below) / all > alpha { break }
      best = (sum, 1 - 2 * Double(below) / all)
    }
    return best
  }
}
