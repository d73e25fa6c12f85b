// One setting over several strata: the weighted mean of what it shows in each, with the error that this mean has.

extension PointSummary {
  /// A setting over strata by weights that add up to 1; nil without a repetition that all of them have.
  ///
  /// The mean is Σ wₛ·x̄ₛ (Cochran 1977, Sampling Techniques, 5.3). Its error is not Cochran's √Σ wₛ²·sₛ²/n, which wants strata
  /// drawn independently: here repetition k meets the same feed and the same thumb in all of them. So the weighted sum is taken
  /// within each repetition, Xₖ = Σ wₛ·xₛₖ, and the error is that of the mean of n such sums, √(s²(X)/n), in which the covariances
  /// between strata are contained; differences to the baseline, combined alike, are paired as any others.
  init?(combining parts: [(point: PointSummary, weight: Double)]) {
    guard let heaviest = parts.max(by: { $0.weight < $1.weight }), let first = parts.first else { return nil }
    self.init(point: heaviest.point.point, axisValues: heaviest.point.axisValues, schema: heaviest.point.schema)
    gridValues = []
    isBaseline = heaviest.point.isBaseline
    var places = [Int](repeating: 0, count: parts.count)
    var common: [[Int]] = []
    for (place, pair) in first.point.loadersByRepetition.enumerated() {
      places[0] = place
      var isEverywhere = true
      for index in parts.indices.dropFirst() {
        let pairs = parts[index].point.loadersByRepetition
        while places[index] < pairs.count, pairs[places[index]].repetition < pair.repetition { places[index] += 1 }
        isEverywhere = isEverywhere && places[index] < pairs.count && pairs[places[index]].repetition == pair.repetition
      }
      if isEverywhere { common.append(places) }
    }
    guard !common.isEmpty else { return nil }
    for places in common { take(parts, at: places) }
    repetitions = common.count
    firstRun = heaviest.point.firstRun
    for metric in Metric.allCases where metric != schema.headline && metric != schema.cost {
      let means = parts.map { $0.point.mean(metric) }
      guard !means.contains(nil) else { continue }
      let mean = zip(parts, means).reduce(0) { $0 + $1.0.weight * ($1.1 ?? 0) }
      metrics[metric.index] = Moments(mean: mean, count: common.count)
    }
  }

  /// Adds one repetition's weighted sums; what one stratum lacks, the sum lacks.
  private mutating func take(_ parts: [(point: PointSummary, weight: Double)], at places: [Int]) {
    var (loaders, bytes, headroom) = (0.0, 0.0, 0.0)
    for (part, place) in zip(parts, places) {
      loaders += part.weight * part.point.loadersByRepetition[place].loadersPer1000
      let costs = place < part.point.costsByRepetition.count ? part.point.costsByRepetition[place] : (bytes: .nan, headroom: .nan)
      bytes += part.weight * costs.bytes
      headroom += part.weight * costs.headroom
    }
    loadersByRepetition.append((parts[0].point.loadersByRepetition[places[0]].repetition, loaders))
    costsByRepetition.append((bytes, headroom))
    if !loaders.isNaN { metrics[schema.headline.index].add(loaders) }
    if !bytes.isNaN { metrics[schema.cost.index].add(bytes) }
    if !headroom.isNaN { self.headroom.add(headroom) }
  }
}
