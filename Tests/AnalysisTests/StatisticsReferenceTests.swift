import Oracles
import TestSupport
import Testing

@testable import Analysis

@Suite struct StatisticsReferenceTests {
  @Test func correctionsAgreeWithTheReference() throws {
    let families = try Vector.all()["multiple_comparisons"].list
    #expect(families.count == 3)
    for family in families {
      let adjusted = MultipleTests.adjusted(family["p"].numbers)
      for (actual, expected) in zip(adjusted, family["holm"]["adjusted"].numbers) { expectClose(actual, expected, Tolerance.closedForm) }
      #expect(adjusted.count == family["p"].list.count)
    }
  }

  @Test func welchsTestAgreesWithTheReference() throws {
    for (name, set) in try Vector.all()["paired_datasets"].entries {
      let expected = set["welch_t(unpaired, for contrast)"]
      guard expected.exists else { continue }
      expectClose(WelchTest.pValue(set["baseline"].numbers, set["candidate"].numbers), expected["p"].number, Tolerance.closedForm, name)
    }
  }

  @Test func friedmansTestAgreesWithTheReference() throws {
    let expected = try Vector.all()["friedman"]
    let test = FriedmanTest(rows: expected["rows=seeds,cols=configs"].list.map(\.numbers))
    expectClose(test.statistic, expected["statistic(tie-corrected)"].number, Tolerance.closedForm)
  }
}
