// exp, log and the cube root from + − × ÷ alone: libm's are not promised to agree between machines (design §4).

/// Elementary functions whose results are the same bits on every IEEE machine.
///
/// Accurate to a few units in the last place, which is more than any model here can use.
public enum StableMath {
  /// e to the power of `x`; 0 below −745, infinity above 709.7.
  ///
  /// Range reduction to |r| ≤ ln 2 / 2, then the Taylor series to r¹⁴ (error below 1e-17 there).
  public static func exp(_ x: Double) -> Double {
    guard x == x else { return x }
    if x > 709.7 { return .infinity }
    if x < -745 { return 0 }
    let power = (x * inverseLog2).rounded(.toNearestOrEven)
    let rest = (x - power * log2High) - power * log2Low
    var sum = 1.0
    var index = 14.0
    while index >= 1 {
      sum = 1 + rest * sum / index
      index -= 1
    }
    return scale(sum, by: Int(power))
  }

  /// The natural logarithm; −infinity at 0, NaN below.
  ///
  /// x = m·2ᵏ with m in [√½, √2), then 2·artanh((m−1)/(m+1)) by its series to the 23rd power.
  public static func log(_ x: Double) -> Double {
    if x == 0 { return -.infinity }
    guard x > 0, x.isFinite else { return x > 0 ? x : .nan }
    var mantissa = x.significand
    var power = Double(x.exponent)
    if mantissa > 1.414_213_562_373_095_1 {
      mantissa /= 2
      power += 1
    }
    let ratio = (mantissa - 1) / (mantissa + 1)
    let square = ratio * ratio
    var sum = 0.0
    var odd = 23.0
    while odd >= 1 {
      sum = sum * square + 1 / odd
      odd -= 2
    }
    return 2 * ratio * sum + power * log2Low + power * log2High
  }

  /// The real cube root, by Halley's iteration from an exponent's third.
  public static func cubeRoot(_ x: Double) -> Double {
    guard x != 0, x.isFinite else { return x }
    let size = x.magnitude
    var root = scale(1, by: Int((Double(size.exponent) / 3).rounded(.down)))
    for _ in 0..<6 {
      let cube = root * root * root
      root = root * (cube + 2 * size) / (2 * cube + size)
    }
    return x < 0 ? -root : root
  }

  private static let inverseLog2 = 1.442_695_040_888_963_4
  private static let log2High = 0.693_147_180_369_123_8
  private static let log2Low = 1.908_214_929_270_587_7e-10

  private static func scale(_ value: Double, by power: Int) -> Double {
    if power < -1000 {
      return value * Double(sign: .plus, exponent: -1000, significand: 1) * Double(sign: .plus, exponent: power + 1000, significand: 1)
    }
    return value * Double(sign: .plus, exponent: power, significand: 1)
  }
}
