// A guard of the gate: a metric that may not rise, or fall, by more than a margin.

package struct GateGuard: Hashable, Sendable {
  /// The bad direction: the metric may not rise, or not fall, by more than the margin.
  package enum Side: String, Hashable, Sendable { case rise, fall }

  package let metric: Metric
  package let side: Side
  package let margin: Margin
  /// The smallest amount that a margin in per cent stands for, in the metric's unit: 2 % of a baseline of 0 is 0. Zero for no floor; nil
  /// for one that follows the baseline's noise.
  package let floor: Double?
  /// The margin as the user wrote it; nil for the canonical text.
  package let writtenMargin: String?
  /// The bound on the candidate's mean, in the metric's unit, which takes the place of the baseline's; nil for a margin.
  package let bound: Double?
  /// True for an objective's margin. It has no effect if the baseline breaks a bound, because such a baseline is no allowed choice.
  package var isOfObjective = false

  /// Creates a guard; only a margin in per cent keeps its floor.
  package init(_ metric: Metric, _ side: Side, by margin: Margin, floor: Double? = 0, writtenMargin: String? = nil) {
    (self.metric, self.side, self.margin, self.writtenMargin) = (metric, side, margin, writtenMargin)
    if case .percent = margin { self.floor = floor } else { self.floor = 0 }
    bound = nil
  }

  /// Creates the guard of a constraint: the candidate's mean may not lie beyond the bound, whatever the baseline's is.
  package init(_ constraint: Constraint) {
    guard let metric = Metric(rawValue: constraint.metric) else { preconditionFailure("a constraint is on a metric") }
    (self.metric, side, margin, floor) = (metric, constraint.isUpper ? .rise : .fall, .none, 0)
    (bound, writtenMargin) = (constraint.bound, String(constraint.text.dropFirst(metric.rawValue.count + 1)))
  }

  /// The guard as the user would write it, e.g. `loadersPer1000 +2%`.
  package var text: String { "\(metric.rawValue) \(limitText)" }

  /// The margin with the sign of the bad direction, e.g. `+2%`, or the bound, e.g. `<= 70MB`.
  package var limitText: String {
    (bound != nil ? "" : side == .rise ? "+" : "-") + (writtenMargin ?? margin.text.replacing(" ", with: ""))
  }

  /// Returns the allowed change in the metric's unit for a baseline of this mean, without a floor that follows noise.
  package func limit(baselineMean: Double) -> Double { max(margin.amount(ofMean: baselineMean), floor ?? 0) }

  /// √(π/2): the standard deviation of a normal distribution by its mean distance from the mean.
  private static let normalSpread = 1.253_314_137_315_500_3

  /// The largest floor that follows noise, in loaders per 1000 items.
  static let largestNoiseFloor = 1.0

  /// Returns values, one a pair, whose mean is the floor before its cap, and whose noise is that of the floor's estimate (delta method).
  // A floor that follows noise is √(1 + s²) / 5: a small effect (d = 0.2: Cohen 1988) of the noise s of sessions and of 1 loader in 1000.
  func floors(_ baseline: [Double]) -> [Double] {
    if let floor { return baseline.map { _ in floor } }
    let mean = Sample(baseline).mean
    let noise = Self.normalSpread * baseline.reduce(0) { $0 + ($1 - mean).magnitude } / Double(baseline.count)
    let size = (1 + noise * noise).squareRoot()
    // The slope of the mean distance by the mean: what lies below less what lies above.
    let slope = Double(baseline.count { $0 < mean } - baseline.count { $0 > mean }) / Double(baseline.count)
    return baseline.map { value in
      let own = Self.normalSpread * ((value - mean).magnitude + slope * (value - mean))
      return 0.2 * (size + (own - noise) * noise / size)
    }
  }

  /// Returns the amount by which a pair exceeds the margin, in the metric's unit; positive in the bad direction.
  package func excess(baseline: Double, candidate: Double) -> Double {
    // The mean excess is positive exactly if the mean moves by more than the margin. So a margin in per cent needs no ratio and no
    // special case for a baseline of zero (Fieller's 1954 device).
    (side == .rise ? candidate - baseline : baseline - candidate) - margin.amount(ofMean: baseline)
  }
}
