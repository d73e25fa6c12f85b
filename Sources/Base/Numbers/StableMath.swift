// exp, log and the cube root from + − × ÷ alone: results of libm may differ between machines.

/// Elementary functions with the same bits on every IEEE machine, accurate to a few units in the last place.
package enum StableMath {
  /// Returns e to the power of `x`; 0 below −745, infinity above 709.78.
  /// Range reduction to |r| ≤ ln 2 / 2, then the Taylor series to r¹³ (error below 1e-17), even and odd terms apart for shorter
  /// dependencies.
  package static func exp(_ x: Double) -> Double {
    guard x == x else { return x }
    if x > 709.79 { return .infinity }
    if x < -745 { return 0 }
    let power = (x * inverseLog2 + roundingShift) - roundingShift
    let rest = (x - power * log2High) - power * log2Low
    let s = rest * rest
    let even = 1 + s * (1.0 / 2 + s * (1.0 / 24 + s * (1.0 / 720 + s * (1.0 / 40320 + s * (1.0 / 3_628_800 + s * (1.0 / 479_001_600))))))
    let odd =
      1 + s * (1.0 / 6 + s * (1.0 / 120 + s * (1.0 / 5040 + s * (1.0 / 362_880 + s * (1.0 / 39_916_800 + s * (1.0 / 6_227_020_800))))))
    return scale(even + rest * odd, by: Int(power))
  }

  /// Returns the natural logarithm; −infinity at 0, NaN below.
  /// x = m·2ᵏ with m in [√½, √2), then 2·artanh((m−1)/(m+1)) by its series to the 21st power (error below 1e-17), in two halves.
  package static func log(_ x: Double) -> Double {
    if x == 0 { return -.infinity }
    guard x > 0, x.isFinite else { return x > 0 ? x : .nan }
    let isNormal = x >= .leastNormalMagnitude
    let bits = Int64(bitPattern: (isNormal ? x : x * 0x1p54).bitPattern)
    // The exponent of x/√½, without a branch that is hard to predict.
    let exponent = (bits - squareRootOfHalf) >> 52
    let mantissa = Double(bitPattern: UInt64(bitPattern: bits - exponent << 52))
    let power = Double(isNormal ? exponent : exponent - 54)
    let ratio = (mantissa - 1) / (mantissa + 1)
    let s = ratio * ratio
    let q = s * s
    let even = 1 + q * (1.0 / 5 + q * (1.0 / 9 + q * (1.0 / 13 + q * (1.0 / 17 + q * (1.0 / 21)))))
    let odd = 1.0 / 3 + q * (1.0 / 7 + q * (1.0 / 11 + q * (1.0 / 15 + q * (1.0 / 19))))
    return 2 * ratio * (even + s * odd) + power * log2Low + power * log2High
  }

  /// Returns the real cube root; 0, infinities and NaN are unchanged. |x| is not subnormal and below 1e231.
  /// The estimate by a third of the bits is within 3.5 %. Halley's iteration cubes the error, so three rounds are enough for any x.
  package static func cubeRoot(_ x: Double) -> Double {
    guard x != 0, x.isFinite else { return x }
    let size = x.magnitude
    var root = Double(bitPattern: size.bitPattern / 3 + cubeRootShift)
    for _ in 0..<3 {
      let cube = root * root * root
      root -= root * (cube - size) / (cube + cube + size)
    }
    return x < 0 ? -root : root
  }

  /// Two thirds of the exponent's bias, less an offset that centres the error.
  private static let cubeRootShift: UInt64 = 0x2A9F_7893_0000_0000

  private static let inverseLog2 = 1.442_695_040_888_963_4
  private static let log2High = 0.693_147_180_369_123_8
  private static let log2Low = 1.908_214_929_270_587_7e-10

  private static let squareRootOfHalf: Int64 = 0x3FE6_A09E_667F_3BCD
  /// Adding and subtracting it rounds to the nearest whole number, ties to even.
  private static let roundingShift = 0x1.8p52

  /// Returns `value`, near 1, times 2 to the `power`; −1075 … 1024.
  private static func scale(_ value: Double, by power: Int) -> Double {
    if power < -1022 { return value * powerOfTwo(-1000) * powerOfTwo(power + 1000) }
    if power > 1023 { return value * powerOfTwo(1023) * powerOfTwo(power - 1023) }
    return value * powerOfTwo(power)
  }

  /// Returns 2 to the `power`; −1022 … 1023.
  private static func powerOfTwo(_ power: Int) -> Double { Double(bitPattern: UInt64(1023 + power) << 52) }
}
