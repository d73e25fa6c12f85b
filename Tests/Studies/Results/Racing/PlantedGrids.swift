// Grids with a planted best point: how often a race and a halving drop it, and the runs that they make.

import Analysis
import Base
import Simulation
import StudyParts
import Sweep

struct PlantedGrids {
  /// A law of the headline: the best point's value, and a rival's excess over it in the same block.
  private struct Law: Sendable {
    let name: String
    let best: @Sendable (inout RandomStream) -> Double
    let excess: @Sendable (inout RandomStream) -> Double

    /// Few loaders: a rival has 1 more in a share of the blocks, and 1 fewer in another.
    static func few(_ more: Double, _ fewer: Double) -> Law {
      let name = "few loaders, \(DecimalText.fixed((1 - more - fewer) * 100, decimals: 0)) % level"
      return Law(name: name, best: { _ in 1 }) { draws in
        let draw = draws.unit()
        return draw < more ? 1 : draw > 1 - fewer ? -1 : 0
      }
    }
  }

  private static let laws = [
    Law.few(0.14, 0.05), .few(0.04, 0.015), .few(0.3, 0.15),
    Law(name: "normal, 0.3 σ ahead", best: { $0.normal() }) { 0.3 + $0.normal() },
    Law(name: "zero-inflated: 10 % have 1, 2, 4 …", best: { _ in 1 }) { draws in
      draws.unit() < 0.1 ? StableMath.exp(0.7 * Double(Int(draws.unit() * 4))).rounded() : draws.unit() < 0.05 ? -1 : 0
    },
    Law(name: "Pareto, α = 1.5", best: { StableMath.exp(-StableMath.log(1 - $0.unit()) / 1.5) }) { draws in
      0.3 + StableMath.exp(-StableMath.log(1 - draws.unit()) / 1.5) - StableMath.exp(-StableMath.log(1 - draws.unit()) / 1.5)
    },
    Law(name: "skewed, whole numbers", best: { (-2 * StableMath.log(1 - $0.unit())).rounded(.down) }) { draws in
      (-StableMath.log(1 - draws.unit())).rounded(.down) - (draws.unit() < 0.3 ? 1 : 0)
    },
    Law(name: "normal, 5 % with 10 σ", best: { $0.normal() }) { draws in 0.3 + draws.normal() * (draws.unit() < 0.05 ? 10 : 1) },
  ]

  private struct Losses {
    var level = 0.0
    var (raceLost, raceRuns, halvingLost, halvingRuns) = (0, 0, 0, 0)
  }

  /// The table of all laws, grids and repetitions.
  /// - Throws: `ReportError` if rows and sweep do not fit.
  static func table() throws -> String {
    var rows: [[String]] = []
    for (index, law) in laws.enumerated() {
      for (points, blocks) in [10, 45, 200].flatMap({ points in [10, 40].map { (points, $0) } }) {
        let grids = points > 100 ? 40 : 100
        let all = try WorkerPool.map(grids) { number throws in
          try search(law, index, points: points, blocks: blocks, number: number)
        }
        func percent(_ sum: Int, of whole: Int) -> String { "\(DecimalText.fixed(100 * Double(sum) / Double(whole), decimals: 0)) %" }
        func sum(_ count: KeyPath<Losses, Int>) -> Int { all.reduce(0) { $0 + $1[keyPath: count] } }
        let (level, full) = (all.reduce(0) { $0 + $1.level } / Double(grids), grids * points * blocks)
        rows.append(
          [law.name, "\(points)", "\(blocks)", "\(DecimalText.fixed(100 * level, decimals: 0)) %"]
            + [percent(sum(\.raceLost), of: grids), percent(sum(\.raceRuns), of: full)]
            + [percent(sum(\.halvingLost), of: grids), percent(sum(\.halvingRuns), of: full)])
      }
    }
    return unpaddedTable(
      texts: ["law"],
      numbers: ["points", "repetitions", "level", "race: best lost", "race: runs", "halving: best lost", "halving: runs"], rows)
  }

  /// Searches one grid with the rules of sweeps. The best point is the last, and the dearest in bytes.
  /// - Throws: `ReportError` if rows and sweep do not fit.
  private static func search(_ law: Law, _ index: Int, points: Int, blocks: Int, number: Int) throws -> Losses {
    var random = RandomStream(sweepSeed: UInt64(index), repetition: number + 1, name: "grids \(points) \(blocks)")
    let values = (0..<blocks).map { _ -> [Double] in
      let best = 100 + law.best(&random)
      return (0..<points).map { $0 == points - 1 ? best : best + law.excess(&random) }
    }
    let ids = (0..<points).map { String(1000 + $0) }
    var losses = Losses()
    let level = values.reduce(0) { sum, block in sum + block.count { $0 == block[points - 1] } - 1 }
    losses.level = Double(level) / Double(blocks * (points - 1))
    /// Returns if the best is lost, and the number of runs.
    /// - Throws: the errors of `rule`.
    func survivors(_ rounds: [Int], _ rule: (RunColumns, SweepDescription, Set<String>) throws -> [String]) throws -> (
      isLost: Bool, runs: Int
    ) {
      var sweep = SweepDescription(
        program: .init(name: "", version: "", modelVersion: ""), name: "", question: "", head: [], transport: "packet",
        axes: [.init(path: "point", values: ids)], pointCount: points,
        baseline: .init(point: ids[0], axisValues: [ids[0]], settings: "", inGrid: true), repeats: blocks, seed: 1)
      sweep.search = .init(kind: .halving, rounds: rounds)
      let columns = RunColumns(axes: ["point"])
      var (active, last) = (Set(ids), [Int](repeating: 0, count: points))
      for round in rounds {
        for point in 0..<points where active.contains(ids[point]) {
          for repetition in last[point]..<round {
            var row = RunRow(
              point: ids[point], repetition: repetition + 1, seed: UInt64(repetition + 1), axisValues: [ids[point]])
            row[.loadersPer1000] = values[repetition][point]
            row[.bytesReceived] = Double(1000 + point)
            columns.add(row)
          }
          last[point] = round
        }
        guard round < blocks else { break }
        active = Set(try rule(columns, sweep, active) + [ids[0]])
      }
      return (last[points - 1] < blocks, last.reduce(0, +))
    }
    let race = try survivors(Array(1...blocks)) { columns, sweep, active in columns.survivors(in: sweep, blocks: blocks, among: active) }
    let halving = try survivors(SweepDescription.Search.halvingRounds(blocks)) { columns, sweep, _ in
      try columns.summary(sweep: sweep).betterHalf(atLeast: 1)
    }
    (losses.raceLost, losses.raceRuns) = (race.isLost ? 1 : 0, race.runs)
    (losses.halvingLost, losses.halvingRuns) = (halving.isLost ? 1 : 0, halving.runs)
    return losses
  }
}
