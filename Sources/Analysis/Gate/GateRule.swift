// When the gate may stop, and what it may then say: repeated paired intervals against margins.

/// The rule of a gate: its guards, the looks at which it judges, and the intervals it judges by.
///
/// At each look every comparison gets two paired intervals: that of how far the pairs are beyond the margin, and that of the plain
/// difference, because a ratio's does not see that few pairs have differed so far. Both are skewness-adjusted (`Sample.adjustedEnd`) and
/// hold at all looks at once (`SequentialBounds`). A guard is broken when both lie beyond the margin, kept when both lie within.
/// The first look comes late enough that an outcome in one session of ten has shown, because no interval knows what has not. Any
/// comparison may raise a false alarm, so "worse" is judged at the error divided by their number (Bonferroni); all must be kept to pass,
/// so "not worse" is judged at the whole error each (Berger 1982, doi:10.1080/00401706.1982.10487790).
package struct GateRule: Hashable, Sendable {
  package static let usualLimit = 320
  /// The smallest share of sessions with an outcome of their own that the promised rates allow for.
  package static let rarestShare = 0.1

  /// What the candidate may not do; at least one.
  package let guards: [GateGuard]
  /// How many comparisons (a guard in a stratum) are judged together.
  package let comparisons: Int
  /// Pairs at each look, ascending.
  package let looks: [Int]
  package let confidence: Double
  /// The fewest pairs that support a verdict: an outcome of `rarestShare` of sessions has shown in more than 2 of them, but for a tenth of
  /// the error. 100 for one comparison at 95 %.
  package let fewestPairs: Int
  /// The one-sided nominal levels at each look, of "worse" and of "not worse".
  private let worseLevels: [Double], keptLevels: [Double]

  /// A rule of at most `limit` pairs. A candidate that is exactly at its margins is called worse in at most (1 − confidence) / 2 of
  /// gates, and one that is at a margin or beyond is let through in at most as many; `comparisons` is by default the number of guards.
  package init(guards: [GateGuard], comparisons: Int? = nil, limit: Int = GateRule.usualLimit, confidence: Double = 0.95) {
    precondition(!guards.isEmpty && limit > 1 && confidence > 0 && confidence < 1, "a gate needs guards and pairs")
    let count = max(1, comparisons ?? guards.count)
    let error = (1 - confidence) / 2
    self.guards = guards
    self.comparisons = count
    self.confidence = confidence
    fewestPairs = GateRule.fewestPairs(error: error / Double(count))
    looks = SequentialBounds.doubling(from: min(fewestPairs, limit), to: limit)
    worseLevels = SequentialBounds(sizes: looks, error: error / Double(count)).levels
    keptLevels = count == 1 ? worseLevels : SequentialBounds(sizes: looks, error: error).levels
  }

  package var limit: Int { looks[looks.count - 1] }

  /// The share of gates that call a candidate worse which is exactly at its margins, at most; fewer for a better one.
  package var falseAlarmRate: Double { (1 - confidence) / 2 }

  /// The share of sessions in which a difference may show and yet be in none of so many pairs in one gate of 1/error:
  /// 1 − error^(1/n), Clopper & Pearson's 1934 upper end for none seen (doi:10.1093/biomet/26.4.404).
  package static func hiddenShare(pairs: Int, error: Double = 0.025) -> Double { 1 - Elementary.power(error, 1 / Double(max(1, pairs))) }

  /// The fewest pairs, in tens, of which at most 2 show what `rarestShare` of sessions do with a probability of at most error / 10.
  private static func fewestPairs(error: Double) -> Int {
    func isHidden(_ pairs: Int) -> Double {
      let (n, odds) = (Double(pairs), rarestShare / (1 - rarestShare))
      return Elementary.power(1 - rarestShare, pairs) * (1 + n * odds * (1 + (n - 1) / 2 * odds))
    }
    var pairs = 10
    while isHidden(pairs) > error / 10 { pairs += 10 }
    return pairs
  }

  /// The confidence of one comparison's interval at one look (from 0), were it alone.
  package func nominalConfidence(look: Int) -> Double { 1 - worseLevels[look] - keptLevels[look] }

  /// Judges the pairs of one guard at a look; `isExact` if the scenario has no randomness or both sides are the same scenario.
  ///
  /// A margin in per cent with a floor is judged as two: worse only beyond both, not worse within the floor, or within a margin that is
  /// surely above it.
  package func finding(_ guarded: GateGuard, baseline: [Double], candidate: [Double], look: Int, isExact: Bool = false) -> GateFinding {
    func part(_ margin: Margin) -> GateFinding {
      withoutFloor(
        GateGuard(guarded.metric, guarded.side, by: margin), baseline: baseline, candidate: candidate, look: look, isExact: isExact)
    }
    guard guarded.floor > 0, case .percent(let percent) = guarded.margin else {
      return withoutFloor(guarded, baseline: baseline, candidate: candidate, look: look, isExact: isExact)
    }
    let (margin, floor) = (part(guarded.margin), part(.absolute(guarded.floor)))
    let kept = [GateFinding.Outcome.identical, .better, .notWorse]
    let outcome: GateFinding.Outcome =
      if margin.outcome == .worse, floor.outcome == .worse {
        .worse
      } else if kept.contains(floor.outcome) {
        floor.outcome
      } else if kept.contains(margin.outcome), isExact || percent / 100 * surelyBelow(baseline, look: look) > guarded.floor {
        margin.outcome
      } else {
        .inconclusive
      }
    // The numbers are those of the larger limit, if it has the same outcome.
    let parts = guarded.floor > percent / 100 * margin.baselineMean ? [floor, margin] : [margin, floor]
    var whole = parts.first { $0.outcome == outcome } ?? parts[0]
    whole.isFloorDecisive = whole.guarded == floor.guarded
    (whole.guarded, whole.outcome) = (guarded, outcome)
    whole.pairsNeeded = outcome == .inconclusive ? whole.pairsNeeded ?? parts.compactMap(\.pairsNeeded).first : nil
    return whole
  }

  /// An amount that the baseline's mean is below in at most a tenth of the error, over all looks. A choice of the limit by the mean
  /// itself would let more through than promised where the margin and its floor are about equal: either limit could be met by chance.
  private func surelyBelow(_ baseline: [Double], look: Int) -> Double {
    let quantile = StudentT.criticalValue(alpha: 2 * keptLevels[look] / 10, degreesOfFreedom: Double(max(1, baseline.count - 1)))
    return Sample(baseline).adjustedEnd(.low, quantile: quantile, ofCount: baseline.count)
  }

  private func withoutFloor(_ guarded: GateGuard, baseline: [Double], candidate: [Double], look: Int, isExact: Bool) -> GateFinding {
    let pairs = GatePairs(guarded, baseline: baseline, candidate: candidate)
    let quantiles = GatePairs.Quantiles(worse: worseLevels[look], kept: keptLevels[look], count: pairs.count)
    let nominal = nominalConfidence(look: look)
    let isSupported = !isExact && pairs.count >= fewestPairs
    let interval = isSupported ? pairs.differenceInterval(quantiles, confidence: nominal) : nil
    let outcome: GateFinding.Outcome =
      if pairs.count == 0 {
        .inconclusive
      } else if isExact {
        exact(pairs)
      } else if !isSupported {
        .inconclusive
      } else if pairs.comparison.isIdentical {
        // Equal so far is not yet equal: a difference that shows in one run of three hundred has not shown in a hundred.
        look == looks.count - 1 ? .identical : .inconclusive
      } else {
        pairs.outcome(quantiles)
      }
    // More pairs settle what is equal so far only at the last look.
    let isOpen = outcome == .inconclusive && pairs.count > 1 && (!pairs.comparison.isIdentical || pairs.count < fewestPairs)
    return GateFinding(
      guarded: guarded, outcome: outcome, pairs: pairs.count, baselineMean: pairs.baselineMean, candidateMean: pairs.candidateMean,
      difference: pairs.comparison.sample.mean, differenceInterval: interval, percent: pairs.comparison.ratio.percent,
      percentInterval: interval == nil ? nil : pairs.percentInterval(quantiles, confidence: nominal),
      pairsNeeded: isOpen ? pairsNeeded(pairs) : nil,
      warnings: isExact ? [] : warnings(pairs))
  }

  private func warnings(_ pairs: GatePairs) -> [String] {
    if pairs.count < fewestPairs {
      return [
        "\(pairs.count) \(pairs.count == 1 ? "pair supports" : "pairs support") no verdict: what happens in one session of ten may not "
          + "have shown yet. At least \(fewestPairs) are needed."
      ]
    }
    guard pairs.comparison.sample.isSkewed, let skewness = pairs.comparison.sample.skewness else { return [] }
    let text = DecimalText.fixed(skewness, decimals: 1)
    return ["The paired differences are skewed (skewness \(text)): the interval is adjusted for that."]
  }

  /// How many pairs would settle a guard if mean, spread and skewness stay as they are; more than there are. Nil above a million.
  ///
  /// Half of the error is the level: the last look of a gate, whatever its limit, has at least that.
  private func pairsNeeded(_ pairs: GatePairs) -> Int? {
    if pairs.comparison.isIdentical { return fewestPairs }
    let error = (1 - confidence) / 2
    let fewest = max(fewestPairs, pairs.count + 1)
    // The quantiles of few pairs are the larger, so that the first number found is too large; that of its own quantiles is not.
    var size = fewest
    for _ in 0..<3 {
      let quantiles = GatePairs.Quantiles(worse: error / Double(comparisons) / 2, kept: error / 2, count: size)
      guard let found = Sample.fewest(above: fewest - 1, suffices: { pairs.outcome(quantiles, ofCount: $0) != .inconclusive }) else {
        return nil
      }
      size = found
    }
    return size
  }

  /// True if the gate may stop with these findings: one guard broken, or all settled.
  package func mayStop(_ findings: [GateFinding]) -> Bool {
    findings.contains { $0.outcome == .worse } || findings.allSatisfy(\.isSettled)
  }

  private func exact(_ pairs: GatePairs) -> GateFinding.Outcome {
    if pairs.comparison.isIdentical { return .identical }
    // What rounding alone puts beyond the margin is not beyond it.
    let slack = 1e-12 * max(pairs.comparison.sample.mean.magnitude, pairs.excess.mean.magnitude)
    if pairs.excess.mean > slack { return .worse }
    return pairs.isBetter ? .better : .notWorse
  }
}
