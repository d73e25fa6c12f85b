// One small scenario under study: its runs, and how often gates and intervals over them are wrong.

import Analysis
import Dispatch
import Sweep
import Synchronization

/// What became of many gates.
struct GateCount: Sendable {
  var gates = 0
  var worse = 0
  /// Gates in which every guard is kept by its interval.
  var kept = 0
  /// Gates that pass because a guarded metric is the same in every pair.
  var identical = 0
  /// Gates whose intervals all hold the truth.
  var covered = 0
  var pairs = 0

  /// Adds the gates of another part.
  mutating func add(_ other: GateCount) {
    gates += other.gates
    worse += other.worse
    kept += other.kept
    identical += other.identical
    covered += other.covered
    pairs += other.pairs
  }
}

/// How often fixed numbers of repetitions are right.
struct RepetitionCount: Sendable {
  var tries = 0
  var differenceCovered = 0
  var percentCovered = 0
  var studentCovered = 0
  var fiellerCovered = 0
  /// Tries in which a test sees the change at 5 %, on the right side.
  var seenPaired = 0
  var seenSignFlip = 0
  var seenUnpaired = 0
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
  func gates(_ rule: GateRule, against pool: KeyPath<GateStudy, RunPool>) -> GateCount {
    let side = self[keyPath: pool]
    let columns = rule.guards.map { (baseline[$0.metric], side[$0.metric]) }
    let truths = rule.guards.map { (side.mean($0.metric) - baseline.mean($0.metric), side.mean($0.metric) / baseline.mean($0.metric)) }
    return DifferenceStudy.parallel(count: baseline.count / rule.limit, GateCount()) { gate, total in
      let place = gate * rule.limit..<(gate + 1) * rule.limit
      let (look, findings) = rule.replay(columns.map { ($0.0[place], $0.1[place]) })
      total.gates += 1
      total.pairs += rule.looks[look]
      let isIdentical = findings.contains { $0.outcome == .identical }
      if findings.contains(where: { $0.outcome == .worse }) {
        total.worse += 1
      } else if findings.allSatisfy(\.isSettled) {
        if isIdentical { total.identical += 1 } else { total.kept += 1 }
      }
      let isCovered = zip(findings, truths).allSatisfy { finding, truth in finding.differenceInterval?.contains(truth.0) ?? true }
      if isCovered { total.covered += 1 }
    } merge: {
      $0.add($1)
    }
  }

  /// The same for one guard, judged by Student's interval of the ratio alone: what the gate would do without its adjustment for skewness.
  func plainGates(_ rule: GateRule, margin: Double) -> GateCount {
    let (first, second) = (baseline[.loadersPer1000], candidate[.loadersPer1000])
    let truth = truePercent(.loadersPer1000)
    return DifferenceStudy.parallel(count: first.count / rule.limit, GateCount()) { gate, total in
      total.gates += 1
      for (look, size) in rule.looks.enumerated() {
        let place = gate * rule.limit..<gate * rule.limit + size
        let ratio = RatioOfMeans(baseline: Array(first[place]), candidate: Array(second[place]))
        let interval = ratio.percentInterval(confidence: rule.nominalConfidence(look: look))
        let isLast = look == rule.looks.count - 1
        guard let interval, interval.low < interval.high else {
          if isLast { (total.pairs, total.covered) = (total.pairs + size, total.covered + 1) }
          continue
        }
        guard interval.low > margin || interval.high < margin || isLast else { continue }
        if interval.low > margin { total.worse += 1 }
        if interval.high < margin { total.kept += 1 }
        if interval.contains(truth) { total.covered += 1 }
        total.pairs += size
        return
      }
    } merge: {
      $0.add($1)
    }
  }

  /// Whole gates, as `check` runs them, over a parameter that has no effect; each has a seed of its own.
  static func withoutEffect(path: String, gates: Int, limit: Int) throws -> GateCount {
    var count = GateCount()
    for gate in 0..<gates {
      var request = GateScenarios.Request(sweep: path)
      request.settings = [("prefetcher.webAppCost", "3")]
      request.seed = UInt64(gate)
      let rule = GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(0))], limit: limit)
      let result = try GateRunner(GateScenarios(request), rule: rule, jobs: 1, isStrict: true).run()
      count.gates += 1
      count.pairs += result.pairCount
      if result.outcome == .regression { count.worse += 1 }
      if result.outcome == .passed { count.identical += 1 }
      if result.findings.allSatisfy({ $0.difference == 0 }) { count.covered += 1 }
    }
    return count
  }

  /// Takes tries of `size` repetitions each from the pools, at most `limit` of them.
  func repetitions(_ size: Int, _ metric: Metric, limit: Int) -> RepetitionCount {
    let (first, second) = (baseline[metric], candidate[metric])
    let difference = candidate.mean(metric) - baseline.mean(metric)
    let percent = truePercent(metric)
    return DifferenceStudy.parallel(count: min(limit, first.count / size), RepetitionCount()) { index, total in
      let place = index * size..<(index + 1) * size
      let (before, after) = (Array(first[place]), Array(second[place]))
      let comparison = PairedComparison(baseline: before, candidate: after)
      // Without an interval the tables say so; per cent without ends are not said either.
      guard let interval = comparison.interval() else { return }
      total.tries += 1
      if interval.contains(difference) { total.differenceCovered += 1 }
      if comparison.percentInterval()?.contains(percent) ?? true { total.percentCovered += 1 }
      if comparison.sample.interval()?.contains(difference) ?? false { total.studentCovered += 1 }
      if comparison.ratio.percentInterval()?.contains(percent) ?? true { total.fiellerCovered += 1 }
      guard difference * comparison.sample.mean > 0 else { return }
      if !interval.contains(0) { total.seenPaired += 1 }
      if comparison.signFlipTest.pValue <= 0.05 { total.seenSignFlip += 1 }
      if let p = WelchTest.pValue(before, after), p <= 0.05 { total.seenUnpaired += 1 }
    } merge: {
      $0.tries += $1.tries
      $0.differenceCovered += $1.differenceCovered
      $0.percentCovered += $1.percentCovered
      $0.studentCovered += $1.studentCovered
      $0.fiellerCovered += $1.fiellerCovered
      $0.seenPaired += $1.seenPaired
      $0.seenSignFlip += $1.seenSignFlip
      $0.seenUnpaired += $1.seenUnpaired
    }
  }
}
