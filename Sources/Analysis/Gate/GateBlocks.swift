// Blocks of runs on devices: what the gate judges where runs drift, throttle and depend on their neighbours.

import Base

/// The whole blocks of one comparison on devices, in the order of their numbers.
package struct GateBlocks: Sendable {
  /// Four runs in a row on one device: production, candidate, candidate, production, or mirrored. A drift that is linear within it cancels.
  package struct Block: Hashable, Sendable {
    let device: Int
    /// True if the candidate has the first and the last run.
    let isMirrored: Bool
    /// The means of each side's two runs. In a null block, the candidate's are runs of production, too.
    let baseline: Double, candidate: Double
    /// The second of the baseline's runs less the first.
    let change: Double

    /// Creates a block of four values in the order of the runs.
    package init(device: Int, isMirrored: Bool, values: [Double]) {
      precondition(values.count == 4, "a block has four runs")
      let (outer, inner) = ((values[0] + values[3]) / 2, (values[1] + values[2]) / 2)
      (self.device, self.isMirrored) = (device, isMirrored)
      (baseline, candidate) = isMirrored ? (inner, outer) : (outer, inner)
      change = isMirrored ? values[2] - values[1] : values[3] - values[0]
    }

    /// Creates the weighted sum of blocks of several strata, made one after the other on one device with one mirror.
    package init(_ parts: [(weight: Double, block: Block)]) {
      func sum(_ value: KeyPath<Block, Double>) -> Double { parts.reduce(0) { $0 + $1.weight * $1.block[keyPath: value] } }
      (device, isMirrored) = (parts[0].block.device, parts[0].block.isMirrored)
      (baseline, candidate, change) = (sum(\.baseline), sum(\.candidate), sum(\.change))
    }

    var difference: Double { candidate - baseline }
    /// The runs of production as two values.
    var baselineRuns: [Double] { [baseline - change / 2, baseline + change / 2] }
  }

  /// One block of so many compares production with production.
  package static let blocksPerNull = 13

  /// Returns the most null blocks among the first `count` blocks; none is the first of its 13.
  static func nullBlocks(among count: Int) -> Int { (count + blocksPerNull - 2) / blocksPerNull }

  /// The blocks of production and candidate.
  package var compared: [Block] = []
  /// The blocks of production and production: of this gate, and of earlier ones.
  package var null: [Block] = [], earlier: [Block] = []
  let devices: [String]

  /// Creates an empty list for devices with these names.
  package init(devices: [String]) { self.devices = devices }

  /// The blocks with production on both sides.
  package var ofProduction: GateBlocks {
    var copy = self
    copy.compared = compared.map { block in
      let (first, second) = (block.baselineRuns[0], block.baselineRuns[1])
      return Block(device: block.device, isMirrored: false, values: [first, first, second, second])
    }
    return copy
  }

  var baselineMean: Double { Sample(compared.map(\.baseline)).mean }

  /// Returns the allowed change in the metric's unit, of which a floor that follows noise has the noise of production's single runs.
  func limit(of guarded: GateGuard) -> (margin: Double, floor: Double) {
    let margin = guarded.margin.amount(ofMean: baselineMean)
    if let floor = guarded.floor { return (margin, floor) }
    return (margin, min(GateGuard.largestNoiseFloor, Sample(guarded.floors(compared.flatMap(\.baselineRuns))).mean))
  }

  /// Returns the amounts by which the candidate is beyond the guard, a block each; positive in the bad direction.
  func excess(over guarded: GateGuard) -> [Double] {
    if let bound = guarded.bound { return compared.map { guarded.badChange($0.candidate - bound) } }
    let (margin, floor) = limit(of: guarded)
    // The larger of both limits decides. Where they are about equal, so is the excess, whichever is chosen.
    return compared.map { block in
      guarded.badChange(block.difference) - (floor > margin ? floor : guarded.margin.amount(ofMean: block.baseline))
    }
  }
}

extension GateGuard {
  fileprivate func badChange(_ change: Double) -> Double { side == .rise ? change : -change }
}

/// The sign-flip test of one side, and its intervals. The random mirror of blocks decides the signs of their noise, so that both hold for any
/// noise that does not know the settings: drifting, correlated or with heavy tails.
enum SignFlips {
  private static let steps = 28

  /// True if the mean of `values` is above 0 at a one-sided level.
  static func isPositive(_ values: [Double], level: Double) -> Bool {
    // Half of the two-sided share: patterns and their opposites are as many.
    values.reduce(0, +) > 0 && SignFlipTest(differences: values).pValue / 2 <= level
  }

  /// Returns the ratios of mean difference to mean weight that neither one-sided test rejects; nil for few values or weights not above 0.
  static func interval(_ differences: [Double], weights: [Double], lowLevel: Double, highLevel: Double) -> ConfidenceInterval? {
    guard SignFlipTest.smallestPValue(count: differences.count) / 2 <= min(lowLevel, highLevel), weights.allSatisfy({ $0 > 0 }) else {
      return nil
    }
    let ratios = zip(differences, weights).map { $0 / $1 }
    let middle = differences.reduce(0, +) / weights.reduce(0, +)
    func end(_ sign: Double, _ level: Double) -> Double {
      var (inside, outside) = (middle, ratios.reduce(middle) { sign > 0 ? max($0, $1) : min($0, $1) })
      for _ in 0..<steps {
        let ratio = (inside + outside) / 2
        let isOut = isPositive(zip(differences, weights).map { sign * (ratio * $1 - $0) }, level: level)
        if isOut { outside = ratio } else { inside = ratio }
      }
      return outside
    }
    return ConfidenceInterval(low: end(-1, lowLevel), high: end(1, highLevel))
  }
}

