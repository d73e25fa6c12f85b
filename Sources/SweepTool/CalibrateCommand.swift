// `calibrate`: compares a device's results with the emulator's, and fits settings that bring the two together.

import Import
import Sweep

struct CalibrateCommand: Command {
  static let name = "calibrate"
  static let summary = "Fits the emulator to a device's results and shows both side by side."
  static let options: [Option] =
    ["--sweep", "--hold-out", "--repeats", "--seed", "--jobs", "--output"].map { .value($0) }
    + [.values("--fit"), .values("--set"), .flag("--quiet")]
  static let usage = """
    usage: prefetch-sweep calibrate RESULTS [options]

    Runs the points of a device's results in the emulator, fits unknown settings on some of the points, and measures the emulator's error
    on the rest. RESULTS is a folder with runs.csv and sweep.json, which names the sweep file, or a runs.csv alone with --sweep. Writes
    \(CalibrationResult.reportName), \(CalibrationResult.tableName) and \(CalibrationResult.settingsName), which a sweep file names as `settings`.

      --sweep FILE       the sweep of the results; by default the one that sweep.json names
      --fit PATH=A...B   fits this setting within these bounds; may repeat. By default:
    \(CalibrationParameter.usual.map { "                           \($0)" }.joined(separator: "\n"))
      --set PATH=VALUE   replaces a known value of the scenario; may repeat
      --hold-out SHARE   the share of points that are compared but not fitted, such as 0.33 (the default); 0 fits all
      --repeats N        repetitions of the emulator for each trial (10)
      --seed N           the emulator's seed; by default the sweep's
      --jobs N           threads; by default one for each core; the results do not depend on it
      --output FOLDER    the folder of the output; by default RESULTS/calibration
      --quiet            no progress and no closing lines

    exit status: 0 good, 1 output failed, 2 usage, bad input or refused, 129, 130 or 143 stopped by a signal.
    """

  private let results: String
  private let arguments: Arguments
  private let overrides: ResolvedSweep.Overrides
  private let options: Calibration.Options

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    results = try arguments.onlyWord("folder of results")
    self.arguments = arguments
    var overrides = try RunCommand.overrides(arguments)
    var options = Calibration.Options()
    // Here the repetitions are the emulator's, not the sweep's.
    options.repeats = overrides.repeats ?? options.repeats
    overrides.repeats = nil
    self.overrides = overrides
    if !arguments.values("--fit").isEmpty { options.fit = arguments.values("--fit") }
    let share = try arguments.value("--hold-out", "a share of the points from 0 to 0.9, such as 0.33") { text in
      Double(text).flatMap { (0...0.9).contains($0) ? $0 : nil }
    }
    options.heldOutShare = share ?? options.heldOutShare
    options.jobs = try arguments.jobs()
    self.options = options
  }

  /// - Throws: `InvalidInput` if a file is malformed, `Refusal` if no fit can be made or written.
  func run() throws -> ExitStatus {
    let device = try DeviceResults(path: results)
    let sweep = arguments.value("--sweep")
    guard let path = sweep ?? device.sweep?.path else {
      throw UsageProblem(description: "\(shown(results)): does not name its sweep; name the file with --sweep")
    }
    var overrides = overrides
    // The settings and the seed of the device's sweep apply too, unless another sweep is named.
    if sweep == nil, let device = device.sweep?.overrides {
      overrides.settings = device.settings + overrides.settings
      overrides.seed = overrides.seed ?? device.seed
    }
    // The emulator makes the runs, whatever the sweep's backend is.
    overrides.settings.append(("backend", "emulated"))
    let file = try ResolvedSweep(path: path, overrides: overrides, prefetchers: arguments.prefetchers)
    let calibration = try Calibration(device: device, sweep: file, options: options)
    Interruption.install()
    let result: CalibrationResult
    do {
      result = try calibrated(calibration)
    } catch .cancelled {
      printError("stopped; nothing was written")
      return Interruption.status
    } catch .refused(let reason) { throw Refusal(reason) }
    return try publish(result, in: device.folder)
  }

  /// - Throws: `Calibration.Stop` if the user ends it, or a run fails.
  private func calibrated(_ calibration: Calibration) throws(Calibration.Stop) -> CalibrationResult {
    let line = StatusLine(isQuiet: arguments.has("--quiet"))
    defer { line.clear() }
    return try calibration.run(report: { line.show("\($0) runs of the emulator") }, isCancelled: { Interruption.signal != 0 })
  }

  /// - Throws: `OutputProblem` if the report cannot be written.
  private func publish(_ report: CalibrationResult, in folder: String) throws -> ExitStatus {
    let path = arguments.value("--output") ?? "\(folder)/calibration"
    try ResultsFolder.with(path) { folder in
      try folder.add(CalibrationResult.reportName, report.markdown.utf8)
      try folder.add(CalibrationResult.tableName, report.csv.utf8)
      try folder.add(CalibrationResult.settingsName, report.settings.utf8)
      try folder.publish()
    }
    if arguments.has("--quiet") { return .good }
    report.warnings.forEach(printError)
    return (report.closing + ["Results are in \(path)."]).allSatisfy { printLine($0) } ? .good : .failed
  }
}
