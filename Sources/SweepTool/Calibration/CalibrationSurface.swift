// The differences to the device as smooth functions of the settings. Single runs jump, because a late packet moves all later ones;
// the smallest of many jumping values would be the luckiest.

import Analysis

/// Residuals, in standard errors, as quadratic functions of the settings within a box, fitted by least squares (a response surface).
/// Source: Box & Wilson 1951, doi:10.1111/j.2517-6161.1951.tb00067.x.
struct CalibrationSurface {
  let box: [ClosedRange<Double>]
  /// The coefficients of the terms, by residual.
  private let coefficients: [[Double]]

  /// Returns the number of terms: 1, each parameter, and their products.
  static func termCount(_ parameters: Int) -> Int { 1 + parameters + parameters * (parameters + 1) / 2 }

  /// Fits a surface to trials in a box. There must be more trials than terms.
  init(box: [ClosedRange<Double>], trials: [(shares: [Double], residuals: [Double])]) {
    self.box = box
    let terms = trials.map { Self.terms($0.shares, in: box) }
    let count = Self.termCount(box.count)
    precondition(trials.count > count, "a surface needs more trials than it has terms")
    let rights = trials[0].residuals.indices
    let solved = LinearSystem.solved(
      (0..<count).map { row in
        (0..<count).map { column in terms.reduce(0) { $0 + $1[row] * $1[column] } }
          + rights.map { right in zip(terms, trials).reduce(0) { $0 + $1.0[row] * $1.1.residuals[right] } }
      })
    coefficients = rights.map { right in solved.map { $0[right] } }
  }

  func residuals(_ shares: [Double]) -> [Double] {
    let terms = Self.terms(shares, in: box)
    return coefficients.map { product($0, terms) }
  }

  func objective(_ shares: [Double]) -> Double { squares(residuals(shares)) }

  /// Returns the minimum in the box; the parameter `held` stays at its start.
  func minimum(from start: [Double], holding held: Int? = nil) -> (shares: [Double], objective: Double) {
    let free = box.indices.filter { $0 != held }
    guard !free.isEmpty else { return (start, objective(start)) }
    func whole(_ location: [Double]) -> [Double] {
      var shares = start
      for (value, index) in zip(location, free) { shares[index] = box[index].lowerBound + value * box[index].width }
      return shares
    }
    let search = DirectSearch(from: free.map { (start[$0] - box[$0].lowerBound) / box[$0].width }) { objective(whole($0)) }
    return (whole(search.point), search.value)
  }

  /// Returns the slopes of the residuals at a location, per whole range of each parameter.
  func slopes(at shares: [Double]) -> CalibrationSlopes {
    CalibrationSlopes(
      slopes: shares.indices.map { index in
        let step = box[index].width / 100
        var (low, high) = (shares, shares)
        low[index] -= step
        high[index] += step
        return zip(residuals(low), residuals(high)).map { ($1 - $0) / (2 * step) }
      })
  }

  /// Returns the terms of shares scaled to −1 … 1 over the box.
  private static func terms(_ shares: [Double], in box: [ClosedRange<Double>]) -> [Double] {
    let scaled = zip(shares, box).map { (2 * $0 - $1.lowerBound - $1.upperBound) / $1.width }
    return [1.0] + scaled + scaled.indices.flatMap { first in scaled[first...].map { scaled[first] * $0 } }
  }
}

extension ClosedRange<Double> {
  var width: Double { upperBound - lowerBound }
}

private func product(_ one: [Double], _ other: [Double]) -> Double { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }
private func squares(_ values: [Double]) -> Double { product(values, values) }

/// The slopes of residuals, in standard errors per whole range, a row for each parameter.
/// They show which parameters can replace each other, and the effect of chance on each.
struct CalibrationSlopes {
  static let confidence = 0.95

  let slopes: [[Double]]

  /// Returns the least-squares motion of each other parameter that best compensates a move of one by its whole range.
  func following(_ index: Int) -> [Double] {
    let others = slopes.indices.filter { $0 != index }
    let solved = LinearSystem.solved(
      others.map { row in others.map { product(slopes[row], slopes[$0]) } + [-product(slopes[row], slopes[index])] })
    var following = [Double](repeating: 0, count: slopes.count)
    for (index, other) in others.enumerated() { following[other] = solved[index][0] }
    return following
  }

  /// Returns the rise of the profile objective, for each parameter, that chance still explains: the larger of two estimates.
  /// Source of the second, the sandwich estimator: Liang & Zeger 1986, doi:10.1093/biomet/73.1.13.
  func rises(_ repetitions: [[Double]], emulated: Int, misfit: Double, freedom: Int) -> [Double] {
    func square(_ freedom: Int) -> Double {
      let critical = StudentT.criticalValue(alpha: 1 - Self.confidence, degreesOfFreedom: Double(freedom))
      return critical * critical
    }
    // For independent residuals: Student's t² times the misfit.
    let independent = square(freedom) * max(1, misfit)
    // But all points of a repetition have the same feed, so their errors move together. Repetitions are clusters; t has one degree of
    // freedom less than repetitions. The emulator's repetitions are taken to spread like the device's.
    let count = repetitions.count
    guard count > 1 else { return slopes.map { _ in independent } }
    return slopes.indices.map { index in
      // The weights of the residuals in the parameter's estimate, and its variance for independent residuals.
      let following = following(index)
      let rest = slopes[index].indices.map { residual in
        slopes.indices.reduce(slopes[index][residual]) { $0 + following[$1] * slopes[$1][residual] }
      }
      let information = squares(rest)
      guard information > 0 else { return independent }
      let spread = squares(repetitions.map { product(rest, $0) }) / Double(count - 1) * (1 / Double(count) + 1 / Double(emulated))
      return max(independent, square(count - 1) * spread / information)
    }
  }
}

/// Locations that fill a box evenly without forming a grid.
/// Source: Halton 1960, doi:10.1007/BF01386213.
enum HaltonSequence {
  private static let bases = [2, 3, 5, 7, 11, 13]

  /// Returns `count` locations in a box of at most six dimensions, after the first `skipped`.
  static func locations(_ count: Int, in box: [ClosedRange<Double>], skipping skipped: Int) -> [[Double]] {
    precondition(box.count <= bases.count, "there is a base for each dimension")
    return (1...count).map { number in
      zip(box, bases).map { range, base in
        var (rest, digit, share) = (number + skipped, 1.0, 0.0)
        while rest > 0 {
          digit /= Double(base)
          share += digit * Double(rest % base)
          rest /= base
        }
        return range.lowerBound + share * range.width
      }
    }
  }
}
