// Halving held against the full grids whose results are committed.

import Analysis
import Foundation
import TestSupport
import Testing

@testable import Sweep

@Suite struct HalvingTests {
  @Test func roundsDoubleUpToTheFullNumber() {
    let location = SourceLocation(file: "f")
    let rounds = [1, 2, 3, 4, 5, 10, 30, 100].map { RepetitionPlan.halving($0, at: location).rounds }
    #expect(rounds == [[1], [2], [2, 3], [2, 4], [2, 3, 5], [2, 3, 5, 10], [2, 4, 8, 15, 30], [2, 4, 7, 13, 25, 50, 100]])
    let looks = [(5, 100), (5, 5), (2, 3), (10, 80)].map {
      RepetitionPlan.sequential(min: $0.0, max: $0.1, until: "1%", at: location).rounds
    }
    #expect(looks == [[5, 10, 20, 40, 80, 100], [5], [2, 3], [10, 20, 40, 80]])
  }

  /// The same winner in every part of every sweep that is kept with the project, for a fraction of its runs.
  @Test(arguments: ["featured-3g", "cancel-rules", "networks", "systems", "transports"])
  func halvingKeepsTheFullGridsWinner(_ name: String) throws {
    let folder = Reference.packageRoot.appendingPathComponent("Results/\(name)")
    let table = try RunTable(csv: [UInt8](Data(contentsOf: folder.appendingPathComponent("runs.csv"))), file: "runs.csv")
    let sweep = try SweepFile(path: Reference.packageRoot.appendingPathComponent("Sweeps/\(name).json5").path)
    let runner = try SweepRunner(sweep, jobs: 1)
    var description = try SweepDescription(runner, overrides: SweepFile.Overrides())
    // The rows may be of an earlier program, whose points have other ids.
    let ids = Dictionary(table.rows.map { ($0.axisValues, $0.point) }) { first, _ in first }
    description.baseline.point = try #require(ids[description.baseline.axisValues])
    if var strata = description.strata {
      for index in strata.members.indices {
        strata.members[index].baseline.point = try #require(ids[strata.members[index].baseline.axisValues])
      }
      description.strata = strata
    }
    let full = try summary(of: table.rows, description)
    let plan = RepetitionPlan.halving(sweep.repeats, at: SourceLocation(file: "f"))
    var halving = description
    halving.search = SweepDescription.Search(kind: .halving, rounds: plan.rounds)
    var last = Dictionary(uniqueKeysWithValues: Set(table.rows.map(\.point)).map { ($0, plan.rounds[0]) })
    for round in plan.rounds.dropFirst() {
      let rows = table.rows.filter { $0.repetition <= last[$0.point] ?? 0 }
      for id in plan.goingOn(try summary(of: rows, halving), confirmed: 1) { last[id] = round }
    }
    let rows = table.rows.filter { $0.repetition <= last[$0.point] ?? 0 }
    let halved = try summary(of: rows, halving)
    let parts = zip(full.strata?.members.map(\.summary) ?? [full], halved.strata?.members.map(\.summary) ?? [halved])
    #expect(parts.contains { $0.0.winner != nil })
    for (whole, part) in parts {
      #expect(part.baseline?.repetitions == sweep.repeats)
      #expect(part.best[0].point == whole.best[0].point)
      #expect(part.winner?.point == whole.winner?.point)
    }
    // Six points a stratum, as `networks` has, spare little; two dozen and more spare three runs in five.
    let limit = name == "networks" ? 0.75 : 0.42
    #expect(Double(rows.count) < limit * Double(table.rows.count), "\(rows.count) of \(table.rows.count)")
    print("\(name): \(rows.count) of \(table.rows.count) runs, the same winner")
  }

  private func summary(of rows: [RunRow], _ sweep: SweepDescription) throws -> SweepSummary {
    var summarizer = Summarizer(sweep)
    for row in rows { try summarizer.add(row) }
    return try summarizer.finish(sweep: sweep)
  }
}
