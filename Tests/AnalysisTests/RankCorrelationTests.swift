import Base
import TestSupport
import Testing

@testable import Analysis

@Suite struct RankCorrelationTests {
  /// Ten settings ranked twice: 8 of 45 pairs are in the opposite order.
  private let first = [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  private let second = [2.0, 1, 5, 3, 4, 9, 6, 10, 7, 8]

  @Test func bothAreOneForTheSameOrderAndMinusOneForItsReverse() {
    for correlation in [RankCorrelation.kendall, RankCorrelation.spearman] {
      #expect(correlation(first, first.map { $0 * $0 }).value == 1)
      #expect(correlation(first, first.reversed()).value == -1)
      #expect(correlation(first, first).interval == nil)
      #expect(correlation(first, [Double](repeating: 3, count: 10)).value == nil)
      #expect(correlation([1, 2], [1, 2]).value == 1 && correlation([], []).value == nil)
    }
  }

  @Test func kendallCountsPairsAndSpearmanSquares() throws {
    // Opposite order: 2-1; 5-3, 5-4; 9-6, 9-7, 9-8; 10-7, 10-8. So τ = (37 − 8)/45.
    let kendall = RankCorrelation.kendall(first, second)
    expectClose(kendall.value, 29.0 / 45, 1e-12)
    // Σd² = 1 + 1 + 4 + 1 + 1 + 9 + 1 + 4 + 4 + 4 = 30, ρ = 1 − 6·30/990.
    let spearman = RankCorrelation.spearman(first, second)
    expectClose(spearman.value, 1 - 180.0 / 990, 1e-12)
    // Fisher's z of 0.818182 is 1.151293 (half of ln 10); its error is √((1 + ρ²/2)/7) = 0.436627.
    let interval = try #require(spearman.interval)
    func z(_ value: Double) -> Double { StableMath.log((1 + value) / (1 - value)) / 2 }
    expectClose(z(interval.high) - z(interval.low), 2 * 1.959963984540054 * ((1 + 81.0 / 242) / 7).squareRoot(), 1e-9)
    expectClose((z(interval.high) + z(interval.low)) / 2, StableMath.log(10) / 2, 1e-9)
    #expect(RankCorrelation.kendall([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]).interval == nil, "five pairs are too few")
  }

  @Test func tiesCountForNeither() {
    // Of six pairs one is tied on the left and one on the right: (4 − 0)/√(5·5).
    expectClose(RankCorrelation.kendall([1, 1, 2, 3], [1, 2, 3, 3]).value, 4.0 / 5, 1e-12)
  }
}
