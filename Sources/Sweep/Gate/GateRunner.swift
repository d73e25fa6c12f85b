// Runs baseline and candidate on the same seeds in all strata, look by look, until the rule lets it stop.

import Analysis
import Simulation

/// Runs a gate. Which runs are made is decided by the rows of complete looks alone, so that the result does not depend on `jobs`.
package struct GateRunner: Sendable {
  /// What is compared.
  package let scenarios: GateScenarios
  /// How it is judged.
  package let rule: GateRule
  /// How many threads work.
  package let jobs: Int
  /// True if an inconclusive gate counts as failed.
  package let isStrict: Bool

  /// What tests put in the place of the simulation.
  var simulate: (@Sendable (_ scenario: any SweptScenario, _ seed: UInt64) throws -> [Double?])?

  /// A gate over scenarios.
  package init(_ scenarios: GateScenarios, rule: GateRule, jobs: Int, isStrict: Bool) {
    self.scenarios = scenarios
    self.rule = rule
    self.jobs = max(1, jobs)
    self.isStrict = isStrict
  }

  /// Why there is no result.
  package enum Stop: Error, Hashable {
    /// `isCancelled` said so.
    case cancelled
    /// A guarded metric has no value in a run, e.g. the bound of a user with patience; with the stratum, if there are any.
    case noValue(Metric, stratum: String?)
  }

  /// Runs until the rule lets it stop. `report` gets the number of pairs that are done in each stratum, on the calling thread, about five
  /// times a second; `isCancelled` is asked before each pair.
  package func run(report: (_ pairs: Int) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }) throws(Stop)
    -> GateResult
  {
    let isExact = scenarios.isDeterministic
    var columns = [[GateResult.Pair]](repeating: [], count: scenarios.members.count)
    var failures: [String] = []
    var done = 0
    for (look, size) in (isExact ? [1] : rule.looks).enumerated() {
      try add(done..<size, to: &columns, &failures, report: report, isCancelled: isCancelled)
      done = size
      let strata = try strata(columns, look: look)
      if !failures.isEmpty || rule.mayStop(strata.flatMap(\.findings)) || size == rule.limit || isExact {
        return result(look: look, strata, failures)
      }
    }
    preconditionFailure("a rule has a last look")
  }

  // MARK: Runs

  private enum Outcome: Sendable {
    case pair(GateResult.Pair)
    case failure(String)
  }

  /// A pair of runs to make.
  private struct Work: Sendable {
    /// Counted from 1.
    let repetition: Int
    let member: Int
  }

  /// Adds the pairs of repetitions, counted from 0, to the columns of the members. A repetition that fails in one stratum adds none: the
  /// whole is made of repetitions that all strata have. Without randomness the first repetition is all of them.
  private func add(
    _ repetitions: Range<Int>, to columns: inout [[GateResult.Pair]], _ failures: inout [String], report: (Int) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(Stop) {
    let random = scenarios.members.indices.filter { !scenarios.members[$0].isDeterministic }
    var work: [Work] = []
    for repetition in repetitions {
      work += (repetition == 0 ? Array(scenarios.members.indices) : random).map { Work(repetition: repetition + 1, member: $0) }
    }
    let outcomes = try outcomes(of: work, report: report, isCancelled: isCancelled)
    var index = 0
    while index < work.count {
      let end = work[index...].firstIndex { $0.repetition != work[index].repetition } ?? work.count
      let reasons = outcomes[index..<end].compactMap { if case .failure(let reason) = $0 { reason } else { nil } }
      failures += reasons
      for (work, outcome) in zip(work[index..<end], outcomes[index..<end]) where reasons.isEmpty {
        if case .pair(let pair) = outcome { columns[work.member].append(pair) }
      }
      index = end
    }
  }

  /// The outcome of each pair of runs, in order.
  private func outcomes(of work: [Work], report: (Int) -> Void, isCancelled: @escaping @Sendable () -> Bool) throws(Stop) -> [Outcome] {
    let outcomes = WorkerPool.map(
      work.count, threads: jobs, tick: { ended in report(work[min(ended, work.count - 1)].repetition - 1) }
    ) { number in isCancelled() ? nil : outcome(of: work[number], isCancelled) }
    guard outcomes.count == work.count else { throw .cancelled }
    return outcomes
  }

  /// Both runs of one repetition in one stratum; nil once `isCancelled` says so.
  private func outcome(of work: Work, _ isCancelled: @escaping @Sendable () -> Bool) -> Outcome? {
    let limits = RunLimits(isCancelled: isCancelled)
    let simulate = { (scenario: any SweptScenario, seed: UInt64) throws -> [Double?] in
      try self.simulate?(scenario, seed) ?? scenario.metrics(seed: seed, limits: limits)
    }
    let member = scenarios.members[work.member]
    let place = member.name.map { "\($0): " } ?? ""
    let seed = RandomStream.seed(sweepSeed: scenarios.seed, repetition: work.repetition)
    var sides: [[Double?]] = []
    for (name, decoded) in [("baseline", member.baseline), ("candidate", member.candidate)] {
      do {
        let metrics = try simulate(decoded.scenario, seed)
        // Whatever the seed, such a scenario must give the same row.
        if member.isDeterministic, try simulate(decoded.scenario, seed &+ 1) != metrics {
          return .failure("\(place)The \(name) has no randomness, yet two runs of it differ: a defect of the program, please report it.")
        }
        sides.append(metrics)
      } catch RunStop.cancelled {
        return nil
      } catch {
        return .failure("\(place)The \(name) failed in repetition \(work.repetition): \(error)")
      }
    }
    return .pair(GateResult.Pair(repetition: work.repetition, seed: seed, baseline: sides[0], candidate: sides[1]))
  }

  // MARK: Findings

  /// The weighted whole, if it is judged, and each stratum, with their findings.
  private func strata(_ columns: [[GateResult.Pair]], look: Int) throws(Stop) -> [GateResult.Stratum] {
    var strata: [GateResult.Stratum] = []
    if let name = scenarios.whole { strata.append(try whole(name, columns, look: look)) }
    let heads = scenarios.heads.own
    for (index, member) in scenarios.members.enumerated() {
      var findings: [GateFinding] = []
      for guarded in scenarios.areMembersJudged ? rule.guards : [] {
        let (baseline, candidate) = try values(of: guarded.metric, columns[index], member)
        findings.append(
          rule.judgement(
            on: guarded, baseline: baseline, candidate: candidate, look: look, isExact: member.isDeterministic || member.isSame))
      }
      strata.append(
        GateResult.Stratum(
          name: member.name, weight: member.weight, head: heads[index], baseline: member.baseline.point, candidate: member.candidate.point,
          isDeterministic: member.isDeterministic, findings: findings, pairs: columns[index]))
    }
    return strata
  }

  /// The whole: the weighted sum within each repetition, whose strata share a seed, so that its interval has their covariance.
  private func whole(_ name: String, _ columns: [[GateResult.Pair]], look: Int) throws(Stop) -> GateResult.Stratum {
    let weighted = scenarios.members.indices.filter { scenarios.members[$0].weight > 0 }
    let isDeterministic = weighted.allSatisfy { scenarios.members[$0].isDeterministic }
    let isSame = weighted.allSatisfy { scenarios.members[$0].isSame }
    let counts = weighted.map { columns[$0].count }
    let count = counts.contains(0) ? 0 : counts.max() ?? 0
    var findings: [GateFinding] = []
    for guarded in rule.guards {
      var (baseline, candidate) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
      for index in weighted where count > 0 {
        let member = scenarios.members[index]
        let values = try values(of: guarded.metric, columns[index], member)
        for repetition in 0..<count {
          // Without randomness there is one pair, which holds for all repetitions.
          let place = min(repetition, values.baseline.count - 1)
          baseline[repetition] += member.weight * values.baseline[place]
          candidate[repetition] += member.weight * values.candidate[place]
        }
      }
      findings.append(
        rule.judgement(on: guarded, baseline: baseline, candidate: candidate, look: look, isExact: isDeterministic || isSame))
    }
    return GateResult.Stratum(
      name: name, isWhole: true, isDeterministic: isDeterministic, findings: findings, pairs: [])
  }

  /// A metric's values of both sides.
  private func values(
    of metric: Metric, _ pairs: [GateResult.Pair], _ member: GateScenarios.Member
  ) throws(Stop) -> (baseline: [Double], candidate: [Double]) {
    var (baseline, candidate): ([Double], [Double]) = ([], [])
    for pair in pairs {
      guard let first = pair.baseline[metric.index], let second = pair.candidate[metric.index] else {
        throw .noValue(metric, stratum: member.name)
      }
      baseline.append(first)
      candidate.append(second)
    }
    return (baseline, candidate)
  }

  private func result(look: Int, _ strata: [GateResult.Stratum], _ failures: [String]) -> GateResult {
    let sides = scenarios.sides
    return GateResult(
      program: SweepDescription.Program(name: Program.name, modelVersion: Program.modelVersion), sweep: scenarios.sweep.name,
      head: scenarios.heads.common, baseline: sides.baseline, candidate: sides.candidate, changes: scenarios.changes,
      seed: scenarios.seed, isStrict: isStrict, rule: rule, look: look, strata: strata, failures: failures, warnings: scenarios.warnings)
  }
}
