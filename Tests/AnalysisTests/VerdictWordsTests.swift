import Testing

@testable import Analysis

/// The notes beside a verdict: the repetitions that would settle it, and the Pareto front.
@Suite struct VerdictWordsTests {
  private func comparison(_ differences: [Double], baseline: Double = 100) -> PairedComparison {
    PairedComparison(baseline: differences.map { _ in baseline }, candidate: differences.map { baseline + $0 })
  }

  @Test func anInconclusivePointIsSettledByTheReportedRepetitions() throws {
    let differences: [Double] = [-3, 2, -4, 1, -5, 3, -2, -1]
    let open = comparison(differences)
    #expect(Verdict(open).outcome == .inconclusive)
    let needed = try #require(open.neededCount(margin: .none, confidence: 0.95))
    // With as many repetitions of the same mean and spread the interval's end reaches zero; with one less it does not.
    func end(_ count: Int) throws -> Double { try #require(open.sample.adjustedInterval(confidence: 0.95, ofCount: count)).high }
    #expect(try end(needed) <= 0 && end(needed - 1) > 0, "\(needed)")
    #expect(needed > open.count)
    // A larger family needs more repetitions.
    let family = try #require(
      open.neededCount(margin: .none, confidence: MultipleTests.simultaneousConfidence(0.95, count: 50)))
    #expect(family > needed)
  }

  @Test func moreRepetitionsWithinTheMarginShowEquivalence() throws {
    let open = comparison([-3, 2, -4, 1, -5, 3, -2, -1])
    let mean = open.sample.mean.magnitude
    let byMargin = open.neededCount(margin: .percent(3), confidence: 0.95)
    let student = try #require(studentsRepetitions(standardDeviation: open.sample.standardDeviation, halfWidth: 3 - mean))
    #expect(try #require(byMargin) >= student)
    #expect(open.neededCount(margin: .absolute(mean), confidence: 0.95) == nil, "on the edge nothing tells")
    #expect(comparison([1, -1, 2, -2]).neededCount(margin: .none, confidence: 0.95) == nil)
  }

  @Test func skewedDifferencesNeedMoreRepetitionsThanStudentsInterval() throws {
    let leaning = comparison([-9, -8, -9, -7, -9, -8, -9, -8, -7, 30])
    let more = try #require(leaning.neededCount(margin: .none, confidence: 0.95))
    func end(_ count: Int) throws -> Double { try #require(leaning.sample.adjustedInterval(confidence: 0.95, ofCount: count)).high }
    #expect(try end(more) <= 0 && end(more - 1) > 0)
    let student = try #require(studentsRepetitions(standardDeviation: leaning.sample.standardDeviation, halfWidth: -leaning.sample.mean))
    #expect(more > student, "\(more) and \(student)")
  }

  /// Returns the fewest repetitions whose mean has Student's interval of at most ± `halfWidth` (Cochran 1977, 4.4).
  private func studentsRepetitions(standardDeviation: Double, halfWidth: Double) -> Int? {
    (2...5000).first { count in
      StudentT.criticalValue(alpha: 0.05, degreesOfFreedom: Double(count - 1)) * standardDeviation / Double(count).squareRoot() <= halfWidth
    }
  }

  @Test func theTableReportsTheMissingRepetitions() throws {
    var samples = Samples.usual
    samples.points[3].loaders = zip(samples.points[1].loaders, [-3, 2, -4, 1, -5, 3, -2, -1, -4, 1] as [Double]).map { $0 + $1 }
    let markdown = try samples.report["report.md"] ?? ""
    #expect(markdown.contains(/inconclusive \([0-9]+ more\)/))
    #expect(markdown.contains("about N more repetitions would settle it"))
    #expect(
      markdown.contains("| family      | the 3 comparisons with the baseline; intervals by Bonferroni, p-values in summary.csv by Holm"))
  }

  @Test func noPointDominatesTheFront() {
    var generator = SplitMix64(state: 7)
    for size in [0, 1, 2, 7, 40] {
      for _ in 0..<50 {
        let costs: [(Double?, Double?)] = (0..<size).map { _ in
          (generator.next() % 9 == 0 ? nil : Double(generator.next() % 8), Double(generator.next() % 8))
        }
        let expected = costs.indices.filter { index in
          guard let (x, y) = costs[index].0.flatMap({ x in costs[index].1.map { (x, $0) } }) else { return false }
          return !costs.contains { other in
            guard let a = other.0, let b = other.1 else { return false }
            return a <= x && b <= y && (a < x || b < y)
          }
        }
        #expect(ParetoFront.indices(costs) == expected)
      }
    }
  }
}
