// One import: a log or an archive of any size in, a file for sweeps out, in memory that does not grow.

/// What `import` is asked to do.
package struct ImportJob {
  /// What the input is.
  package enum Format: String, CaseIterable, Sendable {
    /// An HTTP archive.
    case har
    /// Six columns between spaces: the Norwegian 3G logs …
    case hsdpa
    /// … and the 4G logs from Ghent.
    case ghent
    /// Comma-separated values of G-NetTrack: the Irish 4G and 5G logs.
    case irish
    /// What iperf 2 or 3 prints.
    case iperf
    /// Comma-separated values with a column of dwells.
    case session
  }

  /// The file to read; `-` is standard input.
  package var input: String
  /// The file to make.
  package var output: String
  /// What the input is.
  package var format: Format
  /// Whether malformed lines are left out and counted; otherwise any of them ends the import.
  package var skipsMalformed = false
  /// Of throughput logs: periods are joined until they last so long, in nanoseconds.
  package var joinedNs: Int64 = 0
  /// Of throughput logs: the latency that is written to each period, in nanoseconds.
  package var latencyNs: Int64?
  /// Of archives: a second file, with the timings of each request.
  package var timings: String?
  /// Of session logs: the column of items; nil for `item`, or for items in the rows' order.
  package var itemColumn: String?
  /// Of session logs: the column of dwells; nil for the usual names.
  package var dwellColumn: String?
  /// Of session logs: the milliseconds in the unit of the dwell; nil for what its column's name says.
  package var dwellUnitMs: Int64?

  /// An import without any options.
  package init(input: String, output: String, format: Format) {
    self.input = input
    self.output = output
    self.format = format
  }

  /// The longest of `joinedNs` and `latencyNs`, an hour.
  package static let durationLimit: Int64 = 3_600_000_000_000

  /// The nanoseconds of such as `10s`; nil for anything else.
  package static func duration(_ text: String) -> Int64? { (try? Quantity.duration(text)).flatMap { $0 >= 0 ? $0 : nil } }

  /// What an import has done.
  package struct Outcome: Sendable {
    /// Rows written.
    package var rows: Int
    /// What they are called, in the plural.
    package var noun: String
    /// Lines, or entries of an archive, that hold nothing to import.
    package var ignored: Int
    /// Malformed ones that were left out.
    package var skipped = 0
    /// The first of them.
    package var firstSkipped: [Diagnostic] = []
    /// What the reader should know of the file that was made.
    package var note: String?
  }

  /// Imports. Nothing is to be seen of the output before it is whole.
  ///
  /// `progress` is called for each hundredth of the input; `isCancelled` is asked at least every 20 ms.
  ///
  /// - Throws: `InvalidInput`, `OutputProblem`, and `ImportCancelled` after `isCancelled` has said so. O(bytes), in constant memory.
  package func run(progress: @escaping (ImportProgress) -> Void, isCancelled: @escaping () -> Bool) throws -> Outcome {
    let targets = try OutputTarget.checked(
      [("--output", output)] + (timings.map { [("--timings", $0)] } ?? []), inputs: [input == "-" ? "/dev/stdin" : input])
    let source = try ImportSource(path: input, progress: progress, isCancelled: isCancelled)
    let malformed = MalformedLines(file: source.name, isSkipping: skipsMalformed)
    let file = try ImportOutput(targets[0], check: source.check)
    var outcome: Outcome
    var files = [file]
    switch format {
    case .har:
      let second = try targets.dropFirst().first.map { (target) throws(OutputProblem) in try ImportOutput(target, check: source.check) }
      if let second { files.append(second) }
      outcome = try readArchive(source, feed: file, timings: second, malformed)
    case .hsdpa, .ghent: outcome = try readLines(SixColumnLog(trace(file)), source, malformed)
    case .irish: outcome = try readLines(NetTrackLog(trace(file)), source, malformed)
    case .iperf: outcome = try readLines(IperfLog(trace(file)), source, malformed)
    case .session: outcome = try readLines(SessionLog(self, output: file), source, malformed)
    }
    try malformed.finish()
    guard outcome.rows > 0 else {
      let problem = malformed.count > 0 ? "has nothing but malformed lines" : "has nothing that a \(format.rawValue) import can use"
      throw malformed.fatal(LineProblem(problem, remedy: "check --format"))
    }
    (outcome.skipped, outcome.firstSkipped) = (malformed.count, malformed.named)
    for file in files {
      try source.check()
      try file.finish()
    }
    try source.check()
    for file in files { try file.publish() }
    if file.size > InputFile.sizeLimit {
      outcome.note = "the file has \(file.size) bytes, more than the \(InputFile.sizeLimit) that a sweep reads" + remedyForSize
    }
    return outcome
  }

  private var remedyForSize: String {
    switch format {
    case .har, .session: "; cut the input"
    default: "; join periods with --join, such as --join 10s"
    }
  }

  private func trace(_ file: ImportOutput) -> TraceWriter { TraceWriter(file, joined: joinedNs, latency: latencyNs) }

  /// - Throws: `InvalidInput` at a line that may not be malformed, and what reading and writing throw.
  private func readLines<Log: LineLog>(_ log: Log, _ source: ImportSource, _ malformed: MalformedLines) throws -> Outcome {
    var log = log
    var lines = LineStream(source, malformed: malformed)
    var ignored = 0
    try lines.forEach { if try !log.take($0) { ignored += 1 } }
    do { try log.finish() } catch let problem as LineProblem { try malformed.note(problem, line: lines.count) }
    if log.rowCount > 0, log.isEmpty {
      throw malformed.fatal(LineProblem("every rate of the log is 0", remedy: "import one that carried something"))
    }
    return Outcome(rows: log.rowCount, noun: Log.noun, ignored: ignored)
  }

  /// - Throws: `InvalidInput` if it is no archive, and what reading and writing throw.
  private func readArchive(
    _ source: ImportSource, feed: ImportOutput, timings: ImportOutput?, _ malformed: MalformedLines
  ) throws -> Outcome {
    var stream = JSONStream(HARReader(feed: feed, timings: timings, malformed: malformed))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ImportSource.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    do {
      while true {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        try stream.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      try stream.finish()
      if !stream.receiver.hasEntries { throw LineProblem("has no log.entries", remedy: "save it as an HTTP archive (HAR)") }
    } catch let problem as LineProblem {
      // After a fault of the syntax what follows cannot be judged, whatever was asked.
      throw malformed.fatal(problem, line: stream.line)
    }
    try stream.receiver.finish()
    return Outcome(rows: stream.receiver.count, noun: "items", ignored: stream.receiver.ignored)
  }
}
