// `run`: a sweep file in, tables against the baseline out.

import Analysis
import Sweep

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct RunCommand: Command {
  static let name = "run"
  static let summary = "Runs a sweep and writes its tables."
  static let options: [Option] = [
    .value("--set"), .value("--repeats"), .value("--seed"), .value("--jobs"), .value("--output"), .value("--point"), .value("--repetition"),
    .flag("--list"), .flag("--quiet"),
  ]
  static let usage = """
    usage: prefetch-sweep run SWEEP [options]

    Runs every point of the sweep file SWEEP and writes runs.csv, summary.csv, report.md, sweep.json and manifest.json.

      --set PATH=VALUE   replaces a value of the scenario, such as network.profile=LTE, or narrows an axis to a value or a range; may repeat
      --repeats N        repetitions of each point
      --seed N           what all randomness comes from
      --jobs N           threads; by default one a core; the results do not depend on it
      --output FOLDER    where results go; by default Results/<sweep>
      --list             prints the points and runs nothing
      --point ID         runs one point alone, prints its row and writes nothing …
      --repetition K     … and this repetition of it (default 1)
      --quiet            no progress and no closing table
    """

  private let path: String
  private let overrides: SweepFile.Overrides
  private let jobs: Int
  private let output: String?
  private let point: String?
  private let repetition: Int
  private let isList: Bool
  private let isQuiet: Bool
  private let prefetchers: PrefetcherCatalogue

  init(_ arguments: Arguments) throws {
    prefetchers = arguments.prefetchers
    path = try arguments.onlyWord("sweep file")
    var overrides = SweepFile.Overrides()
    for setting in arguments.values("--set") {
      guard let equals = setting.firstIndex(of: "="), equals > setting.startIndex else {
        throw UsageProblem(description: "--set: is \"\(setting)\"; write PATH=VALUE, such as network.profile=LTE")
      }
      overrides.settings.append((String(setting[..<equals]), String(setting[setting.index(after: equals)...])))
    }
    overrides.repeats = try arguments.integer("--repeats", in: 1...SweepFile.repeatsLimit)
    overrides.seed = try arguments.integer("--seed", in: 0...Int.max).map(UInt64.init)
    self.overrides = overrides
    jobs = try arguments.integer("--jobs", in: 1...1024) ?? ProcessInfo.processInfo.activeProcessorCount
    output = arguments.value("--output")
    point = arguments.value("--point")
    repetition = try arguments.integer("--repetition", in: 1...SweepFile.repeatsLimit) ?? 1
    isList = arguments.has("--list")
    isQuiet = arguments.has("--quiet")
  }

  func run() throws -> ExitStatus {
    let sweep = try SweepFile(path: path, overrides: overrides, prefetchers: prefetchers)
    if isList { return try list(sweep) }
    let runner = try SweepRunner(sweep, jobs: jobs)
    if let point { return try showRow(of: point, runner) }
    return try makeResults(runner)
  }

  private func list(_ sweep: SweepFile) throws -> ExitStatus {
    printLine((["point"] + sweep.grid.paths + ["baseline"]).joined(separator: "\t"))
    for listing in try sweep.listings() { printLine(listing.joined(separator: "\t")) }
    return .good
  }

  private func showRow(of point: String, _ runner: SweepRunner) throws -> ExitStatus {
    guard let row = try runner.row(point: point, repetition: repetition) else {
      throw UsageProblem(description: "--point: no point of \(path) has the id \"\(point)\"; --list prints them")
    }
    writeAll(String(decoding: RunTable(axes: runner.sweep.grid.paths, rows: [row]).csv, as: UTF8.self), to: 1)
    return .good
  }

  private func makeResults(_ runner: SweepRunner) throws -> ExitStatus {
    let description = try SweepDescription(runner, overrides: overrides)
    let folder = try ResultsFolder(path: output ?? "Results/\(runner.sweep.name)")
    Interruption.install()
    let started = Date()
    do {
      let summary = try write(runner, description, into: folder)
      try folder.add("manifest.json", Manifest(runner, started: started).json)
      try folder.publish()
      if !isQuiet {
        printLine(TerminalSummary.text(summary, sweep: description, width: Terminal.width, isColored: Terminal.isColored))
        printLine("Results are in \(folder.path).")
      }
      return .good
    } catch {
      folder.discard()
      throw error
    }
  }

  /// Runs everything and writes all files but the manifest under their hidden names.
  private func write(_ runner: SweepRunner, _ description: SweepDescription, into folder: ResultsFolder) throws -> SweepSummary {
    let writer = RunWriter(axes: runner.sweep.grid.paths)
    let runs = try folder.open("runs.csv")
    try runs.append(writer.header)
    var summarizer = Summarizer(axes: runner.sweep.grid.paths)
    var progress = ProgressLine(isQuiet: isQuiet)
    try runner.run(
      receive: { row in
        try runs.append(writer.line(row))
        try summarizer.add(row)
      }, report: { progress.show(done: $0.done, total: $0.total) }, isCancelled: { Interruption.signal != 0 })
    progress.clear()
    try runs.close()
    let summary = try summarizer.finish(sweep: description)
    try folder.add("sweep.json", description.json)
    for file in Report.make(summary: summary, sweep: description).files { try folder.add(file.name, file.contents.utf8) }
    return summary
  }
}
