// One setting over several strata: the weighted mean of what it shows in each, with the error that this mean has.

extension PointSummary {
  /// A setting over strata by weights that add up to 1; nil without a repetition that all of them have. What it is judged by comes
  /// with `take`.
  ///
  /// The mean is Σ wₛ·x̄ₛ (Cochran 1977, Sampling Techniques, 5.3). Its error is not Cochran's √Σ wₛ²·sₛ²/n, which wants strata
  /// drawn independently: here repetition k meets the same feed and the same thumb in all of them. So the weighted sum is taken
  /// within each repetition, Xₖ = Σ wₛ·xₛₖ, and the error is that of the mean of n such sums, √(s²(X)/n), in which the covariances
  /// between strata are contained; differences to the baseline, combined alike, are paired as any others.
  package init?(combining parts: [(point: PointSummary, weight: Double)]) {
    guard let heaviest = parts.max(by: { $0.weight < $1.weight }) else { return nil }
    self.init(point: heaviest.point.point, axisValues: heaviest.point.axisValues, schema: heaviest.point.schema)
    gridValues = []
    isBaseline = heaviest.point.isBaseline
    runs = RepetitionSet.common(parts.map(\.point.runs))
    comparableRuns = RepetitionSet.common(parts.map(\.point.comparableRuns))
    guard runs.count > 0 else { return nil }
    repetitions = runs.count
    firstRun = heaviest.point.firstRun
    for metric in Metric.allCases where metric != schema.headline && metric != schema.cost {
      let means = parts.map { $0.point.mean(metric) }
      guard !means.contains(nil) else { continue }
      let mean = zip(parts, means).reduce(0) { $0 + $1.0.weight * ($1.1 ?? 0) }
      metrics[metric.index] = Moments(mean: mean, count: runs.count)
    }
  }

  /// Takes the weighted sums of all repetitions of a setting over strata.
  package mutating func take(_ sums: RunSample) {
    for (pair, costs) in zip(sums.loaders, sums.costs) {
      if !pair.loadersPer1000.isNaN { metrics[schema.headline.index].add(pair.loadersPer1000) }
      if !costs.cost.isNaN { metrics[schema.cost.index].add(costs.cost) }
      if !costs.headroom.isNaN { headroom.add(costs.headroom) }
    }
  }
}
