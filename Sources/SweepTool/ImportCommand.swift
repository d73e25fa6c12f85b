// `import`: reads logs and archives of any size and writes files for sweeps.

import Import

struct ImportCommand: Command {
  static let name = "import"
  static let summary = "Converts logs and archives into traces, feeds and recordings."
  static let options: [Option] = [
    .value("--format"), .value("--output"), .value("--malformed"), .value("--join"), .value("--latency"), .value("--timings"),
    .value("--item-column"), .value("--dwell-column"), .value("--dwell-unit"), .value("--progress"), .flag("--quiet"),
  ]
  static let usage = """
    usage: prefetch-sweep import FILE --format FORMAT --output FILE [options]

    Reads FILE (- is standard input), of any size, and writes a file that a sweep can name. The output appears only when it is
    complete; Ctrl-C stops at once and leaves nothing behind.

    FORMAT         input                                                          output
      hsdpa        the Norwegian 3G logs: six columns, bytes and ms at the end    a trace, for network.trace
      ghent        the 4G logs from Ghent: the same columns                       a trace
      irish        the Irish 4G and 5G logs: CSV of G-NetTrack                    a trace
      iperf        the output of iperf 2 or 3 with -i                             a trace
      har          an HTTP archive; the default for files named *.har             a feed, for feed.file
      session      CSV with a column of dwells                                    a recording, for user.recording

      --malformed fatal|skip   malformed lines end the import (the default; up to 20 are named), or are skipped and counted
      --join TIME              logs: joins periods up to this duration, such as 10s
      --latency TIME           logs: the round-trip time of each period; by default the sweep's own applies
      --timings FILE           archives: also writes a CSV with the timings of each request
      --item-column NAME       sessions: the column of items, from 0 (item; if there is none, each row is the next item)
      --dwell-column NAME      sessions: the column of dwells (dwellMs, dwell_ms, dwell, dwellSeconds or dwell_s)
      --dwell-unit ms|s        sessions: the unit of dwells (by default from the column's name, else ms)
      --progress MODE          bar, lines (one for each hundredth) or none; by default bar on a terminal, none elsewhere
      --quiet                  no progress and no closing line
    """

  private var job: ImportJob
  private let progress: ProgressDisplay.Mode
  private let isQuiet: Bool

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    let input = try arguments.onlyWord("file")
    guard let output = arguments.value("--output") else { throw UsageProblem(description: "--output: is missing; name the file to write") }
    job = ImportJob(input: input, output: output, format: try Self.format(arguments, input))
    job.skipsMalformed = try arguments.choice("--malformed", ["fatal": false, "skip": true]) ?? false
    job.joinedNs = try Self.duration("--join", arguments) ?? 0
    job.latencyNs = try Self.duration("--latency", arguments)
    job.timings = arguments.value("--timings")
    job.itemColumn = arguments.value("--item-column")
    job.dwellColumn = arguments.value("--dwell-column")
    job.dwellUnitMs = try arguments.choice("--dwell-unit", ["ms": 1, "s": 1000])
    isQuiet = arguments.has("--quiet")
    progress =
      try arguments.choice("--progress", ["bar": .bar, "lines": .lines, "none": .none]) ?? (isatty(STDERR_FILENO) == 1 ? .bar : .none)
    try refuseWhatHasNoEffect(arguments)
  }

  /// - Throws: `UsageProblem` if the format is missing or unknown.
  private static func format(_ arguments: Arguments, _ input: String) throws(UsageProblem) -> ImportJob.Format {
    let names = ImportJob.Format.allCases.map(\.rawValue).joined(separator: ", ")
    if let format = try arguments.value("--format", "one of \(names)", ImportJob.Format.init) { return format }
    if input.hasSuffix(".har") { return .har }
    throw UsageProblem(description: "--format: is missing; write one of \(names)")
  }

  /// - Throws: `UsageProblem` if the value is no duration.
  private static func duration(_ name: String, _ arguments: Arguments) throws(UsageProblem) -> Int64? {
    try arguments.value(name, "a time of at most an hour, such as 10s or 100ms") { text in
      ImportJob.duration(text).flatMap { $0 <= ImportJob.durationLimit ? $0 : nil }
    }
  }

  /// - Throws: `UsageProblem` if an option does not fit the format.
  private func refuseWhatHasNoEffect(_ arguments: Arguments) throws(UsageProblem) {
    let isLog = job.format != .har && job.format != .session
    let uses: [(String, Bool)] = [
      ("--join", isLog), ("--latency", isLog), ("--timings", job.format == .har), ("--item-column", job.format == .session),
      ("--dwell-column", job.format == .session), ("--dwell-unit", job.format == .session),
    ]
    for (name, isUsed) in uses where !isUsed && arguments.value(name) != nil {
      throw UsageProblem(description: "\(name): has no effect on --format \(job.format.rawValue); leave it out")
    }
  }

  /// - Throws: `InvalidInput` if the log is malformed, `Refusal` if the output cannot be written.
  func run() throws -> ExitStatus {
    Interruption.install()
    let mode = isQuiet ? .none : progress
    defer { if mode == .bar { writeAll(StatusLine.erasing, to: STDERR_FILENO) } }
    do {
      let outcome = try job.run(progress: { Self.show($0, mode) }, isCancelled: { Interruption.signal != 0 })
      if mode == .bar { writeAll(StatusLine.erasing, to: STDERR_FILENO) }
      for line in outcome.firstSkipped { printError("skipped: \(line)") }
      if outcome.skipped > outcome.firstSkipped.count {
        printError("… and \(outcome.skipped - outcome.firstSkipped.count) more malformed lines")
      }
      if let note = outcome.note { printError("note: \(note)") }
      if isQuiet { return .good }
      let skipped = outcome.skipped > 0 ? ", \(outcome.skipped) malformed lines skipped" : ""
      let ignored = outcome.ignored > 0 ? ", \(outcome.ignored) with nothing to import" : ""
      let line = "\(outcome.rows) \(outcome.noun) in \(job.output)\(skipped)\(ignored)."
      // Standard output may be the file just written.
      if SystemFile.isSame(job.output, "/dev/stdout") {
        printError(line)
        return .good
      }
      return printLine(line) ? .good : .failed
    } catch is ImportCancelled {
      printError("stopped; nothing was written")
      return Interruption.status
    }
  }

  private static func show(_ progress: ImportProgress, _ mode: ProgressDisplay.Mode) {
    guard mode != .none else { return }
    let megabytes = progress.read / 1_000_000
    let text = progress.percent.map { "\($0) %  \(megabytes) of \((progress.size ?? 0) / 1_000_000) MB" } ?? "\(megabytes) MB"
    writeAll(mode == .bar ? StatusLine.erasing + text : "\(text)\n", to: STDERR_FILENO)
  }
}
