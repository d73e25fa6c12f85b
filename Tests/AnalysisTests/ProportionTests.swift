import Testing

@testable import Analysis

@Suite struct ProportionTests {
  /// Newcombe 1998, table I, method 3 (Wilson's score without continuity correction).
  @Test(
    arguments: zip(
      [(81, 263), (15, 148), (0, 20), (1, 29)], [(0.2553, 0.3662), (0.0624, 0.1605), (0.0000, 0.1611), (0.0061, 0.1718)]))
  func theIntervalIsThatOfThePublishedExamples(counted: (Int, Int), ends: (Double, Double)) {
    let interval = Proportion(counted.0, of: counted.1).interval()
    #expect(((interval?.low ?? 1) - ends.0).magnitude < 6e-5)
    #expect(((interval?.high ?? 0) - ends.1).magnitude < 6e-5)
  }

  @Test func allOrNoneReachTheEndsAndNothingHasNoInterval() {
    #expect(Proportion(0, of: 5).interval()?.low == 0)
    #expect(Proportion(5, of: 5).interval()?.high == 1)
    #expect(Proportion(0, of: 0).interval() == nil)
    #expect(Proportion(0, of: 0).share == nil)
  }
}
