import Testing

@testable import Oracles
@testable import ResultStudies

/// The reasons beside the worst cases of the fidelity report.
@Suite struct FidelityReasonTests {
  @Test func aMedianInsideOurSeedsIsExplainedByThem() {
    var row = Comparison(
      table: "bbr", name: "n5m", category: "cold", group: "random loss", truthMs: 1000, oursMs: 1500, repeatsMs: 990...1010,
      seedsMs: [800, 1500, 1600])
    #expect(FidelityReasons.reason(for: JudgedRow(row)) == "inside the middle 90 % of our seeds, 800 to 1600")
    row.seedsMs = [1400, 1500, 1600]
    #expect(FidelityReasons.reason(for: JudgedRow(row)) == "not explained")
    var again = row
    again.repeatsMs = 1200...1510
    #expect(FidelityReasons.reason(for: JudgedRow(row), again: JudgedRow(again)) == "measured again it is 1200 to 1510")
    row.repeatsMs = 990...1510
    #expect(FidelityReasons.reason(for: JudgedRow(row)) == "inside the range of the repeats")
  }
}