extension GateRule {
  /// The most blocks of a gate on devices.
  package static let usualBlocks = 40

  /// Creates the rule of a gate on devices of at most `limit` blocks. Looks are at numbers of compared blocks.
  package init(guards: [GateGuard], comparisons: Int, blocks limit: Int, confidence: Double = 0.95) {
    let last = max(1, limit - GateBlocks.nullBlocks(among: limit))
    let error = (1 - confidence) / 2
    // Little of the error is spent at half of the blocks (α·(n/N)⁶ and α·(n/N)⁴: Kim & DeMets 1987), so that the last look has nearly the
    // power of a single one. The levels add up to the error, which needs no assumption about how looks correlate.
    func levels(early: Double, _ count: Int) -> [Double] { (last > 1 ? [early, 1 - early] : [1]).map { $0 * error / Double(count) } }
    self.guards = guards
    self.comparisons = comparisons
    self.confidence = confidence
    looks = last > 1 ? [last / 2, last] : [last]
    (worseLevels, keptLevels) = (levels(early: 1.0 / 64, comparisons), levels(early: 1.0 / 16, 1))
    // Fewer blocks have no sign pattern rare enough for a verdict at the last look.
    fewestPairs = SignFlipTest.fewestDifferences(reaching: 2 * worseLevels[worseLevels.count - 1])
  }

  /// The fewest blocks, with their null blocks, that support a verdict on devices.
  package var fewestBlocks: Int { (fewestPairs...).first { $0 - GateBlocks.nullBlocks(among: $0) >= fewestPairs } ?? fewestPairs }

  /// Returns the outcome of a guard at a look, and the reason if the instrument is unfit.
  package func outcome(_ guarded: GateGuard, _ blocks: GateBlocks, look: Int) -> (outcome: GateFinding.Outcome, fault: String?) {
    // The instrument is judged first: no verdict rests on one that is unfit.
    if let fault = blocks.fault(of: guarded, level: GateBlocks.faultLevel / Double(looks.count * comparisons)) { return (.unfit, fault) }
    // Without any difference, signs decide nothing, and nothing is left to decide.
    if guarded.bound == nil, blocks.compared.count >= fewestPairs / 2, blocks.compared.allSatisfy({ $0.candidate == $0.baseline }) {
      return (.identical, nil)
    }
    let excess = blocks.excess(over: guarded)
    if SignFlips.isPositive(excess, level: worseLevels[look]) { return (.worse, nil) }
    guard SignFlips.isPositive(excess.map { -$0 }, level: keptLevels[look]) else { return (.inconclusive, nil) }
    let gains = blocks.compared.map { -guarded.badChange($0.difference) }
    return (guarded.bound == nil && SignFlips.isPositive(gains, level: keptLevels[look]) ? .better : .notWorse, nil)
  }

  /// Judges the blocks of one guard at a look.
  package func finding(_ guarded: GateGuard, _ blocks: GateBlocks, look: Int) -> GateFinding {
    let (outcome, fault) = outcome(guarded, blocks, look: look)
    let (baseline, candidate) = (blocks.baselineMean, Sample(blocks.compared.map(\.candidate)).mean)
    let differences = blocks.compared.map { $0.candidate - (guarded.bound ?? $0.baseline) }
    func interval(_ weights: [Double]) -> ConfidenceInterval? {
      let (low, high) = guarded.side == .rise ? (worseLevels, keptLevels) : (keptLevels, worseLevels)
      return SignFlips.interval(differences, weights: weights, lowLevel: low[look], highLevel: high[look])
    }
    let (margin, floor) = guarded.bound == nil ? blocks.limit(of: guarded) : (0, 0)
    let isRelative = guarded.bound == nil && baseline > 0
    let count = blocks.compared.count
    let excess = Sample(blocks.excess(over: guarded))
    // Of Student's interval at the last level: as many blocks as make its half width the distance of the mean.
    let size = Normal.upperQuantile(keptLevels[looks.count - 1]) * excess.standardDeviation / excess.mean.magnitude
    let isOpen = outcome == .inconclusive && size * size < 1e6
    return GateFinding(
      guarded: guarded, isFloorDecisive: floor > margin, floor: floor, outcome: outcome, pairs: count, baselineMean: baseline,
      candidateMean: candidate, difference: Sample(differences).mean, differenceInterval: interval(differences.map { _ in 1 }),
      percent: isRelative ? (candidate / baseline - 1) * 100 : nil,
      percentInterval: isRelative ? interval(blocks.compared.map(\.baseline))?.scaled(by: 100) : nil,
      pairsNeeded: isOpen ? max(count + 1, Int((size * size).rounded(.up))) : nil, fault: fault)
  }
}
