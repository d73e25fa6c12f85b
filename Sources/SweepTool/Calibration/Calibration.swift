// Holds the emulator against a device, fits what is not known, and says how well the rest is met.

import Analysis
import Import
import Simulation
import Sweep

/// A calibration, ready to run: the device's points, which of them are fitted, and what may change.
///
/// The objective is Σ ((device − emulator)² / variance) over the points fitted and the metrics that the device has. The variance is that of
/// both means, from the device's own spread (shrunk towards its mean over the points, since a spread of three runs is hardly known) and
/// a floor of half a per cent of the metric's mean, below which no emulator is asked to come.
package struct Calibration {
  package enum Stop: Error {
    case cancelled
    /// The emulator does not take a setting, or a run of it failed.
    case refused(String)
  }

  package struct Options {
    /// What is fitted, as `PATH=LOWEST...HIGHEST`.
    var fit = CalibrationParameter.usual
    /// The share of the points that is held out of the fit.
    var heldOutShare = 1.0 / 3
    /// Repetitions of the emulator, and threads.
    package var repeats = 10, jobs = 1

    package init() {}
  }

  /// What is held beside the device, where it has it: the headline, the waits and the bytes.
  static let metrics: [Metric] = [.loadersPer1000, .waitMsMean, .bytesReceived]
  private static let floorShare = 0.005
  /// So many repetitions' worth of the mean spread is mixed into each point's own.
  private static let shrinkage = 4.0
  private static let fewestToHoldOut = 5

  let device: DeviceResults
  let sweep: ResolvedSweep
  let parameters: [CalibrationParameter]
  let options: Options
  /// The metrics that all points of the device have.
  let metrics: [Metric]
  /// Of each of the device's points: its index in the sweep, and if it is held out.
  let places: [Int], isHeldOut: [Bool]
  /// By the device's points, for each metric: the device's mean, and the variance of the difference to the emulator's.
  let means: [[Double]], variances: [[Double]]

  /// Fits the device's results to the sweep that they are of.
  ///
  /// - Throws: `Refusal` with all that does not fit.
  package init(device: DeviceResults, sweep: ResolvedSweep, options: Options = Options()) throws(Refusal) {
    var problems: [String] = []
    var parameters: [CalibrationParameter] = []
    for text in options.fit {
      do throws(ValueProblem) { parameters.append(try CalibrationParameter(text)) } catch {
        problems.append("--fit: \(error.problem); \(error.remedy)")
      }
    }
    for (index, parameter) in parameters.enumerated() {
      if sweep.grid.paths.contains(parameter.path) {
        problems.append("--fit: \(parameter.path) is swept by \(sweep.path); fit what holds for all points")
      }
      if parameters[..<index].contains(where: { $0.path == parameter.path }) {
        problems.append("--fit: \(parameter.path) stands there twice; keep one of the two")
      }
    }
    if parameters.count > CalibrationParameter.limit {
      problems.append("--fit: names \(parameters.count) settings, more than \(CalibrationParameter.limit); fit fewer")
    }
    let places = Self.places(of: device, in: sweep, &problems)
    let metrics = Self.metrics.filter { metric in device.points.allSatisfy { !$0.values(metric).isEmpty } }
    if metrics.first != .loadersPer1000 { problems.append("\(device.path): some point has no loadersPer1000; there is nothing to rank by") }
    if !device.points.contains(where: { $0.runs.count > 1 }) {
      problems.append("\(device.path): has one run of each point, so that chance cannot be told from error; run two repetitions or more")
    }
    guard problems.isEmpty else { throw Refusal(problems.joined(separator: "\n")) }
    (self.device, self.sweep, self.options) = (device, sweep, options)
    (self.parameters, self.metrics, self.places) = (parameters, metrics, places)
    isHeldOut = Self.split(device.points.map(\.axisValues), share: options.heldOutShare)
    (means, variances) = Self.moments(of: device.points, metrics, repeats: options.repeats)
  }

  private static func places(of device: DeviceResults, in sweep: ResolvedSweep, _ problems: inout [String]) -> [Int] {
    guard device.axes == sweep.grid.paths else {
      let (found, wanted) = (device.axes.joined(separator: ", "), sweep.grid.paths.joined(separator: ", "))
      problems.append("\(device.path): has the axes \(found), but \(sweep.path) sweeps \(wanted); name the sweep with --sweep")
      return []
    }
    var known: [[String]: Int] = [:]
    for place in (0..<sweep.pointCount).reversed() { known[sweep.axisValues(place)] = place }
    let strangers = device.points.filter { known[$0.axisValues] == nil }
    if let first = strangers.first {
      problems.append(
        "\(device.path): \(strangers.count) of its \(device.points.count) points are none of \(sweep.path), the first "
          + "\(first.axisValues.joined(separator: ", ")); name the sweep that it was run with by --sweep")
    }
    return device.points.compactMap { known[$0.axisValues] }
  }

  /// Which points are held out: those whose settings draw the lowest numbers, so that no axis decides, and another order of rows changes
  /// nothing.
  static func split(_ points: [[String]], share: Double) -> [Bool] {
    // However large the share, something is left to be fitted.
    let count = points.count < fewestToHoldOut ? 0 : min(points.count - 1, Int((Double(points.count) * share).rounded()))
    // A stream of its own for each: names that are much alike have hashes that are.
    let draws = points.map { values -> Double in
      var stream = RandomStream(runSeed: 0, name: values.joined(separator: "\n"))
      return stream.unit()
    }
    let chosen = points.indices.sorted { (draws[$0], $0) < (draws[$1], $1) }.prefix(count)
    return points.indices.map(chosen.contains)
  }

  private static func moments(
    of points: [DeviceResults.Point], _ metrics: [Metric], repeats: Int
  ) -> (means: [[Double]], variances: [[Double]]) {
    var means = [[Double]](repeating: [], count: points.count)
    var variances = means
    for metric in metrics {
      let samples = points.map { Sample($0.values(metric)) }
      let spread = samples.filter { $0.count > 1 }
      let usual = spread.reduce(0) { $0 + $1.standardDeviation * $1.standardDeviation } / Double(max(1, spread.count))
      let scale = samples.reduce(0) { $0 + $1.mean.magnitude } / Double(samples.count) * floorShare
      for (place, sample) in samples.enumerated() {
        let own: Double = sample.standardDeviation * sample.standardDeviation
        let degrees = Double(sample.count - 1)
        let mixed: Double = (degrees * own + shrinkage * usual) / (degrees + shrinkage)
        let both: Double = 1 / Double(sample.count) + 1 / Double(repeats)
        means[place].append(sample.mean)
        variances[place].append(mixed * both + max(scale * scale, 1e-12))
      }
    }
    return (means, variances)
  }

  /// How each repetition that all of some points have differs from the mean of such, in the standard errors of `residuals`.
  func repetitions(of points: [Int]) -> [[Double]] {
    let all = points.map { point in Dictionary(device.points[point].runs.map { ($0.repetition, $0.metrics) }) { first, _ in first } }
    let common = device.points[points[0]].runs.map(\.repetition).filter { repetition in
      all.allSatisfy { runs in metrics.allSatisfy { runs[repetition]?[$0.index] != nil } }
    }
    let rows = common.map { repetition in
      zip(points, all).flatMap { point, runs in
        metrics.indices.map { (runs[repetition]?[metrics[$0].index] ?? 0) / variances[point][$0].squareRoot() }
      }
    }
    let middle = (rows.first ?? []).indices.map { place in rows.reduce(0) { $0 + $1[place] } / Double(rows.count) }
    return rows.map { row in zip(row, middle).map { $0 - $1 } }
  }

  func settings(_ shares: [Double]) -> [(String, JSON5Value)] { zip(parameters, shares).map { ($0.path, $0.json($1)) } }

  /// The differences between device and emulator in standard errors, of the points given by their places among the device's.
  func residuals(_ emulated: [[Double]], of points: [Int]) -> [Double] {
    zip(points, emulated).flatMap { point, values in
      metrics.indices.map { (means[point][$0] - values[$0]) / variances[point][$0].squareRoot() }
    }
  }

  /// The means of some points, by their places among the device's, under settings laid over each: one for each metric. Whatever the
  /// settings, repetition k meets the same feed and scroll script (common random numbers), so that only the settings tell two calls apart.
  ///
  /// - Throws: `Stop`.
  func emulated(
    _ points: [Int], _ settings: [(String, JSON5Value)], _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(Stop) -> [[Double]] {
    var scenarios: [any Model] = []
    for point in points {
      do throws(InvalidInput) { scenarios.append(try sweep.decoded(places[point], with: settings).scenario) } catch {
        throw .refused(error.diagnostics.first?.description ?? "no valid scenario")
      }
    }
    let (repeats, ready, seeds) = (options.repeats, scenarios, (1...options.repeats).map(sweep.seed(of:)))
    let found: [[Double?]]
    do throws(RunStop) {
      found = try WorkerPool.map(points.count * repeats, threads: options.jobs) { number throws(RunStop) in
        if isCancelled() { throw .cancelled }
        return try ready[number / repeats].metrics(seed: seeds[number % repeats], limits: RunLimits(isCancelled: isCancelled))
      }
    } catch { throw isCancelled() ? .cancelled : .refused("a run of the emulator failed: \(error)") }
    return points.indices.map { point in
      metrics.map { metric in
        let values = (0..<repeats).compactMap { found[point * repeats + $0][metric.index] }
        return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
      }
    }
  }
}
