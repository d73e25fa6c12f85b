// `explain`: one run, event by event, as a table, JSON lines, a picture or a page.

import Analysis
import Base
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
    groups: .options([
      .values(
        "--set", "PATH=VALUE",
        "Sets a value of the scenario, such as user.dwell=2s, or chooses the value of an axis, as --point does. May repeat."),
      .value("--seed", "N", "The seed of all randomness."),
      .values(
        "--point", "WHICH",
        "The point: baseline (default), a point's ID or its first digits (`run SWEEP --list` prints them), or PATH=VALUE "
          + "for the baseline with that value, which may repeat."),
      .values("--against", "WHICH", "Shows a second point beside it, named in the same way."),
      .value("--repetition", "K", "The repetition. Default: 1."),
      .value(
        "--format", "table|json|svg|html",
        "table (default), json with one line per event, svg for a picture of some items, html for a page "
          + "of the whole run."),
      .value(
        "--items", "FIRST...LAST", "The items of the picture. Default: where the two runs first differ, or around the first loader."),
      .output("--har", .archive, mayRepeat: true, "Also writes an HTTP archive of the first run, which a browser's network panel opens."),
      .output("--trace", .eventTrace, mayRepeat: true, "Also writes a trace of it for Perfetto."),
      .output("--feed", .feed, mayRepeat: true, "Also writes its items as a feed file, for feed.file or for a server."),
      .flag("--live", "Makes the runs with the real client, if the sweep has backend: \"live\". Default: always the emulator."),
    ]))

  private enum Format: String, CaseIterable {
    case table, json, svg, html

    var isDrawn: Bool { self == .svg || self == .html }
  }

  private let path: String
  private let overrides: SweepOverrides
  private let selection: ResolvedSweep.PointSelection
  private let otherSelection: ResolvedSweep.PointSelection?
  private let repetition: Int
  private let format: Format
  private let items: ClosedRange<Int>?
  private let arguments: Arguments

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    path = try arguments.onlyWord("sweep file")
    overrides = try RunCommand.overrides(arguments)
    selection = try Self.selection(arguments, "--point") ?? .baseline
    otherSelection = try Self.selection(arguments, "--against")
    repetition = try arguments.integer("--repetition", in: 1...ResolvedSweep.repeatsLimit) ?? 1
    format = try arguments.choice("--format", of: Format.self) ?? .table
    items = try arguments.value("--items", "FIRST...LAST, such as 100...160; the feed's first item is 0", Self.items)
    if items != nil, !format.isDrawn { throw UsageProblem("--items: is for pictures; write --format svg or --format html") }
    if otherSelection != nil, format == .json { throw UsageProblem("--against: is for tables and pictures; leave out --format json") }
  }

  /// Returns the point that an option names; nil if the option is absent.
  /// - Throws: `UsageProblem` if a value is no PATH=VALUE.
  private static func selection(_ arguments: Arguments, _ option: String) throws(UsageProblem) -> ResolvedSweep.PointSelection? {
    let values = arguments.values(option)
    guard let last = values.last else { return nil }
    if values.contains(where: { $0.contains("=") }) { return .changed(try RunCommand.settings(arguments, option), option: option) }
    return last == "baseline" ? .baseline : .point(last)
  }

  /// Returns the range of `100...160`, or of one item; nil for other texts.
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
    // A scenario for a real client can be emulated. What a program does with one is unknown.
    if case .live = sweep.backend {} else { try sweep.checkEmulated(for: "explain") }
    let selection = try chosenPoint(of: sweep)
    let targets = try OutputTargets(arguments.outputs)
    Interruption.install()
    let found: (RunExplanation, RunExplanation?)?
    do { found = try explanations(of: selection, sweep) } catch let stop as RunStop {
      printError("\(shown(path)): \(stop)")
      return .failed
    }
    guard let (first, second) = found else { return Interruption.status }
    let text = try text(first, second, of: sweep)
    try targets.publish(arguments.outputs.map { Self.render(first, for: $0.option) })
    return printData(format == .table ? SafeText.lines(text) : text) ? .good : .failed
  }

  private static func render(_ explanation: RunExplanation, for option: String) -> String {
    switch option {
    case "--har": explanation.httpArchive
    case "--trace": explanation.perfettoTrace
    default: explanation.feed
    }
  }

  /// Returns the point of --point or, without it, the baseline with the values of axes that --set names.
  /// - Throws: `UsageProblem` if no point has a value, or several have one.
  private func chosenPoint(of sweep: ResolvedSweep) throws(UsageProblem) -> ResolvedSweep.PointSelection {
    guard !arguments.has("--point") else { return selection }
    var chosen: [(path: String, value: String)] = []
    for setting in overrides.settings {
      let (value, isWhole) = (setting.value, setting.path.hasPrefix("scenario."))
      let path = isWhole ? String(setting.path.dropFirst("scenario.".count)) : setting.path
      guard let column = sweep.grid.paths.firstIndex(of: path) else { continue }
      let values = sweep.grid.dimensions.flatMap(\.values)[column].map(\.canonicalText)
      guard values.count == 1 else {
        throw UsageProblem("--set: \(path)=\(shown(value)) leaves \(values.count) values; write one, or name a point with --point")
      }
      if let known = sweep.fileValues[path], !known.contains(where: { ResolvedSweep.isSame($0, values[0]) }) {
        throw UsageProblem(
          "--set: no point of \(shown(self.path)) has \(path)=\(shown(value)); its values are "
            + "\(shown(known.joined(separator: ", "))); --point \(path)=\(shown(value)) explains the baseline with that value")
      }
      chosen.removeAll { $0.path == path }
      // The baseline of a stratum has the value already.
      if !ResolvedSweep.isSame(sweep.axisValues(sweep.pointIndex(ofBaseline: 0))[column], values[0]) { chosen.append((path, value)) }
    }
    return chosen.isEmpty ? selection : .changed(chosen, option: "--set")
  }

  /// Explains the point and the other one, if any; nil if the user ends it. A baseline beside a point is that of the point's stratum.
  /// - Throws: `UsageProblem` if there is no such point; any error of the run.
  private func explanations(
    of selection: ResolvedSweep.PointSelection, _ sweep: ResolvedSweep
  ) throws -> (RunExplanation, RunExplanation?)? {
    guard let otherSelection else { return try explanation(of: selection, 0, "--point", in: sweep).map { ($0, nil) } }
    if case .point = selection {
      guard let first = try explanation(of: selection, 0, "--point", in: sweep) else { return nil }
      return try explanation(of: otherSelection, first.stratum, "--against", in: sweep).map { (first, $0) }
    }
    guard let second = try explanation(of: otherSelection, 0, "--against", in: sweep) else { return nil }
    return try explanation(of: selection, second.stratum, "--point", in: sweep).map { ($0, second) }
  }

  /// - Throws: `UsageProblem` if there is no such point; any error of the run.
  private func explanation(
    of selection: ResolvedSweep.PointSelection, _ stratum: Int, _ option: String, in sweep: ResolvedSweep
  ) throws -> RunExplanation? {
    var selection = selection
    if case .point(let digits) = selection { selection = .point(try sweep.pointID(startingWith: digits, option: option)) }
    return try sweep.explanation(
      of: selection, stratum: stratum, repetition: repetition, isLive: arguments.has("--live"), live: arguments.live,
      isCancelled: { Interruption.signal != 0 })
  }

  /// - Throws: `UsageProblem` if none of the items was on screen.
  private func text(_ first: RunExplanation, _ second: RunExplanation?, of sweep: ResolvedSweep) throws(UsageProblem) -> String {
    if format == .json { return first.jsonLines }
    guard format.isDrawn else { return second.map { sweep.trace(of: [first, $0]).text } ?? first.table }
    let trace = sweep.trace(of: [first] + (second.map { [$0] } ?? []))
    guard let drawn = format == .svg ? trace.svg(items: items) : trace.page(items: items) else {
      throw UsageProblem("--items: none of them was on screen; --format table lists the items that were")
    }
    return drawn
  }
}
