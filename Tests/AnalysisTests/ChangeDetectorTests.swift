import Base
import Simulation
import Testing

@testable import Analysis

/// The detector of changes in noisy histories. `Scripts/results history` measures its rates.
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

  /// At most 2 false alarms in 1000 runs; `Scripts/results history` measures the rates with more series.
  @Test(arguments: ["normal", "t3", "lognormal", "outliers", "0.3", "0.5"]) func falseAlarmsAreRare(law: String) {
    var random = RandomStream(runSeed: 7, name: law)
    let correlation = Double(law) ?? 0
    func draw() -> Double {
      switch law {
      case "t3": random.normal() / (0..<3).reduce(0) { sum, _ in sum + Elementary.power(random.normal(), 2) }.squareRoot()
      case "lognormal": StableMath.exp(random.normal())
      case "outliers": random.normal() + (random.unit() < 0.02 ? 10 : 0)
      default: random.normal()
      }
    }
    let (series, runs) = (100, 100)
    let alarms = (0..<series).reduce(0) { sum, _ in
      var last = draw()
      let values = (0..<runs).map { _ in
        last = correlation * last + (1 - correlation * correlation).squareRoot() * draw()
        return 40 + last
      }
      return sum + ChangeDetector.changes([values], weights: [1]).count
    }
    // 20 are 2 in 1000; the rates are about half of that.
    #expect(alarms <= 20, "\(alarms) in \(series * runs) runs")
  }

  @Test func aStepIsFoundWhereItIs() {
    let noise = [0.01, -0.02, 0.015, -0.005, 0.02, -0.015, 0.005, -0.01, 0.0, 0.012]
    let values = (0..<40).map { (index: Int) -> Double in noise[index * 7 % 10] + (index < 30 ? 1 : 1.1) }
    let changes = ChangeDetector.changes([values], weights: [1])
    #expect(changes.map(\.index) == [30])
    #expect((31...32).contains(changes[0].found) && (changes[0].difference - 0.1).magnitude < 0.03)
    #expect(ChangeDetector.changes([[Double](repeating: 0.1, count: 100)], weights: [1]) == [], "no spread")
    #expect(ChangeDetector.outliers(values, changes: changes).isEmpty)
  }

  /// One run far off is an outlier and not two changes, also where all others are equal.
  @Test(arguments: [0.0, 1.0], [3.0, -0.5]) func aSingleRunFarOffIsNoChange(noise: Double, distance: Double) {
    var random = RandomStream(seed: 9)
    let values = (0..<60).map { 10 + noise * 0.02 * random.normal() + ($0 == 40 ? distance : 0) }
    let changes = ChangeDetector.changes([values], weights: [1])
    #expect(changes == [])
    #expect(ChangeDetector.outliers(values, changes: changes).map(\.index) == [40])
  }
}
