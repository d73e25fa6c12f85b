// Prints Results/calibration/devices.md: the promises of the gate on devices under the noise of phones.

import Analysis
import Base
import Oracles
import Rendering
import StudyParts
import Sweep

/// The page about gates on devices, with `gates` gates a row.
struct DeviceReport {
  let gates: Int

  /// Returns the page.
  /// - Throws: `StudyProblem` if it cannot be read.
  func text() throws -> String {
    let laws = DeviceNoise.allCases.map { ($0, false) } + [(.independent, true)]
    let atMargin = laws.map { noise, dies in
      row(noise, dies) { verdicts in
        [share(verdicts) { $0.byStudent }, share(verdicts) { $0.byRanks }, share(verdicts) { $0.oneAfterOther }]
      }
    }
    let null = laws.map { row($0, $1, margin: 2) }
    let changes = [0.03, 0.04, 0.06, 0.1].map { row(.independent, false, "+\(Int($0 * 100)) %", change: $0, margin: 2) }
    let turns = [(0.04, 0), (0.08, 0), (0.04, 30)].map { change, earlier in
      row(
        .independent, false,
        DeviceGate.Flaw.turn.rawValue + ", by \(Int(change * 100)) %"
          + (earlier > 0 ? ", with \(earlier) null blocks of earlier gates" : ""),
        change: change, margin: 2, flaw: .turn, earlier: earlier)
    }
    let flaws = turns + [.trend, .phases, .devices].map { row(.independent, false, $0.rawValue, margin: 2, flaw: $0) }
    return try page(
      "devices",
      [
        "gates": "\(gates)", "nulls": "\(GateBlocks.blocksPerNull)", "more": "\(4 * gates)", "error": standardError(of: 0.025, 4 * gates),
        "limit": "\(GateRule.usualBlocks)",
        "atMargin": table("noise beside 2 %", ["t test", "Mann–Whitney", "t test, one side after the other"], atMargin),
        "null": table("noise beside 2 %", [], null), "power": table("candidate", [], changes), "flaws": table("flaw", [], flaws),
      ])
  }

  private func table(_ first: String, _ more: [String], _ rows: [[String]]) -> String {
    markdownTable(
      [Table.Column(first)] + (["worse", "unfit", "undecided", "passes", "median of blocks"] + more).map { .right($0) }, rows)
  }

  private func row(
    _ noise: DeviceNoise, _ dies: Bool, _ name: String? = nil, change: Double = 0, margin: Double = 0, flaw: DeviceGate.Flaw = .none,
    earlier: Int = 0, more: ([DeviceGate.Verdict]) -> [String] = { _ in [] }
  ) -> [String] {
    let gate = DeviceGate(noise, change: change, margin: margin, flaw: flaw, dies: dies, earlier: earlier) { gate, number in
      let plan = BlockPlan(seed: UInt64(gate), name: "candidate")
      return (plan.isNull(number), plan.isMirrored(number))
    }
    let verdicts = WorkerPool.map(change == 0.03 || margin == 0 ? 4 * gates : gates) { gate.verdict($0) }
    let median = Sample.quantile(verdicts.map { Double($0.blocks) }, share: 0.5) ?? 0
    let outcomes: [[GateFinding.Outcome]] = [[.worse], [.unfit], [.inconclusive], [.notWorse, .better]]
    return [name ?? (dies ? "one of two devices dies" : noise.rawValue)]
      + outcomes.map { kinds in share(verdicts) { kinds.contains($0.outcome) } }
      + [DecimalText.fixed(median, decimals: 0)] + more(verdicts)
  }

  private func share(_ verdicts: [DeviceGate.Verdict], _ isCounted: (DeviceGate.Verdict) -> Bool) -> String {
    percent(Double(verdicts.count(where: isCounted)) / Double(verdicts.count)) + " %"
  }
}
