import Base
import Foundation
import TestSupport
import Testing

@Suite struct DecimalTextTests {
  @Test(
    arguments: zip(
      [0, -0.0, 1, -3, 30.5, 0.1, 1e-5, -1.5e-7, 1e16, 1.25e17, 0x1p63, 1e22, 123456789.125, .leastNonzeroMagnitude],
      [
        "0", "0", "1", "-3", "30.5", "0.1", "0.00001", "-0.00000015", "10000000000000000", "125000000000000000", "9223372036854776000",
        "10000000000000000000000", "123456789.125", "0." + String(repeating: "0", count: 323) + "5",
      ]))
  func exactTextHasNoExponent(value: Double, text: String) {
    #expect(DecimalText.exact(value) == text)
  }

  @Test func exactTextReadsBackAsTheSameValue() {
    var mixer = SplitMix64(state: 1)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: mixer.next())
      guard value.isFinite else { continue }
      #expect(Double(DecimalText.exact(value)) == value)
    }
  }

  @Test func fixedTextAgreesWithPrintf() {
    var mixer = SplitMix64(state: 2)
    for round in 0..<20_000 {
      let decimals = Int(mixer.next() % 7)
      var value = Double(Int64(bitPattern: mixer.next()) >> Int64(mixer.next() % 60)) / Double(1 << (mixer.next() % 24))
      if round.isMultiple(of: 2) { value = (value / 1024).rounded() / 8 }
      guard value.magnitude < 0x1p60 else { continue }
      let expected = String(format: "%.\(decimals)f", value)
      let isZero = !expected.contains { ("1"..."9").contains($0) }
      #expect(DecimalText.fixed(value, decimals: decimals) == (isZero ? expected.replacingOccurrences(of: "-", with: "") : expected))
    }
  }

  @Test(arguments: [(1234.0, -2, "1200"), (1250, -2, "1200"), (1350, -2, "1400"), (40, -2, "0"), (-96, -1, "-100"), (0.3, -3, "0")])
  func negativeDecimalsRoundToTens(value: Double, decimals: Int, text: String) {
    #expect(DecimalText.fixed(value, decimals: decimals) == text)
  }

  @Test func zerosAtTheEndAreLeftOff() {
    #expect(DecimalText.trimmed(2.5, decimals: 6) == "2.5")
    #expect(DecimalText.trimmed(100, decimals: 6) == "100")
    #expect(DecimalText.trimmed(100, decimals: 0) == "100")
    #expect(DecimalText.trimmed(-0.0000001, decimals: 6) == "0")
  }
}
