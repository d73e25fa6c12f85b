import Simulation
import Testing

@testable import Analysis

/// The detector of changes in noisy histories. `Scripts/history-table` measures its rates.
@Suite struct ChangeDetectorTests {
  /// Bayes factors from SciPy 1.16: the noncentral t density integrated over effects of N(0, 3²), divided by the central one.
  @Test(arguments: [
    (0.0, 4.0, 1.5, 0.2626128657194452), (2, 4, 1.5, 1.257424008362271), (4.5, 10, 2.75, 57.25038076405966),
    (3, 28, 2.8, 9.315289931588122), (6, 28, 2.8, 15666.945956209025),
  ])
  func theBayesFactorIsTheIntegralOverAllEffects(_ t: Double, _ freedom: Double, _ number: Double, _ expected: Double) {
    let factor = ChangeDetector.bayesFactor(within: freedom, between: t * t, degreesOfFreedom: freedom, number: number)
    #expect((factor / expected - 1).magnitude < 1e-9)
  }

  /// Without a change the sum of the factors of n values has the mean n − 1, whatever mean and spread are.
  @Test func theSumIsAMartingaleWithoutAChange() {
    var random = RandomStream(seed: 5)
    let sums = (0..<20_000).map { _ in
      let values = (0..<8).map { _ in 40 + 3 * random.normal() }
      return ChangeDetector.evidence(values[...]).sum
    }
    let sample = Sample(sums)
    #expect((sample.mean - 7).magnitude < 4 * sample.standardError, "\(sample.mean) ± \(sample.standardError)")
  }

  @Test func aStepIsFoundWhereItIs() {
    let noise = [0.01, -0.02, 0.015, -0.005, 0.02, -0.015, 0.005, -0.01, 0.0, 0.012]
    let values = (0..<40).map { (index: Int) -> Double in noise[index * 7 % 10] + (index < 30 ? 1 : 1.1) }
    let changes = ChangeDetector.changes([values], weights: [1])
    #expect(changes.map(\.index) == [30])
    #expect((30...31).contains(changes[0].found) && (changes[0].difference - 0.1).magnitude < 0.03)
    #expect(ChangeDetector.changes([[Double](repeating: 0.1, count: 100)], weights: [1]) == [], "no spread")
  }
}
