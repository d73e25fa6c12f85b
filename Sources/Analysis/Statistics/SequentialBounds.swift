// Group-sequential tests: several looks at the data with one error for all of them.

import Base

/// One-sided nominal levels of looks at growing samples: a mean on a limit crosses it at any look with a probability of `error` in all.
package struct SequentialBounds: Hashable, Sendable {
  /// The normal bounds, one per look.
  package let bounds: [Double]
  /// The nominal one-sided level of each look, Q(bound).
  package var levels: [Double] { bounds.map(Normal.upperTail) }

  /// Computes the bounds of looks at sample `sizes` for a one-sided error; `spent` maps the share of the largest sample to the share of the
  /// error spent, by default the identity. O(looks · 10⁶) elementary operations.
  package init(sizes: [Int], error: Double, spent: (Double) -> Double = { $0 }) {
    // The error is spent in proportion to the sample (α·n/N: Kim & DeMets 1987, doi:10.1093/biomet/74.1.149, with ρ = 1; Lan & DeMets
    // 1983, doi:10.1093/biomet/70.3.659). Intervals at these levels are repeated confidence intervals (Jennison & Turnbull 1989,
    // doi:10.1111/j.2517-6161.1989.tb01763.x): they hold at all looks at once, so that one may stop at any of them, for any reason.
    // Student's t uses the levels of the normal bounds (Jennison & Turnbull 2000, Group Sequential Methods, 3.8).
    precondition(!sizes.isEmpty && sizes[0] > 0 && zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 }, "looks come at growing samples")
    precondition(error > 0 && error < 0.5, "an error lies between 0 and a half")
    let whole = Double(sizes[sizes.count - 1])
    let shares = sizes.map { Double($0) / whole }
    var walk = SequentialWalk(shares: shares)
    var before = 0.0
    for share in shares {
      let now = error * min(1, spent(share))
      walk.advance(exiting: now - before)
      before = now
    }
    bounds = walk.bounds
  }

  /// Returns sizes that double from `first` up to `limit`, without a size close to the limit.
  package static func doubling(from first: Int, to limit: Int) -> [Int] {
    precondition(first > 0 && limit > 0, "a look needs a sample")
    var sizes: [Int] = []
    var size = first
    while size * 3 <= limit * 2 {
      sizes.append(size)
      size *= 2
    }
    return sizes + [limit]
  }
}

/// The density of a random walk that has not crossed its upper bounds yet, look by look, by recursive numerical integration
/// (Armitage, McPherson & Rowe 1969, doi:10.2307/2343787; Jennison & Turnbull 2000, 19.2).
struct SequentialWalk {
  private let shares: [Double]
  private(set) var bounds: [Double] = []
  /// The evenly spaced points at which the density is known, and the density times Simpson's weights at them.
  private var points: [Double] = [], masses: [Double] = []

  private static let reach = 8.5, stepsPerDeviation = 12.0
  private static let fewestSteps = 120, mostSteps = 6000

  init(shares: [Double]) { self.shares = shares }

  /// Appends the bound that the walk crosses with probability `chance` at the next look.
  mutating func advance(exiting chance: Double) {
    let look = bounds.count
    guard chance > 1e-300 else {
      _ = advance(bound: 40)
      return
    }
    let deviation = shares[look].squareRoot()
    // The probability to be beyond this bound at all is `chance`, and some walks left before: the bound sought is not higher. The
    // logarithm of the exit probability is concave in the bound, so that Newton's steps approach it from above.
    var boundary = Normal.upperQuantile(chance) * deviation
    for _ in 0..<60 {
      let exit = exitChance(through: boundary, at: look)
      guard exit > 0 else { break }
      let step = StableMath.log(chance / exit) * exit / density(at: boundary, look)
      boundary -= step
      if step.magnitude < 1e-13 * deviation { break }
    }
    _ = advance(bound: boundary / deviation)
  }

  /// Advances to the next look with a bound in standard deviations; returns the probability to cross it.
  @discardableResult mutating func advance(bound: Double) -> Double {
    let look = bounds.count
    let boundary = bound * shares[look].squareRoot()
    let exit = exitChance(through: boundary, at: look)
    defer { bounds.append(bound) }
    guard look + 1 < shares.count else { return exit }
    let bottom = -Self.reach * shares[look].squareRoot()
    let top = min(boundary, -bottom)
    let finest = min(step(to: look), step(to: look + 1)) / Self.stepsPerDeviation
    var count = min(Self.mostSteps, max(Self.fewestSteps, Int((top - bottom) / finest) + 1))
    count += count % 2
    let width = (top - bottom) / Double(count)
    let newPoints = (0...count).map { bottom + Double($0) * width }
    let newMasses = newPoints.enumerated().map { index, at -> Double in
      let weight: Double = index == 0 || index == count ? 1 : index.isMultiple(of: 2) ? 2 : 4
      return density(at: at, look) * weight * width / 3
    }
    (points, masses) = (newPoints, newMasses)
    return exit
  }

  /// Returns the standard deviation of the walk's step to a look.
  private func step(to look: Int) -> Double { (look == 0 ? shares[0] : shares[look] - shares[look - 1]).squareRoot() }

  private func exitChance(through boundary: Double, at look: Int) -> Double {
    let deviation = step(to: look)
    if look == 0 { return Normal.upperTail(boundary / deviation) }
    return zip(points, masses).reduce(0) { $0 + $1.1 * Normal.upperTail((boundary - $1.0) / deviation) }
  }

  private func density(at boundary: Double, _ look: Int) -> Double {
    let deviation = step(to: look)
    if look == 0 { return Normal.density(boundary / deviation) / deviation }
    return zip(points, masses).reduce(0) { $0 + $1.1 * Normal.density((boundary - $1.0) / deviation) } / deviation
  }
}
