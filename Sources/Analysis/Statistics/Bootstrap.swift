// The bootstrap for statistics that have no formula for their interval, e.g. medians.

/// A bootstrap interval and how it was made.
package struct Bootstrap: Sendable {
  /// Why the plain percentile interval was taken in place of the corrected one.
  package enum Fallback: Hashable, Sendable, CustomStringConvertible {
    /// Leaving out any one value does not change the statistic: there is no acceleration.
    case jackknifeConstant
    /// All resampled statistics lie on one side of the estimate: there is no bias correction.
    case oneSided

    /// The reason in a sentence.
    package var description: String {
      switch self {
      case .jackknifeConstant: "The interval is the plain percentile one: leaving out any one value does not change the statistic."
      case .oneSided: "The interval is the plain percentile one: all resampled statistics lie on one side of the estimate."
      }
    }
  }

  /// The statistic of the values themselves.
  package let estimate: Double
  /// The statistics of the resamples, in the order in which they were drawn.
  package let resampled: [Double]
  /// The bias correction z₀; nil where the statistics lie on one side.
  package let biasCorrection: Double?
  /// The acceleration; nil where the jackknife is constant.
  package let acceleration: Double?

  private let sorted: [Double]

  /// Resamples `values` with replacement and applies `statistic` to each resample.
  ///
  /// Indices are SplitMix64(seed)'s next 64 bits modulo n, resample by resample (the modulo's bias is below n / 2⁶⁴).
  /// O(resamples · n).
  package init(_ values: [Double], resamples: Int = 1999, seed: UInt64 = 42, statistic: ([Double]) -> Double) {
    precondition(!values.isEmpty && resamples > 0, "a bootstrap needs values and resamples")
    var generator = SplitMix64(state: seed)
    var resample = values
    var drawn: [Double] = []
    drawn.reserveCapacity(resamples)
    for _ in 0..<resamples {
      for place in resample.indices { resample[place] = values[Int(generator.next() % UInt64(values.count))] }
      drawn.append(statistic(resample))
    }
    estimate = statistic(values)
    resampled = drawn
    sorted = drawn.sorted()
    biasCorrection = Bootstrap.biasCorrection(drawn, estimate: estimate)
    acceleration = Bootstrap.acceleration(values, statistic)
  }

  /// The bias-corrected and accelerated interval (Efron 1987, doi:10.1080/01621459.1987.10478410), or, where a correction does not
  /// exist, the percentile interval and the reason.
  package func interval(confidence: Double = 0.95) -> (interval: ConfidenceInterval, fallback: Fallback?) {
    let tail = (1 - confidence) / 2
    guard let acceleration else { return (percentileInterval(confidence: confidence), .jackknifeConstant) }
    guard let biasCorrection else { return (percentileInterval(confidence: confidence), .oneSided) }
    let ends = [Normal.quantile(tail), Normal.upperQuantile(tail)].map { z -> Double in
      let shifted = biasCorrection + z
      return quantile(Normal.cumulative(biasCorrection + shifted / (1 - acceleration * shifted)))
    }
    return (ConfidenceInterval(low: ends[0], high: ends[1], confidence: confidence), nil)
  }

  /// The percentile interval (Efron & Tibshirani 1993, An Introduction to the Bootstrap, 13.3).
  package func percentileInterval(confidence: Double = 0.95) -> ConfidenceInterval {
    let tail = (1 - confidence) / 2
    return ConfidenceInterval(low: quantile(tail), high: quantile(1 - tail), confidence: confidence)
  }

  /// A quantile of the resampled statistics, linear between them (type 7 of Hyndman & Fan 1996, doi:10.2307/2684934).
  private func quantile(_ probability: Double) -> Double {
    let position = probability * Double(sorted.count - 1)
    let index = min(sorted.count - 1, max(0, Int(position.rounded(.down))))
    guard index + 1 < sorted.count else { return sorted[index] }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
  }

  private static func biasCorrection(_ drawn: [Double], estimate: Double) -> Double? {
    let below = drawn.reduce(0) { $0 + ($1 < estimate ? 2 : $1 == estimate ? 1 : 0) }
    let share = Double(below) / Double(2 * drawn.count)
    return share > 0 && share < 1 ? Normal.quantile(share) : nil
  }

  /// The acceleration from the jackknife (Efron 1987, 6.6).
  private static func acceleration(_ values: [Double], _ statistic: ([Double]) -> Double) -> Double? {
    guard values.count > 1 else { return nil }
    let left = values.indices.map { index in statistic(Array(values[..<index] + values[(index + 1)...])) }
    let mean = left.reduce(0, +) / Double(left.count)
    let size = left.reduce(0) { max($0, $1.magnitude) }
    var squares = 0.0
    var cubes = 0.0
    for value in left {
      let distance = mean - value
      squares += distance * distance
      cubes += distance * distance * distance
    }
    guard squares > (size * 1e-12) * (size * 1e-12) else { return nil }
    return cubes / (6 * squares * squares.squareRoot())
  }
}
