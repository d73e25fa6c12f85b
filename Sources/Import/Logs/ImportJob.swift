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
    let targets = try OutputTargets(
      [("--output", output)] + (timings.map { [("--timings", $0)] } ?? []), inputs: [input == "-" ? "/dev/stdin" : input])
    do {
      let source = try ImportSource(path: input, progress: progress, isCancelled: isCancelled)
      let files = try targets.open()
      // What a slow disk takes in a tenth of a second: no signal ends a process that waits for it.
      for file in files { file.syncSize = 1 << 22 }
      var outcome = try read(source, into: files)
      for file in files {
        try source.check()
        try file.close()
      }
      try source.check()
      try targets.publish()
      if files[0].size > InputFile.sizeLimit {
        let remedy = format == .har || format == .session ? "cut the input" : "join periods with --join, such as --join 10s"
        outcome.note = "the file has \(files[0].size) bytes, more than the \(InputFile.sizeLimit) that a sweep reads; \(remedy)"
      }
      return outcome
    } catch {
      targets.discard()
      throw error
    }
  }

  /// - Throws: `InvalidInput` if there is nothing to import, and what reading and writing throw.
  private func read(_ source: ImportSource, into files: [OutputFile]) throws -> Outcome {
    let malformed = MalformedLines(file: source.name, isSkipping: skipsMalformed)
    var outcome: Outcome
    switch format {
    case .har: outcome = try readArchive(source, into: files, malformed)
    case .session: outcome = try readSession(source, into: files[0], malformed)
    default: outcome = try readThroughput(source, into: files[0], malformed)
    }
    try malformed.finish()
    guard outcome.rows > 0 else {
      let problem = malformed.count > 0 ? "has nothing but malformed lines" : "has nothing that a \(format.rawValue) import can use"
      throw malformed.fatal(ValueProblem(problem, remedy: "check --format"))
    }
    (outcome.skipped, outcome.firstSkipped) = (malformed.count, malformed.named)
    return outcome
  }

  /// Hands on what a log's lines say and returns how many lines said nothing.
  /// - Throws: `InvalidInput` at a line that may not be malformed, and what reading and `emit` throw.
  private func readLines(
    _ log: any LineLog, _ source: ImportSource, _ malformed: MalformedLines, _ emit: (Int64, Int64) throws -> Void
  ) throws -> Int {
    var log = log
    var ignored = 0
    let count = try source.forEachLine(malformed) { if try !log.take($0, emit) { ignored += 1 } }
    do { try log.finish(emit) } catch let problem as ValueProblem { try malformed.note(problem, line: count) }
    return ignored
  }

  /// - Throws: `InvalidInput` if no rate is above 0, and what reading and writing throw.
  private func readThroughput(_ source: ImportSource, into file: OutputFile, _ malformed: MalformedLines) throws -> Outcome {
    var trace = TraceWriter(file, joined: joinedNs, latency: latencyNs)
    let logs: [Format: any LineLog] = [.irish: NetTrackLog(), .iperf: IperfLog()]
    let ignored = try readLines(logs[format] ?? SixColumnLog(), source, malformed) { try trace.add(duration: $0, bits: $1) }
    try trace.finish()
    if trace.count > 0, trace.isEmpty {
      throw malformed.fatal(ValueProblem("every rate of the log is 0", remedy: "import one that carried something"))
    }
    return Outcome(rows: trace.count, noun: "periods", ignored: ignored)
  }

  /// - Throws: what reading and writing throw.
  private func readSession(_ source: ImportSource, into file: OutputFile, _ malformed: MalformedLines) throws -> Outcome {
    var rows = 0
    try file.append("item,dwellMs\n".utf8)
    let ignored = try readLines(SessionLog(self), source, malformed) { item, dwell in
      try file.append("\(item),\(ExactDecimal.text(dwell, places: 6))\n".utf8)
      rows += 1
    }
    return Outcome(rows: rows, noun: "stays", ignored: ignored)
  }

  /// - Throws: `InvalidInput` if it is no archive, and what reading and writing throw.
  private func readArchive(_ source: ImportSource, into files: [OutputFile], _ malformed: MalformedLines) throws -> Outcome {
    var splitter = HARSplitter(malformed)
    var items = try HARItems(feed: files[0], timings: files.dropFirst().first)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ImportSource.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try source.read(into: buffer), count > 0 {
      try splitter.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { try items.take($0) }
    }
    try splitter.finish()
    try items.finish()
    return Outcome(rows: items.count, noun: "items", ignored: items.ignored)
  }
}
