// One small scenario under study: its runs, and how often gates and intervals over them are wrong.

import Analysis
import Sweep

/// Gates by their end: some guard is worse, all are kept by their intervals, or the guarded metrics are the same in every pair. `covered` are
/// gates whose intervals all hold the truth; `pairs` is the sum over the gates.
enum GateEnd: Int, CaseIterable, Sendable { case gates, worse, kept, identical, covered, pairs }

/// Tries of fixed numbers of repetitions: those whose interval holds the truth, and those in which a test sees the change at 5 %, on the
/// right side.
enum RepetitionTry: Int, CaseIterable, Sendable {
  case tries, differenceCovered, percentCovered, studentCovered, fiellerCovered, seenPaired, seenSignFlip, seenUnpaired
}

/// The runs of one scenario: the baseline's, the candidate's on the same seeds, and the baseline's on others.
struct GateStudy: Sendable {
  /// The scenario's name.
  let name: String
  /// In what the candidate differs.
  let change: String
  let baseline: RunPool
  let candidate: RunPool
  let other: RunPool

  /// Runs a scenario file as it is and with a setting, `count` pairs. The setting is the world's, because such a change is a steady one.
  /// - Throws: `InvalidInput` if the scenario is none, and what a run throws.
  init(path: String, setting: (path: String, value: String), count: Int) throws {
    var request = GateScenarios.Request(sweep: path)
    let scenarios = try GateScenarios(request)
    request.common = [setting]
    let changed = try GateScenarios(request)
    name = scenarios.sweep.name
    change = "\(setting.path) 200KB → \(setting.value)"
    let seed = scenarios.seed
    baseline = try RunPool(count: count, seed: seed) { try scenarios.baselineRun(seed: $0) }
    candidate = try RunPool(count: count, seed: seed) { try changed.baselineRun(seed: $0) }
    other = try RunPool(count: count, seed: seed &+ 1) { try scenarios.baselineRun(seed: $0) }
  }

  /// The true change of a metric, in per cent.
  func truePercent(_ metric: Metric) -> Double { (candidate.mean(metric) / baseline.mean(metric) - 1) * 100 }

  /// The share of pairs that show the same.
  func sameShare(_ metric: Metric) -> Double {
    Double(zip(baseline[metric], candidate[metric]).count { $0 == $1 }) / Double(baseline.count)
  }

  /// Plays gates one after the other over pairs of the pools; the truth is the pools' own.
  func gates(_ rule: GateRule, against pool: KeyPath<GateStudy, RunPool>) -> Tally<GateEnd> {
    let side = self[keyPath: pool]
    let columns = rule.guards.map { (baseline[$0.metric], side[$0.metric]) }
    let truths = rule.guards.map { side.mean($0.metric) - baseline.mean($0.metric) }
    return Tally(tries: baseline.count / rule.limit) { gate, total in
      let range = gate * rule.limit..<(gate + 1) * rule.limit
      let (look, findings) = rule.replay(columns.map { ($0.0[range], $0.1[range]) })
      total[.gates] += 1
      total[.pairs] += rule.looks[look]
      if findings.contains(where: { $0.outcome == .worse }) {
        total[.worse] += 1
      } else if findings.allSatisfy(\.isSettled) {
        total[findings.contains { $0.outcome == .identical } ? .identical : .kept] += 1
      }
      if zip(findings, truths).allSatisfy({ $0.differenceInterval?.contains($1) ?? true }) { total[.covered] += 1 }
    }
  }

  /// The same for one guard, judged by Student's interval of the ratio alone: what the gate would do without its adjustment for skewness.
  func plainGates(_ rule: GateRule, margin: Double) -> Tally<GateEnd> {
    let (first, second) = (baseline[.loadersPer1000], candidate[.loadersPer1000])
    let truth = truePercent(.loadersPer1000)
    return Tally(tries: first.count / rule.limit) { gate, total in
      total[.gates] += 1
      for (look, size) in rule.looks.enumerated() {
        let range = gate * rule.limit..<gate * rule.limit + size
        let ratio = RatioOfMeans(baseline: Array(first[range]), candidate: Array(second[range]))
        let interval = ratio.percentInterval(confidence: rule.nominalConfidence(look: look))
        let isLast = look == rule.looks.count - 1
        guard let interval, interval.low < interval.high else {
          if isLast { (total[.pairs], total[.covered]) = (total[.pairs] + size, total[.covered] + 1) }
          continue
        }
        guard interval.low > margin || interval.high < margin || isLast else { continue }
        if interval.low > margin { total[.worse] += 1 }
        if interval.high < margin { total[.kept] += 1 }
        if interval.contains(truth) { total[.covered] += 1 }
        total[.pairs] += size
        return
      }
    }
  }

  /// Whole gates, as `check` runs them, over a parameter that has no effect; each has a seed of its own.
  /// - Throws: `InvalidInput` if the scenario is none, and what a run throws.
  static func withoutEffect(path: String, gates: Int, limit: Int) throws -> Tally<GateEnd> {
    var total = Tally<GateEnd>()
    for gate in 0..<gates {
      var request = GateScenarios.Request(sweep: path)
      request.settings = [("prefetcher.webAppCost", "3")]
      request.seed = UInt64(gate)
      let rule = GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(0))], limit: limit)
      let result = try GateRunner(GateScenarios(request), rule: rule, jobs: 1, isStrict: true).run()
      total[.gates] += 1
      total[.pairs] += result.pairCount
      if result.outcome == .regression { total[.worse] += 1 }
      if result.outcome == .passed { total[.identical] += 1 }
      if result.findings.allSatisfy({ $0.difference == 0 }) { total[.covered] += 1 }
    }
    return total
  }

  /// Takes tries of `size` repetitions each from the pools, at most `limit` of them.
  func repetitions(_ size: Int, _ metric: Metric, limit: Int) -> Tally<RepetitionTry> {
    let (first, second) = (baseline[metric], candidate[metric])
    let difference = candidate.mean(metric) - baseline.mean(metric)
    let percent = truePercent(metric)
    return Tally(tries: min(limit, first.count / size)) { index, total in
      let range = index * size..<(index + 1) * size
      let (before, after) = (Array(first[range]), Array(second[range]))
      let comparison = PairedComparison(baseline: before, candidate: after)
      // Without an interval the tables say so; per cent without ends are not said either.
      guard let interval = comparison.interval() else { return }
      total[.tries] += 1
      if interval.contains(difference) { total[.differenceCovered] += 1 }
      if comparison.percentInterval()?.contains(percent) ?? true { total[.percentCovered] += 1 }
      if comparison.sample.interval()?.contains(difference) ?? false { total[.studentCovered] += 1 }
      if comparison.ratio.percentInterval()?.contains(percent) ?? true { total[.fiellerCovered] += 1 }
      guard difference * comparison.sample.mean > 0 else { return }
      if !interval.contains(0) { total[.seenPaired] += 1 }
      if comparison.signFlipTest.pValue <= 0.05 { total[.seenSignFlip] += 1 }
      if let p = WelchTest.pValue(before, after), p <= 0.05 { total[.seenUnpaired] += 1 }
    }
  }
}
