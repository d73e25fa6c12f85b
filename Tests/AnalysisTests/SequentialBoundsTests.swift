import Base
import Testing

@testable import Analysis

/// Bounds of group-sequential tests, compared with published ones.
@Suite struct SequentialBoundsTests {
  /// Returns the probability that a mean on the limit crosses a normal bound at any of the looks, given as shares of the largest sample.
  private func crossingProbability(bounds: [Double], shares: [Double]) -> Double {
    var walk = SequentialWalk(shares: shares)
    return bounds.reduce(0) { $0 + walk.advance(bound: $1) }
  }

  /// Jennison & Turnbull 2000, tables 2.1 and 2.3: constants of five equally spaced looks at a two-sided 5 %.
  @Test func pococksAndOBrienFlemingsConstantsCrossAtTheirLevel() {
    let shares = (1...5).map { Double($0) / 5 }
    let pocock = crossingProbability(bounds: [Double](repeating: 2.413, count: 5), shares: shares)
    #expect((pocock - 0.025).magnitude < 5e-5, "\(pocock)")
    let fleming = crossingProbability(bounds: shares.map { 2.040 / $0.squareRoot() }, shares: shares)
    #expect((fleming - 0.025).magnitude < 5e-5, "\(fleming)")
  }

  /// Lan & DeMets' spending functions at a one-sided 2.5 %, five looks; the literature gives four decimals.
  @Test func spendingFunctionsGiveThePublishedBounds() {
    let sizes = [20, 40, 60, 80, 100]
    let z = Normal.upperQuantile(0.0125)
    let fleming = SequentialBounds(sizes: sizes, error: 0.025) { 2 * Normal.upperTail(z / $0.squareRoot()) / 0.025 }
    for (bound, published) in zip(fleming.bounds, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]) {
      #expect((bound - published).magnitude < 2e-4, "\(bound) where \(published) is published")
    }
    let pocock = SequentialBounds(sizes: sizes, error: 0.025) { StableMath.log(1 + 1.718_281_828_459_045 * $0) }
    for (bound, published) in zip(pocock.bounds, [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]) {
      #expect((bound - published).magnitude < 2e-4, "\(bound) where \(published) is published")
    }
  }

  @Test(arguments: [[10], [10, 20, 40, 80, 160, 320], [10, 20, 50], [2, 4, 8, 16, 1_000_000], [5, 6, 7, 8, 9, 10]])
  func theSpentErrorIsTheGivenError(sizes: [Int]) {
    for error in [0.025, 0.0125, 0.005, 0.001] {
      let bounds = SequentialBounds(sizes: sizes, error: error)
      let shares = sizes.map { Double($0) / Double(sizes[sizes.count - 1]) }
      let crossed = crossingProbability(bounds: bounds.bounds, shares: shares)
      #expect((crossed - error).magnitude < 1e-7 * error + 1e-12, "\(sizes): \(crossed)")
      // A look's level is at most its own share, and at least Bonferroni's.
      #expect(bounds.levels.allSatisfy { $0 > 0 && $0 <= error * (1 + 1e-9) })
      #expect((bounds.levels[0] - error * shares[0]).magnitude < 1e-9 * error)
    }
  }

  @Test func looksDoubleAndTheLastIsTheLimit() {
    #expect(SequentialBounds.doubling(from: 10, to: 320) == [10, 20, 40, 80, 160, 320])
    #expect(SequentialBounds.doubling(from: 10, to: 50) == [10, 20, 50])
    #expect(SequentialBounds.doubling(from: 10, to: 12) == [12])
    #expect(SequentialBounds.doubling(from: 2, to: 2) == [2])
  }
}
