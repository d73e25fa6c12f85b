// `calibrate`: compares a device's results with the emulator's, and fits settings that bring the two together.

import Analysis
import Base
import Simulation
import Sweep

struct CalibrateCommand: Command {
  static let name = "calibrate"
  static let summary = "Fits the emulator to the results of a device."
  static let help = CommandHelp(
    synopsis: "RESULTS [options]", operand: "FOLDER",
    text: [
      "Runs the points of a device's results in the emulator, fits unknown settings on some of them, and reports the emulator's error on the "
        + "others. RESULTS is a folder with runs.csv and sweep.json, which names the sweep file, or a runs.csv or the blocks of a check on devices, with "
        + "--sweep. Writes "
        + "\(CalibrationResult.reportName), \(CalibrationResult.tableName) and \(CalibrationResult.settingsName): settings that a sweep "
        + "file names as `settings`."
    ],
    groups: .options([
      .value("--sweep", "FILE", "The sweep of the results. Default: the one that sweep.json names."),
      .values(
        "--fit", "PATH=A...B",
        "Fits this setting within these bounds. May repeat. Default: \(CalibrationParameter.usual.joined(separator: ", "))."),
      .values("--set", "PATH=VALUE", "Sets a known value of the scenario. May repeat."),
      .value("--hold-out", "SHARE", "The share of the points that are compared but not fitted. Default: 0.33; 0 fits all."),
      .value("--repeats", "N", "Repetitions of the emulator for each tried combination. Default: 10."),
      .value("--seed", "N", "The seed of the emulator. Default: the sweep's."), .jobs,
      .value("--output", "FOLDER", "The folder of the files. Default: RESULTS/calibration."), .quiet,
    ]))

  private let results: String
  private let arguments: Arguments
  private let overrides: SweepOverrides
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
    let sweep = arguments.value("--sweep")
    let blocks = try sweep.flatMap { path in
      BlockJournal.isIn(results) ? try ResolvedSweep(path: path, overrides: SweepOverrides(), prefetchers: arguments.prefetchers) : nil
    }
    let device = try blocks.map { try DeviceResults(blocks: results, of: $0) } ?? DeviceResults(path: results)
    guard let path = sweep ?? device.sweep?.file else {
      throw UsageProblem("\(shown(results)): does not name its sweep; name the file with --sweep")
    }
    var overrides = overrides
    // The settings and the seed of the device's sweep apply too, unless another sweep is named.
    if sweep == nil, let device = device.sweep?.overrides {
      overrides.settings = device.settings + overrides.settings
      overrides.seed = overrides.seed ?? device.seed
    }
    // The emulator makes the runs, whatever the sweep's backend is.
    overrides.settings.append(SweepOverrides.Setting(path: "backend", value: "emulated"))
    let file = try ResolvedSweep(path: path, overrides: overrides, prefetchers: arguments.prefetchers)
    let calibration = try Calibration(device: device, sweep: file, options: options)
    Interruption.install()
    return try publish(calibrated(calibration), in: device.folder)
  }

  /// - Throws: `Interrupted` if the user ends it, `Refusal` if a run fails.
  private func calibrated(_ calibration: Calibration) throws -> CalibrationResult {
    var line = StatusLine(isShown: Terminal.showsStatus && !arguments.has("--quiet"))
    defer { line.clear() }
    do {
      return try calibration.run(report: { line.show("\($0) runs of the emulator") }, isCancelled: { Interruption.signal != 0 })
    } catch is RunStop { throw Interrupted.withoutOutput }
  }

  /// - Throws: `OutputProblem` if the report cannot be written.
  private func publish(_ report: CalibrationResult, in folder: String) throws -> ExitStatus {
    let path = arguments.value("--output") ?? "\(folder)/calibration"
    let names = [CalibrationResult.reportName, CalibrationResult.tableName, CalibrationResult.settingsName]
    try ResultsFolder.with(path, writes: names) { folder in
      try folder.add(CalibrationResult.reportName, report.markdown.utf8)
      try folder.add(CalibrationResult.tableName, report.csv.utf8)
      if !report.keepsPresent { try folder.add(CalibrationResult.settingsName, report.settings.utf8) }
      try folder.publish()
    }
    if arguments.has("--quiet") { return .good }
    report.warnings.forEach(printError)
    return (report.closing + ["Results are in \(path)."]).allSatisfy { printLine($0) } ? .good : .failed
  }
}
