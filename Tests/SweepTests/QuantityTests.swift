// Exact decimals, quantities and ranges.

import TestSupport
import Testing

@testable import Base
@testable import Sweep

@Suite struct ExactDecimalTests {
  @Test(arguments: [
    ("0", "0"), ("-0.0", "0"), ("1.50", "1.5"), ("-0.05", "-0.05"), ("1e3", "1000"), ("1.5e-3", "0.0015"), ("0x10", "16"), (".5", "0.5"),
    ("5.", "5"), ("+7", "7"), ("9223372036854775807", "9223372036854775807"), ("0.000000000000000001", "0.000000000000000001"),
    ("100000000000000000000e-10", "10000000000"), ("0e999", "0"), ("1.000000000000000000000000000000000000", "1"),
  ])
  func numbersHaveOneSpelling(_ text: String, _ description: String) throws {
    #expect(try ExactDecimal(json5: text).description == description)
  }

  @Test(arguments: [
    ("", ExactDecimal.ParseError.notANumber), ("-", .notANumber), (".", .notANumber), ("1e", .notANumber), ("1.2.3", .notANumber),
    ("1s", .notANumber), ("0x", .notANumber), ("Infinity", .notFinite), ("-NaN", .notFinite), ("Info", .notANumber),
    ("9223372036854775808", .outOfRange), ("1e19", .outOfRange), ("1e-19", .outOfRange), ("1e99999999999999999999", .outOfRange),
    ("0xFFFFFFFFFFFFFFFFFF", .outOfRange), ("1.2345678901234567891", .outOfRange),
  ])
  func numbersThatDoNotFitAreRefused(_ text: String, _ error: ExactDecimal.ParseError) {
    #expect(throws: error) { try ExactDecimal(json5: text) }
  }

  @Test func importedDigitsBeyondTheEighteenthAreTruncated() throws {
    #expect(try ExactDecimal(json5: "0.30000000000000004441", truncating: true).description == "0.300000000000000044")
    #expect(try ExactDecimal(json5: "1234.56789012345678901234", truncating: true).description == "1234.56789012345678")
    #expect(try ExactDecimal(json5: "1.5e-30", truncating: true) == ExactDecimal(0))
  }

  @Test func quotientsAndOrderAreExact() throws {
    let tenth = try ExactDecimal(json5: "0.1")
    #expect(try ExactDecimal(json5: "0.3") > ExactDecimal(json5: "0.299999999999999999"))
    #expect(ExactDecimal(Int64.max) > tenth && ExactDecimal(Int64.min) < tenth)
    #expect(ExactDecimal(1).divided(by: 3) == nil)
    #expect(ExactDecimal(1).divided(by: 8)?.description == "0.125")
  }
}

@Suite struct QuantityTests {
  @Test(arguments: [
    ("500ms", 500_000_000), ("1s", 1_000_000_000), ("1.5s", 1_500_000_000), ("2min", 120_000_000_000), ("8h", 28_800_000_000_000),
    ("100us", 100_000), ("10ns", 10), ("0s", 0), ("-1s", -1_000_000_000), ("1 s", 1_000_000_000), (" 0.1 ms ", 100_000),
    ("1e3ms", 1_000_000_000),
  ])
  func durationsAreExactNanoseconds(_ text: String, _ nanoseconds: Int64) throws {
    #expect(try Quantity.duration(text) == nanoseconds)
  }

  @Test(arguments: [("780kbps", 780_000), ("50Mbps", 50_000_000), ("1Gbps", 1_000_000_000), ("512bps", 512), ("1.544Mbps", 1_544_000)])
  func ratesAreBitsASecond(_ text: String, _ bitsPerSecond: Int64) throws {
    #expect(try Quantity(text, dimension: .rate).baseValue() == bitsPerSecond)
  }

  @Test(arguments: [
    ("200KB", 200_000), ("200KiB", 204_800), ("1MB", 1_000_000), ("1.5MiB", 1_572_864), ("512B", 512), ("1GB", 1_000_000_000),
    ("1GiB", 1 << 30),
  ])
  func sizesAreWholeBytes(_ text: String, _ bytes: Int64) throws {
    #expect(try Quantity(text, dimension: .size).baseValue() == bytes)
  }

