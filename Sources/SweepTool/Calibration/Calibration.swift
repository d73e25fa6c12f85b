// Compares the emulator with a device: the points, the split into fitted and held-out points, and the residuals.

import Analysis
import Base
import Simulation
import Sweep

/// A calibration, ready to run: the device's points, the points that are fitted, and the settings that may change.
/// The objective is Σ ((device − emulator)² / variance) over the fitted points and their metrics.
package struct Calibration {
  package struct Options {
    /// The settings to fit, as `PATH=LOWEST...HIGHEST`.
    var fit = CalibrationParameter.usual
    /// The share of points that are held out of the fit.
    var heldOutShare = 1.0 / 3
    /// The repetitions of the emulator, and the threads.
    package var repeats = 10, jobs = 1

    package init() {}
  }

  /// The metrics compared, if the device has them: loaders, waits and bytes.
  static let metrics: [Metric] = [.loadersPer1000, .waitMsMean, .bytesReceived]
  private static let floorShare = 0.005
  /// The weight of the mean spread in each point's own, in repetitions.
  private static let shrinkage = 4.0
  /// The fewest points of which some are held out.
  private static let fewestToHoldOut = 5

  let device: DeviceResults
  let sweep: ResolvedSweep
  let parameters: [CalibrationParameter]
  let options: Options
  /// The metrics that all points of the device have.
  let metrics: [Metric]
  /// Each device point's index in the sweep, and true if it is held out.
  let pointIndices: [Int], isHeldOut: [Bool]
  /// The device's mean, and the variance of its difference to the emulator's mean; by device point and metric.
  let means: [[Double]], variances: [[Double]]

  /// Prepares a fit of a device's results to their sweep.
  /// - Throws: `Refusal` with all mismatches.
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
        problems.append("--fit: \(parameter.path) is given twice; keep one of the two")
      }
    }
    if parameters.count > CalibrationParameter.limit {
      problems.append("--fit: names \(parameters.count) settings, more than \(CalibrationParameter.limit); fit fewer")
    }
    let pointIndices = Self.pointIndices(of: device, in: sweep, &problems)
    let metrics = Self.metrics.filter { metric in device.points.allSatisfy { !$0.values(metric).isEmpty } }
    if metrics.first != .loadersPer1000 { problems.append("\(device.path): some point has no loadersPer1000, so points cannot be ranked") }
    if !device.points.contains(where: { $0.runs.count > 1 }) {
      problems.append("\(device.path): has 1 run of each point, so chance cannot be separated from error; run at least 2 repetitions")
    }
    guard problems.isEmpty else { throw Refusal(problems.joined(separator: "\n")) }
    (self.device, self.sweep, self.options) = (device, sweep, options)
    (self.parameters, self.metrics, self.pointIndices) = (parameters, metrics, pointIndices)
    isHeldOut = Self.split(device.points.map(\.axisValues), share: options.heldOutShare)
    (means, variances) = Self.moments(of: device.points, metrics, repeats: options.repeats)
  }

  /// Returns each device point's index in the sweep; adds a problem for points that the sweep does not have.
  private static func pointIndices(of device: DeviceResults, in sweep: ResolvedSweep, _ problems: inout [String]) -> [Int] {
    guard device.axes == sweep.grid.paths else {
      let (found, expected) = (device.axes.joined(separator: ", "), sweep.grid.paths.joined(separator: ", "))
      problems.append("\(device.path): has the axes \(found), but \(sweep.path) sweeps \(expected); name the sweep with --sweep")
      return []
    }
    var known: [[String]: Int] = [:]
    for index in (0..<sweep.pointCount).reversed() { known[sweep.axisValues(index)] = index }
    let unknown = device.points.filter { known[$0.axisValues] == nil }
    if let first = unknown.first {
      problems.append(
        "\(device.path): \(unknown.count) of its \(device.points.count) points are not in \(sweep.path), the first is "
          + "\(first.axisValues.joined(separator: ", ")); name its sweep with --sweep")
    }
    return device.points.compactMap { known[$0.axisValues] }
  }

  /// Selects the held-out points by random numbers from their axis values, so that neither an axis nor the order of rows decides.
  static func split(_ points: [[String]], share: Double) -> [Bool] {
    // At least one point is fitted.
    let count = points.count < fewestToHoldOut ? 0 : min(points.count - 1, Int((Double(points.count) * share).rounded()))
    // One stream for each point, because similar names have similar hashes.
    let draws = points.map { values -> Double in
      var stream = RandomStream(runSeed: 0, name: values.joined(separator: "\n"))
      return stream.unit()
    }
    let chosen = points.indices.sorted { (draws[$0], $0) < (draws[$1], $1) }.prefix(count)
    return points.indices.map(chosen.contains)
  }

  /// Returns the device's means, and the variances of their differences to the emulator's means; by point and metric.
  private static func moments(
    of points: [DeviceResults.Point], _ metrics: [Metric], repeats: Int
  ) -> (means: [[Double]], variances: [[Double]]) {
    // The device's spread is shrunk towards its mean over the points, because few runs estimate it badly. A floor of 0.5 % of the
    // metric's mean is added, because no emulator is more precise.
    var means = [[Double]](repeating: [], count: points.count)
    var variances = means
    for metric in metrics {
      let samples = points.map { Sample($0.values(metric)) }
      let spread = samples.filter { $0.count > 1 }
      let usual = spread.reduce(0) { $0 + $1.standardDeviation * $1.standardDeviation } / Double(max(1, spread.count))
      let scale = samples.reduce(0) { $0 + $1.mean.magnitude } / Double(samples.count) * floorShare
      for (index, sample) in samples.enumerated() {
        let own: Double = sample.standardDeviation * sample.standardDeviation
        let degrees = Double(sample.count - 1)
        let mixed: Double = (degrees * own + shrinkage * usual) / (degrees + shrinkage)
        let both: Double = 1 / Double(sample.count) + 1 / Double(repeats)
        means[index].append(sample.mean)
        variances[index].append(mixed * both + max(scale * scale, 1e-12))
      }
    }
    return (means, variances)
  }

  /// Returns the difference of each repetition that all `points` have from the mean repetition, in the standard errors of `residuals`.
  func repetitions(of points: [Int]) -> [[Double]] {
    let all = points.map { point in Dictionary(device.points[point].runs.map { ($0.repetition, $0.metrics) }) { first, _ in first } }
    let common = device.points[points[0]].runs.map(\.repetition).filter { repetition in
      all.allSatisfy { runs in metrics.allSatisfy { runs[repetition]?[$0] != nil } }
    }
    let rows = common.map { repetition in
      zip(points, all).flatMap { point, runs in
        metrics.indices.map { (runs[repetition]?[metrics[$0]] ?? 0) / variances[point][$0].squareRoot() }
      }
    }
    let middle = (rows.first ?? []).indices.map { index in rows.reduce(0) { $0 + $1[index] } / Double(rows.count) }
    return rows.map { row in zip(row, middle).map { $0 - $1 } }
  }

  func settings(_ shares: [Double?]) -> [(String, JSON5Value)] {
    zip(parameters, shares).compactMap { parameter, share in share.map { (parameter.path, parameter.json($0)) } }
  }

  /// Returns the differences between device and emulator in standard errors. `points` are indices of device points.
  func residuals(_ emulated: [[Double]], of points: [Int]) -> [Double] {
    zip(points, emulated).flatMap { point, values in
      metrics.indices.map { (means[point][$0] - values[$0]) / variances[point][$0].squareRoot() }
    }
  }

  /// Returns the emulator's means by point and metric, with `settings` applied to each point. `points` are indices of device points.
  /// Repetition k has the same feed and scroll script for all settings (common random numbers), so that only the settings differ.
  /// - Throws: `RunStop` if the user ends it, `Refusal` if a setting is not accepted or a run fails.
  func emulated(
    _ points: [Int], _ settings: [(String, JSON5Value)], _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> [[Double]] {
    var ready: [PreparedPoint] = []
    for point in points {
      do throws(InvalidInput) { ready.append(try sweep.decoded(pointIndices[point], with: settings).ready) } catch {
        throw Refusal(error.diagnostics.first?.description ?? "no valid scenario")
      }
    }
    let (repeats, executor) = (options.repeats, EmulatedExecutor())
    let runs = ready.flatMap { point in (1...repeats).map { RunRequest(point, repetition: $0, seed: sweep.seed(of: $0)) } }
    let found = try WorkerPool.map(runs.count, threads: options.jobs) { number -> RunMetrics? in
      switch isCancelled() ? nil : executor.outcome(of: runs[number], isCancelled: isCancelled) {
      case nil: throw RunStop.cancelled
      case .failure(let reason): throw Refusal("a run of the emulator failed: \(reason)")
      case .metrics(let metrics): return metrics
      }
    }
    return points.indices.map { point in
      metrics.map { metric in
        let values = (0..<repeats).compactMap { found[point * repeats + $0][metric] }
        return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
      }
    }
  }
}
