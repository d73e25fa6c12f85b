import Analysis
import Testing

@testable import Base
@testable import Sweep

/// Values beyond an axis are proposed only if the sweep accepts them.
@Suite struct AxisNeighboursTests {
  private func axes(_ axes: String, where conditions: String = "[]", set: [(path: String, value: String)] = []) throws
    -> [SweepDescription.Axis]
  {
    let text = """
      { sweep: "s", scenario: { network: "3G", prefetcher: { kind: "costBudget" } }, axes: \(axes), where: \(conditions), strata: [], repeats: 2 }
      """
    var overrides = SweepOverrides()
    overrides.settings = set.map { .init(path: $0.0, value: $0.1) }
    let sweep = try ResolvedSweep(file: InputFile(name: "s.json5", bytes: Array(text.utf8)), overrides: overrides)
    return try SweepDescription(SweepRunner(sweep, jobs: 1), overrides: overrides).axes
  }

  @Test func aValueThatEveryPointRefusesIsNotProposed() throws {
    let axes = try axes(
      #"{ "prefetcher.maxCost": "1...10", "prefetcher.videoCost": [1, 2, 3], "prefetcher.imageCost": [1, 2] }"#,
      where: #"["prefetcher.videoCost >= prefetcher.imageCost"]"#)
    #expect(axes.map(\.valuesBelow) == [["0"], [], ["0"]])
    #expect(axes[1].exclusions == nil && axes[0].exclusions == nil)
    #expect(axes[2].exclusions == [.init(value: "3", paths: ["prefetcher.videoCost"], combinations: [["2"]])])
    #expect(axes[2].valuesAbove == ["3"])
  }

  @Test func valuesThatTheCommandLineReplacesAreRemembered() throws {
    let axes = try axes(#"{ "downloads.connections": [1, 4], "prefetcher.maxCost": "1...3" }"#, set: [("downloads.connections", "[4, 7]")])
    #expect(axes.map(\.fileValues) == [["1", "4"], nil])
  }

  @Test func theNearestValidValueIsProposedWhereAStepIsTooFar() throws {
    let axes = try axes(#"{ "network.lossDown": [0, 0.5, 0.9], "prefetcher.maxCost": [1, 3, 5] }"#)
    #expect(axes[1].valuesBelow == ["0"])
    #expect(axes[0].valuesAbove == ["0.95"])
  }
}
