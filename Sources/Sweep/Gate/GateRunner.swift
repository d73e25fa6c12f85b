// Executes baseline and candidate with the same seeds in all strata, look by look, until the rule stops.

import Analysis
import Simulation

/// Executes a gate. Only complete looks decide when it stops, so the result does not depend on `jobs`.
package struct GateRunner: Sendable {
  package let scenarios: GateScenarios
  package let rule: GateRule
  private let jobs: Int
  /// True if an inconclusive gate counts as failed.
  private let isStrict: Bool
  private let waivers: [GateWaiver]
  /// The baseline's rows of earlier gates.
  private let cache: GateCache?
  /// The strata with runs: not those whose sides are the same scenario, unless a bound, the weighted whole or `runsAll` needs them.
  private let running: [Int]
  /// The executor of runs; tests set others.
  var executor: any RunExecutor = EmulatedExecutor()

  package init(
    _ scenarios: GateScenarios, rule: GateRule, jobs: Int, isStrict: Bool, waivers: [GateWaiver] = [], cache: GateCache? = nil,
    runsAll: Bool = false
  ) {
    let isOfWhole = scenarios.whole != nil && scenarios.members.contains { $0.weight > 0 && !$0.isSame }
    running = scenarios.members.indices.filter { index in
      let member = scenarios.members[index]
      return runsAll || !member.isSame || isOfWhole && member.weight > 0 || rule.guards.contains { $0.bound != nil }
    }
    (self.scenarios, self.rule, self.jobs, self.isStrict) = (scenarios, rule, max(1, jobs), isStrict)
    (self.waivers, self.cache) = (waivers, cache)
  }

  /// The reason for a missing result.
  package enum Stop: Error, Hashable {
    case cancelled
    /// A guarded metric has no value in a run, such as the bound of a user with patience. The stratum is nil if there are none.
    case noValue(Metric, stratum: String?)
  }

  /// Executes pairs until the rule stops, or `timeLimit` seconds are over; then the last complete look decides. `report` gets the number of pairs per stratum, on the calling thread, every 0.2 s.
  /// - Throws: `Stop` if the user cancels, or a guarded metric has no value.
  package func run(
    timeLimit: Double? = nil, report: (_ pairs: Int) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(Stop) -> GateResult {
    let end = timeLimit.map { ContinuousClock.now + .seconds($0) }
    let isOver = { @Sendable in end.map { $0 <= .now } ?? false }
    let isExact = scenarios.isDeterministic
    var columns = [[GateResult.Pair]](repeating: [], count: scenarios.members.count)
    var failures: [String] = []
    var done = 0
    var complete = (look: 0, strata: try strata(columns, look: 0))
    for (look, size) in (isExact ? [1] : rule.looks).enumerated() {
      do throws(Stop) { try add(done..<size, to: &columns, &failures, report: report, isCancelled: { isCancelled() || isOver() }) } catch {
        if error != .cancelled || !isOver() { throw error }
        return result(
          look: complete.look, complete.strata, failures,
          note: "The time limit ended the check after \(done) of at most \(rule.limit) pairs.")
      }
      done = size
      let strata = try strata(columns, look: look)
      complete = (look, strata)
      if !failures.isEmpty || rule.mayStop(strata.flatMap(\.findings)) || size == rule.limit || isExact {
        return result(look: look, strata, failures)
      }
    }
    preconditionFailure("a rule has a last look")
  }

  // MARK: Runs

  /// The two runs of a repetition in a stratum, or the failure as a sentence.
  private enum Outcome: Sendable { case pair(GateResult.Pair), failure(String) }

  /// A pair of runs to execute; repetitions count from 1.
  private typealias Work = (repetition: Int, member: Int)

  /// Adds the pairs of repetitions, counted from 0. A repetition that fails in one stratum is left out of all of them,
  /// because the weighted whole needs every stratum. Without randomness a stratum has one pair.
  /// - Throws: `Stop.cancelled` if the user cancels.
  private func add(
    _ repetitions: Range<Int>, to columns: inout [[GateResult.Pair]], _ failures: inout [String], report: (Int) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(Stop) {
    let random = running.filter { !scenarios.members[$0].isDeterministic }
    let work = repetitions.flatMap { repetition in (repetition == 0 ? running : random).map { Work(repetition + 1, $0) } }
    let outcomes = WorkerPool.map(
      work.count, threads: jobs, tick: { ended in report(work[min(ended, work.count - 1)].repetition - 1) }
    ) { number in isCancelled() ? nil : outcome(of: work[number], isCancelled) }
    guard outcomes.count == work.count else { throw .cancelled }
    var failed = Set<Int>()
    for (work, outcome) in zip(work, outcomes) {
      guard case .failure(let failure) = outcome else { continue }
      failures.append(failure)
      failed.insert(work.repetition)
    }
    if let refusal = executor.refusal { failures = ["Refused: \(refusal)"] }
    for (work, outcome) in zip(work, outcomes) where !failed.contains(work.repetition) {
      if case .pair(let pair) = outcome { columns[work.member].append(pair) }
    }
  }

  /// Executes both runs of a repetition in a stratum; nil after cancellation.
  private func outcome(of work: Work, _ isCancelled: @escaping @Sendable () -> Bool) -> Outcome? {
    let (further, member) = (rule.furtherMetrics, scenarios.members[work.member])
    let seed = RandomStream.seed(sweepSeed: scenarios.seed, repetition: work.repetition)
    var sides: [RunMetrics] = []
    for (name, decoded) in [("baseline", member.baseline), ("candidate", member.candidate)] {
      if name == "baseline", further.isEmpty, let row = cache?.row(point: decoded.point, seed: seed) {
        sides.append(row)
        continue
      }
      let run = RunRequest(decoded.ready, repetition: work.repetition, seed: seed, further: further)
      switch executor.outcome(of: run, sameSeed: member.isDeterministic ? seed &+ 1 : nil, isCancelled: isCancelled) {
      case nil: return nil
      case .metrics(let metrics): sides.append(metrics)
      case .failure(let reason):
        let stratum = member.name.map { "\($0): " } ?? ""
        return .failure("\(stratum)The \(name) failed in repetition \(work.repetition): \(reason)")
      }
    }
    return .pair((work.repetition, seed, sides[0], sides[1]))
  }

  // MARK: Findings

  /// The values of one metric, by side; NaN if a run of the baseline has none, which a bound does not need.
  private typealias Values = (baseline: [Double], candidate: [Double])

  /// Returns the weighted whole, if it is judged, and each stratum with their findings.
  /// - Throws: `Stop.noValue` if a run has no value of a guarded metric.
  private func strata(_ columns: [[GateResult.Pair]], look: Int) throws(Stop) -> [GateResult.Stratum] {
    try scenarios.strata(onDevices: false, pairs: { columns[$0] }) { name, members throws(Stop) in
      try findings(of: name, members, columns, look: look)
    }
  }

  /// - Throws: `Stop.noValue` if a run has no value of a guarded metric.
  private func findings(of stratum: String?, _ members: [Int], _ columns: [[GateResult.Pair]], look: Int) throws(Stop) -> [GateFinding] {
    let isDeterministic = members.allSatisfy { scenarios.members[$0].isDeterministic }
    let isSame = members.allSatisfy { scenarios.members[$0].isSame }
    var (findings, ofBaseline): ([GateFinding], [GateFinding]) = ([], [])
    for guarded in rule.guards {
      let (baseline, candidate) = try values(of: guarded, members, columns)
      let waiver = waivers.first { $0.guarded == guarded && $0.stratum == stratum && !$0.isExpired }
      if isSame, running.count < scenarios.members.count, candidate.isEmpty {
        findings.append(rule.finding(guarded, under: waiver, rule.identical))
        continue
      }
      // Equal sides are compared exactly, but a bound is on the candidate's mean alone.
      let isExact = isDeterministic || isSame && guarded.bound == nil
      findings.append(
        rule.finding(guarded, under: waiver) { rule.finding($0, baseline: baseline, candidate: candidate, look: look, isExact: isExact) })
      if guarded.bound != nil, !baseline.contains(where: \.isNaN) {
        ofBaseline.append(rule.finding(guarded, baseline: baseline, candidate: baseline, look: look, isExact: isDeterministic))
      }
    }
    rule.exempt(&findings, ofBaseline: ofBaseline, look: look)
    return findings
  }

  /// Returns a stratum's values, or the weighted sums of several per repetition. The strata of a repetition share a seed, so the interval
  /// contains their covariance.
  /// - Throws: `Stop.noValue` if a run has no value of the metric.
  private func values(of guarded: GateGuard, _ members: [Int], _ columns: [[GateResult.Pair]]) throws(Stop) -> Values {
    if members.count == 1 { return try values(of: guarded, columns[members[0]], scenarios.members[members[0]]) }
    let counts = members.map { columns[$0].count }
    let count = counts.contains(0) ? 0 : counts.max() ?? 0
    var sums: Values = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    for (member, pairs) in members.map({ (scenarios.members[$0], columns[$0]) }) where count > 0 {
      let values = try values(of: guarded, pairs, member)
      for repetition in 0..<count {
        // Without randomness one pair stands for all repetitions.
        let index = min(repetition, pairs.count - 1)
        sums.baseline[repetition] += member.weight * values.baseline[index]
        sums.candidate[repetition] += member.weight * values.candidate[index]
      }
    }
    return sums
  }

  /// - Throws: `Stop.noValue` if a run has no value of the metric.
  private func values(of guarded: GateGuard, _ pairs: [GateResult.Pair], _ member: GateScenarios.Member) throws(Stop) -> Values {
    var values: Values = ([], [])
    for pair in pairs {
      guard let baseline = pair.baseline[guarded.metric] ?? guarded.bound.map({ _ in .nan }), let candidate = pair.candidate[guarded.metric]
      else { throw .noValue(guarded.metric, stratum: member.name) }
      values.baseline.append(baseline)
      values.candidate.append(candidate)
    }
    return values
  }

  private func result(look: Int, _ strata: [GateResult.Stratum], _ failures: [String], note: String? = nil) -> GateResult {
    scenarios.result(
      rule, isStrict: isStrict, look: look, strata: strata, waivers: waivers, failures: failures, notes: [note].compactMap { $0 })
  }
}

extension GateScenarios {
  /// Returns the weighted whole, if it is judged, and each stratum; `findings` judges members by their indices. Runs on devices are random.
  /// - Throws: any error of `findings`.
  func strata<Failure>(
    onDevices: Bool, pairs: (Int) -> [GateResult.Pair], findings: (_ name: String?, _ members: [Int]) throws(Failure) -> [GateFinding]
  ) throws(Failure) -> [GateResult.Stratum] {
    var strata: [GateResult.Stratum] = []
    if let whole {
      let weighted = members.indices.filter { members[$0].weight > 0 }
      strata.append(
        GateResult.Stratum(
          name: whole, isWhole: true, isDeterministic: !onDevices && weighted.allSatisfy { members[$0].isDeterministic },
          findings: try findings(whole, weighted), pairs: []))
    }
    for (index, (member, head)) in zip(members, heads.own).enumerated() {
      strata.append(
        GateResult.Stratum(
          name: member.name, weight: member.weight, head: head, baseline: member.baseline.point, candidate: member.candidate.point,
          isDeterministic: !onDevices && member.isDeterministic, findings: areMembersJudged ? try findings(member.name, [index]) : [],
          pairs: pairs(index)))
    }
    return strata
  }

  func result(
    _ rule: GateRule, isStrict: Bool, look: Int, strata: [GateResult.Stratum], waivers: [GateWaiver], failures: [String], notes: [String]
  ) -> GateResult {
    let ofWhole = whole.map { whole in rule.guards.filter { !$0.metric.isAveraged }.map { $0.metric.warning(ofWhole: whole) } }
    return GateResult(
      program: SweepDescription.Program(name: Program.name, version: Program.version, modelVersion: Program.modelVersion),
      sweep: sweep.name, head: heads.common, baseline: sides.baseline, candidate: sides.candidate, changes: changes, seed: seed,
      isStrict: isStrict, rule: rule, look: look, strata: strata, waivers: waivers, failures: failures,
      warnings: warnings + (ofWhole ?? []) + notes)
  }
}
