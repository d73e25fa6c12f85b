// The fit itself: the lowest objective, and how far each setting can go before the objective says no.

import Analysis

extension Calibration {
  /// The step of the differences from which it is told which settings can stand in for each other, as a share of the range.
  private static let slopeStep = 0.04
  /// An interval's end is found to this share of the range.
  private static let endSteps = 8

  /// A place among the parameters' ranges, and what the objective is there.
  private struct Place {
    var shares: [Double]
    var objective: Double
  }

  /// Fits. `report` hears of the runs made so far, on the calling thread.
  ///
  /// - Throws: `Stop`.
  public func run(
    report: @escaping (_ runs: Int) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(Stop) -> CalibrationResult {
    let emulator = CalibrationEmulator(sweep, metrics: metrics, repeats: options.repeats, jobs: options.jobs, isCancelled: isCancelled)
    let fitted = isHeldOut.indices.filter { !isHeldOut[$0] }
    var known: [[String]: [Double]] = [:]
    func residuals(_ shares: [Double]) throws(Stop) -> [Double] {
      // Two places that are the same when they are written are the same.
      let texts = zip(parameters, shares).map { $0.text($1) }
      if let found = known[texts] { return found }
      let found = self.residuals(try emulator.means(of: fitted.map { places[$0] }, with: settings(shares)), of: fitted)
      known[texts] = found
      report(emulator.runCount)
      return found
    }
    func objective(_ shares: [Double]) throws(Stop) -> Double { try residuals(shares).reduce(0) { $0 + $1 * $1 } }
    let before = try emulator.means(of: places, with: [])
    let base = sweep.grid.base
    let start = parameters.map { $0.share(of: base.lookup($0.path)) ?? 0 }
    let search = try DirectSearch(from: start) { shares throws(Stop) in try objective(shares) }
    let best = Place(shares: search.place, objective: search.value)
    let freedom = max(1, fitted.count * metrics.count - parameters.count)
    let misfit = best.objective / Double(freedom)
    let slopes = CalibrationSlopes(try slopes(at: best.shares, residuals))
    let rises = slopes.rises(repetitions(of: fitted), emulated: options.repeats, misfit: misfit, freedom: freedom)
    var found: [CalibrationResult.Fitted] = []
    for (index, parameter) in parameters.enumerated() {
      let ends = try interval(of: index, around: best, following: slopes.following(index), rise: rises[index], objective)
      found.append(
        CalibrationResult.Fitted(
          path: parameter.path, range: parameter.rangeText, value: parameter.text(best.shares[index]),
          source: parameter.source(best.shares[index]), low: ends.low.map(parameter.text), high: ends.high.map(parameter.text)))
    }
    let after = try emulator.means(of: places, with: settings(best.shares))
    return CalibrationResult(
      device: device.path, sweep: sweep.path, metrics: metrics, axes: device.axes, fitted: found, points: points(before, after),
      misfit: misfit, runs: emulator.runCount, repeats: options.repeats, warnings: warnings(found, misfit: misfit))
  }

  private func points(_ before: [[Double]], _ after: [[Double]]) -> [CalibrationResult.Point] {
    let strata = sweep.strata?.paths ?? []
    return device.points.indices.map { index in
      let stratum = zip(device.axes, device.points[index].axisValues).filter { strata.contains($0.0) }.map(\.1).joined(separator: ", ")
      return CalibrationResult.Point(
        axisValues: device.points[index].axisValues, isHeldOut: isHeldOut[index], device: means[index], before: before[index],
        after: after[index], noise: variances[index].map { $0.squareRoot() }, stratum: stratum)
    }
  }

  private func warnings(_ fitted: [CalibrationResult.Fitted], misfit: Double) -> [String] {
    let ignored = (try? sweep.decoded(places[0], with: settings(parameters.map { _ in 0.5 })))?.description.ignored ?? []
    var warnings = IgnoredSetting.warnings(ignored.filter { setting in parameters.contains { $0.path == setting.path } })
    for parameter in fitted where !parameter.isIdentified {
      warnings.append(
        "These runs say nothing of \(parameter.path): the emulator meets the device as well anywhere in \(parameter.range). It is left out "
          + "of the settings.")
    }
    if !isHeldOut.contains(true) {
      warnings.append("There are too few points to hold any out, so that nothing shows how well others are met.")
    }
    if misfit > 4 {
      warnings.append(
        "What is left between device and emulator is \(DecimalText.fixed(misfit.squareRoot(), decimals: 1)) times what chance makes: they "
          + "differ in more than was fitted. The intervals are widened by it.")
    }
    return warnings
  }

  // MARK: Intervals

  /// How the residuals move with each parameter, by central differences (one-sided at a wall), per whole range.
  private func slopes(at shares: [Double], _ residuals: ([Double]) throws(Stop) -> [Double]) throws(Stop) -> [[Double]] {
    var slopes: [[Double]] = []
    for index in shares.indices {
      var (low, high) = (shares, shares)
      low[index] = max(0, shares[index] - Self.slopeStep)
      high[index] = min(1, shares[index] + Self.slopeStep)
      let (first, second) = (try residuals(low), try residuals(high))
      slopes.append(zip(first, second).map { ($1 - $0) / (high[index] - low[index]) })
    }
    return slopes
  }

  /// The ends of a parameter's profile interval: where the objective, the others following as well as they can, has risen too far to be
  /// chance (Bates & Watts 1988, Nonlinear Regression Analysis, 6.1); nil for an end that is not in the range.
  ///
  /// The others follow along the line that the slopes give, and are also left where they are; the lower objective counts.
  private func interval(
    of index: Int, around best: Place, following: [Double], rise: Double, _ objective: ([Double]) throws(Stop) -> Double
  ) throws(Stop) -> (low: Double?, high: Double?) {
    let limit = best.objective + rise
    func isOut(_ step: Double) throws(Stop) -> Bool {
      var alone = best.shares
      alone[index] += step
      if try objective(alone) <= limit { return false }
      let together = zip(alone.indices, alone).map { $0 == index ? $1 : min(1, max(0, $1 + following[$0] * step)) }
      return try objective(together) > limit
    }
    func end(_ wall: Double) throws(Stop) -> Double? {
      let whole = wall - best.shares[index]
      guard whole.magnitude > 1e-9, try isOut(whole) else { return nil }
      var (inside, outside) = (0.0, whole)
      for _ in 0..<Self.endSteps {
        let middle = (inside + outside) / 2
        if try isOut(middle) { outside = middle } else { inside = middle }
      }
      return best.shares[index] + outside
    }
    return (try end(0), try end(1))
  }
}
