// A test for any difference between several settings, by their ranks within each repetition.

import Base

/// Friedman's test of several settings measured with the same seeds (Friedman 1937, doi:10.1080/01621459.1937.10503522).
package struct FriedmanTest: Hashable, Sendable {
  /// The statistic, corrected for ties (Conover 1999, 5.8).
  package let statistic: Double
  /// Twice the sum of each setting's ranks over the repetitions, so that ties stay whole numbers.
  package let doubledRankSums: [Int]
  /// The p-value of the statistic as an F variable (Iman & Davenport 1980, doi:10.1080/03610928008827904); at least (k!)¹⁻ⁿ,
  /// the probability that n repetitions agree on one order. It is less conservative than chi-square for few repetitions.
  package let fPValue: Double

  /// Tests a table with one row per repetition and one column per setting.
  package init(rows: [[Double]]) {
    precondition(rows.count > 0 && rows[0].count > 1, "a test needs repetitions and settings")
    let (n, k) = (Double(rows.count), Double(rows[0].count))
    var sums = [Int](repeating: 0, count: rows[0].count)
    var ties = 0.0
    for row in rows {
      precondition(row.count == sums.count, "every repetition has every setting")
      let ranking = Ranking(row)
      for (column, rank) in ranking.doubled.enumerated() { sums[column] += rank }
      ties += ranking.tieSizes.reduce(0) { $0 + Double($1) * (Double($1) * Double($1) - 1) }
    }
    doubledRankSums = sums
    let squares = sums.reduce(0) { $0 + Double($1) * Double($1) / 4 }
    let correction = 1 - ties / (n * k * (k * k - 1))
    statistic = correction > 0 ? (12 / (n * k * (k + 1)) * squares - 3 * n * (k + 1)) / correction : 0
    fPValue = FriedmanTest.fPValue(statistic, rows: n, columns: k)
  }

  private static func fPValue(_ statistic: Double, rows n: Double, columns k: Double) -> Double {
    guard n > 1 else { return 1 }
    let agreement = StableMath.exp((1 - n) * Elementary.logGamma(k + 1))
    // F = (n − 1)·χ² / (n(k − 1) − χ²), with k − 1 and (k − 1)(n − 1) degrees of freedom; its upper tail by DLMF 8.17.
    let rest = n * (k - 1) - statistic
    guard rest > 1e-9 * n * k else { return agreement }
    let (first, second) = (k - 1, (k - 1) * (n - 1))
    let weighted = first * (n - 1) * statistic / rest
    return max(agreement, SpecialFunctions.incompleteBeta(a: second / 2, b: first / 2, x: second / (second + weighted)))
  }
}

/// The ranks of values, from 1; equal values share their mean rank.
package struct Ranking {
  /// Twice the rank of each value, in the values' order, so that ties stay whole numbers.
  package let doubled: [Int]
  /// The number of values that share each rank, by ascending value.
  let tieSizes: [Int]

  /// Ranks `values`; values within 1e-9 of the largest magnitude count as equal. O(n log n).
  package init(_ values: [Double]) {
    let tolerance = values.reduce(0) { max($0, $1.magnitude) } * 1e-9
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    var doubled = [Int](repeating: 0, count: values.count)
    var sizes: [Int] = []
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, values[order[end]] - values[order[start]] <= tolerance { end += 1 }
      // Twice the mean of the ranks start + 1 … end.
      for rank in start..<end { doubled[order[rank]] = start + 1 + end }
      sizes.append(end - start)
      start = end
    }
    self.doubled = doubled
    tieSizes = sizes
  }
}
