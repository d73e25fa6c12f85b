// What a candidate may not do: let one metric rise, or fall, by more than a margin.

/// A metric and how far it may move to the bad side.
package struct GateGuard: Hashable, Sendable {
  /// The side that is bad: the metric may not rise, or not fall, by more than the margin.
  package enum Side: String, Hashable, Sendable {
    case rise, fall
  }

  package let metric: Metric
  package let side: Side
  package let margin: Margin
  /// The least that a margin in per cent counts for, in the metric's unit: 2 % of a baseline of 0 is 0. Zero for none.
  package let floor: Double
  /// The margin's number and unit as the user wrote them; nil for the canonical text.
  package let writtenMargin: String?

  /// A guard; a floor is of a margin in per cent alone.
  package init(_ metric: Metric, _ side: Side, by margin: Margin, floor: Double = 0, writtenMargin: String? = nil) {
    (self.metric, self.side, self.margin, self.writtenMargin) = (metric, side, margin, writtenMargin)
    if case .percent = margin { self.floor = floor } else { self.floor = 0 }
  }

  /// As the user would write it, e.g. `loadersPer1000 +2%`.
  package var text: String { "\(metric.rawValue) \(limitText)" }

  /// The margin with the sign of the bad side, e.g. `+2%`.
  package var limitText: String {
    (side == .rise ? "+" : "-") + (writtenMargin ?? margin.text.replacing(" ", with: ""))
  }

  /// The limit of the change in the metric's unit, on a baseline of this mean: the margin, or its floor where that is more.
  package func limit(baselineMean: Double) -> Double {
    max(margin.amount(ofMean: baselineMean), floor)
  }

  /// How far a pair is beyond the margin, in the metric's unit: positive on the bad side. Its mean is above zero if and only if the
  /// mean moves by more than the margin, so that a margin in per cent needs no ratio, and no guard against a baseline of zero
  /// (Fieller's 1954 device).
  package func excess(baseline: Double, candidate: Double) -> Double {
    (side == .rise ? candidate - baseline : baseline - candidate) - margin.amount(ofMean: baseline)
  }
}
