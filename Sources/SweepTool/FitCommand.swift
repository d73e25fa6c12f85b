// `fit`: from the telemetry of an app to a population of users for a sweep.

import Analysis
import Base
import Import
import Simulation
import Sweep

struct FitCommand: Command {
  static let name = "fit"
  static let summary = "Fits a population of users to an app's telemetry."
  static let help = CommandHelp(
    synopsis: "TELEMETRY [options]", operand: "FILE",
    text: [
      "Reads histograms of time to first byte, throughput and dwell by class of network, and prints the weight of each class and the "
        + "parameters of lognormal distributions with 90 % intervals. The manual describes the file.",
      "Also reads OTLP JSON with http.client.request.duration, rows of Firebase's export, logs with CMCD, and CSV or JSON rows of an app, "
        + "of any size.",
    ],
    groups: .options([
      .output("--output", .population, "Writes the population, for a sweep file."),
      .value("--class", "NAME", "The column, key or attribute with the class of network. Default: its usual names."),
      .value("--levels", "N", "The parts of equal weight that a class has in FILE, by throughput. Default: 3."),
      .value("--sweep", "FILE", "Also runs the baseline of this sweep in each class and shows its loaders beside the telemetry's."),
      .value("--repeats", "N", "Repetitions of the baseline for each part. Default: 10."), .quiet,
    ]))

  private let path: String
  private let arguments: Arguments
  private let levels: Int, repeats: Int

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    path = try arguments.onlyWord("file of telemetry")
    self.arguments = arguments
    levels = try arguments.integer("--levels", in: 1...20) ?? 3
    repeats = try arguments.integer("--repeats", in: 1...1000) ?? 10
    if arguments.value("--repeats") != nil, arguments.value("--sweep") == nil {
      throw UsageProblem("--repeats: has no effect without --sweep; leave it out")
    }
  }

  /// - Throws: `InvalidInput` if a file is malformed, `Refusal` if a run fails or the output cannot be written.
  func run() throws -> ExitStatus {
    let (telemetry, notes) = try TelemetryLog.read(path: path, classKey: arguments.value("--class")) { Interruption.signal != 0 }
    if telemetry.count * levels > SweepStrata.limit {
      throw UsageProblem("--levels: \(levels) parts of \(telemetry.count) classes are more than \(SweepStrata.limit) strata; write fewer")
    }
    let sweep = try arguments.value("--sweep").map { try ResolvedSweep(path: $0, prefetchers: arguments.prefetchers) }
    let files = arguments.outputs
    let targets = try OutputTargets(files)
    Interruption.install()
    let world = FittedWorld(telemetry)
    let simulated: [(mean: Double, interval: ConfidenceInterval?)]?
    do { simulated = try sweep.map { sweep in try world.networks.map { try loaders(of: $0, in: sweep) } } } catch let stop as RunStop {
      throw stop == .cancelled ? Interrupted.withoutOutput : Refusal("--sweep: \(stop)", isFailure: true) as any Error
    }
    if !files.isEmpty { try targets.publish([world.population(levels: levels, source: SystemFile.canonical(path))]) }
    if arguments.has("--quiet") { return .good }
    (notes + world.warnings).forEach { printError("note: \($0)") }
    return printData(world.text(simulated: simulated)) ? .good : .failed
  }

  /// Returns the loaders per 1000 of a sweep's baseline in a class of network: the mean over its parts and repetitions.
  /// - Throws: `InvalidInput` or `Refusal` if the baseline does not fit the class, `RunStop` if a run ends early.
  private func loaders(of network: FittedNetwork, in sweep: ResolvedSweep) throws -> (mean: Double, interval: ConfidenceInterval?) {
    let executor = EmulatedExecutor()
    var means = [Double](repeating: 0, count: repeats)
    for level in network.levels(levels) {
      let settings = JSON5Value.settings(fromCommandLine: level.settings.map { ($0.path, $0.json) }, option: "--sweep")
      let decoded = try sweep.grid.decoder.decoded(try Grid.overlay(settings, on: sweep.baselines[0].scenario))
      guard decoded.scenario is Scenario else {
        throw Refusal("\(sweep.path): only feeds have loaders; name a sweep of a feed")
      }
      for repetition in 1...repeats {
        let run = RunRequest(decoded.ready, repetition: repetition, seed: sweep.seed(of: repetition))
        switch executor.outcome(of: run, isCancelled: { Interruption.signal != 0 }) {
        case .metrics(let metrics): means[repetition - 1] += (metrics[.loadersPer1000] ?? 0) / Double(levels)
        case .failure(let reason): throw Refusal("\(sweep.path): \(reason)", isFailure: true)
        case nil: throw RunStop.cancelled
        }
      }
    }
    let sample = Sample(means)
    return (sample.mean, sample.interval(confidence: FittedWorld.confidence))
  }
}
