// Distributions of paired differences, on which the promised error rates are tested.

import Base
import Simulation

/// A distribution of differences with mean 0.
struct DifferenceLaw: Sendable {
  let name: String
  let draw: @Sendable (inout RandomStream) -> Double

  private init(_ name: String, mean: Double, scale: Double = 1, _ draw: @escaping @Sendable (inout RandomStream) -> Double) {
    self.name = name
    self.draw = { (draw(&$0) - mean) * scale }
  }

  /// The distributions for which the rates are promised.
  static let promised: [DifferenceLaw] = [
    DifferenceLaw("normal", mean: 0) { $0.normal() },
    DifferenceLaw("Student's t, 3 degrees", mean: 0) { studentT3(&$0) },
    DifferenceLaw("whole numbers, σ = 1", mean: 0) { ($0.normal()).rounded() },
    lognormal(0.5, sign: 1), lognormal(1, sign: 1), lognormal(1, sign: -1),
    inflated(0.1, "constant", mean: 1) { _ in 1 },
    inflated(0.1, "N(1, 1)", mean: 1) { 1 + $0.normal() }, inflated(0.1, "N(0.4, 1)", mean: 0.4) { 0.4 + $0.normal() },
    inflated(0.2, "N(0.4, 1)", mean: 0.4) { 0.4 + $0.normal() }, inflated(0.3, "N(0, 1)", mean: 0) { $0.normal() },
    inflated(0.9, "lognormal", mean: halfE) { StableMath.exp($0.normal()) },
    inflated(0.1, "lognormal", mean: halfE) { StableMath.exp($0.normal()) },
    inflated(0.3, "lognormal", mean: halfE) { StableMath.exp($0.normal()) },
    inflated(0.3, "-lognormal", mean: -halfE) { -StableMath.exp($0.normal()) },
    twoValued(0.1, sign: 1), twoValued(0.1, sign: -1), twoValued(0.3, sign: 1),
  ]

  static let others: [DifferenceLaw] = [
    DifferenceLaw("exponential", mean: 1) { exponential(&$0) },
    DifferenceLaw("Laplace", mean: 0) { exponential(&$0) - exponential(&$0) },
    DifferenceLaw("χ², 1 degree", mean: 1) {
      let z = $0.normal()
      return z * z
    },
    DifferenceLaw("Poisson, mean 0.5", mean: 0.5) { poisson(0.5, &$0) },
    DifferenceLaw("90 % N(1, 0.1), 10 % N(−9, 0.1)", mean: 0) { ($0.unit() < 0.1 ? -9 : 1) + 0.1 * $0.normal() },
    inflated(0.5, "exponential", mean: 1) { exponential(&$0) },
    DifferenceLaw("uniform", mean: 0.5) { $0.unit() },
    lognormal(1.25, sign: 1), twoValued(0.05, sign: -1),
  ]

  /// Distributions of two or more outcomes, and with heavier tails, for lists of points.
  static let further: [DifferenceLaw] = [
    twoValued(0.3, sign: 1), twoValued(0.2, sign: -1), twoValued(0.1, sign: -1),
    DifferenceLaw("70 % N(−3, 1), 30 % N(7, 1)", mean: 0) { ($0.unit() < 0.3 ? 7 : -3) + $0.normal() },
    DifferenceLaw("half N(−5, 1), half N(5, 1)", mean: 0) { ($0.unit() < 0.5 ? 5 : -5) + $0.normal() },
    DifferenceLaw("10 % 1, 2, 4 or 8, others 0", mean: 0.375) { draws in
      draws.unit() < 0.1 ? StableMath.exp(StableMath.log(2) * Double(Int(draws.unit() * 4))).rounded() : 0
    },
    DifferenceLaw("Pareto, α = 2.5", mean: 5.0 / 3) { StableMath.exp(-StableMath.log(1 - $0.unit()) / 2.5) },
    DifferenceLaw("geometric, mean 1", mean: 1) { (StableMath.log(1 - $0.unit()) / StableMath.log(0.5)).rounded(.down) },
    DifferenceLaw("normal, 5 % with 10 σ", mean: 0) { $0.normal() * ($0.unit() < 0.05 ? 10 : 1) },
  ]

  private static let halfE = StableMath.exp(0.5)

  private static func lognormal(_ sigma: Double, sign: Double) -> DifferenceLaw {
    DifferenceLaw("\(sign < 0 ? "-" : "")lognormal, σ = \(sigma)", mean: StableMath.exp(sigma * sigma / 2), scale: sign) {
      StableMath.exp(sigma * $0.normal())
    }
  }

  /// Returns a distribution that is zero except in a share of the pairs.
  private static func inflated(
    _ share: Double, _ name: String, mean: Double, _ draw: @escaping @Sendable (inout RandomStream) -> Double
  ) -> DifferenceLaw {
    DifferenceLaw("\(Int(share * 100)) % \(name), others 0", mean: share * mean) { $0.unit() < share ? draw(&$0) : 0 }
  }

  /// Returns a distribution of two values, one of them in a share of the pairs.
  private static func twoValued(_ share: Double, sign: Double) -> DifferenceLaw {
    DifferenceLaw("\(Int(share * 100)) % rare \(sign > 0 ? "rises" : "falls"), others constant", mean: share, scale: sign) {
      $0.unit() < share ? 1 : 0
    }
  }

  private static func exponential(_ random: inout RandomStream) -> Double { -StableMath.log(1 - random.unit()) }

  private static func studentT3(_ random: inout RandomStream) -> Double {
    let (a, b, c) = (random.normal(), random.normal(), random.normal())
    return random.normal() / ((a * a + b * b + c * c) / 3).squareRoot()
  }

  private static func poisson(_ mean: Double, _ random: inout RandomStream) -> Double {
    var product = random.unit()
    let limit = StableMath.exp(-mean)
    var count = 0.0
    while product > limit {
      product *= random.unit()
      count += 1
    }
    return count
  }
}
