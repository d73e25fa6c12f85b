// `import`: reads logs and archives of any size and writes files for sweeps.

import Analysis
import Base
import Import
import Rendering
import Sweep

struct ImportCommand: Command {
  static let name = "import"
  static let summary = "Converts logs, archives and profiles into files for sweeps."
  static let help = CommandHelp(
    synopsis: "FILE --format FORMAT --output FILE | FILE --scenario SWEEP [options]", operand: "FILE",
    text: [
      "Reads FILE (- is standard input), of any size, and writes a file for sweeps. The output appears only when it is complete; Ctrl-C "
        + "stops at once and leaves nothing behind.",
      "With --scenario an archive becomes a sweep that runs: its feed, network, user and policy are fitted to the requests, the session is "
        + "played, and its agreement with the recording is printed.",
    ],
    groups: [
      CommandHelp.Group(
        title: "formats",
        terms: [
          ("hsdpa", "The Norwegian 3G logs: six columns, bytes and ms at the end. Makes a trace, for network.trace."),
          ("ghent", "The 4G logs from Ghent: the same columns. Makes a trace."),
          ("irish", "The Irish 4G and 5G logs: CSV of G-NetTrack. Makes a trace."),
          ("iperf", "Output of iperf 2 or 3 with -i. Makes a trace."),
          ("har", "An HTTP archive; the default for files called .har. Makes a feed, for feed.file."),
          ("session", "CSV with a column of dwells. Makes a recording, for user.recording."),
          (
            "profile",
            "A network profile: Network Link Conditioner, ATC, throttle, Lighthouse, WebPageTest, Device Farm, BrowserStack, Toxiproxy, "
              + "Android emulator or tc. Makes network: { … } of a sweep file."
          ),
        ]),
      CommandHelp.Group(
        title: "options",
        options: [
          .value("--format", ImportJob.Format.allCases.map(\.rawValue).joined(separator: "|"), "The format of FILE."),
          .output("--output", .imported, "The file to write."),
          .value(
            "--malformed", "fatal|skip",
            "A malformed line ends the import (fatal, the default: up to 20 are named), or is skipped and counted."),
          .value("--join", "TIME", "Logs: joins periods until they last this long, such as 10s."),
          .value("--latency", "TIME", "Logs: the round trip of each period. Default: the sweep's own."),
          .output("--scenario", .scenario, "Archives: the sweep file to write, with its feed, trace and visits beside it."),
          .value("--api", "TEXT", "Archives, --scenario: the text in the addresses of the feed's pages."),
          .value("--dwells", "FILE", "Archives, --scenario: a recording with the dwell of each item. Default: derived from the requests."),
          .output("--timings", .timings, "Archives: also writes a CSV with the timings of each request."),
          .value("--page", "ID", "Archives: the page or load to read, if the archive has several."),
          .value("--profile", "NAME", "Profiles: the one to read, if FILE has several."),
          .value(
            "--item-column", "NAME", "Sessions: the column of items, from 0. Default: item; if there is none, each row is the next item."),
          .value("--dwell-column", "NAME", "Sessions: the column of dwells. Default: dwellMs, dwell_ms, dwell, dwellSeconds or dwell_s."),
          .value("--dwell-unit", "ms|s", "Sessions: the unit of dwells. Default: by the column's name, else ms."),
          .value(
            "--progress", "bar|lines|none",
            "How progress is shown; lines prints one per hundredth. Default: a bar on a terminal, else none."),
          .quiet,
        ]),
    ])

