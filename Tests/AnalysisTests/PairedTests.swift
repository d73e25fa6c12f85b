import Oracles
import TestSupport
import Testing

@testable import Analysis

@Suite struct PairedReferenceTests {
  @Test func pairedDifferencesAgreeWithTheReference() throws {
    for (name, set) in try Vector.all()["paired_datasets"].entries {
      let comparison = comparison(of: set)
      #expect(comparison.differences == set["d=candidate-baseline"].numbers, "\(name)")
      expectNear(comparison.sample.mean, set["mean_d"].number, name)
      expectNear(comparison.sample.standardDeviation, set["sd_d(n-1)"].number, name)
      expectNear(comparison.sample.standardError, set["se_d"].number, name)
      expectClose(comparison.ratio.percent.map { $0 / 100 + 1 }, set["ratio_of_means"].number, Tolerance.closedForm, name)
      let student = set["paired_t"]
      guard student.exists else {
        #expect(comparison.isIdentical || comparison.isConstantShift, "\(name)")
        continue
      }
      let t = comparison.sample.mean / comparison.sample.standardError
      expectClose(t, student["t"].number, Tolerance.closedForm, name)
      expectClose(
        StudentT.twoSidedTail(t, degreesOfFreedom: Double(comparison.count - 1)), student["p"].number, Tolerance.closedForm, name)
      for (confidence, key) in [(0.95, "ci95"), (0.99, "ci99")] {
        expectClose(comparison.sample.interval(confidence: confidence)?.low, student[key].numbers[0], Tolerance.iterative, name)
        expectClose(comparison.sample.interval(confidence: confidence)?.high, student[key].numbers[1], Tolerance.iterative, name)
      }
    }
  }

  @Test func theSignFlipTestAgreesWithTheReference() throws {
    for (name, set) in try Vector.all()["paired_datasets"].entries {
      let test = SignFlipTest(differences: comparison(of: set).differences)
      let expected = set["signflip_exact"]
      expectClose(test.pValue, expected["p_two_sided"].number, Tolerance.closedForm, name)
      if expected["count_extreme"].exists {
        #expect(test.pValue == expected["count_extreme"].number / expected["total"].number, "\(name)")
      }
    }
  }

  @Test func theSmallestPossiblePValuesAgreeWithTheReference() throws {
    for row in try Vector.all()["min_two_sided_p_exact"].list {
      let count = row["n"].count
      let key = "signflip/wilcoxon_signed_rank"
      expectClose(SignFlipTest.smallestPValue(count: count), row[key].number, Tolerance.closedForm)
    }
  }

  private func comparison(of set: Vector) -> PairedComparison {
    PairedComparison(baseline: set["baseline"].numbers, candidate: set["candidate"].numbers)
  }
}

@Suite struct PairedPropertyTests {
  @Test func theSignFlipTestCountsAsABruteForceDoes() {
    var generator = SplitMix64(state: 5)
    for _ in 0..<200 {
      let count = 1 + Int(generator.next() % 11)
      let scale = [1.0, 1000.0 / 300, 0.1][Int(generator.next() % 3)]
      let values = (0..<count).map { _ in Double(Int(generator.next() % 15) - 7) * scale }
      let seen = values.reduce(0, +).magnitude
      var extreme = 0
      for pattern in 0..<(1 << count) {
        let sum = values.indices.reduce(0.0) { $0 + (pattern >> $1 & 1 == 1 ? -values[$1] : values[$1]) }
        if sum.magnitude >= seen - 1e-6 { extreme += 1 }
      }
      expectClose(SignFlipTest(differences: values).pValue, Double(extreme) / Double(1 << count), 1e-15)
    }
  }

  @Test func differencesWithoutACommonUnitAreEnumerated() {
    let values = [1.0, -2.0.squareRoot(), 3.0.squareRoot(), -5.0.squareRoot(), 7.0.squareRoot()]
    let test = SignFlipTest(differences: values)
    var extreme = 0
    for pattern in 0..<32 {
      let sum = values.indices.reduce(0.0) { $0 + (pattern >> $1 & 1 == 1 ? -values[$1] : values[$1]) }
      if sum.magnitude >= values.reduce(0, +).magnitude - 1e-9 { extreme += 1 }
    }
    #expect(test.pValue == Double(extreme) / 32)
  }

  @Test func manyDifferencesAreCountedByProbabilities() {
    let values = (0..<100).map { Double(($0 * 37) % 11) - 4.5 }
    let exact = SignFlipTest(differences: values)
    // The normal approximation is close at this size.
    let z = values.reduce(0, +) / values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    #expect((exact.pValue - 2 * Normal.upperTail(z)).magnitude < 0.01)
    let rounded = SignFlipTest(differences: values.map { $0 * ($0 * $0 + 2).squareRoot() })
    #expect(rounded.pValue > 0 && rounded.pValue < 1)
  }

  @Test func fiellersIntervalContainsOneExactlyIfThePairedIntervalContainsZero() {
    var generator = SplitMix64(state: 9)
    var held = 0
    for _ in 0..<500 {
      let baseline = (0..<8).map { _ in Double(20 + generator.next() % 20) }
      let candidate = baseline.map { $0 + Double(Int(generator.next() % 12)) - 7 }
      let comparison = PairedComparison(baseline: baseline, candidate: candidate)
      guard let difference = comparison.sample.interval(), let fieller = comparison.ratio.percentInterval() else { continue }
      #expect(difference.contains(0) == fieller.contains(0))
      #expect(comparison.interval()?.contains(0) == comparison.percentInterval()?.contains(0))
      if difference.contains(0) { held += 1 }
    }
    #expect(held > 50 && held < 450)
  }

  @Test func skewedDifferencesHaveALongerIntervalInPerCentToo() throws {
    let baseline: [Double] = [100, 104, 98, 101, 97, 103, 99, 100, 102, 96]
    var candidate = baseline
    for (index, size) in [(3, 20.0), (5, 1), (6, 1), (8, 2)] { candidate[index] += size }
    let comparison = PairedComparison(baseline: baseline, candidate: candidate)
    let difference = try #require(comparison.interval())
    #expect(difference.high > (try #require(comparison.sample.interval()).high) + 1)
    #expect(try #require(comparison.percentInterval()).high > (try #require(comparison.ratio.percentInterval()).high) + 1)
  }

  @Test func aBaselineNotDistinguishedFromZeroHasNoRatioInterval() {
    let zero = RatioOfMeans(baseline: [0, 0, 0], candidate: [1, 2, 3])
    #expect(zero.isBaselineZero && zero.percent == nil && zero.percentInterval() == nil)
    let faint = RatioOfMeans(baseline: [0, 0, 9], candidate: [1, 2, 3])
    #expect(faint.percent == (2 / 3.0 - 1) * 100 && faint.percentInterval() == nil)
  }
}
