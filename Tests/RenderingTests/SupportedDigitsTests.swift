import Base
import SampleSweeps
import Sweep
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct SupportedDigitsTests {
  private static func number(_ value: Double, _ low: Double, _ high: Double) -> Precision.Number {
    (value, ConfidenceInterval(low: low, high: high))
  }

  private static func number(_ text: Substring) -> Double { Double(text) ?? .nan }

  @Test func aLimitAndAnIntervalDecideTheDigits() {
    // 13 240 … 13 710 bytes against a margin of 13 750 bytes, in MB.
    let bytes = Self.number(0.0135, 0.01324, 0.01371)
    #expect(Precision.decimals([bytes], limit: Digits.megabytes, references: [0, 0.01375, -0.01375]) == 4)
    #expect("\(ShownNumber.change(bytes.value, bytes.interval, 4))" == "+0.0135 [+0.0132, +0.0137]")
    let touching = Self.number(-0.01, -0.013, -0.0004)
    #expect(Precision.decimals([touching], limit: Digits.difference) == 4)
    // An end that is zero stays zero.
    #expect(Precision.decimals([Self.number(-0.5, -1, 0)], limit: Digits.difference) == 1)
  }

  /// Rows of all sizes: in a column all numbers have equally many decimals, their order as printed is that of the values, and each
  /// interval is printed on the same side of zero as it lies, with two ends.
  @Test func aColumnKeepsOrderSignsAndDecimals() throws {
    var random = Draws(seed: 20)
    for _ in 0..<3000 {
      let rows = (0..<Int(random.unit() * 12) + 1).map { _ -> Precision.Number in
        let (scale, half) = (StableMath.exp(random.normal() * 3), StableMath.exp(random.normal() * 3))
        let value = random.normal() * scale
        return random.unit() < 0.2 ? (value, nil) : Self.number(value, value - half * random.unit(), value + half * random.unit())
      }
      let limit = Int(random.unit() * 3)
      let decimals = Precision.decimals(rows, limit: limit)
      let texts = rows.map { Precision.signed($0.value, decimals) }
      #expect(Set(texts.map { $0.split(separator: ".").dropFirst().first?.count ?? 0 }).count == 1, "\(texts)")
      for (one, own) in zip(rows, texts) {
        for (other, its) in zip(rows, texts) where one.value! < other.value! { #expect(Self.number(own[...]) <= Self.number(its[...])) }
        let shown = "\(ShownNumber.change(one.value, one.interval, decimals))"
        let printed = shown.matches(of: /[-+]?[\d.]+/).map { Self.number($0.0) }.dropFirst()
        #expect(Self.number(own[...]).sign == one.value!.sign && Self.number(own[...]) != 0, "\(one) \(own)")
        // An interval as narrow as rounding has no width.
        guard let interval = one.interval, interval.halfWidth > 1e-8 * max(interval.high.magnitude, interval.low.magnitude) else {
          continue
        }
        #expect(printed[1].sign == interval.low.sign && printed[2].sign == interval.high.sign, "\(interval) \(printed)")
        #expect(printed[1] < printed[2] && !printed.contains(0), "\(interval) \(printed)")
      }
    }
  }

  /// Sweeps of random counts: in every row of a report both intervals, absolute and in per cent, lie on the same side of zero as printed,
  /// and no end lies below what the baseline's mean allows.
  @Test func bothIntervalsOfARowAgreeAboutZero() throws {
    var random = Draws(seed: 21)
    var rows = 0
    for draw in 0..<400 {
      var samples = Samples()
      samples.axes = ["prefetcher.maxCost"]
      let (level, spread) = (StableMath.exp(random.normal() * 2), 0.1 + 2 * random.unit())
      samples.points = (0..<6).map { index in
        let shift = random.normal() * 0.3
        let values = (0..<12).map { _ in (level * StableMath.exp(shift + spread * random.normal()) * 10).rounded() / 10 }
        return (Samples.id(index + 1), ["\(index)"], values.map { min($0, 1000) })
      }
      let markdown = try #require(try samples.report["report.md"]).replacing("*", with: "").replacing("\u{A0}", with: " ")
      for line in markdown.split(separator: "\n") where line.hasPrefix("|") {
        let intervals = line.matches(of: /\[([-+]?[\d.]+), ([-+]?[\d.]+)\]/).map { (Self.number($0.1), Self.number($0.2)) }
        guard intervals.count == 2 else { continue }
        rows += 1
        let (difference, percent) = (intervals[0], intervals[1])
        #expect(difference.0 != 0 && difference.1 != 0 && percent.0 != 0 && percent.1 != 0, "\(draw): \(line)")
        #expect((difference.0 > 0) == (percent.0 > 0) && (difference.1 > 0) == (percent.1 > 0), "\(draw): \(line)")
      }
    }
    #expect(rows > 1000, "\(rows)")
  }

  @Test func aDifferenceFallsNoFurtherThanTheBaselineMayBeAboveZero() throws {
    var random = Draws(seed: 22)
    var bounded = 0
    for _ in 0..<2000 {
      let baseline = (0..<8).map { _ in (3 * StableMath.exp(random.normal() * 1.2)).rounded() }
      let candidate = baseline.map { ($0 * random.unit() * 0.4).rounded() }
      let comparison = PairedComparison(baseline: baseline, candidate: candidate)
      guard let interval = comparison.interval(), let whole = comparison.sample.adjustedInterval() else { continue }
      let most = comparison.baselineInterval(confidence: 0.95).high
      #expect(interval.low >= -most && interval.high == whole.high && interval.low >= whole.low)
      if interval.low > whole.low { bounded += 1 }
    }
    #expect(bounded > 20, "\(bounded)")
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
