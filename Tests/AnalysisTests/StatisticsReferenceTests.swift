import TestSupport
import Testing

@testable import Analysis

@Suite(.enabled(if: Reference.isPresent)) struct StatisticsReferenceTests {
  @Test func correctionsAgreeWithTheReference() throws {
    let corrections: [(String, MultipleTests.Correction)] = [
      ("bonferroni", .bonferroni), ("holm", .holm), ("holm-sidak", .holmSidak), ("hochberg", .hochberg), ("bh", .benjaminiHochberg),
      ("by", .benjaminiYekutieli),
    ]
    let families = try Vector.all()["multiple_comparisons"].list
    #expect(families.count == 3)
    for family in families {
      for (key, correction) in corrections {
        let adjusted = MultipleTests.adjusted(family["p"].numbers, by: correction)
        for (actual, expected) in zip(adjusted, family[key]["adjusted"].numbers) {
          expectClose(actual, expected, Tolerance.closedForm, key)
        }
        #expect(adjusted.count == family["p"].list.count)
      }
    }
  }

  @Test func theRankSumTestAgreesWithTheReference() throws {
    let methods: [(String, RankSumTest.Method)] = [
      ("exact_ignores_ties", .exact), ("asymptotic_cc=True", .normal(isCorrected: true)),
      ("asymptotic_cc=False", .normal(isCorrected: false)),
    ]
    for (name, set) in try Vector.all()["paired_datasets"].entries {
      for (key, method) in methods {
        let test = RankSumTest(set["candidate"].numbers, set["baseline"].numbers, method: method)
        let expected = set["mann_whitney"][key]
        #expect(test.u == expected["U1(candidate)"].number && test.otherU == expected["U2"].number, "\(name)")
        expectClose(test.pValue, expected["p"].number, Tolerance.closedForm, "\(name) \(key)")
        expectNear(test.cliffsDelta, set["cliffs_delta"].number, name)
      }
    }
    for row in try Vector.all()["mann_whitney_no_ties"].list {
      let exact = RankSumTest(row["x"].numbers, row["y"].numbers)
      #expect(exact.method == .exact && exact.u == row["U1"].number)
      expectClose(exact.pValue, row["p_exact"].number, Tolerance.closedForm)
      let normal = RankSumTest(row["x"].numbers, row["y"].numbers, method: .normal(isCorrected: true))
      expectClose(normal.pValue, row["p_asymptotic_cc"].number, Tolerance.closedForm)
    }
  }

  @Test func welchsTestAgreesWithTheReference() throws {
    for (name, set) in try Vector.all()["paired_datasets"].entries {
      let expected = set["welch_t(unpaired, for contrast)"]
      guard expected.exists else { continue }
      let test = WelchTest(set["baseline"].numbers, set["candidate"].numbers)
      expectClose(test.t, expected["t"].number, Tolerance.closedForm, name)
      expectClose(test.degreesOfFreedom, expected["df"].number, Tolerance.closedForm, name)
      expectClose(test.pValue, expected["p"].number, Tolerance.closedForm, name)
      expectClose(test.interval()?.low, expected["ci95"].numbers[0], Tolerance.iterative, name)
      expectClose(test.interval()?.high, expected["ci95"].numbers[1], Tolerance.iterative, name)
    }
  }

  /// The reference's p-values are from quasi-random numbers, good to about four digits.
  @Test func dunnettsTestAgreesWithTheReference() throws {
    let expected = try Vector.all()["dunnett_unpaired"]
    let test = DunnettTest(control: expected["control"].numbers, samples: expected["samples"].list.map(\.numbers))
    for (actual, statistic) in zip(test.statistics, expected["statistic"].numbers) { expectClose(actual, statistic, Tolerance.closedForm) }
    for (actual, p) in zip(test.pValues, expected["p(approx,QMC)"].numbers) { #expect((actual - p).magnitude < 3e-4, "\(actual) \(p)") }
  }

  @Test(arguments: [2, 3, 6, 20, 60])
  func dunnettsTestOfOneSampleIsStudents(_ count: Int) {
    let control = (0..<count).map { Double(($0 * 7) % 5) }
    let sample = (0..<count).map { Double(($0 * 3) % 4) + 1.5 }
    let test = DunnettTest(control: control, samples: [sample])
    let p = StudentT.twoSidedTail(test.statistics[0], degreesOfFreedom: Double(2 * count - 2))
    expectClose(test.pValues[0], p, Tolerance.iterative)
    // A second sample that is the same shares the control's luck: less than Bonferroni's price.
    let two = DunnettTest(control: control, samples: [sample, sample])
    #expect(two.pValues[0] > 0 && two.pValues[0] < 2 * StudentT.twoSidedTail(two.statistics[0], degreesOfFreedom: Double(3 * count - 3)))
  }

  @Test func friedmansTestAgreesWithTheReference() throws {
    let expected = try Vector.all()["friedman"]
    let test = FriedmanTest(rows: expected["rows=seeds,cols=configs"].list.map(\.numbers))
    expectClose(test.statistic, expected["statistic(tie-corrected)"].number, Tolerance.closedForm)
    expectClose(test.pValue, expected["p"].number, Tolerance.closedForm)
  }

  @Test func theBootstrapAgreesWithTheReference() throws {
    let cases = try Vector.all()["bca"].list
    #expect(cases.count == 3)
    for expected in cases {
      let name = expected["name"].text
      let isMedian = expected["statistic"].text == "median"
      let bootstrap = Bootstrap(expected["data"].numbers, resamples: expected["B"].count, seed: 42) {
        isMedian ? median($0) : $0.reduce(0, +) / Double($0.count)
      }
      expectClose(bootstrap.estimate, expected["theta_hat"].number, Tolerance.closedForm, name)
      for (actual, first) in zip(bootstrap.resampled, expected["first5_bootstrap_stats"].numbers) {
        expectNear(actual, first, name)
      }
      let sample = Sample(bootstrap.resampled)
      expectClose(sample.mean, expected["bootstrap_mean"].number, Tolerance.closedForm, name)
      expectClose(sample.standardDeviation, expected["bootstrap_se(ddof=1)"].number, Tolerance.closedForm, name)
      for confidence in [0.9, 0.95, 0.99] {
        try check(bootstrap, confidence, expected["conf\(confidence)"], name)
      }
    }
  }

  private func check(_ bootstrap: Bootstrap, _ confidence: Double, _ expected: Vector, _ name: String) throws {
    let percentile = bootstrap.percentileInterval(confidence: confidence)
    expectClose(percentile.low, expected["percentile"].numbers[0], Tolerance.iterative, "\(name) percentile \(confidence)")
    expectClose(percentile.high, expected["percentile"].numbers[1], Tolerance.iterative, "\(name) percentile \(confidence)")
    let (interval, fallback) = bootstrap.interval(confidence: confidence)
    guard expected["bca"].exists else {
      #expect(fallback == .jackknifeConstant && interval == percentile)
      return
    }
    #expect(fallback == nil)
    expectClose(bootstrap.biasCorrection, expected["z0"].number, Tolerance.iterative, name)
    expectClose(bootstrap.acceleration, expected["acceleration"].number, Tolerance.iterative, name)
    expectClose(interval.low, expected["bca"].numbers[0], Tolerance.iterative, "\(name) \(confidence)")
    expectClose(interval.high, expected["bca"].numbers[1], Tolerance.iterative, "\(name) \(confidence)")
  }

  @Test func theMediansIntervalAgreesWithTheReference() throws {
    for row in try Vector.all()["median_ci95_order_stats"].list {
      let values = (1...row["n"].count).map { Double($0) }
      let quantile = try #require(SampleQuantile(values, share: 0.5))
      guard row["order_lo_hi"].exists else {
        #expect(quantile.interval == nil && quantile.ranks == nil)
        continue
      }
      let ranks = row["order_lo_hi"].list.map(\.count)
      #expect(quantile.ranks == ranks[0]...ranks[1])
      #expect(quantile.interval?.low == Double(ranks[0]) && quantile.interval?.high == Double(ranks[1]))
      expectClose(quantile.interval?.confidence, row["coverage"].number, Tolerance.closedForm)
    }
  }

  @Test func selectionAgreesWithTheReference() throws {
    let all = try Vector.all()
    #expect(all["KN"].list.count == 18)
    for row in all["KN"].list {
      let constants = KimNelson(count: row["k"].count, alpha: row["alpha"].number, firstStage: row["n0"].count)
      expectClose(constants.eta, row["eta"].number, Tolerance.closedForm)
      expectClose(constants.hSquared, row["h2"].number, Tolerance.closedForm)
    }
    for row in all["OCBA_min"].list {
      let runs = BudgetAllocation.smallestMean(
        means: row["mean"].numbers, deviations: row["sd"].numbers, total: row["total"].number)
      for (actual, expected) in zip(runs, row["alloc"].numbers) { expectClose(actual, expected, Tolerance.closedForm) }
    }
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
