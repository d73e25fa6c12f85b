// A lognormal distribution fitted to a histogram, with intervals by profile likelihood.

import Base

/// Counts of values between ascending positive edges: below the first, between neighbours, above the last.
package struct Histogram: Hashable, Sendable {
  package let edges: [Double]
  /// One count more than edges.
  package let counts: [Int]

  package init(edges: [Double], counts: [Int]) {
    precondition(counts.count == edges.count + 1 && edges.allSatisfy { $0 > 0 } && zip(edges, edges.dropFirst()).allSatisfy(<))
    (self.edges, self.counts) = (edges, counts)
  }

  package var total: Int { counts.reduce(0, +) }
  /// True if at least three bins have counts, which two parameters need.
  package var hasSpread: Bool { counts.count { $0 > 0 } >= 3 }

  /// Returns the value below which a share of the values lies, by three interpolations within its bin: of the share over the value, of
  /// the share over the logarithm, and of the normal quantile over the logarithm, with `slope` outside of all edges.
  fileprivate func quantiles(_ share: Double, slope: Double) -> [Double] {
    var below = 0
    let shares = counts.dropLast().map { count in
      below += count
      return Double(below) / Double(total)
    }
    let bin = shares.firstIndex { $0 > share } ?? edges.count
    func quantile(_ share: Double) -> Double { -Normal.upperQuantile(min(max(share, 1e-9), 1 - 1e-9)) }
    func outside(_ edge: Int) -> Double { edges[edge] * StableMath.exp((quantile(share) - quantile(shares[edge])) / slope) }
    if bin == 0 { return [outside(0), edges[0] * max(share, 0) / shares[0]] }
    if bin == edges.count { return [outside(bin - 1)] }
    let (low, high) = (edges[bin - 1], edges[bin])
    let part = (share - shares[bin - 1]) / (shares[bin] - shares[bin - 1])
    let normal = (quantile(share) - quantile(shares[bin - 1])) / (quantile(shares[bin]) - quantile(shares[bin - 1]))
    return [low + part * (high - low)] + [part, normal].map { low * Elementary.power(high / low, $0) }
  }
}

package struct LognormalFit: Sendable {
  // With z = (ln x − μ) / σ = b·ln x − a, the log-likelihood Σ nₖ ln(Φ(zₖ₊₁) − Φ(zₖ)) is concave in a and b (Burridge 1981).
  // An interval holds the values at which the likelihood, maximised over the other parameter, is at most χ²/2 lower (Wilks 1938).
  // If Pearson's test doubts the family, χ²/2 grows by the overdispersion. Then, and if too few bins are left for a test, the median's
  // interval also holds what the counts alone say.

  /// The p-values below which intervals are widened, and the family is called wrong.
  private static let doubt = 0.2, refusal = 0.01

  package let median: Double, sigma: Double
  package let medianInterval: ConfidenceInterval, sigmaInterval: ConfidenceInterval
  /// The largest distance between the shares below an edge, observed and fitted.
  package let distance: Double
  /// The probability of counts at least as far from a lognormal distribution (Pearson's test); nil if too few bins are left for a test.
  package let pValue: Double?

  /// True if the counts refuse the family; the intervals are widened before that.
  package var isMisfit: Bool { pValue.map { $0 < Self.refusal } ?? false }

  /// Fits a histogram that has a spread. It counts as at most `independent` values, because those of one session may be alike.
  package init(_ histogram: Histogram, independent: Int, confidence: Double = 0.9) {
    precondition(histogram.hasSpread && independent > 0, "two parameters need three bins with counts")
    let likelihood = BinLikelihood(histogram)
    let (a, b) = likelihood.maximum()
    let best = likelihood.value(a, b)
    (median, sigma) = (StableMath.exp(a / b), 1 / b)
    let z = Normal.upperQuantile((1 - confidence) / 2)
    let share = min(1, Double(independent) / Double(histogram.total))
    let test = likelihood.pearson(a, b, share: share)
    pValue = test?.pValue
    // A family that nothing tests is doubted.
    let isDoubted = test.map { $0.pValue < Self.doubt } ?? true
    let drop = z * z / 2 / share * (isDoubted ? max(1, test?.dispersion ?? 1) : 1)
    let step = 1 / (b * Double(min(histogram.total, independent)).squareRoot())
    let means = profileInterval(at: a / b, step: step, drop: drop) { best - likelihood.maximum(mean: $0, near: b) }
    // The logarithm of σ, whose profile is nearly symmetric.
    let spreads = profileInterval(at: -StableMath.log(b), step: step * b, drop: drop) {
      best - likelihood.maximum(slope: StableMath.exp(-$0), near: a / b)
    }
    func interval(_ bounds: ConfidenceInterval) -> ConfidenceInterval {
      ConfidenceInterval(low: StableMath.exp(bounds.low), high: StableMath.exp(bounds.high))
    }
    sigmaInterval = interval(spreads)
    distance = likelihood.distance(a, b)
    let half = z / 2 / (Double(histogram.total) * share).squareRoot()
    let counted = isDoubted ? [0.5 - half, 0.5 + half].flatMap { histogram.quantiles($0, slope: b) } : []
    let ends = interval(means)
    medianInterval = ConfidenceInterval(low: counted.reduce(ends.low, min), high: counted.reduce(ends.high, max))
  }
}

