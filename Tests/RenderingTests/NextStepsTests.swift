import SampleSweeps
import Testing

@testable import Analysis
@testable import Rendering

/// Next steps: sentences that are only there when they are true.
@Suite struct NextStepsTests {
  private static let run = "prefetch-sweep run Sweeps/featured-3g.json5"

  /// Returns the next steps of a sweep, each with its command after the sentence; without the words of the run's own command.
  private func steps(_ samples: Samples, _ change: (inout SweepDescription) -> Void = { _ in }) throws -> [String] {
    var sweep = samples.sweep
    change(&sweep)
    return NextSteps(part: ReportPart(try SweepSummary.of(runs: samples.table, sweep: sweep), sweep: sweep), markup: .plain).steps
      .map { "\($0.text) \($0.command)".replacing("\(Self.run) ", with: "") }
  }

  /// A sweep whose best point has these differences to the baseline.
  private func samples(_ differences: [Double]) -> Samples {
    var samples = Samples()
    samples.axes = ["downloads.cancel"]
    samples.points = [
      (Samples.id(1), ["keep"], differences.indices.map { 50 + Double($0 % 3) }),
      (Samples.id(2), ["drop"], differences.enumerated().map { 50 + Double($0 % 3) + $1 }),
    ]
    return samples
  }

