// The differences to the device as smooth functions of the settings: single runs jump, since a late packet moves all that come after it, and
// whoever looks for the lowest of many jumping values finds the luckiest.

import Analysis

/// Residuals, in standard errors, as quadratics of the settings within a box, by least squares over many places in it (a response surface:
/// Box & Wilson 1951, doi:10.1111/j.2517-6161.1951.tb00067.x).
struct CalibrationSurface {
  /// The box: a range of each parameter's shares.
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
    var rows = (0..<count).map { row in (0..<count).map { column in terms.reduce(0) { $0 + $1[row] * $1[column] } } }
    for row in rows.indices {
      for residual in places[0].residuals.indices {
        rows[row].append(zip(terms, places).reduce(0) { $0 + $1.0[row] * $1.1.residuals[residual] })
      }
    }
    LinearSystem.solve(&rows)
    coefficients = places[0].residuals.indices.map { residual in rows.map { $0[count + residual] } }
  }

  /// The residuals at a place.
  func residuals(_ shares: [Double]) -> [Double] {
    let terms = Self.terms(shares, in: box)
    return coefficients.map { row in zip(row, terms).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// The sum of their squares.
  func objective(_ shares: [Double]) -> Double { residuals(shares).reduce(0) { $0 + $1 * $1 } }

  /// The lowest place of the box, some parameters being held where they are.
  func lowest(from start: [Double], holding held: Int? = nil) -> (shares: [Double], objective: Double) {
    let free = box.indices.filter { $0 != held }
    guard !free.isEmpty else { return (start, objective(start)) }
    func whole(_ place: [Double]) -> [Double] {
      var shares = start
      for (value, index) in zip(place, free) {
        shares[index] = box[index].lowerBound + value * (box[index].upperBound - box[index].lowerBound)
      }
      return shares
    }
    let inside = free.map { index in (start[index] - box[index].lowerBound) / (box[index].upperBound - box[index].lowerBound) }
    let search = DirectSearch(from: inside) { objective(whole($0)) }
    return (whole(search.place), search.value)
  }

  /// How the residuals move at a place, per whole range of each parameter.
  func slopes(at shares: [Double]) -> CalibrationSlopes {
    CalibrationSlopes(
      shares.indices.map { index in
        let step = (box[index].upperBound - box[index].lowerBound) / 100
        var (low, high) = (shares, shares)
        low[index] -= step
        high[index] += step
        return zip(residuals(low), residuals(high)).map { ($1 - $0) / (2 * step) }
      })
  }

  /// The terms, of shares scaled to −1 … 1 over the box.
  private static func terms(_ shares: [Double], in box: [ClosedRange<Double>]) -> [Double] {
    let scaled = zip(shares, box).map { (2 * $0 - $1.lowerBound - $1.upperBound) / ($1.upperBound - $1.lowerBound) }
    var terms = [1.0] + scaled
    for first in scaled.indices {
      for second in first..<scaled.count { terms.append(scaled[first] * scaled[second]) }
    }
    return terms
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
        return range.lowerBound + share * (range.upperBound - range.lowerBound)
      }
    }
  }
}

/// Linear equations whose matrix is positive definite.
enum LinearSystem {
  /// The share of the largest diagonal element that is added to all, so that no matrix of squares is singular.
  private static let ridge = 1e-9

  /// Solves rows of coefficients with any number of right sides behind them, by Gauss and Jordan; the solutions stand in place of these.
  static func solve(_ rows: inout [[Double]]) {
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
  }
}
