// The price of fewer loaders: the payload that each loader spared costs, against the baseline.

package struct LoaderPrice: Hashable, Sendable {
  /// The loaders spared in a run and their interval; negative if there are more loaders than the baseline's.
  package let spared: Double, sparedInterval: ConfidenceInterval?
  /// The bytes received more in a run; negative if there are fewer.
  package let bytes: Double
  /// The bytes received more for each loader spared, and Fieller's interval; nil unless loaders are surely spared.
  package let perLoader: Double?, interval: ConfidenceInterval?

  /// Compares runs by repetition; nil if no pair has loaders and bytes. O(runs).
  init?(baseline: PointRuns, candidate: PointRuns, confidence: Double, isDeterministic: Bool) {
    guard let columns = Self.columns(baseline, candidate), !columns.spared.isEmpty else { return nil }
    let count = Double(columns.spared.count)
    let paired = PairedComparison(baseline: columns.spared.map { _ in 0 }, candidate: columns.spared)
    sparedInterval = isDeterministic ? nil : paired.interval(confidence: confidence)
    (spared, bytes) = (paired.sample.mean, columns.bytes.reduce(0, +) / count)
    // The quotient of two means whose denominator may be zero has no mean and no bounded interval (Fieller 1954).
    guard isDeterministic || paired.isConstantShift ? spared > 0 : sparedInterval.map({ $0.low > 0 }) ?? false else {
      (perLoader, interval) = (nil, nil)
      return
    }
    perLoader = bytes / spared
    let ratio = RatioOfMeans(baseline: columns.spared, candidate: columns.bytes)
    let quantile = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: max(1, count - 1))
    interval = isDeterministic ? nil : ratio.interval(quantile: quantile)
  }

  /// Returns the loaders spared and the bytes received more of the repetitions in which both points have both.
  private static func columns(_ baseline: PointRuns, _ candidate: PointRuns) -> (spared: [Double], bytes: [Double])? {
    func sides(_ metric: Metric) -> Zip2Sequence<[Double], ArraySlice<Double>>? {
      guard let before = baseline.values(of: metric), let now = candidate.values(of: metric) else { return nil }
      return zip(baseline.values(before, of: candidate.repetitions), now)
    }
    guard let loaders = sides(.loaders), let bytes = sides(.bytesReceived) else { return nil }
    let pairs = zip(loaders, bytes).map { (spared: $0.0 - $0.1, bytes: $1.1 - $1.0) }.filter { !($0.spared + $0.bytes).isNaN }
    return (pairs.map(\.spared), pairs.map(\.bytes))
  }
}

extension SweepSummary {
  /// Returns what each loader spared costs; nil for the baseline, without it, and for sweeps that do not ask.
  package func price(of point: PointSummary) -> LoaderPrice? {
    guard schema.pricesLoaders, !point.isBaseline, let baseline else { return nil }
    return LoaderPrice(baseline: baseline.runs, candidate: point.runs, confidence: confidence, isDeterministic: isDeterministic)
  }
}