/// Returns the bounds at which a fall, which is 0 at `center` and grows on both sides, reaches `drop`.
private func profileInterval(at center: Double, step: Double, drop: Double, _ fall: (Double) -> Double) -> ConfidenceInterval {
  func bound(_ direction: Double) -> Double {
    var (inner, outer) = (0.0, step)
    while fall(center + direction * outer) < drop, outer < 60 { (inner, outer) = (outer, outer * 1.6) }
    for _ in 0..<40 {
      let middle = (inner + outer) / 2
      if fall(center + direction * middle) < drop { inner = middle } else { outer = middle }
      if outer - inner < 1e-7 * step { break }
    }
    return center + direction * (inner + outer) / 2
  }
  return ConfidenceInterval(low: bound(-1), high: bound(1))
}

/// The log-likelihood of a histogram's counts under Φ(b·ln x − a).
private struct BinLikelihood {
  private let logs: [Double], counts: [Double], total: Double
  /// A constant that keeps edges near 0, so that a and b are of similar sizes.
  private let offset: Double

  init(_ histogram: Histogram) {
    let all = histogram.edges.map(StableMath.log)
    let middle = all.reduce(0, +) / Double(all.count)
    (offset, logs) = (middle, all.map { $0 - middle })
    counts = histogram.counts.map(Double.init)
    total = counts.reduce(0, +)
  }

  /// The value and its first and second derivatives by a and b.
  private struct Slopes { var value = 0.0, a = 0.0, b = 0.0, aa = 0.0, ab = 0.0, bb = 0.0 }

  private func slopes(_ a: Double, _ b: Double) -> Slopes {
    var sum = Slopes()
    for index in counts.indices where counts[index] > 0 {
      let low = index == 0 ? nil : b * logs[index - 1] - a
      let high = index == logs.count ? nil : b * logs[index] - a
      let (lowX, highX) = (index == 0 ? 0 : logs[index - 1], index == logs.count ? 0 : logs[index])
      let probability = max(Self.probability(low, high), 1e-300)
      let (f, g) = (low.map(Normal.density) ?? 0, high.map(Normal.density) ?? 0)
      // φ'(z) = −z φ(z).
      let (f2, g2) = (-(low ?? 0) * f, -(high ?? 0) * g)
      let (byA, byB) = (f - g, highX * g - lowX * f)
      let (byAA, byAB, byBB) = (g2 - f2, lowX * f2 - highX * g2, highX * highX * g2 - lowX * lowX * f2)
      let (a1, b1) = (byA / probability, byB / probability)
      let count = counts[index]
      sum.value += count * StableMath.log(probability)
      sum.a += count * a1
      sum.b += count * b1
      sum.aa += count * (byAA / probability - a1 * a1)
      sum.ab += count * (byAB / probability - a1 * b1)
      sum.bb += count * (byBB / probability - b1 * b1)
    }
    return sum
  }

  /// Returns Φ(high) − Φ(low) without cancellation in the tails; nil stands for infinity.
  private static func probability(_ low: Double?, _ high: Double?) -> Double {
    switch (low, high) {
    case (nil, nil): 1
    case (nil, let high?): Normal.cumulative(high)
    case (let low?, nil): Normal.upperTail(low)
    case (let low?, let high?):
      low > 0 ? Normal.upperTail(low) - Normal.upperTail(high) : Normal.cumulative(high) - Normal.cumulative(low)
    }
  }

  /// Returns the parameters with the offset taken out: z = b·ln x − a.
  private func shifted(_ a: Double, _ b: Double) -> Double { a - b * offset }

  func value(_ a: Double, _ b: Double) -> Double { slopes(shifted(a, b), b).value }

