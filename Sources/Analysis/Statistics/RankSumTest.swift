// The Mann–Whitney test: only for results with different seeds; paired results deserve a paired test.

/// The Mann–Whitney test of two independent samples (Mann & Whitney 1947, doi:10.1214/aoms/1177730491), two-sided.
package struct RankSumTest: Hashable, Sendable {
  /// How the p-value is found.
  package enum Method: Hashable, Sendable {
    /// All arrangements are counted; ties are taken for none.
    case exact
    /// The normal distribution with the variance corrected for ties, with or without a continuity correction of ½.
    case normal(isCorrected: Bool)
  }

  /// The number of pairs in which the first sample's value is larger, ties counting half.
  package let u: Double
  /// The same for the second sample.
  package let otherU: Double
  /// The two-sided p-value; 1 where either sample is empty or all values are equal.
  package let pValue: Double
  /// How it was found.
  package let method: Method

  /// Cliff's delta, how much oftener the first is larger than smaller: −1 … 1 (Cliff 1993, doi:10.1037/0033-2909.114.3.494).
  package let cliffsDelta: Double

  /// Tests whether one sample tends to be larger; without a method, exactly where there are no ties and few values.
  package init(_ first: [Double], _ second: [Double], method wanted: Method? = nil) {
    let ranking = Ranking(first + second)
    let (n, m) = (first.count, second.count)
    let doubledSum = ranking.doubled.prefix(n).reduce(0, +)
    u = Double(doubledSum) / 2 - Double(n * (n + 1)) / 2
    otherU = Double(n * m) - u
    cliffsDelta = n * m > 0 ? 2 * u / Double(n * m) - 1 : 0
    let hasTies = ranking.tieSizes.contains { $0 > 1 }
    method = wanted ?? (!hasTies && n * m <= RankSumTest.exactLimit ? .exact : .normal(isCorrected: true))
    guard n * m > 0, ranking.tieSizes.count > 1 else {
      pValue = 1
      return
    }
    switch method {
    case .exact:
      pValue = RankSumTest.exactTail(n, m, larger: Int(max(u, otherU)))
    case .normal(let isCorrected):
      let all = Double(n + m)
      let ties = ranking.tieSizes.reduce(0) { $0 + Double($1) * (Double($1) * Double($1) - 1) }
      let deviation = (Double(n * m) / 12 * (all + 1 - ties / (all * (all - 1)))).squareRoot()
      let distance = max(u, otherU) - Double(n * m) / 2 - (isCorrected ? 0.5 : 0)
      pValue = min(1, 2 * Normal.upperTail(distance / deviation))
    }
  }

  /// The largest product of the samples' sizes for which arrangements are counted without being asked for.
  private static let exactLimit = 2500

  /// The two-sided chance of a U of at least `larger`: counts of the choices of `n` ranks among n + m by their sum.
  private static func exactTail(_ n: Int, _ m: Int, larger: Int) -> Double {
    let most = n * m
    // ways[k][s]: choices of k of the values so far whose U, the sum of ranks less its least, is s.
    var ways = [[Double]](repeating: [Double](repeating: 0, count: most + 1), count: n + 1)
    ways[0][0] = 1
    for rank in 0..<(n + m) {
      for chosen in stride(from: min(n, rank + 1), through: 1, by: -1) {
        // The value of this rank stands above rank − (chosen − 1) values that were not chosen.
        let gain = rank - (chosen - 1)
        guard gain <= m else { continue }
        for sum in stride(from: most, through: gain, by: -1) { ways[chosen][sum] += ways[chosen - 1][sum - gain] }
      }
    }
    let all = ways[n].reduce(0, +)
    return min(1, 2 * ways[n][min(larger, most)...].reduce(0, +) / all)
  }
}
