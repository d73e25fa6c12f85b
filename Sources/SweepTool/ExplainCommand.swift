// `explain`: one run, event by event.

import Sweep

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ExplainCommand: Command {
  static let name = "explain"
  static let summary = "Tells one run event by event, and why each loader was shown."
  static let options: [Option] = [
    .value("--set"), .value("--seed"), .value("--point"), .value("--repetition"), .value("--format"), .value("--har"), .value("--trace"),
    .value("--feed"), .flag("--live"),
  ]
  static let usage = """
    usage: prefetch-sweep explain SWEEP [options]

    Runs one point of the sweep file SWEEP once more and prints who asked for what and when, and the evidence for each loader.

      --set PATH=VALUE   replaces a value of the scenario, or narrows an axis; may repeat
      --seed N           what all randomness comes from
      --point ID         the point; by default the baseline (`run SWEEP --list` prints them)
      --repetition K     the repetition (default 1)
      --format FORMAT    table (default), or json for a line an event
      --har FILE         also writes an HTTP archive, which a browser's network panel opens
      --trace FILE       also writes a trace for Perfetto
      --feed FILE        also writes the run's items as a feed file, for feed.file or for a server that has them
      --live             the run is the real client's, where the sweep has backend: "live"; without it always the emulator's
    """

  private let path: String
  private let overrides: SweepFile.Overrides
  private let point: String?
  private let repetition: Int
  private let isJSON: Bool
  private let archive: String?
  private let trace: String?
  private let feed: String?
  private let isLive: Bool
  private let live: LiveClient?
  private let prefetchers: PrefetcherCatalogue

  init(_ arguments: Arguments) throws {
    prefetchers = arguments.prefetchers
    path = try arguments.onlyWord("sweep file")
    overrides = try RunCommand.overrides(arguments)
    point = arguments.value("--point")
    repetition = try arguments.integer("--repetition", in: 1...SweepFile.repeatsLimit) ?? 1
    switch arguments.value("--format") ?? "table" {
    case "table": isJSON = false
    case "json": isJSON = true
    case let other: throw UsageProblem(description: "--format: is \"\(other)\"; write table or json")
    }
    archive = arguments.value("--har")
    trace = arguments.value("--trace")
    feed = arguments.value("--feed")
    isLive = arguments.has("--live")
    live = arguments.live
  }

  func run() throws -> ExitStatus {
    let sweep = try SweepFile(path: path, overrides: overrides, prefetchers: prefetchers)
    // What a real client plays can be emulated as it is written; what a program does with a scenario, nobody knows.
    if case .live = sweep.backend {} else { try sweep.checkEmulated(for: "explain") }
    guard let explanation = try isLive ? told(sweep) : sweep.explanation(point: point, repetition: repetition) else {
      if Interruption.signal != 0 { return Interruption.status }
      throw UsageProblem(description: "--point: no point of \(path) has the id \"\(point ?? "")\"; run \(path) --list prints them")
    }
    if let archive { try write(explanation.httpArchive, to: archive) }
    if let trace { try write(explanation.trace, to: trace) }
    if let feed { try write(explanation.feed, to: feed) }
    writeAll(isJSON ? explanation.jsonLines : explanation.table, to: 1)
    return .good
  }

  /// The run by the real client.
  private func told(_ sweep: SweepFile) throws -> RunExplanation? {
    Interruption.install()
    return try sweep.liveExplanation(point: point, repetition: repetition, live: live, isCancelled: { Interruption.signal != 0 })
  }

  private func write(_ text: String, to path: String) throws {
    do { try Data(text.utf8).write(to: URL(filePath: path)) } catch {
      throw UsageProblem(description: "\(path): cannot be written; check its folder and permissions")
    }
  }
}
