// Compares races with the full grids of our sweeps: the runs that each takes, and whether they have the same winner.
// Each grid runs once; a race uses a part of its rows from its journal, because their seeds are equal.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import StudyParts
import Sweep
import SweepTool

package enum RacingStudy {
  /// The start of a race: all points, or the best of a ranking by cheaper runs.
  private enum Start: String, CaseIterable {
    case race = "From all points"
    case prior = "From the emulator's ranking"
  }

  /// Axes whose values the fluid transport does not have.
  private static let packetOnly = ["network.http", "network.congestion", "network.priorities"]

  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the sweeps.
  package static func run(_ arguments: Arguments) throws {
    let seeds = try (arguments.value("--seeds") ?? "2019 1 2").split(separator: " ").map { word in
      guard let seed = UInt64(word) else { throw UsageProblem("--seeds: \(word) is no seed; write whole numbers") }
      return seed
    }
    let blocks = try arguments.integer("--blocks", in: 2...1000) ?? 10
    guard !seeds.isEmpty else { throw UsageProblem("--seeds: names no seed") }
    var counts: [Start: [(sweep: String, count: RaceCount)]] = [:]
    for path in try FileManager.default.contentsOfDirectory(atPath: "Sweeps").sorted() where path.hasSuffix(".json5") {
      let sweep = try ResolvedSweep(path: "Sweeps/\(path)")
      // Sweeps that need a device are skipped, those over a population, whose networks nobody chooses, and those of protocols.
      if !sweep.backend.isEmulated || sweep.strata?.kind == .population || sweep.grid.paths.contains(where: packetOnly.contains) {
        continue
      }
      for (start, count) in try races(of: sweep, seeds, blocks: blocks) {
        counts[start, default: []].append((String(path.dropLast(".json5".count)), count))
      }
    }
    print(
      """
      # Races against full grids

      Every emulated sweep of `Sweeps/` that the fluid transport can run, in full, \(blocks) repetitions of each point, on \(seeds.count) seeds \
      (\(seeds.map(String.init).joined(separator: ", "))), and the same as a race over the same runs (`search: "racing"`), from all points and \
      from the emulator's ranking (`prior`: the same points on the fluid transport, five repetitions of other seeds, of which the best third of \
      each stratum starts; for transports the same transports). Made by `Scripts/results racing`: the same bytes every time.

      A sweep of several networks has a race a network. *same* counts races whose winner is the full grid's by the ranking's own rule: fewest \
      loaders, then fewest bytes. *level*: another point won, and its paired difference to the full grid's winner has a 95 % interval that \
      contains zero over all repetitions of the full grid: the full grid itself does not tell the two apart. *lost*: neither. *worst loss* is \
      the largest difference of means to the full grid's winner, in loaders per 1000 (missing resources for background).

      """)
    for start in Start.allCases { print("## \(start.rawValue)\n\n\(table(counts[start] ?? []))\n") }
    print(
      """
      ## Planted grids: how often the best point is dropped

      Grids of drawn values in which one point is the best and the dearest in bytes, all rivals differ from it by the same law, and the first is the
      baseline. *level*: the share of blocks in which a rival has the best point's value. *race* (`search: "racing"`) promises to lose the best in
      at most 5 % of races; *halving* (`search: "halving"`) promises nothing. 100 grids a row (40 of 200 points): a standard error of 2 (3)
      points at 5 %, of 5 (8) at 50 %.

      \(try PlantedGrids.table())
      """)
  }

  /// Runs a sweep's full grid on each seed, and the races over the same runs.
  /// - Throws: `InvalidInput` if a point cannot be decoded, and the errors of the runs.
  private static func races(of sweep: ResolvedSweep, _ seeds: [UInt64], blocks: Int) throws -> [Start: RaceCount] {
    try withScratchFolder { scratch in
      /// Returns the points of a run of the sweep, by stratum.
      /// - Throws: `StudyProblem` if the run fails, `InvalidInput` if its rows are malformed.
      func run(_ folder: String, seed: UInt64, repeats: Int, _ settings: [String]) throws -> [[String]: [PointRuns]] {
        let output = "\(scratch)/\(folder)"
        try runTool(
          ["run", sweep.path, "--seed", "\(seed)", "--repeats", "\(repeats)", "--quiet", "--output", output]
            + settings.flatMap { ["--set", $0] })
        let runs = try RunColumns(RunReader(name: "\(output)/runs.csv", bytes: SystemFile.contents("\(output)/runs.csv")))
        let columns = (sweep.strata?.paths ?? []).compactMap { runs.axes.firstIndex(of: $0) }
        return Dictionary(grouping: runs.points) { point in columns.map { point.axisValues[$0] } }
      }
      // The emulator's ranking that a race on a device would start from: the same points on the fluid transport, 5 repetitions of
      // other seeds.
      let isOfTransports = sweep.grid.paths.contains("network.transport")
      _ = try run("prior", seed: 77, repeats: 5, isOfTransports ? [] : ["network.transport=fluid"])
      var counts: [Start: RaceCount] = [:]
      for seed in seeds {
        let full = try run("full-\(seed)", seed: seed, repeats: blocks, [])
        for start in Start.allCases {
          let folder = "\(start)-\(seed)"
          try FileManager.default.createDirectory(atPath: "\(scratch)/\(folder)", withIntermediateDirectories: true)
          let journal = ResultsFolder.journalName
          try FileManager.default.copyItem(atPath: "\(scratch)/full-\(seed)/\(journal)", toPath: "\(scratch)/\(folder)/\(journal)")
          let prior = start == .prior ? ["prior=\(scratch)/prior"] : []
          let race = try run(folder, seed: seed, repeats: blocks, ["search=racing"] + prior)
          counts[start, default: RaceCount()].add(race, against: full)
        }
      }
      return counts
    }
  }

  private static func table(_ counts: [(sweep: String, count: RaceCount)]) -> String {
    var total = RaceCount()
    let rows = counts.map { sweep, count in
      total.races += count.races
      total.fullRuns += count.fullRuns
      total.raceRuns += count.raceRuns
      (total.same, total.level, total.lost) = (total.same + count.same, total.level + count.level, total.lost + count.lost)
      return [sweep, "\(count.points)", "\(count.races)", "\(count.fullRuns)", "\(count.raceRuns)", count.share, "\(count.same)"]
        + ["\(count.level)", "\(count.lost)", DecimalText.fixed(count.worstLoss, decimals: 1)]
    }
    let heads = ["points", "races", "runs of the full grids", "runs of the races", "share", "same", "level", "lost", "worst loss"]
    return unpaddedTable(texts: ["sweep"], numbers: heads, rows)
      + "\n| **all** | | \(total.races) | \(total.fullRuns) | \(total.raceRuns) | **\(total.share)** "
      + "| \(total.same) | \(total.level) | \(total.lost) | |"
  }
}