  @Test(arguments: [
    ("1", #"is "1", which has no unit; add one: "1ms""#),
    ("1sec", #"has the unknown unit "sec"; did you mean "1s"? units: ns, us, ms, s, min, h"#),
    ("5m", #"has the unknown unit "m"; did you mean "5min"? units: ns, us, ms, s, min, h"#),
    ("3MS", #"has the unknown unit "MS"; did you mean "3ms"? units: ns, us, ms, s, min, h"#),
    ("1furlong", #"has the unknown unit "furlong"; use one of the units ns, us, ms, s, min, h"#),
    ("200KB", #"is "200KB", a size, not a duration; use one of the units ns, us, ms, s, min, h"#),
    ("fast", #"is "fast", which does not start with a number; write a number and a unit, such as "1s""#),
    ("", #"is "", which does not start with a number; write a number and a unit, such as "1s""#),
    ("1,5s", #"is "1,5s", and "1,5" is not a number; write a number and a unit, such as "1s""#),
    ("0.5ns", "is 0.5ns, which is not a whole number of ns; round it to whole ns"),
    ("9e18s", "is 9000000000000000000s, which is out of range; write a smaller duration"),
    ("12345678901234567890ms", #"is "12345678901234567890ms", which has more than 18 digits; write fewer digits or a larger unit"#),
  ])
  func badDurationsHaveARemedy(_ text: String, _ message: String) {
    #expect(complaint { () throws(ValueProblem) in _ = try Quantity.duration(text) } == message)
  }

  @Test func unitsOfRatesAreCaseSensitive() {
    let message = complaint { () throws(ValueProblem) in _ = try Quantity("3mbps", dimension: .rate) }
    #expect(message == #"has the unknown unit "mbps"; did you mean "3Mbps"? units: bps, kbps, Mbps, Gbps"#)
  }

  @Test(arguments: [
    (1_500_000_000, Dimension.duration, "1.5s"), (100_000_000, .duration, "100ms"), (0, .duration, "0ns"), (1, .duration, "1ns"),
    (90_000_000_000, .duration, "1.5min"), (780_000, .rate, "780kbps"), (200_000, .size, "200KB"), (204_800, .size, "204.8KB"),
  ])
  func messagesSpellQuantitiesShortly(_ baseValue: Int64, _ dimension: Dimension, _ text: String) {
    #expect(Quantity.described(baseValue, dimension) == text)
  }
}

@Suite struct AxisRangeTests {
  @Test(arguments: [
    ("1...10", "1 2 3 4 5 6 7 8 9 10"), ("1...10 by 3", "1 4 7 10"), ("1...9 by 3", "1 4 7"), ("0.5...2.0 by 0.5", "0.5 1 1.5 2"),
    ("0.1...0.5 by 0.1", "0.1 0.2 0.3 0.4 0.5"), ("5...5", "5"), ("-2...2 by 2", "-2 0 2"), (" 1 ... 3 ", "1 2 3"),
    ("100ms...500ms by 100ms", "100ms 200ms 300ms 400ms 500ms"), ("1s...3s", "1s 2s 3s"),
    ("500ms...2s by 500ms", "500ms 1000ms 1500ms 2000ms"),
    ("1s...2s by 250ms", "1s 1.25s 1.5s 1.75s 2s"), ("0.5h...1.5h by 20min", "30min 50min 70min 90min"),
    ("1Mbps...2Mbps by 500kbps", "1Mbps 1.5Mbps 2Mbps"), ("100KB...300KB by 100KB", "100KB 200KB 300KB"), ("1KiB...3KiB", "1KiB 2KiB 3KiB"),
    ("1%...3%", "1% 2% 3%"), ("1....5 by .5", ""),
  ])
  func rangesAreExact(_ text: String, _ values: String) throws {
    if values.isEmpty {
      #expect(throws: ValueProblem.self) { try AxisRange.expand(text) }
    } else {
      let location = SourceLocation(file: "f")
      let kinds = try AxisRange.expand(text)
      #expect(kinds.map { JSON5Value(kind: $0, location: location).canonicalText }.joined(separator: " ") == values)
    }
  }

  @Test(arguments: [
    ("10...1", #""10...1" descends; write "1...10"; order does not matter"#),
    ("10...1 by 3", #""10...1 by 3" descends; write "1...10 by 3"; order does not matter"#),
    ("1.3...0 by -0.5", #""1.3...0 by -0.5" descends; write "0...1.3 by 0.5"; order does not matter"#),
    ("1.3..0 by -0.5", #""1.3..0 by -0.5" is not a range; write "0...1.3 by 0.5""#),
    ("2s...500ms by -500ms", #""2s...500ms by -500ms" descends; write "500ms...2s by 500ms"; order does not matter"#),
    ("2...1 by 0", #""2...1 by 0" descends; write "1...2"; order does not matter"#),
    ("999999...0 by 0.001", #""999999...0 by 0.001" descends; write the smaller bound first, and a step greater than 0"#),
    ("10...5s by 1s", #""10...5s by 1s" has a first bound without a unit; write "5s...10s by 1s""#),
    ("1s...500ms", #""1s...500ms" has two units and no step; write the step: "500ms...1s by 1s""#),
    ("1...10 by 0", #""1...10 by 0" has the step 0; write a step greater than 0"#),
    ("1...10 by -1", #""1...10 by -1" has the step -1; write a step greater than 0"#),
    ("1..10", #""1..10" is not a range; write "1...10""#), ("1s-5s step 2s", #""1s-5s step 2s" is not a range; write "1s...5s by 2s""#),
    ("ten", #""ten" is not a range; write "first...last" or "first...last by step", such as "1...10 by 3""#),
    ("1...", #""1..." lacks a bound or a step; write all of it, such as "1...10 by 3""#),
    ("1...5s", #""1...5s" has a first bound without a unit; write "1s...5s""#),
    ("1s...5", #""1s...5" has a last bound without a unit; write "1s...5s""#),
    ("1s...5KB by 1s", #""1s...5KB by 1s" goes from a duration to a size; use units of one kind"#),
    ("1s...5s by 2", #""1s...5s by 2" has the step "2", which does not fit its bounds; write it with a unit of duration, such as s"#),
    ("1...5 by 2s", #""1...5 by 2s" has the step "2s", which does not fit its bounds; write it with no unit"#),
    ("500ms...2s", #""500ms...2s" has two units and no step; write the step: "500ms...2s by 500ms""#),
    ("a...b", #""a...b" is not a range: "a" is "a", which does not start with a number; write a number and a unit, such as "1s""#),
    ("1...1000000", #""1...1000000" has 1000000 values, more than 100000; write a larger step: "… by …""#),
    ("1e18...9e18 by 1e-18", #""1e18...9e18 by 1e-18" has "#),
  ])
  func badRangesHaveARemedy(_ text: String, _ message: String) {
    #expect(complaint { () throws(ValueProblem) in _ = try AxisRange.expand(text) }.hasPrefix(message))
  }
}
