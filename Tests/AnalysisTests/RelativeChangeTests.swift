import Base
import TestSupport
import Testing

@testable import Analysis

@Suite struct RelativeChangeTests {
  /// Pairs of many kinds: noisy, skewed and dependent baselines, outliers, large and small changes.
  private static func samples(_ count: Int) -> [PairedComparison] {
    var draws = Draws(seed: 41)
    return (0..<count).map { round in
      let size = 5 + round % 26
      let (spread, slope, shift) = (0.02 + 0.5 * draws.unit(), draws.unit() - 0.6, 8 * draws.normal())
      let baseline = (0..<size).map { _ in
        round % 2 == 0 ? max(0, 100 * (1 + spread * draws.normal())) : 100 * StableMath.exp(spread * draws.normal())
      }
      let candidate = baseline.map { level in
        let rare = round % 5 == 0 && draws.unit() < 0.15 ? 60 * draws.normal() : 0
        return max(0, level * (1 + slope * draws.unit()) + shift + rare + Double(round % 4) * draws.normal())
      }
      return PairedComparison(baseline: baseline, candidate: candidate)
    }
  }

  @Test func theIntervalInPerCentAndThatOfTheDifferenceLieOnTheSameSideOfZero() throws {
    var seen = 0
    for comparison in Self.samples(2000) {
      guard let difference = comparison.interval(), let percent = comparison.percentInterval() else { continue }
      #expect((difference.low > 0) == (percent.low > 0) && (difference.high < 0) == (percent.high < 0))
      // A quantity that is never negative falls by at most 100 %.
      let mean = try #require(comparison.ratio.percent)
      #expect(percent.low >= -100 && percent.low <= mean + 1e-9 && percent.high >= mean - 1e-9)
      seen += 1
    }
    #expect(seen > 1500)
  }

  @Test func aLargerMarginNeverMakesAVerdictStronger() {
    let margins: [Margin] = [.none] + [0.1, 0.5, 1, 2, 5, 10, 20].map { .percent($0) }
    let absolute: [Margin] = [.none] + [0.1, 1, 3, 10, 30].map { .absolute($0) }
    var (decided, undone) = (0, 0)
    for comparison in Self.samples(1000) {
      for (row, family) in [(margins, 1), (margins, 12), (absolute, 1)] {
        let outcomes = row.map { comparison.verdict(margin: $0, familySize: family).outcome }
        for (smaller, larger) in zip(outcomes, outcomes.dropFirst()) where larger == .better || larger == .worse {
          #expect(smaller == larger)
          decided += 1
        }
        if outcomes[0] == .better || outcomes[0] == .worse, outcomes.last != outcomes[0] { undone += 1 }
      }
    }
    #expect(decided > 1000 && undone > 100)
  }

  /// Skewed baselines, with differences that are constant with noise, proportional, or independent.
  @Test(arguments: [5, 7, 10, 20, 40])
  func percentsCoverTheTruthOfSkewedBaselines(size: Int) {
    var draws = Draws(seed: UInt64(size))
    for kind in 0..<4 {
      var (published, covered) = (0, 0)
      let mean = 50 + 50 * StableMath.exp(0.125)
      for _ in 0..<500 {
        let baseline = (0..<size).map { _ in 50 + 50 * StableMath.exp(0.5 * draws.normal()) }
        let candidate = baseline.map { level in
          switch kind {
          case 0: level - 0.3 * mean + draws.normal()
          case 1: level * (0.7 + 0.05 * draws.normal())
          case 2: level + 0.4 * mean + 10 * (StableMath.exp(draws.normal()) - StableMath.exp(0.5))
          default: level * (1 - 0.2 * StableMath.exp(draws.normal() - 0.5))
          }
        }
        guard let interval = PairedComparison(baseline: baseline, candidate: candidate).percentInterval() else { continue }
        published += 1
        if interval.contains([-30, -30, 40, -20][kind]) { covered += 1 }
      }
      let least = 0.93 - 2.5 * (0.07 * 0.93 / Double(max(1, published))).squareRoot()
      #expect(published > 450 && Double(covered) >= least * Double(published), "kind \(kind): \(covered) of \(published)")
    }
  }
}
