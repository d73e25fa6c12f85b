// The promised error rates under a floor that follows the baseline's noise, and under rare falls, which the promise leaves out.

import Analysis
import Base
import Rendering
import Simulation
import StudyParts

enum FloorStudy {
  /// A law of a baseline's sessions, in loaders per 1000 items.
  private typealias Law = (name: String, draw: @Sendable (inout RandomStream) -> Double)

  private static let baselines: [Law] = [
    ("normal, 10 ± 5", { 10 + 5 * $0.normal() }), ("normal, 300 ± 5", { 300 + 5 * $0.normal() }), ("all equal, 10", { _ in 10 }),
    ("lognormal, σ = 0.5", { 5 * StableMath.exp(0.5 * $0.normal()) }), ("lognormal, σ = 1", { 3 * StableMath.exp($0.normal()) }),
    ("Poisson, mean 11", { poisson(11, &$0) }), ("Poisson, mean 0.3", { poisson(0.3, &$0) }),
    ("10 % are 20, others 0", { $0.unit() < 0.1 ? 20 : 0 }), ("exponential, mean 8", { -8 * StableMath.log(1 - $0.unit()) }),
    ("Laplace, 30 ± 6", { 30 + 4.243 * (StableMath.log(1 - $0.unit()) - StableMath.log(1 - $0.unit())) }),
    ("uniform, 0 to 20", { 20 * $0.unit() }), ("normal, 20 ± 4.7", { 20 + 4.7 * $0.normal() }),
    ("normal, 20 ± 40", { 20 + 40 * $0.normal() }),
  ]

  /// Laws of mean 0 and standard deviation 1 of what a pair's difference has beside the limit.
  private static let noises: [Law] = [
    ("noise / 100", { 0.01 * $0.normal() }), ("normal", { $0.normal() }), ("exponential", { -StableMath.log(1 - $0.unit()) - 1 }),
    ("-exponential", { StableMath.log(1 - $0.unit()) + 1 }),
  ]

  /// Returns the report of `gates` gates a cell.
  /// - Throws: `StudyProblem` if its page cannot be read.
  static func report(gates: Int) throws -> String {
    try page(
      "floor",
      [
        "gates": "\(gates)", "gatesError": standardError(of: 0.025, gates), "floors": floorTable(gates),
        "falls": fallTable(gates),
      ])
  }

  private static func floorTable(_ gates: Int) -> String {
    let guarded = GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: nil)
    return markdownTable(
      ["baseline", .right("limit")] + noises.map { .right($0.name) },
      baselines.enumerated().map { index, law in
        var random = RandomStream(runSeed: 39, name: law.name)
        let sessions = (0..<400_000).map { _ in law.draw(&random) }
        let mean = sessions.reduce(0, +) / Double(sessions.count)
        let noise = 1.2533 * sessions.reduce(0) { $0 + ($1 - mean).magnitude } / Double(sessions.count)
        let limit = max(0.02 * mean, min(1, 0.2 * (1 + noise * noise).squareRoot()))
        return [law.name, DecimalText.fixed(limit, decimals: 2)]
          + noises.map { extra in
            rates(guarded, gates, "\(law.name) \(extra.name)") { random in
              let baseline = law.draw(&random)
              return (baseline, baseline + limit + max(noise, 1) * extra.draw(&random))
            }
          }
      })
  }

  private static func fallTable(_ gates: Int) -> String {
    let sizes = [10.0, 30, 100]
    let guarded = GateGuard(.loadersPer1000, .rise, by: .absolute(3))
    return markdownTable(
      ["sessions that fall"] + sizes.map { .right("by \(Int($0))") },
      [0.2, 0.1, 0.05, 0.02, 0.01].map { share in
        ["\(percent(share)) %"]
          + sizes.map { size in
            rates(guarded, gates, "falls \(share) \(size)") { random in
              let baseline = 100 + 10 * random.normal()
              return (baseline, baseline + 3 + size * (share - (random.unit() < share ? 1 : 0)) + random.normal())
            }
          }
      })
  }

  /// Runs gates look by look and returns their error rates.
  private static func rates(
    _ guarded: GateGuard, _ gates: Int, _ name: String, _ pair: @escaping @Sendable (inout RandomStream) -> (Double, Double)
  ) -> String {
    let rule = GateRule(guards: [guarded])
    let tally = Tally(tries: gates) { gate, total in
      var random = RandomStream(sweepSeed: 39, repetition: gate + 1, name: name)
      var (baseline, candidate): ([Double], [Double]) = ([], [])
      for (look, size) in rule.looks.enumerated() {
        while baseline.count < size {
          let (first, second) = pair(&random)
          baseline.append(first)
          candidate.append(second)
        }
        let finding = rule.finding(guarded, baseline: baseline, candidate: candidate, look: look)
        guard finding.isSettled else { continue }
        total[finding.outcome == .worse ? .worse : .kept] = 1
        return
      }
    }
    return "\(tally.share(.worse, of: .tries)) / \(tally.share(.kept, of: .tries))"
  }

  private static func poisson(_ mean: Double, _ random: inout RandomStream) -> Double {
    var (product, count) = (random.unit(), 0.0)
    while product > StableMath.exp(-mean) { (product, count) = (product * random.unit(), count + 1) }
    return count
  }
}
