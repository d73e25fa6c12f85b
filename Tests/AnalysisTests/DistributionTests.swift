import TestSupport
import Testing

@testable import Analysis

@Suite struct DistributionTests {
  @Test func normalAgreesWithTheReference() throws {
    let all = try Vector.all()
    #expect(all["normal_quantile"].list.count == 9)
    for row in all["normal_quantile"].list {
      expectClose(Normal.quantile(row["p"].number), row["z"].number, Tolerance.iterative, "quantile of \(row["p"].number)")
    }
    for row in all["normal_cdf"].list {
      expectClose(Normal.cumulative(row["z"].number), row["p"].number, Tolerance.closedForm, "z = \(row["z"].number)")
    }
  }

  @Test func studentAgreesWithTheReference() throws {
    let all = try Vector.all()
    #expect(all["t_quantile"].list.count == 54)
    for row in all["t_quantile"].list {
      let p = row["p"].number
      let t = (p < 0.5 ? -1 : 1) * StudentT.criticalValue(alpha: 2 * min(p, 1 - p), degreesOfFreedom: row["df"].number)
      expectClose(t, row["t"].number, 1e-12, "df \(row["df"].number), p \(row["p"].number)")
    }
    for row in all["t_quantile_bonferroni"].list {
      let confidence = MultipleTests.simultaneousConfidence(1 - row["alpha"].number, count: row["K"].count)
      let t = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: row["df"].number)
      expectClose(t, row["t"].number, Tolerance.iterative, "df \(row["df"].number), K \(row["K"].count)")
    }
    for row in all["t_two_sided_p"].list {
      let p = StudentT.twoSidedTail(row["t"].number, degreesOfFreedom: row["df"].number)
      expectClose(p, row["p"].number, Tolerance.closedForm, "df \(row["df"].number), t \(row["t"].number)")
    }
  }

  @Test func specialFunctionsAgreeWithTheReference() throws {
    let all = try Vector.all()
    for row in all["incomplete_beta"].list {
      let value = SpecialFunctions.incompleteBeta(a: row["a"].number, b: row["b"].number, x: row["x"].number)
      expectClose(value, row["I"].number, Tolerance.closedForm, "I(\(row["a"].number), \(row["b"].number))")
    }
  }

  @Test func theExpectedMaximumAgreesWithTheReference() throws {
    for row in try Vector.all()["expected_max_of_K_std_normals"].list {
      expectClose(Normal.expectedMaximum(of: row["K"].count), row["E"].number, Tolerance.iterative, "K = \(row["K"].count)")
    }
  }
}

@Suite struct DistributionPropertyTests {
  @Test(arguments: [1.0, 2, 3, 4.5, 9, 29, 300, 100_000])
  func aQuantileIsTheInverseOfTheTail(degreesOfFreedom: Double) {
    for alpha in [0.9, 0.5, 0.05, 0.01, 1e-4, 1e-8, 1e-12] {
      let t = StudentT.criticalValue(alpha: alpha, degreesOfFreedom: degreesOfFreedom)
      expectClose(StudentT.twoSidedTail(t, degreesOfFreedom: degreesOfFreedom), alpha, 1e-10, "alpha \(alpha)")
    }
  }

  @Test func oneDegreeOfFreedomIsTheCauchyDistribution() {
    // P(|t| > 1) = 1/2, P(|t| > √3) = 1/3, P(|t| > 2 + √3) = 1/6.
    expectClose(StudentT.criticalValue(alpha: 0.5, degreesOfFreedom: 1), 1, 1e-13)
    expectClose(StudentT.twoSidedTail(3.0.squareRoot(), degreesOfFreedom: 1), 1 / 3.0, 1e-13)
    expectClose(StudentT.twoSidedTail(2 + 3.0.squareRoot(), degreesOfFreedom: 1), 1 / 6.0, 1e-13)
  }

  @Test func twoDegreesOfFreedomHaveAClosedForm() {
    // F(t) = 1/2 + t / (2√(2 + t²)).
    for t in [0.001, 0.3, 1, 4, 250] {
      let expected = 1 - t / (2 + t * t).squareRoot()
      #expect((StudentT.twoSidedTail(t, degreesOfFreedom: 2) - expected).magnitude < 1e-14)
    }
  }

  @Test func farTailsKeepTheirDigits() {
    // scipy 1.17.1: stats.norm.sf(20), norm.isf(1e-100), t.isf(5e-13, 3).
    expectClose(Normal.upperTail(20), 2.7536241186061556e-89, 1e-12)
    expectClose(Normal.upperQuantile(1e-100), 21.273453560965322, 1e-12)
    expectClose(StudentT.criticalValue(alpha: 1e-12, degreesOfFreedom: 3), 13016.380799879968, 1e-9)
  }
}
