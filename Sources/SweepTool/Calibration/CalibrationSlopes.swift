// How the differences to the device move with each setting: which can stand in for which, and what chance does to each.

import Analysis

/// The slopes of residuals, in standard errors, along each parameter's range; a row a parameter.
struct CalibrationSlopes {
  /// The confidence of the intervals.
  static let confidence = 0.95

  private let slopes: [[Double]]

  init(_ slopes: [[Double]]) { self.slopes = slopes }

  private func product(_ one: Int, _ other: Int) -> Double { zip(slopes[one], slopes[other]).reduce(0) { $0 + $1.0 * $1.1 } }

  /// How far each parameter moves with one that is moved by its whole range, so that the residuals move least: least squares of the
  /// others' slopes against its own.
  func following(_ index: Int) -> [Double] {
    let others = slopes.indices.filter { $0 != index }
    let solved = solved(others, others.map { -product($0, index) })
    var following = [Double](repeating: 0, count: slopes.count)
    for (place, other) in others.enumerated() { following[other] = solved[place] }
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
      let information = rest.reduce(0) { $0 + $1 * $1 }
      guard information > 0 else { return independent }
      let moves = repetitions.map { repetition in zip(rest, repetition).reduce(0) { $0 + $1.0 * $1.1 } }
      let spread = moves.reduce(0) { $0 + $1 * $1 } / Double(count - 1) * (1 / Double(count) + 1 / Double(emulated))
      return max(independent, square(count - 1) * spread / information)
    }
  }

  /// The least-squares solution for some parameters.
  private func solved(_ chosen: [Int], _ right: [Double]) -> [Double] {
    var rows = zip(chosen, right).map { row, value in chosen.map { product(row, $0) } + [value] }
    LinearSystem.solve(&rows)
    return rows.map { $0[chosen.count] }
  }
}