  /// Returns the maximum by Newton's method with halved steps.
  func maximum() -> (a: Double, b: Double) {
    // The start: quantiles of the observed shares below the edges.
    var below = 0.0
    var points: [(x: Double, z: Double)] = []
    for index in logs.indices {
      below += counts[index]
      let share = min(max(below / total, 0.5 / total), 1 - 0.5 / total)
      points.append((logs[index], -Normal.upperQuantile(share)))
    }
    let (first, last) = (points[0], points[points.count - 1])
    var b = max(1e-3, (last.z - first.z) / (last.x - first.x))
    var a = b * (first.x + last.x) / 2 - (first.z + last.z) / 2
    var here = slopes(a, b)
    for _ in 0..<100 {
      let determinant = here.aa * here.bb - here.ab * here.ab
      guard determinant > 0 else { break }
      let stepA = (here.ab * here.b - here.bb * here.a) / determinant
      let stepB = (here.ab * here.a - here.aa * here.b) / determinant
      var length = 1.0
      var next = here
      repeat {
        if b + length * stepB > 0 { next = slopes(a + length * stepA, b + length * stepB) }
        if b + length * stepB > 0, next.value >= here.value { break }
        length /= 2
      } while length > 1e-9
      if length <= 1e-9 { break }
      (a, b, here) = (a + length * stepA, b + length * stepB, next)
      if abs(length * stepA) < 1e-10 * (1 + abs(a)), abs(length * stepB) < 1e-10 * b { break }
    }
    return (a + b * offset, b)
  }

  /// Returns the largest value with the mean of the logarithms held.
  func maximum(mean: Double, near start: Double) -> Double {
    let mean = mean - offset
    return line(from: start) { b in
      let found = slopes(mean * b, b)
      return (found.value, found.a * mean + found.b, found.aa * mean * mean + 2 * found.ab * mean + found.bb)
    }
  }

  /// Returns the largest value with b = 1/σ held, from the fitted mean: far from it, all probabilities are 0 and have no slope.
  func maximum(slope b: Double, near mean: Double) -> Double {
    line(from: b * (mean - offset), isPositive: false) { a in
      let found = slopes(a, b)
      return (found.value, found.a, found.aa)
    }
  }

  /// Returns the maximum of a concave function by Newton's method with halved steps.
  private func line(
    from start: Double, isPositive: Bool = true, _ function: (Double) -> (value: Double, slope: Double, curve: Double)
  ) -> Double {
    var x = start
    var here = function(x)
    for _ in 0..<60 {
      guard here.curve < 0 else { break }
      var step = -here.slope / here.curve
      var next = here
      while abs(step) > 1e-12 * (1 + abs(x)) {
        if !isPositive || x + step > 0 {
          next = function(x + step)
          if next.value >= here.value { break }
        }
        step /= 2
      }
      let gain = next.value - here.value
      if gain <= 0 { break }
      (x, here) = (x + step, next)
      if gain < 1e-9 { break }
    }
    return here.value
  }

  /// Returns Pearson's test of the bins, as if `share` of the counts had been made; nil if no more than three are left, which two
  /// parameters meet. Bins are joined until 5 values are expected in each and 1 in the tails (Cochran 1954, doi:10.2307/3001616).
  func pearson(_ a: Double, _ b: Double, share: Double) -> (pValue: Double, dispersion: Double)? {
    var (bins, statistic, ratios, seen, expected) = (0.0, 0.0, 0.0, 0.0, 0.0)
    var left = total
    for index in counts.indices {
      let low = index == 0 ? nil : b * logs[index - 1] - shifted(a, b)
      let high = index == logs.count ? nil : b * logs[index] - shifted(a, b)
      let own = total * Self.probability(low, high)
      (seen, expected, left) = (seen + counts[index], expected + own, left - own)
      guard index == counts.count - 1 || expected * share >= (bins == 0 ? 1 : 5) && left * share >= 1 else { continue }
      statistic += share * (seen - expected) * (seen - expected) / expected
      (bins, ratios, seen, expected) = (bins + 1, ratios + seen / expected, 0, 0)
    }
    guard bins > 3 else { return nil }
    // The cube root of χ²/ν is nearly normal (Wilson and Hilferty 1931, doi:10.1073/pnas.17.12.684).
    let (freedom, spread) = (bins - 3, 2 / (9 * (bins - 3)))
    let z = (Elementary.power(max(statistic / freedom, 1e-12), 1.0 / 3) - 1 + spread) / spread.squareRoot()
    // Divided by the mean ratio, so that a tail in which next to nothing is expected does not decide (Fletcher 2012,
    // doi:10.1093/biomet/asr083).
    return (Normal.upperTail(z), statistic / freedom / (ratios / bins))
  }

  /// Returns the largest distance between the observed and the fitted share below an edge.
  func distance(_ a: Double, _ b: Double) -> Double {
    var below = 0.0
    var largest = 0.0
    for index in logs.indices {
      below += counts[index]
      largest = max(largest, abs(below / total - Normal.cumulative(b * logs[index] - shifted(a, b))))
    }
    return largest
  }
}
