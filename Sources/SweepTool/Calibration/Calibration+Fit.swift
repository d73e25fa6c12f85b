// The fit itself: where the differences to the device are least, and how far each setting can go before they say no.

import Analysis
import Sweep

extension Calibration {
  private static let placesPerTerm = 8
  /// The most boxes, each within the last.
  private static let boxLimit = 5
  /// A box is made so much wider than the intervals in it …
  private static let room = 1.5
  /// … and not narrower than this share of the range; one that would lose less than a quarter of the last is not tried.
  private static let narrowest = 0.04
  private static let usefulShrinkage = 0.75
  /// An interval's end is found to this power of a half of the range.
  private static let endSteps = 10

  private struct Finding {
    let surface: CalibrationSurface, shares: [Double]
    /// The mean square of the residuals there, per degree of freedom.
    let misfit: Double
    /// The ends of the intervals; nil where they are not in the box.
    let ends: [(low: Double?, high: Double?)]
  }

  /// Fits. `report` hears of the runs made so far, on the calling thread.
  ///
  /// The residuals are looked at in places that fill the ranges evenly, smoothed into a surface, and the lowest place of that is taken; then
  /// again in a box around it that is just wide enough for the intervals, until that does not shrink any more. So no single lucky
  /// run decides.
  ///
  /// - Throws: `Stop`.
  package func run(
    report: @escaping (_ runs: Int) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(Stop) -> CalibrationResult {
    var runs = 0
    /// - Throws: `Stop`.
    func means(_ points: [Int], _ shares: [Double]?) throws(Stop) -> [[Double]] {
      runs += points.count * options.repeats
      return try emulated(points, shares.map(settings) ?? [], isCancelled)
    }
    let (all, fitted) = (Array(places.indices), places.indices.filter { !isHeldOut[$0] })
    let before = try means(all, nil)
    let repetitions = repetitions(of: fitted)
    let freedom = max(1, fitted.count * metrics.count - parameters.count)
    var looked: [(shares: [Double], residuals: [Double])] = []
    var box = parameters.map { _ in 0.0...1.0 }
    var best: Finding?
    for _ in 0..<Self.boxLimit {
      let termCount = CalibrationSurface.termCount(parameters.count)
      for place in HaltonPlaces.places(termCount * Self.placesPerTerm, in: box, skipping: looked.count) {
        let shares = zip(parameters, place).map { $0.writtenShare($1) }
        looked.append((shares, residuals(try means(fitted, shares), of: fitted)))
        report(runs)
      }
      let inside = looked.filter { place in zip(place.shares, box).allSatisfy { $1.contains($0) } }
      if inside.count <= termCount { break }
      let surface = CalibrationSurface(box: box, places: inside)
      let lowest = surface.lowest(from: box.map { ($0.lowerBound + $0.upperBound) / 2 })
      // What the surface says of its lowest place is not what the runs there show, where it is no quadratic.
      let there = residuals(try means(fitted, lowest.shares), of: fitted)
      let misfit = max(lowest.objective, there.reduce(0) { $0 + $1 * $1 }) / Double(freedom)
      let rises = surface.slopes(at: lowest.shares).rises(repetitions, emulated: options.repeats, misfit: misfit, freedom: freedom)
      let found = Finding(surface: surface, shares: lowest.shares, misfit: misfit, ends: Self.ends(on: surface, lowest, rises: rises))
      // An end that is no longer in a box made for it: the wider one knew better.
      let isCut = zip(found.ends, box).contains { $0.low == nil && $1.lowerBound > 0 || $0.high == nil && $1.upperBound < 1 }
      if best != nil, isCut { break }
      best = found
      let next = Self.box(around: found)
      if !zip(next, box).contains(where: { $0.width < Self.usefulShrinkage * $1.width }) { break }
      box = next
    }
    guard let best else { throw .refused("the ranges of --fit are too narrow to tell places apart; widen them") }
    let after = try means(all, best.shares)
    let values = zip(zip(parameters, best.shares), best.ends).map { pair, ends in
      CalibrationResult.Fitted(
        path: pair.0.path, range: pair.0.rangeText, value: pair.0.text(pair.1), source: pair.0.source(pair.1),
        low: ends.low.map(pair.0.text), high: ends.high.map(pair.0.text))
    }
    return CalibrationResult(
      calibration: self, fitted: values, points: points(before, after), misfit: best.misfit, runs: runs,
      warnings: warnings(values, misfit: best.misfit))
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

  /// The profile intervals around the lowest place of a surface: where the objective, the others following as well as they can, has
  /// risen too far to be chance (Bates & Watts 1988, Nonlinear Regression Analysis, 6.1).
  private static func ends(
    on surface: CalibrationSurface, _ lowest: (shares: [Double], objective: Double), rises: [Double]
  ) -> [(low: Double?, high: Double?)] {
    surface.box.indices.map { index in
      func isOut(_ share: Double) -> Bool {
        var shares = lowest.shares
        shares[index] = share
        return surface.lowest(from: shares, holding: index).objective > lowest.objective + rises[index]
      }
      func end(_ wall: Double) -> Double? {
        guard isOut(wall) else { return nil }
        var (inside, outside) = (lowest.shares[index], wall)
        for _ in 0..<endSteps {
          let middle = (inside + outside) / 2
          if isOut(middle) { outside = middle } else { inside = middle }
        }
        return outside
      }
      return (end(surface.box[index].lowerBound), end(surface.box[index].upperBound))
    }
  }

  /// The box that has room for the intervals and is within the last; a parameter whose interval does not end keeps its range.
  private static func box(around found: Finding) -> [ClosedRange<Double>] {
    found.surface.box.indices.map { index in
      let (old, middle, ends) = (found.surface.box[index], found.shares[index], found.ends[index])
      let reach = max(narrowest / 2, room * max(middle - (ends.low ?? old.lowerBound), (ends.high ?? old.upperBound) - middle))
      return max(old.lowerBound, middle - reach)...min(old.upperBound, middle + reach)
    }
  }
}
