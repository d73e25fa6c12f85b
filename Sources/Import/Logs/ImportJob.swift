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
    package var skipped: Int
    /// The first of them.
    package var firstSkipped: [Diagnostic]
    /// The bytes read.
    package var bytes: Int
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
    case .hsdpa, .ghent: outcome = try readLog(SixColumnLog.self, source, file, malformed)
    case .irish: outcome = try readLog(NetTrackLog.self, source, file, malformed)
    case .iperf: outcome = try readLog(IperfLog.self, source, file, malformed)
    case .session: outcome = try readSession(source, file, malformed)
    }
    try malformed.finish()
    guard outcome.rows > 0 else {
      let problem = malformed.count > 0 ? "has nothing but malformed lines" : "has nothing that a \(format.rawValue) import can use"
      throw InvalidInput(
        diagnostics: malformed.named + [
          Diagnostic(location: SourceLocation(file: source.name), key: "", problem: problem, remedy: "check --format")
        ])
    }
    (outcome.skipped, outcome.firstSkipped, outcome.bytes) = (malformed.count, malformed.named, source.position)
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

  // MARK: Forms

  private func readLog<Log: ThroughputLog>(
    _: Log.Type, _ source: ImportSource, _ file: ImportOutput, _ malformed: MalformedLines
  ) throws -> Outcome {
    var log = Log()
    var trace = TraceWriter(file, joined: joinedNs, latency: latencyNs)
    var lines = LineStream(source)
    var ignored = 0
    try lines.forEach { number, line in
      do {
        guard let line else { throw LineProblem.tooLong }
        if try !log.take(line, &trace) { ignored += 1 }
      } catch let problem as LineProblem { try malformed.note(problem, line: number) }
    }
    do {
      try log.finish(&trace)
      try trace.finish()
    } catch let problem as LineProblem { try malformed.note(problem, line: lines.count) }
    if trace.count > 0, trace.isEmpty {
      throw InvalidInput(diagnostics: [
        Diagnostic(
          location: SourceLocation(file: source.name), key: "", problem: "every rate of the log is 0",
          remedy: "import one that carried something")
      ])
    }
    return Outcome(rows: trace.count, noun: "periods", ignored: ignored, skipped: 0, firstSkipped: [], bytes: 0)
  }

  private func readSession(_ source: ImportSource, _ file: ImportOutput, _ malformed: MalformedLines) throws -> Outcome {
    var log = SessionLog(itemColumn: itemColumn, dwellColumn: dwellColumn, dwellUnitMs: dwellUnitMs)
    var lines = LineStream(source)
    var ignored = 0
    try lines.forEach { number, line in
      do {
        guard let line else { throw LineProblem.tooLong }
        if try !log.take(line, file) { ignored += 1 }
      } catch let problem as LineProblem { try malformed.note(problem, line: number) }
    }
    return Outcome(rows: log.count, noun: "stays", ignored: ignored, skipped: 0, firstSkipped: [], bytes: 0)
  }

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
      // After a fault of the syntax nothing can be told of what follows, whatever was asked.
      throw InvalidInput(
        diagnostics: malformed.named + [
          Diagnostic(
            location: SourceLocation(file: source.name, line: stream.line), key: "", problem: problem.problem, remedy: problem.remedy)
        ])
    }
    try stream.receiver.finish()
    let reader = stream.receiver
    return Outcome(rows: reader.count, noun: "items", ignored: reader.ignored, skipped: 0, firstSkipped: [], bytes: 0)
  }
}

extension LineProblem {
  /// A line that no buffer holds.
  fileprivate static var tooLong: LineProblem {
    LineProblem("is longer than \(LineStream.lineLimit) bytes", remedy: "check that the file is text in lines")
  }
}
