// Choosing the best of many with a given number of runs: how many each candidate gets.

/// The allocation of a budget of runs that best tells the smallest mean from the others.
package enum BudgetAllocation {
  /// The optimal computing budget allocation (Chen, Lin, Yücesan & Chick 2000, doi:10.1023/A:1008349927281): runs for each
  /// candidate, not rounded, adding up to `total`.
  ///
  /// The smallest mean is unique and all deviations are positive.
  package static func smallestMean(means: [Double], deviations: [Double], total: Double) -> [Double] {
    precondition(means.count == deviations.count && means.count > 1, "an allocation needs at least two candidates")
    let best = means.indices.min { (means[$0], $0) < (means[$1], $1) } ?? 0
    var weights = means.indices.map { index -> Double in
      let ratio = deviations[index] / (means[index] - means[best])
      return index == best ? 0 : ratio * ratio
    }
    let sum = weights.indices.reduce(0.0) { sum, index in
      index == best ? sum : sum + weights[index] * weights[index] / (deviations[index] * deviations[index])
    }
    weights[best] = deviations[best] * sum.squareRoot()
    let all = weights.reduce(0, +)
    return weights.map { $0 / all * total }
  }
}
