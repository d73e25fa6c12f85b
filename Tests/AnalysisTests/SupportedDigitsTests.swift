@testable import Rendering
import Testing

@testable import Analysis
import Sweep
import Import

@Suite struct SupportedDigitsTests {
  @Test func aMeanKeepsTwoDigitsAndTheDecimalsOfTheDifferenceBesideIt() {
    let wide = ConfidenceInterval(low: -900, high: 1700, confidence: 0.95)
    #expect(Precision.text(415, wide, limit: 1) == "420")
    #expect(Precision.text(124.6, wide, limit: 1, atLeast: 0) == "125")
    #expect(Precision.text(8.2, wide, limit: 1, atLeast: 1) == "8.2")
    #expect(Precision.text(0, wide, limit: 1) == "0.0")
  }

  @Test func anEstimateWithoutAnIntervalHasThreeDigits() {
    #expect(Precision.signedEstimate(-144.44, limit: 2) == "-144")
    #expect(Precision.signedEstimate(90809.1, limit: 1) == "+90800")
    #expect(Precision.signedEstimate(-0.126, limit: 2) == "-0.13")
  }

  @Test func fewerThanFiveRunsHaveNoIntervalAndLoadersStayWithinTheirRange() throws {
    let values: [Double] = [0, 0, 40, 3, 9, 1]
    for count in 0..<5 { #expect(Sample(values.prefix(count)).adjustedInterval() == nil) }
    let exact = try #require(Sample(values).adjustedInterval())
    let interval = try #require(Sample(values).adjustedInterval(within: 0...1000))
    #expect(exact.low < 0 && interval.low == 0 && interval.high == exact.high)
  }

  @Test(arguments: [("seed", "-1"), ("pointCount", "1e30"), ("repeats", "12345678901234567890123")])
  func aNumberOutOfRangeIsNamedWithItsRange(key: String, value: String) throws {
    let text = String(decoding: Samples.usual.sweep.json, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.contains("\"\(key)\"") && !$0.hasPrefix("    ") ? "  \"\(key)\" : \(value)," : String($0)
    }.joined(separator: "\n")
    let error = try #require(throws: InvalidInput.self) { try SweepDescription(json: Array(text.utf8), file: "s.json") }
    #expect(error.description.contains(": \(key): \(value) is out of range; give a whole number from "), "\(error)")
  }
}
