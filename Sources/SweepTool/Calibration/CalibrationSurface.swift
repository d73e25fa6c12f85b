// The differences to the device as smooth functions of the settings: single runs jump, since a late packet moves all that come after it, and
// the lowest of many jumping values is the luckiest.

import Analysis

/// Residuals, in standard errors, as quadratics of the settings within a box, by least squares over many places in it (a response surface:
/// Box & Wilson 1951, doi:10.1111/j.2517-6161.1951.tb00067.x).
struct CalibrationSurface {
  let box: [ClosedRange<Double>]
  /// For each residual the coefficients of the terms.
  private let coefficients: [[Double]]

  /// The number of terms: 1, each parameter, and their products.
  static func termCount(_ parameters: Int) -> Int { 1 + parameters + parameters * (parameters + 1) / 2 }

  /// The surface over a box through places in it, each with its residuals; there are more of them than terms.
  init(box: [ClosedRange<Double>], places: [(shares: [Double], residuals: [Double])]) {
    self.box = box
    let terms = places.map { Self.terms($0.shares, in: box) }
    let count = Self.termCount(box.count)
    precondition(places.count > count, "a surface lies on more places than it has terms")
    let rights = places[0].residuals.indices
    let solved = LinearSystem.solved(
      (0..<count).map { row in
        (0..<count).map { column in terms.reduce(0) { $0 + $1[row] * $1[column] } }
          + rights.map { right in zip(terms, places).reduce(0) { $0 + $1.0[row] * $1.1.residuals[right] } }
      })
    coefficients = rights.map { right in solved.map { $0[right] } }
  }

  func residuals(_ shares: [Double]) -> [Double] {
    let terms = Self.terms(shares, in: box)
    return coefficients.map { product($0, terms) }
  }

  func objective(_ shares: [Double]) -> Double { squares(residuals(shares)) }

  /// The lowest place of the box, some parameters being held where they are.
  func lowest(from start: [Double], holding held: Int? = nil) -> (shares: [Double], objective: Double) {
    let free = box.indices.filter { $0 != held }
    guard !free.isEmpty else { return (start, objective(start)) }
    func whole(_ place: [Double]) -> [Double] {
      var shares = start
      for (value, index) in zip(place, free) { shares[index] = box[index].lowerBound + value * box[index].width }
      return shares
    }
    let search = DirectSearch(from: free.map { (start[$0] - box[$0].lowerBound) / box[$0].width }) { objective(whole($0)) }
    return (whole(search.point), search.value)
  }

  /// How the residuals move at a place, per whole range of each parameter.
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

  /// The terms, of shares scaled to −1 … 1 over the box.
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

/// The slopes of residuals, in standard errors, along each parameter's range, a row a parameter: which can stand in for which, and what
/// chance does to each.
struct CalibrationSlopes {
  static let confidence = 0.95

  let slopes: [[Double]]

  /// How far each parameter moves with one that is moved by its whole range, so that the residuals move least: least squares of the
  /// others' slopes against its own.
  func following(_ index: Int) -> [Double] {
    let others = slopes.indices.filter { $0 != index }
    let solved = LinearSystem.solved(
      others.map { row in others.map { product(slopes[row], slopes[$0]) } + [-product(slopes[row], slopes[index])] })
    var following = [Double](repeating: 0, count: slopes.count)
    for (place, other) in others.enumerated() { following[other] = solved[place][0] }
    return following
  }

  /// By how much the profile objective may rise, for each parameter, before that is no chance any more.
  ///
  /// Were the residuals independent it would be Student's t² times the misfit. But all points of a repetition meet the same feed, so that
  /// their errors move together and the fit with them: what the repetitions, each as a whole, do to a parameter is known from the device's
  /// own (the sandwich of Liang & Zeger 1986, doi:10.1093/biomet/73.1.13, with repetitions as clusters, and t with one degree less than
  /// these), and the emulator's do the same. The larger of the two counts.
  func rises(_ repetitions: [[Double]], emulated: Int, misfit: Double, freedom: Int) -> [Double] {
    func square(_ freedom: Int) -> Double {
      let critical = StudentT.criticalValue(alpha: 1 - Self.confidence, degreesOfFreedom: Double(freedom))
      return critical * critical
    }
    let independent = square(freedom) * max(1, misfit)
    let count = repetitions.count
    guard count > 1 else { return slopes.map { _ in independent } }
    return slopes.indices.map { index in
      // The weights with which residuals make the parameter, and its variance if they were independent, by the others' least squares.
      let following = following(index)
      let rest = slopes[index].indices.map { place in
        slopes.indices.reduce(slopes[index][place]) { $0 + following[$1] * slopes[$1][place] }
      }
      let information = squares(rest)
      guard information > 0 else { return independent }
      let spread = squares(repetitions.map { product(rest, $0) }) / Double(count - 1) * (1 / Double(count) + 1 / Double(emulated))
      return max(independent, square(count - 1) * spread / information)
    }
  }
}

/// Places that fill a box evenly without being a grid (Halton 1960, doi:10.1007/BF01386213).
enum HaltonPlaces {
  private static let bases = [2, 3, 5, 7, 11, 13]

  /// The first `count` places of a box of at most six dimensions, from the `skipped`-th on.
  static func places(_ count: Int, in box: [ClosedRange<Double>], skipping skipped: Int) -> [[Double]] {
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

private enum LinearSystem {
  /// The share of the largest diagonal element that is added to all, so that no matrix of squares is singular.
  private static let ridge = 1e-9

  /// The solutions of rows of coefficients with any number of right sides behind them, by Gauss and Jordan.
  static func solved(_ rows: [[Double]]) -> [[Double]] {
    var rows = rows
    let scale = rows.indices.reduce(0) { max($0, rows[$1][$1]) }
    for place in rows.indices { rows[place][place] += max(scale * ridge, 1e-12) }
    for pivot in rows.indices {
      let divisor = rows[pivot][pivot]
      rows[pivot] = rows[pivot].map { $0 / divisor }
      for row in rows.indices where row != pivot {
        let factor = rows[row][pivot]
        rows[row] = zip(rows[row], rows[pivot]).map { $0 - factor * $1 }
      }
    }
    return rows.map { Array($0[rows.count...]) }
  }
}
