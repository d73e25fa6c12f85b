// The promised rates of lists of points and of worlds: false verdicts, coverage, correlated repetitions and idle unknowns.

import Analysis
import Simulation
import StudyParts
import Sweep
import SweepTool

package struct SearchReport {
  let lists: Int

  /// - Throws: `UsageProblem` for invalid arguments, `ReportError` if rows and sweep do not fit.
  package static func run(_ arguments: Arguments) throws {
    print(try SearchReport(lists: arguments.integer("--lists", in: 10...1_000_000) ?? 1000).text())
  }

  private static let sizes = [5, 10, 20, 40]

  /// Returns the page.
  /// - Throws: `ReportError` if rows do not fit their description, `StudyProblem` if the page cannot be read.
  private func text() throws -> String {
    try page(
      "searches",
      [
        "lists": "\(lists)", "listsError": standardError(of: 0.05, lists), "falseVerdicts": falseVerdicts,
        "coverage": coverage, "fewer": "\(lists / 5)", "fewerError": standardError(of: 0.05, lists / 5),
        "correlated": try correlated(), "unknowns": unknowns,
      ])
  }

  private var falseVerdicts: String {
    let rows = DifferenceLaw.further.enumerated().flatMap { index, law in
      [1, 10, 49].map { points -> [String] in
        [law.name, "\(points)"]
          + Self.sizes.map { size in
            let count = DifferenceStudy(law: law, index: 100 + index).verdicts(comparisons: points, size: size, count: lists)
            return "\(count.share(.wrongByInterval, of: .tries)) / \(count.share(.wrongByEqualPairs, of: .tries)) %"
          }
      }
    }
    return unpaddedTable(texts: ["difference"], numbers: ["points"] + Self.sizes.map { "\($0) repetitions" }, rows)
  }

  private var coverage: String {
    let rows = DifferenceLaw.further.enumerated().map { index, law -> [String] in
      [law.name]
        + Self.sizes.map { size in
          let count = DifferenceStudy(law: law, index: 100 + index).tables(size: size, count: 2 * lists)
          return count[.shown] < 50 ? "none" : "\(count.share(.covered, of: .shown)) %"
        }
    }
    let hidden = Self.sizes.map { "\(percent(GateRule.hiddenShare(pairs: $0, error: 0.05))) %" }
    return unpaddedTable(texts: ["difference"], numbers: Self.sizes.map { "\($0) repetitions" }, rows + [["may lack"] + hidden])
  }

  /// The law of a series of differences with a mean of 0.
  private enum Series: String, CaseIterable {
    case normal = "independent, normal"
    case level = "independent, 4 of 5 level"
    case weak = "ρ = 0.3"
    case medium = "ρ = 0.6"
    case strong = "ρ = 0.9"
    case smoothed = "mean of 3 neighbours"
    case shifted = "3 σ more from a random repetition on"

    func draw(_ size: Int, _ random: inout RandomStream) -> [Double] {
      switch self {
      case .normal: return autoregressive(0, size, &random)
      case .level: return (0..<size).map { _ -> Double in random.unit() < 0.2 ? 4 : -1 }
      case .weak: return autoregressive(0.3, size, &random)
      case .medium: return autoregressive(0.6, size, &random)
      case .strong: return autoregressive(0.9, size, &random)
      case .smoothed:
        let noise = autoregressive(0, size + 2, &random)
        return (0..<size).map { noise[$0...($0 + 2)].reduce(0, +) }
      case .shifted:
        let first = random.unit() * Double(size)
        return autoregressive(0, size, &random).enumerated().map { index, noise in noise + (Double(index) > first ? 1.5 : -1.5) }
      }
    }

    private func autoregressive(_ correlation: Double, _ size: Int, _ random: inout RandomStream) -> [Double] {
      var drift = random.normal()
      return (0..<size).map { _ -> Double in
        drift = correlation * drift + (1 - correlation * correlation).squareRoot() * random.normal()
        return drift
      }
    }
  }

  /// - Throws: `ReportError` if rows and sweep do not fit.
  private func correlated() throws -> String {
    let rows = try Series.allCases.flatMap { law in
      try [10, 20, 40].map { size -> [String] in
        let warned = try [10, 49].map { points throws in
          try Tally(tries: lists / 5) { list, total throws in
            var random = RandomStream(sweepSeed: UInt64(points), repetition: list + 1, name: "\(law.rawValue) \(size)")
            // Whole numbers, of which the exact test is fast.
            let rows = (0..<points).map { _ in law.draw(size, &random).map { ($0 * 10).rounded() } }
            for row in rows {
              let interval = PairedComparison(baseline: row.map { _ in 100 }, candidate: row.map { 100 + $0 }).interval()
              total[.shown] += interval == nil ? 0 : 1
              total[.covered] += interval?.contains(0) == true ? 1 : 0
            }
            total[.worse] = try Self.isWarned(rows) ? 1 : 0
          }
        }
        return [law.rawValue, "\(size)", "\(warned[1].share(.covered, of: .shown)) %"] + warned.map { "\($0.share(.worse, of: .tries)) %" }
      }
    }
    return unpaddedTable(
      texts: ["differences"], numbers: ["repetitions", "coverage", "warned, 10 points", "warned, 49 points"], rows)
  }

  /// - Throws: `ReportError` if rows and sweep do not fit.
  private static func isWarned(_ differences: [[Double]]) throws -> Bool {
    let ids = (0...differences.count).map { String(1000 + $0) }
    let columns = RunColumns(axes: ["point"])
    for (point, id) in ids.enumerated() {
      for repetition in differences[0].indices {
        var row = RunRow(
          point: id, repetition: repetition + 1, seed: UInt64(repetition + 1), axisValues: [id])
        row[.loadersPer1000] = 100 + (point == 0 ? 0 : differences[point - 1][repetition])
        row[.bytesReceived] = 0
        columns.add(row)
      }
    }
    let sweep = SweepDescription(
      program: .init(name: "", version: "", modelVersion: ""), name: "", question: "", head: [], transport: "packet",
      axes: [.init(path: "point", values: ids)], pointCount: ids.count,
      baseline: .init(point: ids[0], axisValues: [ids[0]], settings: "", inGrid: true), repeats: differences[0].count, seed: 1,
      backend: "command")
    return try columns.summary(sweep: sweep).warnings.contains { $0.hasPrefix("Successive repetitions are alike") }
  }

  private var unknowns: String {
    let rows = [(1, 4), (2, 4), (2, 8), (10, 4), (29, 6)].flatMap { settings, unknowns in
      [0.5, 0.12].map { rare -> [String] in
        func share(_ decided: Double) -> String {
          let tally = Tally(tries: lists) { list, total in
            var random = RandomStream(
              sweepSeed: UInt64(settings * 100 + unknowns), repetition: list + 1, name: "unknowns \(rare) \(decided)")
            let named = Self.named(settings: settings, unknowns: unknowns, rare: rare, decided: decided, &random)
            if decided == 0 ? !named.isEmpty : named.contains(0) { total[.shown] = 1 }
          }
          return "\(tally.share(.shown, of: .tries)) %"
        }
        return ["\(settings)", "\(unknowns)", "\(Int(rare * 100)) %"] + [0, 0.3, 0.5, 0.7].map(share)
      }
    }
    return unpaddedTable(
      texts: ["settings"], numbers: ["unknowns", "better elsewhere in", "idle named", "found: 3 of 10", "5 of 10", "7 of 10"], rows)
  }

  /// Returns the unknowns that a report names. The first decides a share of the worlds, in which its lowest value is better.
  private static func named(settings: Int, unknowns: Int, rare: Double, decided: Double, _ random: inout RandomStream) -> Set<Int> {
    let columns = (0..<unknowns).map { unknown -> [Int] in
      let count = [2, 3, 4, 8][unknown % 4]
      let keys = (0..<64).map { ($0 % count, random.unit()) }
      return keys.sorted { $0.1 < $1.1 }.map(\.0)
    }
    let rows = (0..<64).map { world in columns.map { $0[world] } }
    let shares = (0..<settings).map { _ -> WorldShares in
      let outcomes = rows.map { random.unit() < decided ? $0[0] == 0 : random.unit() < rare }
      let better = Proportion(outcomes.count { $0 }, of: 64)
      return WorldShares(
        better: better, worse: Proportion(0, of: 64), lower: better, outcome: .better,
        influences: Influence.ranked(levels: rows, on: outcomes))
    }
    return Set(WorldShares.named(shares).joined())
  }
}
