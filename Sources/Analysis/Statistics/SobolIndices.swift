// Sobol indices of a complete grid: the share of the variance between points that each axis explains.

package struct SobolIndices {
  /// An index with its interval; no interval without noise.
  package typealias Index = (value: Double, interval: ConfidenceInterval?)

  /// For each axis, the share that it explains alone, and together with its interactions. Alone it is 0 for an axis with one value.
  package let axes: [(first: Index, total: Index)]

  /// Splits the variance of points, one row of repetitions each, in the order of the grid with the last axis the fastest; nil with fewer than
  /// two axes that vary, below 5 repetitions unless `isExact`, and if the points do not differ by more than the noise. O(runs × axes).
  init?(_ rows: [ArraySlice<Double>], shape: [Int], isExact: Bool, confidence: Double) {
    // First order V_i/V (Sobol 1993, "Sensitivity estimates for nonlinear mathematical models", MMCE 1), total 1 − V_~i/V (Homma & Saltelli
    // 1996, doi:10.1016/0951-8320(96)00002-6), V_u the variance of the mean given the axes u. On a complete factorial these are sums of squares
    // of the analysis of variance, without sampling. All points share the seeds of a repetition, so each V_u is the mean product of two
    // different repetitions (a U-statistic: Hoeffding 1948), which noise does not inflate whatever its covariance between points. Intervals are
    // Student's with the jackknife's error over repetitions (Efron & Stein 1981, doi:10.1214/aos/1176345462).
    let count = rows.first?.count ?? 0
    precondition(shape.reduce(1, *) == rows.count, "a complete grid has a row for each combination")
    guard shape.count(where: { $0 > 1 }) > 1, isExact ? count > 0 : count >= Sample.fewestForInterval else { return nil }
    let whole = Products(rows.map(Array.init), isExact)
    let all = whole.variance()
    let noise = isExact ? 0 : Self.error((0..<count).map { whole.variance(without: $0) })
    let quantile = isExact ? 0 : StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1))
    guard all > quantile * noise, all > 0 else { return nil }
    func index(_ part: Products, isComplement: Bool) -> Index {
      func share(without omitted: Int?) -> Double {
        let share = part.variance(without: omitted) / whole.variance(without: omitted)
        return isComplement ? 1 - share : share
      }
      let value = share(without: nil)
      let half = quantile * (isExact ? 0 : Self.error((0..<count).map(share)))
      func clamped(_ share: Double) -> Double { min(1, max(0, share)) }
      return (clamped(value), isExact ? nil : ConfidenceInterval(low: clamped(value - half), high: clamped(value + half)))
    }
    var inner = rows.count
    axes = shape.map { size in
      inner /= size
      let stride = inner
      let own = Self.means(rows, into: size) { $0 / stride % size }
      let others = Self.means(rows, into: rows.count / size) { $0 / (stride * size) * stride + $0 % stride }
      return (index(Products(own, isExact), isComplement: false), index(Products(others, isExact), isComplement: true))
    }
  }

  private static func means(_ rows: [ArraySlice<Double>], into groups: Int, by group: (Int) -> Int) -> [[Double]] {
    var sums = [[Double]](repeating: [Double](repeating: 0, count: rows[0].count), count: groups)
    for (index, row) in rows.enumerated() {
      for (repetition, value) in row.enumerated() { sums[group(index)][repetition] += value }
    }
    let size = Double(rows.count / groups)
    return sums.map { $0.map { $0 / size } }
  }

  /// Returns the jackknife's standard error, from the estimates that each omit one repetition.
  private static func error(_ estimates: [Double]) -> Double {
    let sample = Sample(estimates)
    return sample.standardDeviation * Double(sample.count - 1) / Double(sample.count).squareRoot()
  }
}

/// The products of repetitions over the groups of points, each repetition less its own mean.
private struct Products {
  private let groups: Double
  /// The square of the sum over repetitions, and, for each repetition, its product with that sum and with itself.
  private var square = 0.0
  private var withSum: [Double], own: [Double]
  private let isExact: Bool

  /// Takes a row of repetitions for each group of points.
  init(_ rows: [[Double]], _ isExact: Bool) {
    let count = rows[0].count
    (groups, self.isExact) = (Double(rows.count), isExact)
    (withSum, own) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    let means = (0..<count).map { repetition in rows.reduce(0) { $0 + $1[repetition] } / groups }
    for row in rows {
      let values = zip(row, means).map { $0 - $1 }
      let sum = values.reduce(0, +)
      square += sum * sum
      for (repetition, value) in values.enumerated() {
        withSum[repetition] += value * sum
        own[repetition] += value * value
      }
    }
  }

  /// Returns the variance between the groups, without the noise of the repetitions.
  func variance(without omitted: Int? = nil) -> Double {
    let count = Double(own.count)
    if isExact { return square / groups / (count * count) }
    let squares = own.reduce(0, +)
    guard let omitted else { return (square - squares) / groups / (count * (count - 1)) }
    let rest = square - 2 * withSum[omitted] + own[omitted] - (squares - own[omitted])
    return rest / groups / ((count - 1) * (count - 2))
  }
}