  @Test func anOpenWinnerNeedsTheRepetitionsOfItsVerdict() throws {
    let samples = samples([-4, 1, -5, 0, -6, 2, -3, -2])
    let needed = try #require(
      try SweepSummary.of(runs: samples.table, sweep: samples.sweep).points[1].comparison?.neededRepetitions)
    #expect(
      try steps(samples)
        == [
          "\(Words.roundedUp(needed - 8)) more repetitions (\(2 * Words.roundedUp(needed - 8)) runs) would probably decide on cancel drop. "
            + "--repeats \(8 + Words.roundedUp(needed - 8))"
        ])
    // A search and a precision distribute the repetitions themselves.
    #expect(try steps(samples) { $0.search = .init(kind: .halving, rounds: [2, 4, 8]) } == [])
    #expect(try steps(samples) { $0.sequential = .init(until: "1%", looks: [8]) } == [])
  }

  @Test func tooFewRepetitionsForAnIntervalNeedThoseOfTheExactTest() throws {
    #expect(
      try steps(samples([-1])) == [
        "5 more repetitions (10 runs) are the fewest with which an exact test can decide on cancel drop. --repeats 6"
      ])
    var exact = samples([-1])
    exact.deterministic = true
    #expect(try steps(exact) == [])
  }

  @Test func aWinnerOfSeveralIsConfirmedOnNewSeeds() throws {
    let text = "Confirm maxCost 5, cancel keep on 30 new seeds, which had no part in choosing it (120 runs). --set confirm=30"
    #expect(try steps(Samples.usual).contains(text))
    let one = samples([-3, -2, -4, -1, -5, -3, -2, -1, -3, -2])
    #expect(try steps(one) == [], "one comparison has no selection")
  }

  /// Repetitions that would decide lower ranks, here between the baseline and a point that is told from the winner, are not proposed.
  @Test func lowerRanksAreLeftOpen() throws {
    var samples = Samples.usual
    samples.points[3].loaders = zip(samples.points[1].loaders, [4, -2, 3, 1, 5, -1, 2, 2, -1, 3] as [Double]).map { $0 + $1 }
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    #expect(summary.points[3].comparison?.neededRepetitions.map { $0 < 200 } == true && summary.peers.isEmpty)
    #expect(try !steps(samples).contains { $0.contains("more repetitions") })
  }

  @Test func theRepetitionsThatTellTheWinnerFromHalfOfItsPeersAreProposed() throws {
    var samples = Samples.usual
    let best = samples.points[0].loaders
    samples.points[3].loaders = zip(best, [4, -2, 3, 1, 5, -1, 2, 2, -1, 3] as [Double]).map { $0 + $1 }
    func step() throws -> String? { try steps(samples).first { $0.contains("tell the winner") } }
    #expect(
      try #require(try step()).contains(
        /^\d+ more repetitions \(\d+ runs\) would probably tell the winner from the other point marked ≈\. --repeats \d+$/))
    // A peer that is equal in all repetitions cannot be told from the winner: 1 of 2 is half, 1 of 3 is not.
    samples.points.append((Samples.id(5), ["7", "keep"], best))
    #expect(try #require(try step()).contains("from 1 of 2 points marked ≈"))
    samples.points.append((Samples.id(6), ["8", "keep"], best))
    #expect(try step() == nil)
  }

  /// More runs could show no more than that the best point is worse.
  @Test func aLeaderAboveTheBaselineIsNotDecided() throws {
    #expect(try steps(samples([4, -1, 5, 0, 6, -2, 3, 2])) == [])
    #expect(try steps(samples([1])) == [] && steps(samples([0])) == [])
    let summary = try StrataTests.Field(weights: [0.5, 0.5], isLab: [false, false], loaders: [[[4, 1], [3, 2]], [[4, 1], [3, 2]]]).summary()
    #expect(summary.leader?.comparison?.difference == 0)
  }

  /// A noisy point with a lower mean is as good as the winner; no runs show it to be worse.
  @Test func aPeerBelowTheWinnerNeedsNoRepetitions() throws {
    var samples = Samples.usual
    let best = samples.points[0].loaders
    samples.points[3].loaders = zip(best, [-60, 50, -40, 30, -50, 40, -30, 50, -40, 20] as [Double]).map { $0 + $1 }
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    #expect(summary.winner?.point == samples.points[0].id && summary.peers.map(\.point) == [samples.points[3].id])
    #expect(summary.best[0].point == samples.points[3].id)
    #expect(try !steps(samples).contains { $0.contains("more repetitions") })
  }

  /// In none of the worlds is the baseline as measured: nothing is proposed for any of them.
  @Test func worldsHaveNoStepsOfTheirOwn() throws {
    let field = try WorldSharesTests.worlds().field
    for bound in [0.001, 1e6] {
      var sweep = field.sweep
      sweep.strata?.measured = [
        Constraint(.loadersPer1000, isUpper: false, bound: bound, text: "loadersPer1000 >= \(bound)")
      ]
      let steps = NextSteps(part: ReportPart(try field.summary(sweep), sweep: sweep), markup: .plain).steps
      #expect(!steps.contains { $0.text.hasPrefix("For ") }, "\(steps)")
    }
  }

  @Test func aLargeGridIsSearchedWithFewerRuns() throws {
    var large = Samples()
    large.axes = ["downloads.cancel"]
    large.points = (0..<30).map { point in
      (Samples.id(point + 1), ["\(point) a"], (0..<8).map { 50 + Double(($0 * 7 + point * 3) % 11) + (point == 4 ? -40 : 0) })
    }
    #expect(try !steps(large).contains { $0.contains("search") })
    let steps = try steps(large) { $0.repeats = 1000 }
    let runs = SweepDescription.Search.halvingRuns(points: 30, repeats: 1000)
    #expect(
      steps.contains(
        "The next sweep of this size needs about \(runs) of 30000 runs if it repeats only the better points. --set search=halving"))
    // With 2 repetitions, halving makes all runs: there is nothing to save.
    #expect(try !self.steps(large) { ($0.repeats, $0.pointCount) = (2, 20_000) }.contains { $0.contains("search") })
    // On a device, the race is run over these runs. Points that differ by noise alone stay in it.
    #expect(try !self.steps(large) { $0.backend = "command" }.contains { $0.contains("search") })
    for index in large.points.indices { large.points[index].loaders = large.points[index].loaders.map { $0 + Double(index * 20) } }
    let race = try #require(try self.steps(large) { $0.backend = "command" }.first { $0.contains("search") })
    let found = try #require(
      race.wholeMatch(of: #/A race needs about (\d+) of 240 runs: it drops points that cannot win any more. --set search=racing/#))
    #expect((60...120).contains(Int(found.1) ?? 0), "\(race)")
    // 49 others, then 25, 13, 7 and 4, each round with the baseline.
    #expect(SweepDescription.Search.halvingRuns(points: 50, repeats: 20) == 50 * 2 + 26 + 14 * 2 + 8 * 5 + 5 * 10)
  }

  @Test func thereAreAtMostThreeAndTerminalReportAndPageHaveTheSame() throws {
    var samples = Samples()
    samples.points = (0..<24).map { point in
      let spread = point == 9 ? 6.0 : 1
      return (
        Samples.id(point + 1), ["\(point / 2)", point.isMultiple(of: 2) ? "keep" : "drop"],
        (0..<10).map { 90 - 3 * Double(point) + spread * Double(($0 * 7 + point * 3) % 5) }
      )
    }
    samples.baseline = 8
    let change: (inout SweepDescription) -> Void = { $0.backend = "command" }
    let steps = try steps(samples, change)
    #expect(steps.count == 3, "\(steps)")
    for text in try AxisEdgeTests.texts(samples, change) {
      let line = text.replacing("`", with: "").replacing(/\s+/, with: " ").replacing("\(Self.run) ", with: "")
      for step in steps { #expect(line.contains(step), "\(step) in \(text)") }
    }
  }

  /// A command is a whole line of the terminal, and works where the run was started: with its sweep file, settings and folder.
  @Test func commandsAreWholeLinesAndNameTheSweepAndTheFolder() throws {
    var sweep = Samples.usual.sweep
    sweep.source?.file = "a/b.json5"
    sweep.source?.overrides.settings = [.init(path: "user.dwell", value: "2s")]
    sweep.source?.overrides.repeats = 10
    let summary = try SweepSummary.of(runs: Samples.usual.table, sweep: sweep)
    for width in [40, 80] {
      let text = TerminalSummary.text(summary, sweep: sweep, width: width, folder: "r")
      #expect(text.contains("\n  prefetch-sweep run a/b.json5 --set user.dwell=2s --set confirm=30 --repeats 10 --output r\n"), "\(text)")
      let proposals = text.split(separator: "\n").filter { $0.hasPrefix("- ") }
      #expect((1...3).contains(proposals.count), "\(text)")
    }
    let open = samples([-4, 1, -5, 0, -6, 2, -3, -2])
    let steps = try steps(open) { $0.source = sweep.source }
    #expect(
      steps.count == 1 && steps[0].contains(#/ prefetch-sweep run a/b.json5 --set user.dwell=2s --repeats \d+$/#), "\(steps)")
  }
}
