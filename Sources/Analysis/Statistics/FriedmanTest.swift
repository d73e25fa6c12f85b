// Whether any of several settings differs, from ranks within each repetition.

/// Friedman's test of several settings measured with the same seeds (Friedman 1937, doi:10.1080/01621459.1937.10503522).
public struct FriedmanTest: Hashable, Sendable {
  /// The statistic, corrected for ties (Conover 1999, 5.8).
  public let statistic: Double
  /// Its p-value from the chi-square distribution with k − 1 degrees of freedom; 1 where all rows are constant.
  public let pValue: Double

  /// Tests a table with one row a repetition and one column a setting.
  public init(rows: [[Double]]) {
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
    let squares = sums.reduce(0) { $0 + Double($1) * Double($1) / 4 }
    let correction = 1 - ties / (n * k * (k * k - 1))
    statistic = correction > 0 ? (12 / (n * k * (k + 1)) * squares - 3 * n * (k + 1)) / correction : 0
    pValue = SpecialFunctions.chiSquareUpperTail(statistic, degreesOfFreedom: k - 1)
  }
}
