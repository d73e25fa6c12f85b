// A gate on two devices over drawn noise, beside the tests that teams use on the same runs.

import Analysis
import Simulation

/// The noise, the candidate and the flaws of simulated gates on two devices.
package struct DeviceGate: Sendable {
  /// Something that moves the candidate's side for another reason than its settings.
  package enum Flaw: String, CaseIterable, Sendable {
    case none
    case turn = "whatever runs in the candidate's turn is slower, in null blocks too"
    case trend = "the effect grows from 0 to 8 % over the gate"
    case phases = "the effect is 6 % in every other 10 blocks"
    case devices = "the effect is 0 on one device and 6 % on the other"
  }

  /// The verdict of the gate, and of other tests of all runs of 40 blocks: true if they call the candidate worse.
  package struct Verdict: Sendable {
    package var outcome = GateFinding.Outcome.inconclusive
    package var blocks = 0
    package var byStudent = false, byRanks = false
    /// Student's test of the same noise under runs of production first and the candidate's after them.
    package var oneAfterOther = false
  }

  private let noise: DeviceNoise
  private let change: Double, margin: Double
  private let flaw: Flaw
  private let dies: Bool
  private let earlier: Int
  private let rule: GateRule
  /// The null blocks and the mirrored blocks, by gate and number.
  private let plan: @Sendable (_ gate: Int, _ number: Int) -> (isNull: Bool, isMirrored: Bool)

  /// Creates gates whose candidate changes by `change`, a share, against a margin in per cent. With `dies` one device gets slower by 5 % a run
  /// from some block on and fails two blocks later. `earlier` null blocks are known from earlier gates.
  package init(
    _ noise: DeviceNoise, change: Double = 0, margin: Double = 0, flaw: Flaw = .none, dies: Bool = false, earlier: Int = 0,
    plan: @escaping @Sendable (_ gate: Int, _ number: Int) -> (isNull: Bool, isMirrored: Bool)
  ) {
    (self.noise, self.change, self.margin, self.flaw, self.dies, self.earlier, self.plan) = (
      noise, change, margin, flaw, dies, earlier, plan
    )
    rule = GateRule(guards: [GateGuard(.waitMsMean, .rise, by: .percent(margin))], comparisons: 1, blocks: GateRule.usualBlocks)
  }

  /// Runs a gate by its number.
  package func verdict(_ gate: Int) -> Verdict {
    let name = "\(noise.rawValue) \(change) \(margin) \(flaw.rawValue) \(dies)"
    var random = RandomStream(sweepSeed: 44, repetition: gate, name: name)
    let limit = GateRule.usualBlocks
    var runs = (0..<2).map { _ in noise.draw(4 * limit, &random).map { 100 * (1 + $0) } }
    let end = dies ? 3 + Int(random.below(12)) : limit
    for run in 4 * end..<4 * limit { runs[1][run] *= 1 + 0.05 * Double(run - 4 * end + 1) }
    var (blocks, verdict, number, own) = (GateBlocks(devices: ["one", "two"]), Verdict(), 0, [0, 0])
    var sides: [[Double]] = [[], []]
    for number in 0..<earlier {
      let values = (0..<4).map { run in 100 * (1 + 0.02 * random.normal()) * (flaw == .turn && (run == 1 || run == 2) ? 1 + change : 1) }
      blocks.earlier.append(GateBlocks.Block(device: number % 2, isMirrored: false, values: values))
    }
    while blocks.compared.count + blocks.null.count < limit {
      defer { number += 1 }
      let device = number % 2
      if device == 1, own[1] >= (dies ? end + 2 : limit) { continue }
      let (isNull, isMirrored) = plan(gate, number + 1)
      let effect = effect(device, number)
      let values = (0..<4).map { run in
        let isCandidate = (run == 1 || run == 2) != isMirrored
        return runs[device][4 * own[device] + run] * (isCandidate && (!isNull || flaw == .turn) ? 1 + effect : 1)
      }
      own[device] += 1
      let block = GateBlocks.Block(device: device, isMirrored: isMirrored, values: values)
      if isNull { blocks.null.append(block) } else { blocks.compared.append(block) }
      if !isNull { for run in 0..<4 { sides[(run == 1 || run == 2) != isMirrored ? 1 : 0].append(values[run]) } }
      let (size, isLast) = (blocks.compared.count, count(blocks) == limit)
      guard verdict.blocks == 0, isLast || !isNull && rule.looks.contains(size) else { continue }
      let look = isLast ? rule.looks.count - 1 : rule.looks.lastIndex { $0 <= size } ?? 0
      verdict.outcome = rule.outcome(rule.guards[0], blocks, look: look).outcome
      if isLast || verdict.outcome != .inconclusive { verdict.blocks = count(blocks) }
    }
    let scaled = sides[0].map { $0 * (1 + margin / 100) }
    (verdict.byStudent, verdict.byRanks) = (Self.isWorse(scaled, sides[1]), Self.isWorseByRanks(scaled, sides[1]))
    let halves = runs.map { ($0.prefix(2 * limit / 2), $0.dropFirst(2 * limit / 2).prefix(2 * limit / 2)) }
    verdict.oneAfterOther = Self.isWorse(
      halves.flatMap { $0.0.map { $0 * (1 + margin / 100) } }, halves.flatMap { $0.1.map { $0 * (1 + change) } })
    return verdict
  }

  private func count(_ blocks: GateBlocks) -> Int { blocks.compared.count + blocks.null.count }

  private func effect(_ device: Int, _ number: Int) -> Double {
    switch flaw {
    case .none, .turn: change
    case .trend: 0.08 * Double(number) / Double(GateRule.usualBlocks)
    case .phases: number / 10 % 2 == 0 ? 0 : 0.06
    case .devices: device == 0 ? 0 : 0.06
    }
  }

  private static func isWorse(_ production: [Double], _ candidate: [Double]) -> Bool {
    Sample(candidate).mean > Sample(production).mean && WelchTest.pValue(production, candidate) ?? 1 < 0.05
  }

  /// Returns the verdict of the test of Mann & Whitney (1947, doi:10.1214/aoms/1177730491) by its normal limit, as benchstat uses it for more
  /// than 50 runs a side.
  private static func isWorseByRanks(_ production: [Double], _ candidate: [Double]) -> Bool {
    let (n, m) = (Double(production.count), Double(candidate.count))
    let ranks = Ranking(production + candidate).doubled
    let sum = Double(ranks[production.count...].reduce(0, +)) / 2
    return (sum - m * (n + m + 1) / 2) / (n * m * (n + m + 1) / 12).squareRoot() > Normal.upperQuantile(0.025)
  }
}