  private var job: ImportJob
  private let progress: ProgressDisplay.Mode
  private let isQuiet: Bool

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    let input = try arguments.onlyWord("file")
    let scenario = arguments.value("--scenario")
    guard let output = arguments.value("--output") ?? scenario else {
      throw UsageProblem("--output: is missing; name the file to write, or a sweep file with --scenario")
    }
    if scenario == "-" { throw UsageProblem("--scenario: writes several files; name one, and the others stand beside it") }
    job = ImportJob(input: input, output: output, format: try Self.format(arguments, input))
    (job.scenario, job.api, job.dwells) = (scenario, arguments.value("--api"), arguments.value("--dwells"))
    job.skipsMalformed = try arguments.choice("--malformed", [("fatal", false), ("skip", true)]) ?? false
    job.joinedNs = try Self.duration("--join", arguments) ?? 0
    job.latencyNs = try Self.duration("--latency", arguments)
    job.timings = arguments.value("--timings")
    job.page = arguments.value("--page")
    job.profile = arguments.value("--profile")
    job.itemColumn = arguments.value("--item-column")
    job.dwellColumn = arguments.value("--dwell-column")
    job.dwellUnitMs = try arguments.choice("--dwell-unit", [("ms", 1), ("s", 1000)])
    isQuiet = arguments.has("--quiet")
    progress =
      try arguments.choice("--progress", [("bar", .bar), ("lines", .lines), ("none", .none)]) ?? (Terminal.showsStatus ? .bar : .none)
    try refuseWhatHasNoEffect(arguments)
  }

  /// - Throws: `UsageProblem` if the format is missing or unknown.
  private static func format(_ arguments: Arguments, _ input: String) throws(UsageProblem) -> ImportJob.Format {
    if let format = try arguments.choice("--format", of: ImportJob.Format.self) { return format }
    if input.hasSuffix(".har") { return .har }
    let names = ImportJob.Format.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageProblem("--format: is missing; write one of \(names)")
  }

  /// - Throws: `UsageProblem` if the value is no duration.
  private static func duration(_ name: String, _ arguments: Arguments) throws(UsageProblem) -> Int64? {
    try arguments.value(name, "a time of at most an hour, such as 10s or 100ms") { text in
      ImportJob.duration(text).flatMap { $0 <= ImportJob.durationLimit ? $0 : nil }
    }
  }

  /// - Throws: `UsageProblem` if an option does not fit the format.
  private func refuseWhatHasNoEffect(_ arguments: Arguments) throws(UsageProblem) {
    let isLog = ![.har, .session, .profile].contains(job.format)
    let uses: [(String, Bool)] = [
      ("--join", isLog), ("--latency", isLog), ("--timings", job.format == .har), ("--page", job.format == .har),
      ("--scenario", job.format == .har), ("--api", job.format == .har), ("--dwells", job.format == .har),
      ("--profile", job.format == .profile), ("--item-column", job.format == .session),
      ("--dwell-column", job.format == .session), ("--dwell-unit", job.format == .session),
    ]
    for (name, isUsed) in uses where !isUsed && arguments.value(name) != nil {
      throw UsageProblem("\(name): has no effect on --format \(job.format.rawValue); leave it out")
    }
    let others = job.scenario == nil ? ["--api", "--dwells"] : ["--output", "--timings"]
    for name in others where arguments.value(name) != nil {
      let remedy = job.scenario == nil ? "add --scenario, or leave it out" : "leave it out"
      throw UsageProblem("\(name): has no effect \(job.scenario == nil ? "without" : "with") --scenario; \(remedy)")
    }
  }

  /// - Throws: `InvalidInput` if the log is malformed, `Refusal` if the output cannot be written.
  func run() throws -> ExitStatus {
    Interruption.install()
    let mode = isQuiet ? .none : progress
    var line = StatusLine(isShown: mode == .bar)
    defer { line.clear() }
    let outcome: ImportJob.Outcome
    var session: RebuiltSession?
    do {
      if let path = job.scenario {
        (outcome, session) = try job.rebuild(
          to: path, progress: { Self.show($0, mode, on: &line) }, isCancelled: { Interruption.signal != 0 })
      } else {
        outcome = try job.run(progress: { Self.show($0, mode, on: &line) }, isCancelled: { Interruption.signal != 0 })
      }
    } catch is ImportCancelled { throw Interrupted.withoutOutput }
    line.clear()
    for line in outcome.firstSkipped { printError("skipped: \(line)") }
    if outcome.skipped > outcome.firstSkipped.count {
      printError("… and \(outcome.skipped - outcome.firstSkipped.count) more malformed lines")
    }
    for note in outcome.notes { printError("note: \(note)") }
    if let session, let path = job.scenario { return try report(session, path) }
    if isQuiet { return .good }
    let skipped = outcome.skipped > 0 ? ", \(outcome.skipped) malformed lines skipped" : ""
    let ignored = outcome.ignored > 0 ? ", \(outcome.ignored) with nothing to import\(outcome.reasonText)" : ""
    let closing = "\(outcome.rows) \(outcome.noun) in \(job.output)\(skipped)\(ignored)."
    // Standard output may be the file just written.
    if SystemFile.isSame(job.output, "/dev/stdout") {
      printError(closing)
      return .good
    }
    return printLine(closing) ? .good : .failed
  }

  /// Plays the sweep's baseline and prints how near it is to the recording.
  /// - Throws: `InvalidInput` or `RunStop`, if the written sweep does not run.
  private func report(_ session: RebuiltSession, _ path: String) throws -> ExitStatus {
    var overrides = SweepOverrides()
    overrides.settings = [SweepOverrides.Setting(path: "uncertain", value: "null")]
    let sweep = try ResolvedSweep(path: path, overrides: overrides)
    guard let replay = try sweep.explanation(of: .baseline, repetition: 1, isCancelled: { Interruption.signal != 0 }) else {
      return Interruption.status
    }
    if isQuiet { return .good }
    let found = session.reproduction(replay.trace)
    var agreement = Table(columns: ["", .right("recording"), .right("replay")])
    agreement.append(["requests", "\(found.recorded)", "\(found.replayed)"])
    agreement.append(["of these for the same part", "\(found.matched)", "\(found.matched)"])
    agreement.append(["bytes", "\(found.recordedBytes)", "\(found.replayedBytes)"])
    agreement.append(["cancelled", "\(found.recordedCancels)", "\(found.replayedCancels)"])
    agreement.append(["order, Kendall's tau", "", found.order.map { DecimalText.trimmed($0, decimals: 3) } ?? "-"])
    agreement.append(["starts, median difference", "", "\(DecimalText.trimmed(found.startDifference / 1e6, decimals: 1)) ms"])
    agreement.append(["loaders", "", "\(replay.trace.metrics.loaders) of \(replay.trace.metrics.viewed) items"])
    var policies = Table(columns: ["policy", .right("distance"), ""])
    // One row for each kind; other windows that make the same requests stand beside it.
    var kinds: [(first: RebuiltSession.Explanation, windows: [String])] = []
    for explanation in session.explanations {
      if let index = kinds.firstIndex(where: { $0.first.kind == explanation.kind }) {
        if explanation.isBest, let window = explanation.window { kinds[index].windows.append(window) }
      } else {
        kinds.append((explanation, []))
      }
    }
    let count = session.isUnexplained ? 5 : max(8, kinds.count { $0.first.isBest })
    for (explanation, windows) in kinds.prefix(count) {
      let also = windows.distinct.filter { $0 != explanation.window }
      let words = "nearest" + (also.isEmpty ? "" : ", also with \(also.joined(separator: ", "))")
      let distance = DecimalText.trimmed(explanation.distance, decimals: 3)
      policies.append([SafeText.line(explanation.text), distance, explanation.isBest && !session.isUnexplained ? words : ""])
    }
    let sources = session.sources.map { "- \($0)\n" }.joined()
    return printLine(
      "\(agreement.plainText())\n\(policies.plainText())\n\(SafeText.lines(sources))\nThe sweep is \(SafeText.line(path)): \(Program.name) run \(SafeText.line(path))"
    ) ? .good : .failed
  }

  private static func show(_ progress: ImportProgress, _ mode: ProgressDisplay.Mode, on line: inout StatusLine) {
    guard mode != .none else { return }
    let megabytes = progress.read / 1_000_000
    let text = progress.percent.map { "\($0) %  \(megabytes) of \((progress.size ?? 0) / 1_000_000) MB" } ?? "\(megabytes) MB"
    if mode == .lines { writeAll("\(text)\n", to: STDERR_FILENO) }
    line.show(text)
  }
}
