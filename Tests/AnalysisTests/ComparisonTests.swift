@testable import Rendering
import Testing

@testable import Analysis

@Suite struct ComparisonTests {
  private func results(_ samples: Samples) throws -> (summary: SweepSummary, sweep: SweepDescription) {
    (try SweepSummary.of(runs: samples.table, sweep: samples.sweep), samples.sweep)
  }

  @Test func theSameResultsHaveNoChange() throws {
    let same = try results(.usual)
    let text = ResultsComparison.markdown(before: same, now: same)
    #expect(text.contains("4 points are in both, 0 of them changed; 0 are new, 0 are gone."))
    #expect(!text.contains("## "))
  }

  @Test func newMissingAndChangedPointsAreListed() throws {
    var later = Samples.usual
    later.points[0].loaders = later.points[0].loaders.map { $0 + 200 }
    // Ids change with the scenario; equal settings identify the point.
    later.points[0].id = Samples.id(77)
    later.points[3].values = ["9", "<b>"]
    let text = ResultsComparison.markdown(before: try results(.usual), now: try results(later))
    #expect(text.contains("3 points are in both, 1 of them changed; 1 is new, 1 is gone."))
    let lines = text.split(separator: "\n").map(String.init)
    let changed = lines.first { $0.contains("maxCost 5, cancel keep") }
    #expect(changed?.contains("more, intervals apart") == true)
    #expect(changed?.contains("better") == true && changed?.contains("worse") == true)
    #expect(text.contains("## New") && text.contains("maxCost 9, cancel &lt;b>"))
    #expect(text.contains("## Gone") && text.contains("maxCost 5, cancel drop"))
  }

  @Test func differencesOfTheSweepsComeFirst() throws {
    let before = try results(.usual)
    var now = before
    now.sweep.program.modelVersion = "2"
    now.sweep.head[0].text = "LTE"
    // The same scenario in other words is no difference.
    let reworded = ResultsComparison.markdown(before: before, now: now)
    #expect(!reworded.contains("| LTE |"))
    now.sweep.baseline.point = Samples.id(78)
    let text = ResultsComparison.markdown(before: before, now: now)
    #expect(text.contains("The sweeps themselves differ:"))
    #expect(text.contains("| model   |") && text.contains("| LTE |"))
  }
}