/// The results of a sweep's races.
private struct RaceCount {
  var points = 0, races = 0, fullRuns = 0, raceRuns = 0
  /// The races with the full grid's winner, those whose winner the full grid cannot tell from its own, and the others.
  var same = 0, level = 0, lost = 0
  /// The largest difference of means from the full grid's winner.
  var worstLoss = 0.0

  /// The runs of the races in per cent of the full grids' runs.
  var share: String { "\(DecimalText.fixed(100 * Double(raceRuns) / Double(fullRuns), decimals: 0)) %" }

  mutating func add(_ race: [[String]: [PointRuns]], against full: [[String]: [PointRuns]]) {
    points = full.values.reduce(0) { $0 + $1.count }
    for (stratum, grid) in full {
      let entered = race[stratum] ?? []
      guard let best = winner(grid), let found = winner(entered), let other = grid.first(where: { $0.axisValues == found.axisValues })
      else { continue }
      races += 1
      fullRuns += grid.reduce(0) { $0 + $1.count }
      raceRuns += entered.reduce(0) { $0 + $1.count }
      let loss = rank(other).0 - rank(best).0
      worstLoss = max(worstLoss, loss)
      if best.axisValues == other.axisValues {
        same += 1
      } else if loss <= Sample(zip(best.headline, other.headline).map { $1 - $0 }).interval()?.halfWidth ?? 0 {
        level += 1
      } else {
        lost += 1
      }
    }
  }

  /// Returns the first point with the lowest rank among those with the most runs.
  private func winner(_ points: [PointRuns]) -> PointRuns? {
    let most = points.map(\.count).max()
    return points.filter { $0.count == most }.min { rank($0) < rank($1) }
  }

  /// Returns the means that rank points: fewest loaders, then fewest bytes.
  private func rank(_ point: PointRuns) -> (Double, Double) { (Sample(Array(point.headline)).mean, Sample(Array(point.cost)).mean) }
}
