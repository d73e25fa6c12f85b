// Halving and racing compared with the full grids of the committed results.

import Analysis
import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Sweep

@Suite struct SearchTests {
  @Test func roundsDoubleUpToTheFullNumber() {
    let location = SourceLocation(file: "f")
    let rounds = [1, 2, 3, 4, 5, 10, 30, 100].map { RepetitionPlan.halving($0, at: location).rounds }
    #expect(rounds == [[1], [2], [2, 3], [2, 4], [2, 3, 5], [2, 3, 5, 10], [2, 4, 8, 15, 30], [2, 4, 7, 13, 25, 50, 100]])
    let looks = [(5, 100), (5, 5), (2, 3), (10, 80)].map {
      RepetitionPlan.sequential(min: $0.0, max: $0.1, until: "1%", at: location).rounds
    }
    #expect(looks == [[5, 10, 20, 40, 80, 100], [5], [2, 3], [10, 20, 40, 80]])
  }

  /// Halving finds the full grid's winner in every stratum of every committed sweep, with a fraction of the runs.
  @Test(arguments: FullGrid.names)
  func halvingKeepsTheFullGridsWinner(_ name: String) throws {
    let grid = try FullGrid(name)
    let plan = RepetitionPlan.halving(grid.sweep.repeats, at: SourceLocation(file: "f"))
    let (runs, halved) = try grid.searched(plan, as: SweepDescription.Search(kind: .halving, rounds: plan.rounds))
    try grid.expectSameWinner(halved)
    // Strata of 6 points, as in `networks`, save little; those of 24 and more points save 60 % of the runs.
    let limit = name == "networks" ? 0.75 : 0.42
    #expect(Double(runs) < limit * Double(grid.rows.count), "\(runs) of \(grid.rows.count)")
  }

  /// Racing finds the full grid's winner with a look after each of 5 or 10 blocks.
  @Test(arguments: zip(FullGrid.names, [0.28, 0.33, 0.85, 0.55, 0.4]))
  func racingKeepsTheFullGridsWinner(_ name: String, limit: Double) throws {
    let grid = try FullGrid(name)
    let plan = RepetitionPlan.racing(grid.sweep.repeats, at: SourceLocation(file: "f"))
    let (runs, raced) = try grid.searched(plan, as: SweepDescription.Search(kind: .racing, rounds: plan.rounds))
    try grid.expectSameWinner(raced)
    #expect(Double(runs) < limit * Double(grid.rows.count), "\(runs) of \(grid.rows.count)")
  }
}

/// A full grid with committed results, from which a search reads the rows that it would execute.
private struct FullGrid {
  static let names = ["featured-3g", "cancel-rules", "networks", "systems", "transports"]

  let sweep: ResolvedSweep
  let rows: [RunRow]
  private let description: SweepDescription

  init(_ name: String) throws {
    let folder = Reference.packageRoot.appendingPathComponent("Results/\(name)")
    let reader = RunReader(name: "runs.csv", bytes: [UInt8](try Data(contentsOf: folder.appendingPathComponent("runs.csv"))))
    var rows: [RunRow] = []
    while let row = try reader.row() { rows.append(row) }
    self.rows = rows
    sweep = try ResolvedSweep(path: Reference.packageRoot.appendingPathComponent("Sweeps/\(name).json5").path)
    var description = try SweepDescription(SweepRunner(sweep, jobs: 1), overrides: SweepOverrides())
    // The rows may be of an earlier program, whose points have other ids.
    let ids = Dictionary(rows.map { ($0.axisValues, $0.point) }) { first, _ in first }
    description.baseline.point = try #require(ids[description.baseline.axisValues])
    if var strata = description.strata {
      for index in strata.members.indices {
        strata.members[index].baseline.point = try #require(ids[strata.members[index].baseline.axisValues])
      }
      description.strata = strata
    }
    self.description = description
  }

  /// Returns the summary of a search and its number of runs.
  func searched(_ plan: RepetitionPlan, as search: SweepDescription.Search) throws -> (runs: Int, summary: SweepSummary) {
    var searching = description
    searching.search = search
    var last = Dictionary(uniqueKeysWithValues: Set(rows.map(\.point)).map { ($0, plan.rounds[0]) })
    for round in plan.rounds.dropFirst() {
      let rows = rows.filter { $0.repetition <= last[$0.point] ?? 0 }
      for id in try survivors(rows, plan, searching) { last[id] = round }
    }
    let rows = rows.filter { $0.repetition <= last[$0.point] ?? 0 }
    return (rows.count, try summary(of: rows, searching))
  }

  private func survivors(_ rows: [RunRow], _ plan: RepetitionPlan, _ searching: SweepDescription) throws -> [String] {
    let columns = try columns(of: rows, searching)
    if plan.race != nil { return columns.survivors(in: searching, blocks: plan.rounds.count) }
    return try plan.survivors(columns, active: [], in: sweep, searching)
  }

  /// Compares the winners of a search's strata with the full grid's.
  func expectSameWinner(_ found: SweepSummary) throws {
    let full = try summary(of: rows, description)
    let parts = zip(full.strata?.members.map(\.summary) ?? [full], found.strata?.members.map(\.summary) ?? [found])
    #expect(parts.contains { $0.0.winner != nil })
    for (whole, part) in parts {
      #expect(part.baseline?.repetitions == sweep.repeats)
      #expect(part.best[0].point == whole.best[0].point)
      // A search has fewer runs of the others, so its verdict may stay open, but it never names another winner.
      #expect(part.winner == nil || part.winner?.point == whole.winner?.point)
    }
  }

  private func summary(of rows: [RunRow], _ sweep: SweepDescription) throws -> SweepSummary {
    try columns(of: rows, sweep).summary(sweep: sweep)
  }

  private func columns(of rows: [RunRow], _ sweep: SweepDescription) throws -> RunColumns {
    let columns = RunColumns(sweep)
    for row in rows { columns.add(row) }
    return columns
  }
}
