// The fit: finds the settings with the smallest differences to the device, and their 95 % intervals.

import Base
import Sweep

extension Calibration {
  /// The trials in a box for each term of the surface.
  private static let trialsPerTerm = 8
  /// The most boxes, each inside the last.
  private static let boxLimit = 5
  /// The width of a box, as a multiple of the intervals in it.
  private static let boxMargin = 1.5
  /// The narrowest box, as a share of the range; and the largest share of the last box that is worth another box.
  private static let narrowest = 0.04
  private static let usefulShrinkage = 0.75
  /// The bisections that find an interval's end.
  private static let endSteps = 10

  /// The minimum of one box.
  private struct Finding {
    let surface: CalibrationSurface, shares: [Double]
    /// The mean square of the residuals at the minimum, per degree of freedom.
    let misfit: Double
    /// The ends of the intervals; nil if they are outside of the box.
    let ends: [(low: Double?, high: Double?)]
  }

  /// Runs the fit and returns its result. `report` gets the number of runs made so far, on the calling thread.
  /// - Throws: `RunStop` if the user ends it, `Refusal` if no fit is possible or a run fails.
  package func run(
    report: @escaping (_ runs: Int) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> CalibrationResult {
    var runs = 0
    /// - Throws: as `run`.
    func means(_ points: [Int], _ shares: [Double?]) throws -> [[Double]] {
      runs += points.count * options.repeats
      return try emulated(points, settings(shares), isCancelled)
    }
    let (all, fitted) = (Array(pointIndices.indices), pointIndices.indices.filter { !isHeldOut[$0] })
    let before = try means(all, [])
    let repetitions = repetitions(of: fitted)
    let freedom = max(1, fitted.count * metrics.count - parameters.count)
    var trials: [(shares: [Double], residuals: [Double])] = []
    var box = parameters.map { _ in 0.0...1.0 }
    var best: Finding?
    // The residuals of trials that fill the box evenly are smoothed into a surface, so that no single lucky run decides. The next box is
    // around the surface's minimum, just wide enough for the intervals, until boxes no longer shrink.
    for _ in 0..<Self.boxLimit {
      let termCount = CalibrationSurface.termCount(parameters.count)
      for location in HaltonSequence.locations(termCount * Self.trialsPerTerm, in: box, skipping: trials.count) {
        let shares = zip(parameters, location).map { $0.writtenShare($1) }
        trials.append((shares, residuals(try means(fitted, shares), of: fitted)))
        report(runs)
      }
      let inside = trials.filter { trial in zip(trial.shares, box).allSatisfy { $1.contains($0) } }
      if inside.count <= termCount { break }
      let surface = CalibrationSurface(box: box, trials: inside)
      let minimum = surface.minimum(from: box.map { ($0.lowerBound + $0.upperBound) / 2 })
      // The surface is only quadratic, so the runs at its minimum may have larger residuals than it predicts.
      let there = residuals(try means(fitted, minimum.shares), of: fitted)
      let misfit = max(minimum.objective, there.reduce(0) { $0 + $1 * $1 }) / Double(freedom)
      let rises = surface.slopes(at: minimum.shares).rises(repetitions, emulated: options.repeats, misfit: misfit, freedom: freedom)
      let found = Finding(surface: surface, shares: minimum.shares, misfit: misfit, ends: Self.ends(on: surface, minimum, rises: rises))
      // If an end left the box that was made for it, the wider box estimated it better.
      let hasLostEnd = zip(found.ends, box).contains { $0.low == nil && $1.lowerBound > 0 || $0.high == nil && $1.upperBound < 1 }
      if best != nil, hasLostEnd { break }
      best = found
      let next = Self.box(around: found)
      if !zip(next, box).contains(where: { $0.width < Self.usefulShrinkage * $1.width }) { break }
      box = next
    }
    guard let best else { throw Refusal("the ranges of --fit are too narrow to separate trials; widen them") }
    let values = zip(zip(parameters, best.shares), best.ends).map { pair, ends in
      CalibrationResult.Fitted(
        path: pair.0.path, range: pair.0.rangeText, value: pair.0.text(pair.1), source: pair.0.source(pair.1),
        low: ends.low.map(pair.0.text), high: ends.high.map(pair.0.text))
    }
    // A setting that is not identified is not written, so the runs after the fit go without it.
    let after = try means(all, zip(best.shares, values).map { $1.isIdentified ? $0 : nil })
    let isKept = !isNearer(after, than: before)
    let kept = isKept ? ["The fit brings the emulator no nearer to the device, so no settings are written: the present ones stay."] : []
    return CalibrationResult(
      calibration: self, fitted: values, points: points(before, after), misfit: best.misfit, runs: runs,
      warnings: kept + warnings(values, misfit: best.misfit), keepsPresent: isKept)
  }

  /// True if the objective is lower over the fitted points, and not higher over those held out.
  private func isNearer(_ after: [[Double]], than before: [[Double]]) -> Bool {
    func objective(_ means: [[Double]], heldOut: Bool) -> Double {
      let points = isHeldOut.indices.filter { isHeldOut[$0] == heldOut }
      return residuals(points.map { means[$0] }, of: points).reduce(0) { $0 + $1 * $1 }
    }
    return objective(after, heldOut: false) < objective(before, heldOut: false)
      && objective(after, heldOut: true) <= objective(before, heldOut: true)
  }

  private func points(_ before: [[Double]], _ after: [[Double]]) -> [CalibrationResult.Point] {
    let strata = sweep.strata?.paths ?? []
    return device.points.indices.map { index in
      let stratum = zip(device.axes, device.points[index].axisValues).filter { strata.contains($0.0) }.map(\.1).joined(separator: ", ")
      return CalibrationResult.Point(
        axisValues: device.points[index].axisValues, isHeldOut: isHeldOut[index], sides: [means[index], before[index], after[index]],
        noise: variances[index].map { $0.squareRoot() }, stratum: stratum)
    }
  }

  private func warnings(_ fitted: [CalibrationResult.Fitted], misfit: Double) -> [String] {
    let ignored = (try? sweep.decoded(pointIndices[0], with: settings(parameters.map { _ in 0.5 })))?.description.ignored ?? []
    var warnings = IgnoredSetting.warnings(ignored.filter { setting in parameters.contains { $0.path == setting.path } })
    for parameter in fitted where !parameter.isIdentified {
      warnings.append(
        "These runs do not identify \(parameter.path): the emulator fits the device equally well anywhere in \(parameter.range). It is left "
          + "out of the settings.")
    }
    if !isHeldOut.contains(true) {
      warnings.append("There are too few points to hold any out, so nothing shows how well the fit predicts other points.")
    }
    if misfit > 4 {
      warnings.append(
        "After the fit, device and emulator differ by \(DecimalText.fixed(misfit.squareRoot(), decimals: 1)) times what chance explains: they "
          + "differ in more than the fitted settings. The intervals are wider by this factor.")
    }
    return warnings
  }

  /// Returns the profile intervals around the minimum: a value is outside if the objective, minimized over the others, rises too far.
  /// Source: Bates & Watts 1988, Nonlinear Regression Analysis, 6.1.
  private static func ends(
    on surface: CalibrationSurface, _ minimum: (shares: [Double], objective: Double), rises: [Double]
  ) -> [(low: Double?, high: Double?)] {
    surface.box.indices.map { index in
      func isOut(_ share: Double) -> Bool {
        var shares = minimum.shares
        shares[index] = share
        return surface.minimum(from: shares, holding: index).objective > minimum.objective + rises[index]
      }
      func end(_ wall: Double) -> Double? {
        guard isOut(wall) else { return nil }
        var (inside, outside) = (minimum.shares[index], wall)
        for _ in 0..<endSteps {
          let middle = (inside + outside) / 2
          if isOut(middle) { outside = middle } else { inside = middle }
        }
        return outside
      }
      return (end(surface.box[index].lowerBound), end(surface.box[index].upperBound))
    }
  }

  /// Returns a box around the intervals, inside the last box. A parameter whose interval does not end keeps its range.
  private static func box(around found: Finding) -> [ClosedRange<Double>] {
    found.surface.box.indices.map { index in
      let (old, middle, ends) = (found.surface.box[index], found.shares[index], found.ends[index])
      let reach = max(narrowest / 2, boxMargin * max(middle - (ends.low ?? old.lowerBound), (ends.high ?? old.upperBound) - middle))
      return max(old.lowerBound, middle - reach)...min(old.upperBound, middle + reach)
    }
  }
}
