// `explain`: one run, event by event.

import Analysis
import Import
import Simulation
import Sweep

struct ExplainCommand: Command {
  static let name = "explain"
  static let summary = "Shows one run event by event, and the reason for each loader."
  static let help = CommandHelp(
    synopsis: "SWEEP [options]", operand: "SWEEP",
    text: [
      "Repeats one run of the sweep file SWEEP and prints each request and transfer, and for each loader why it was shown; or draws the run, "
        + "alone or beside another run on the same seed."
    ],
    groups: [
      CommandHelp.Group(options: [
        .set, .value("--seed", "N", "The seed of all randomness."),
        .values(
          "--point", "WHICH",
          "The point: baseline (default), a point's ID or its first digits (`run SWEEP --list` prints them), or PATH=VALUE "
            + "for the baseline with that value, which may repeat."),
        .values("--against", "WHICH", "Draws a second point beside it, named in the same way."),
        .value("--repetition", "K", "The repetition. Default: 1."),
        .value(
          "--format", "table|json|svg|html",
          "table (default), json with one line per event, svg for a picture of some items, html for a page "
            + "of the whole run."),
        .value(
          "--items", "FIRST...LAST", "The items of the picture. Default: where the two runs first differ, or around the first loader."),
        .values("--har", "FILE", "Also writes an HTTP archive of the first run, which a browser's network panel opens."),
        .values("--trace", "FILE", "Also writes a trace of it for Perfetto."),
        .values("--feed", "FILE", "Also writes its items as a feed file, for feed.file or for a server."),
        .flag("--live", "Makes the runs with the real client, if the sweep has backend: \"live\". Default: always the emulator."),
      ])
    ])

  private enum Format {
    case table, json, svg, html

    var isDrawn: Bool { self == .svg || self == .html }
  }

  private let path: String
  private let overrides: ResolvedSweep.Overrides
  private let setting: ResolvedSweep.Setting
  private let other: ResolvedSweep.Setting?
  private let repetition: Int
  private let format: Format
  private let items: ClosedRange<Int>?
  private let files: [(option: String, path: String)]
  private let arguments: Arguments

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    path = try arguments.onlyWord("sweep file")
    overrides = try RunCommand.overrides(arguments)
    setting = try Self.setting(arguments, "--point") ?? .baseline
    other = try Self.setting(arguments, "--against")
    repetition = try arguments.integer("--repetition", in: 1...ResolvedSweep.repeatsLimit) ?? 1
    format = try arguments.choice("--format", ["table": .table, "json": .json, "svg": .svg, "html": .html]) ?? .table
    items = try arguments.value("--items", "FIRST...LAST, such as 100...160; the feed's first item is 0", Self.items)
    for option in ["--against", "--items"] where !arguments.values(option).isEmpty && !format.isDrawn {
      throw UsageProblem(description: "\(option): is for pictures; write --format svg or --format html")
    }
    files = ["--har", "--trace", "--feed"].flatMap { option in arguments.values(option).map { (option, $0) } }
  }

  /// Which setting an option names; nil where it is not given.
  /// - Throws: `UsageProblem` if the value is no setting.
  private static func setting(_ arguments: Arguments, _ option: String) throws(UsageProblem) -> ResolvedSweep.Setting? {
    let values = arguments.values(option)
    guard let last = values.last else { return nil }
    if values.contains(where: { $0.contains("=") }) { return .changed(try RunCommand.settings(arguments, option), option: option) }
    return last == "baseline" ? .baseline : .point(last)
  }

  /// `100...160`, or one item; nil for other texts.
  private static func items(_ text: String) -> ClosedRange<Int>? {
    let dots = text.firstRange(of: "...")
    let bounds = dots.map { [text[..<$0.lowerBound], text[$0.upperBound...]] } ?? [text[...]]
    let numbers = bounds.compactMap { Int($0) }
    guard numbers.count == bounds.count, let first = numbers.first, let last = numbers.last, first >= 0, first <= last else { return nil }
    return first...last
  }

  /// - Throws: `InvalidInput` if the sweep is malformed, `UsageProblem` if a word does not fit it, `Refusal` if a run or the output fails.
  func run() throws -> ExitStatus {
    let sweep = try ResolvedSweep(path: path, overrides: overrides, prefetchers: arguments.prefetchers)
    // What a real client plays can be emulated as it is written; what a program does with a scenario, nobody knows.
    if case .live = sweep.backend {} else { try sweep.checkEmulated(for: "explain") }
    let targets = try OutputTargets(files, inputs: sweep.inputPaths)
    Interruption.install()
    let found: (RunExplanation, RunExplanation?)?
    do { found = try explanations(of: sweep) } catch let stop as RunStop {
      targets.discard()
      printError("\(shown(path)): \(stop)")
      return .failed
    }
    guard let (first, second) = found else {
      targets.discard()
      return Interruption.status
    }
    let text = try text(first, second, of: sweep)
    try targets.publish(files.map { Self.render(first, for: $0.option) })
    return printData(format == .table ? SafeText.lines(text) : text) ? .good : .failed
  }

  private static func render(_ explanation: RunExplanation, for option: String) -> String {
    switch option {
    case "--har": explanation.httpArchive
    case "--trace": explanation.perfettoTrace
    default: explanation.feed
    }
  }

  /// The setting, and the other one; nil where somebody wanted the program to stop. A baseline beside a point is the one of the point's
  /// stratum.
  /// - Throws: `UsageProblem` if there is no such setting, and what the run throws.
  private func explanations(of sweep: ResolvedSweep) throws -> (RunExplanation, RunExplanation?)? {
    guard let other else { return try explanation(of: setting, 0, "--point", in: sweep).map { ($0, nil) } }
    if case .point = setting {
      guard let first = try explanation(of: setting, 0, "--point", in: sweep) else { return nil }
      return try explanation(of: other, first.stratum, "--against", in: sweep).map { (first, $0) }
    }
    guard let second = try explanation(of: other, 0, "--against", in: sweep) else { return nil }
    return try explanation(of: setting, second.stratum, "--point", in: sweep).map { ($0, second) }
  }

  /// - Throws: `UsageProblem` if there is no such setting, and what the run throws.
  private func explanation(
    of setting: ResolvedSweep.Setting, _ stratum: Int, _ option: String, in sweep: ResolvedSweep
  ) throws -> RunExplanation? {
    var setting = setting
    if case .point(let digits) = setting { setting = .point(try sweep.pointID(startingWith: digits, option: option)) }
    return try sweep.explanation(
      of: setting, stratum: stratum, repetition: repetition, isLive: arguments.has("--live"), live: arguments.live,
      isCancelled: { Interruption.signal != 0 })
  }

  /// - Throws: `UsageProblem` if none of the items was on screen.
  private func text(_ first: RunExplanation, _ second: RunExplanation?, of sweep: ResolvedSweep) throws(UsageProblem) -> String {
    switch format {
    case .table: return first.table
    case .json: return first.jsonLines
    case .svg, .html: break
    }
    let trace = sweep.trace(of: [first] + (second.map { [$0] } ?? []))
    guard let drawn = format == .svg ? trace.svg(items: items) : trace.page(items: items) else {
      throw UsageProblem(description: "--items: none of them was on screen; the table tells which were")
    }
    return drawn
  }
}
