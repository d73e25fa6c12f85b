// Holds races against the full grids of our own sweeps: how many runs each takes, and if its winner is the full grid's.
// A race's runs are some of the full grid's, with the same seeds, so each grid runs once and the races take their rows from its journal.

import Analysis
import Foundation
import Import
import Simulation
import Sweep
import SweepTool

/// `run-studies racing`.
package enum RacingStudy: Study {
  package static let name = "racing"
  package static let usage = "[--seeds \"N N …\"] [--blocks N]     prints Results/racing/report.md, from the sweeps in Sweeps"
  package static let options: [Option] = [.value("--seeds"), .value("--blocks")]

  /// Where a race begins: from all points, or from the best of a ranking by cheaper runs.
  private enum Start: String, CaseIterable {
    case race = "From all points"
    case prior = "From the emulator's ranking"
  }

  /// - Throws: `UsageProblem` if the words are wrong, and what the sweeps throw.
  package static func run(_ arguments: Arguments) throws {
    let seeds = (arguments.value("--seeds") ?? "2019 1 2").split(separator: " ").compactMap { UInt64($0) }
    let blocks = try arguments.integer("--blocks", in: 2...1000) ?? 10
    guard !seeds.isEmpty else { throw UsageProblem(description: "--seeds: names no seed") }
    var counts: [Start: [(sweep: String, count: RaceCount)]] = [:]
    for path in try FileManager.default.contentsOfDirectory(atPath: "Sweeps").sorted() where path.hasSuffix(".json5") {
      let sweep = try SweepFile(path: "Sweeps/\(path)")
      // What needs a device, or weighs worlds that nobody chooses, is no grid to find a winner in.
      if !sweep.backend.isEmulated || sweep.strata?.kind == .population { continue }
      for (start, count) in try races(of: sweep, seeds, blocks: blocks) {
        counts[start, default: []].append((String(path.dropLast(".json5".count)), count))
      }
    }
    print(head(seeds, blocks: blocks))
    for start in Start.allCases { print("## \(start.rawValue)\n\n\(table(counts[start] ?? []))\n") }
  }

  /// Runs a sweep's full grid on each seed, and the races over the same runs.
  /// - Throws: `InvalidInput` if a point cannot be decoded, and what the runs throw.
  private static func races(of sweep: SweepFile, _ seeds: [UInt64], blocks: Int) throws -> [Start: RaceCount] {
    try withScratchFolder { scratch in
      /// - Throws: `UsageProblem` if the words are wrong, and what the sweeps throw.
      func run(_ folder: String, seed: UInt64, repeats: Int, _ settings: [String]) throws -> GridRuns {
        let output = "\(scratch)/\(folder)"
        try runTool(
          ["run", sweep.path, "--seed", "\(seed)", "--repeats", "\(repeats)", "--quiet", "--output", output]
            + settings.flatMap { ["--set", $0] })
        return try GridRuns(folder: output, strata: sweep.strata?.paths ?? [])
      }
      // The emulator's ranking before the device's hours are spent: the same points on the flow-level transport, 5 blocks of other seeds.
      let isOfTransports = sweep.grid.paths.contains("network.transport")
      _ = try run("prior", seed: 77, repeats: 5, isOfTransports ? [] : ["network.transport=tcp"])
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

  private static func head(_ seeds: [UInt64], blocks: Int) -> String {
    """
    # Races against full grids

    Every emulated sweep of `Sweeps/` in full, \(blocks) repetitions of each point, on \(seeds.count) seeds \
    (\(seeds.map(String.init).joined(separator: ", "))), and the same as a race over the same runs (`search: "racing"`), from all points and \
    from the emulator's ranking (`prior`: the same points on the tcp transport, five repetitions of other seeds, of which the best third of \
    each stratum starts; for transports the same transports). Made by `Scripts/racing-table`: the same bytes every time.

    A sweep of several networks has a race a network. *same* counts races whose winner is the full grid's by the ranking's own rule: fewest \
    loaders, then fewest bytes. *level*: another point won, and its paired difference to the full grid's winner has a 95 % interval that \
    contains zero over all repetitions of the full grid: the full grid itself does not tell the two apart. *lost*: neither. *worst loss* is \
    the largest difference of means to the full grid's winner, in loaders per 1000 (missing resources for background).

    """
  }

  private static func table(_ counts: [(sweep: String, count: RaceCount)]) -> String {
    let heads = ["points", "races", "runs of the full grids", "runs of the races", "share", "same", "level", "lost", "worst loss"]
    var lines = [markdownRow(["sweep"] + heads), markdownRow(["---"] + heads.map { _ in "---:" })]
    var total = RaceCount()
    for (sweep, count) in counts {
      total.add(count)
      lines.append(
        markdownRow([
          sweep, "\(count.points)", "\(count.races)", "\(count.fullRuns)", "\(count.raceRuns)", count.share, "\(count.same)",
          "\(count.level)", "\(count.lost)", DecimalText.fixed(count.worstLoss, decimals: 1),
        ]))
    }
    lines.append(
      "| **all** | | \(total.races) | \(total.fullRuns) | \(total.raceRuns) | **\(total.share)** "
        + "| \(total.same) | \(total.level) | \(total.lost) | |")
    return lines.joined(separator: "\n")
  }
}
