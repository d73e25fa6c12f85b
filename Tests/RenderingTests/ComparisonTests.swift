import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct ComparisonTests {
  private func results(_ samples: Samples) throws -> ResultsComparison.Results {
    (try SweepSummary.of(runs: samples.table, sweep: samples.sweep), samples.sweep)
  }

  @Test func theSameResultsHaveNoChange() throws {
    let same = try results(.usual)
    let comparison = ResultsComparison(before: same, now: same)
    #expect(
      comparison.answer(.plain)
        == "maxCost 5, cancel keep still wins: 29.4 loaders per 1000, 29.4 before. Of 4 points in both, 0 are better, 0 worse, and 4 have not "
        + "moved by more than the noise (paired by seed, 95 %, for all of them at once).")
    #expect(!comparison.markdown.contains("## ") && !comparison.hasWorsePoint)
  }

  @Test func fewerRepetitionsPairTheFirstOnesOfBoth() throws {
    var shorter = Samples.usual
    for index in shorter.points.indices { shorter.points[index].loaders.removeLast(5) }
    let text = ResultsComparison(before: try results(shorter), now: try results(.usual)).markdown
    #expect(text.contains("pairs are the first 5 of both"), "\(text)")
  }

  @Test func newMissingAndMovedPointsAreListed() throws {
    var later = Samples.usual
    later.points[0].loaders = zip(later.points[0].loaders, 0...).map { $0 + 200 + Double($1 % 4) }
    // Ids change with the scenario; equal settings identify the point.
    later.points[0].id = Samples.id(77)
    (later.points[3].id, later.points[3].values) = (Samples.id(78), ["9", "<b>"])
    let comparison = ResultsComparison(before: try results(.usual), now: try results(later))
    let text = comparison.markdown
    #expect(comparison.hasWorsePoint)
    #expect(text.contains("No point is better than the baseline any more; before, **maxCost 5, cancel keep** was"))
    #expect(text.contains("Of 3 points in both, 0 are better, 1 worse, and 2 have not moved"))
    #expect(text.contains("1 point is new, 1 gone."))
    let moved = text.split(separator: "\n").first { $0.contains("maxCost 5, cancel keep") && $0.hasPrefix("|") }
    #expect(moved?.contains("| worse |") == true)
    #expect(text.contains("## New") && text.contains("maxCost 9, cancel &lt;b>"))
    #expect(text.contains("## Gone") && text.contains("maxCost 5, cancel drop"))
    let files = Dictionary(uniqueKeysWithValues: comparison.files.map { ($0.name, $0.contents) })
    let suite = try #require(XMLTree.root(of: files["comparison.xml"] ?? "")?.children.first)
    #expect(suite.all("testcase").count == 3 && suite.all("failure").count == 1)
    #expect(XMLTree.root(of: files["comparison.html"]?.replacing("<!DOCTYPE html>\n", with: "") ?? "") != nil)
  }

  /// The last point is the baseline, which sets a path that is no axis and has a grid point's values; listed first, it would take its place.
  @Test func aBaselineOutsideTheGridIsNotAGridPoint() throws {
    var samples = Samples.usual
    samples.points[3].values = samples.points[1].values
    samples.points.reverse()
    samples.baseline = 0
    var same = try results(samples)
    same.sweep.baseline.inGrid = false
    let comparison = ResultsComparison(before: same, now: same)
    #expect(!comparison.hasWorsePoint && comparison.answer(.plain).contains("Of 4 points in both, 0 are better, 0 worse, and 4 have not"))
    #expect(!comparison.markdown.contains("## "))
    // A new model has new ids.
    var later = samples
    for index in later.points.indices { later.points[index].id = Samples.id(80 + index) }
    var now = try results(later)
    (now.sweep.baseline.inGrid, now.sweep.program.modelVersion) = (false, "next")
    let text = ResultsComparison(before: same, now: now).answer(.plain)
    #expect(text.contains("Of 4 points in both, 0 are better, 0 worse, and 4 have not"), "\(text)")
  }

  /// The ids name the scenarios: an axis of one value more or less does not matter.
  @Test func pointsOfOneModelAreMatchedByIDOverOtherAxes() throws {
    let before = try results(.usual)
    var samples = Samples.usual
    samples.axes[0] = "prefetcher.budget"
    let text = ResultsComparison(before: before, now: try results(samples)).markdown
    #expect(text.contains("Of 4 points in both") && text.contains("| points are matched by id |"), "\(text)")
  }

  /// Pairs show a small change that the spread between repetitions hides from two separate intervals.
  @Test func runsWithEqualSeedsArePairs() throws {
    var later = Samples.usual
    later.points[2].loaders = zip(later.points[2].loaders, [2, 3, 1, 2, 4, 2, 3, 2, 1, 3]).map { $0 + $1 }
    let before = try results(.usual)
    var now = try results(later)
    #expect(ResultsComparison(before: before, now: now).hasWorsePoint)
    now.sweep.seed += 1
    let unpaired = ResultsComparison(before: before, now: now)
    #expect(!unpaired.hasWorsePoint)
    #expect(unpaired.answer(.plain).contains("with other seeds, so not paired"))
  }

  @Test func aChangeOfBytesAloneIsShownAndIsNotWorse() throws {
    let before = try results(.usual)
    var table = Samples.usual.table
    for index in table.rows.indices where table.rows[index].point == Samples.id(3) {
      table.rows[index][.bytesReceived] = (table.rows[index][.bytesReceived] ?? 0) + 1e6 + Double(index * index)
    }
    let comparison = ResultsComparison(before: before, now: (try SweepSummary.of(runs: table, sweep: before.sweep), before.sweep))
    #expect(!comparison.hasWorsePoint && comparison.markdown.contains("| MB higher |"))
  }

  private func results(_ objective: Objective?) throws -> ResultsComparison.Results {
    var sweep = Samples.usual.sweep
    sweep.objective = objective
    let columns = RunColumns(sweep)
    for row in Samples.usual.table.rows { columns.add(row) }
    return (try columns.summary(sweep: sweep), sweep)
  }

  /// The winner alone receives less than 61.3 MB.
  @Test func aChangedObjectiveIsAPremise() throws {
    let least = Constraint(.bytesReceived, isUpper: false, bound: 61_300_000, text: "bytesReceived >= 61.3MB")
    let bound = ResultsComparison(before: try results(nil), now: try results(Objective(subjectTo: [least]))).markdown
    #expect(bound.contains("No point wins any more; before, **maxCost 5, cancel keep** did (29.4 loaders per 1000)."), "\(bound)")
    #expect(bound.contains("The sweeps themselves differ: objective.") && bound.contains("and 4 have not moved"), "\(bound)")
    #expect(bound.contains("| minimize loadersPer1000 | minimize loadersPer1000, subject to bytesReceived >= 61.3MB |"), "\(bound)")
    let other = ResultsComparison(before: try results(nil), now: try results(Objective(minimize: "bytesReceived", subjectTo: [])))
    let text = other.answer(.plain)
    #expect(text.contains("because the results minimize different metrics: loadersPer1000 before, bytesReceived now."), "\(text)")
    #expect(text.contains("29.4 loaders per 1000") && !text.contains("are new") && !other.hasWorsePoint, "\(text)")
  }

  /// The strata are the same; the whole, whose points have the ids of the heaviest stratum's, has other means.
  @Test func otherWeightsOfAPopulationMoveTheWhole() throws {
    let (first, flat) = (StrataTests.first, StrataTests.first.map { $0.map { 100 + $0 / 10 } })
    func results(_ weights: [Double]) throws -> ResultsComparison.Results {
      let field = StrataTests.Field(weights: weights, isLab: [false, false], loaders: [first, flat])
      return (try field.summary(), field.sweep)
    }
    let before = try results([0.8, 0.2])
    let text = ResultsComparison(before: before, now: try results([0.3, 0.7])).markdown.replacing("\u{a0}", with: " ")
    #expect(text.contains("Of 9 points in both, 0 are better, 3 worse, and 6 have not moved"), "\(text)")
    #expect(text.contains("The sweeps themselves differ: population."), "\(text)")
    #expect(text.contains("| population | 80 % net0, 20 % net1 | 30 % net0, 70 % net1 |"), "\(text)")
    #expect(text.contains("| population, maxCost 2 "), "\(text)")
    let same = ResultsComparison(before: before, now: before)
    #expect(same.answer(.plain).contains("Of 9 points in both, 0 are better, 0 worse") && !same.markdown.contains("## "))
  }

  @Test func otherMeasuredBoundsAreAPremise() throws {
    let (summary, sweep, _) = try WorldSharesTests.worlds()
    var now = sweep
    now.strata?.measured = [Constraint(.loadersPer1000, isUpper: false, bound: 30, text: "loadersPer1000 >= 30")]
    let text = ResultsComparison(before: (summary, sweep), now: (summary, now)).markdown
    #expect(text.contains("The sweeps themselves differ: measured."), "\(text)")
    #expect(text.contains(/\| measured \| none +\| loadersPer1000 >= 30 \|/), "\(text)")
  }

  @Test func movedPointsSayWhichConstraintsTheyBreak() throws {
    let least = Objective(subjectTo: [Constraint(.bytesReceived, isUpper: false, bound: 61_300_000, text: "bytesReceived >= 61.3MB")])
    var now = try results(least)
    var table = Samples.usual.table
    for index in table.rows.indices where table.rows[index].point == Samples.id(1) {
      table.rows[index][.loadersPer1000]? += 100 + Double(index % 3)
    }
    let columns = RunColumns(now.sweep)
    for row in table.rows { columns.add(row) }
    now.summary = try columns.summary(sweep: now.sweep)
    let text = ResultsComparison(before: try results(least), now: now).markdown
    #expect(text.contains("| better, breaks bytesReceived >= 61.3MB |"), "\(text)")
  }

  @Test func differencesOfTheSweepsComeFirst() throws {
    let before = try results(.usual)
    var now = before
    now.sweep.program.modelVersion = "2"
    now.sweep.head[0].text = "LTE"
    // The same scenario in other words is no difference.
    #expect(!ResultsComparison(before: before, now: now).markdown.contains("| LTE |"))
    now.sweep.baseline.point = Samples.id(78)
    now.sweep.repeats = 20
    let text = ResultsComparison(before: before, now: now).markdown
    #expect(text.contains("## The sweeps differ"))
    #expect(text.contains("The sweeps themselves differ: model, repetitions and network."))
    #expect(text.contains("| model ") && text.contains("| repetitions ") && text.contains("| LTE "))
  }

  /// Zou & Donner 2008: the interval of a difference of two means from the interval of each.
  @Test func independentMeansCombineTheirIntervals() throws {
    let (first, second) = (Sample([9, 11, 10, 12, 8, 10.0]), Sample([14, 16, 15, 17, 13, 15.0]))
    let (one, other) = (try #require(first.adjustedInterval()), try #require(second.adjustedInterval()))
    let interval = try #require(MetricChange.interval(first, second, confidence: 0.95))
    let half = (one.halfWidth * one.halfWidth + other.halfWidth * other.halfWidth).squareRoot()
    #expect((interval.low - (5 - half)).magnitude < 1e-9 && (interval.high - (5 + half)).magnitude < 1e-9)
  }
}
