// A small scenario: its runs, and the error rates of gates and intervals over them.

import Analysis
import Oracles
import Simulation
import Sweep

/// The values of each metric of interest, one per run, in the order of the seeds.
struct RunPool: Sendable {
  static let metrics: [Metric] = [.loadersPer1000, .bytesReceived]
  private let rows: [[Double]]

  /// Runs `count` times, with the seeds of repetitions 1 … `count` of `seed`.
  /// - Throws: the first error of a run.
  init(count: Int, seed: UInt64, run: @Sendable (UInt64) throws -> RunMetrics) throws {
    rows = try WorkerPool.map(count) { index throws in
      let row = try run(RandomStream.seed(sweepSeed: seed, repetition: index + 1))
      return Self.metrics.map { row[$0] ?? .nan }
    }
  }

  subscript(metric: Metric) -> [Double] {
    let column = Self.metrics.firstIndex(of: metric) ?? 0
    return rows.map { $0[column] }
  }

  /// Returns the mean of a metric over all runs, which stands for the truth: a gate sees a thousandth of the runs.
  func mean(_ metric: Metric) -> Double { self[metric].reduce(0, +) / Double(rows.count) }
}

/// The runs of one scenario: the baseline's, the candidate's on the same seeds, and the baseline's on others. No two gates share pairs.
struct GateStudy: Sendable {
  /// The most pairs of a gate, which is the first look of a gate with the default limit.
  static let pairs = 100

  let name: String
  let change: String
  let baseline: RunPool, candidate: RunPool, other: RunPool
  private let gates: Int

  /// Runs a scenario file as it is and with a setting. The setting is a part of the environment, so that its effect is steady.
  /// - Throws: `InvalidInput` if the file is not a scenario, and the errors of a run.
  init(path: String, setting: (path: String, value: String), gates: Int) throws {
    var request = GateScenarios.Request(sweep: path)
    let scenarios = try GateScenarios(request)
    request.common = [setting]
    let changed = try GateScenarios(request)
    self.gates = gates
    name = scenarios.sweep.name
    change = "\(setting.path) 200KB → \(setting.value)"
    let (count, seed) = (gates * Self.pairs, scenarios.seed)
    baseline = try RunPool(count: count, seed: seed) { try scenarios.members[0].baseline.scenario.metrics(seed: $0) }
    candidate = try RunPool(count: count, seed: seed) { try changed.members[0].baseline.scenario.metrics(seed: $0) }
    other = try RunPool(count: count, seed: seed &+ 1) { try scenarios.members[0].baseline.scenario.metrics(seed: $0) }
  }

  func truePercent(_ metric: Metric) -> Double { (candidate.mean(metric) / baseline.mean(metric) - 1) * 100 }

  /// Returns the gate's rule with a margin for loaders, in per cent.
  static func rule(_ margin: Double) -> GateRule {
    GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(margin))], limit: pairs)
  }

  /// Runs gates over successive pairs of the pools; the truth is that of the pools.
  func gates(margin: Double, against pool: RunPool) -> Tally {
    let rule = Self.rule(margin)
    let (first, second) = (baseline[.loadersPer1000], pool[.loadersPer1000])
    let truth = pool.mean(.loadersPer1000) - baseline.mean(.loadersPer1000)
    return Tally(tries: gates) { gate, total in
      let range = gate * Self.pairs..<(gate + 1) * Self.pairs
      let finding = rule.finding(rule.guards[0], baseline: Array(first[range]), candidate: Array(second[range]), look: 0)
      total[.pairs] = Self.pairs
      if finding.outcome == .worse {
        total[.worse] = 1
      } else if finding.isSettled {
        total[finding.outcome == .identical ? .identical : .kept] = 1
      }
      if finding.differenceInterval?.contains(truth) ?? true { total[.covered] = 1 }
    }
  }

  /// Runs gates at the true change, judged by Student's interval of the ratio alone, without the adjustment for skewness.
  func plainGates() -> Tally {
    let (first, second) = (baseline[.loadersPer1000], candidate[.loadersPer1000])
    let truth = truePercent(.loadersPer1000)
    let rule = Self.rule(truth)
    let confidence = 1 - rule.worseLevels[0] - rule.keptLevels[0]
    return Tally(tries: gates) { gate, total in
      let range = gate * Self.pairs..<(gate + 1) * Self.pairs
      let ratio = RatioOfMeans(baseline: Array(first[range]), candidate: Array(second[range]))
      total[.pairs] = Self.pairs
      guard let interval = ratio.percentInterval(confidence: confidence), interval.low < interval.high else {
        total[.covered] = 1
        return
      }
      if interval.low > truth { total[.worse] = 1 }
      if interval.high < truth { total[.kept] = 1 }
      if interval.contains(truth) { total[.covered] = 1 }
    }
  }

  /// Runs whole gates, as `check` does, over a parameter without effect; each has its own seed.
  /// - Throws: `InvalidInput` if the file is not a scenario, and the errors of a run.
  static func withoutEffect(path: String, gates: Int) throws -> Tally {
    try Tally(tries: gates) { gate, total throws in
      var request = GateScenarios.Request(sweep: path)
      request.settings = [("prefetcher.webAppCost", "3")]
      request.seed = UInt64(gate)
      let result = try GateRunner(GateScenarios(request), rule: rule(0), jobs: 1, isStrict: true).run()
      total[.pairs] = result.pairCount
      if result.outcome == .regression { total[.worse] = 1 }
      if result.outcome == .passed { total[.identical] = 1 }
      if result.findings.allSatisfy({ $0.difference == 0 }) { total[.covered] = 1 }
    }
  }

  /// Counts tries of `size` repetitions each from the pools, at most `limit` of them.
  func repetitions(_ size: Int, _ metric: Metric, limit: Int) -> Tally {
    let (first, second) = (baseline[metric], candidate[metric])
    let difference = candidate.mean(metric) - baseline.mean(metric)
    let percent = truePercent(metric)
    return Tally(tries: min(limit, first.count / size)) { index, total in
      let range = index * size..<(index + 1) * size
      let (before, after) = (Array(first[range]), Array(second[range]))
      let comparison = PairedComparison(baseline: before, candidate: after)
      // Tables do not show an interval here, and no per cent without bounds.
      guard let interval = comparison.interval() else { return }
      total[.shown] = 1
      if interval.contains(difference) { total[.covered] = 1 }
      if comparison.percentInterval()?.contains(percent) ?? true { total[.percentCovered] = 1 }
      if comparison.sample.interval()?.contains(difference) ?? false { total[.studentCovered] = 1 }
      if comparison.ratio.percentInterval()?.contains(percent) ?? true { total[.fiellerCovered] = 1 }
      guard difference * comparison.sample.mean > 0 else { return }
      if !interval.contains(0) { total[.seenPaired] = 1 }
      if SignFlipTest(differences: comparison.differences).pValue <= 0.05 { total[.seenSignFlip] = 1 }
      if let p = WelchTest.pValue(before, after), p <= 0.05 { total[.seenUnpaired] = 1 }
    }
  }
}
