// Runs baseline and candidate on the same seeds, look by look, until the rule lets it stop.

import Analysis
import Dispatch
import Simulation
import Synchronization

/// Runs a gate. Which runs are made is decided by the rows of complete looks alone, so that the result does not depend on `jobs`.
public struct GateRunner: Sendable {
  /// What is compared.
  public let scenarios: GateScenarios
  /// How it is judged.
  public let rule: GateRule
  /// How many threads work.
  public let jobs: Int
  /// Whether an inconclusive gate counts as failed.
  public let isStrict: Bool

  /// What tests put in the place of the simulation.
  var simulate: (@Sendable (_ scenario: any SweptScenario, _ seed: UInt64) throws -> [Double?])?

  /// A gate over scenarios.
  public init(_ scenarios: GateScenarios, rule: GateRule, jobs: Int, isStrict: Bool) {
    self.scenarios = scenarios
    self.rule = rule
    self.jobs = max(1, jobs)
    self.isStrict = isStrict
  }

  /// Why there is no result.
  public enum Stop: Error, Hashable {
    /// `isCancelled` said so.
    case cancelled
    /// A guarded metric has no value in a run, e.g. the bound of a user with patience.
    case noValue(Metric)
  }

  /// Runs until the rule lets it stop. `report` gets the number of pairs that are done, on the calling thread, about five times a second;
  /// `isCancelled` is asked before each run.
  public func run(report: (_ pairs: Int) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }) throws(Stop)
    -> GateResult
  {
    let isExact = scenarios.isDeterministic
    var pairs: [GateResult.Pair] = []
    var failures: [String] = []
    for (look, size) in (isExact ? [1] : rule.looks).enumerated() {
      let missing = pairs.count + failures.count
      let outcomes = try outcomes(of: missing..<size, report: report, isCancelled: isCancelled)
      for outcome in outcomes {
        switch outcome {
        case .pair(let pair): pairs.append(pair)
        case .failure(let reason): failures.append(reason)
        }
      }
      let findings = try findings(pairs, look: look, isExact: isExact || scenarios.isSame)
      if !failures.isEmpty || rule.mayStop(findings) || size == rule.limit || isExact {
        return result(look: look, findings, pairs, failures)
      }
    }
    preconditionFailure("a rule has a last look")
  }

  private enum Outcome: Sendable {
    case pair(GateResult.Pair)
    case failure(String)
  }

  /// The outcomes of repetitions, counted from 0, in their order.
  private func outcomes(of repetitions: Range<Int>, report: (Int) -> Void, isCancelled: @escaping @Sendable () -> Bool) throws(Stop)
    -> [Outcome]
  {
    let next = Atomic(repetitions.lowerBound)
    let finished = Mutex<[(Int, Outcome)]>([])
    let work: @Sendable () -> Void = {
      while !isCancelled() {
        let repetition = next.wrappingAdd(1, ordering: .relaxed).oldValue
        if repetition >= repetitions.upperBound { return }
        guard let outcome = self.outcome(of: repetition + 1, isCancelled) else { return }
        finished.withLock { $0.append((repetition, outcome)) }
      }
    }
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "gate", attributes: .concurrent)
    for _ in 0..<min(jobs, repetitions.count) { queue.async(group: group, execute: work) }
    while group.wait(timeout: .now() + .milliseconds(200)) == .timedOut {
      report(repetitions.lowerBound + finished.withLock { $0.count })
    }
    let all = finished.withLock { $0 }
    guard all.count == repetitions.count else { throw .cancelled }
    return all.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Both runs of one repetition, counted from 1; nil once `isCancelled` says so.
  private func outcome(of repetition: Int, _ isCancelled: @escaping @Sendable () -> Bool) -> Outcome? {
    let limits = RunLimits(isCancelled: isCancelled)
    let simulate = { (scenario: any SweptScenario, seed: UInt64) throws -> [Double?] in
      try self.simulate?(scenario, seed) ?? scenario.metrics(seed: seed, limits: limits)
    }
    let seed = RandomStream.seed(sweepSeed: scenarios.seed, repetition: repetition)
    var sides: [[Double?]] = []
    for (name, decoded) in [("baseline", scenarios.baseline), ("candidate", scenarios.candidate)] {
      do {
        let metrics = try simulate(decoded.scenario, seed)
        // Whatever the seed, such a scenario must give the same row.
        if scenarios.isDeterministic, try simulate(decoded.scenario, seed &+ 1) != metrics {
          return .failure("The \(name) has no randomness, yet two runs of it differ: a defect of the program, please report it.")
        }
        sides.append(metrics)
      } catch RunStop.cancelled {
        return nil
      } catch {
        return .failure("The \(name) failed in repetition \(repetition): \(error)")
      }
    }
    return .pair(GateResult.Pair(repetition: repetition, seed: seed, baseline: sides[0], candidate: sides[1]))
  }

  private func findings(_ pairs: [GateResult.Pair], look: Int, isExact: Bool) throws(Stop) -> [GateFinding] {
    var findings: [GateFinding] = []
    for guarded in rule.guards {
      var (baseline, candidate): ([Double], [Double]) = ([], [])
      for pair in pairs {
        guard let first = pair.baseline[guarded.metric.index], let second = pair.candidate[guarded.metric.index] else {
          throw .noValue(guarded.metric)
        }
        baseline.append(first)
        candidate.append(second)
      }
      findings.append(rule.finding(guarded, baseline: baseline, candidate: candidate, look: look, isExact: isExact))
    }
    return findings
  }

  private func result(look: Int, _ findings: [GateFinding], _ pairs: [GateResult.Pair], _ failures: [String]) -> GateResult {
    let sides = scenarios.sides
    return GateResult(
      program: SweepDescription.Program(name: Program.name, modelVersion: Program.modelVersion), sweep: scenarios.sweep.name,
      head: scenarios.head, baseline: sides.baseline, candidate: sides.candidate, changes: scenarios.changes, seed: scenarios.seed,
      isStrict: isStrict, isDeterministic: scenarios.isDeterministic, rule: rule, look: look, findings: findings, pairs: pairs,
      failures: failures, warnings: scenarios.warnings)
  }
}
