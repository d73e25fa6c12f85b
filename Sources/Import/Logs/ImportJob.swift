// One import: reads a log or an archive of any size and writes a file for sweeps, in constant memory.

import Base
import Inputs

package struct ImportJob {
  package enum Format: String, CaseIterable, Sendable {
    case har
    /// The Norwegian 3G logs: six columns between spaces.
    case hsdpa
    /// The 4G logs from Ghent: the same six columns.
    case ghent
    /// The Irish 4G and 5G logs: comma-separated values of G-NetTrack.
    case irish
    case iperf
    /// Comma-separated values with a column of dwells.
    case session
    /// A network profile of another tool.
    case profile
  }

  /// The path of the input; `-` is standard input.
  package var input: String
  package var output: String
  package var format: Format
  /// True if malformed lines are skipped and counted; otherwise the first ones end the import.
  package var skipsMalformed = false
  /// The duration, in nanoseconds, up to which periods of a throughput log are joined.
  package var joinedNs: Int64 = 0
  /// The latency written to each period of a throughput log, in nanoseconds.
  package var latencyNs: Int64?
  /// The path of a second file, with the timings of each request of an archive.
  package var timings: String?
  /// The page of an archive whose entries are read; nil if it has only one.
  package var page: String?
  /// The path of the sweep file to which an archive's session is rebuilt; nil to write a feed only.
  package var scenario: String?
  /// The text in the addresses of the feed's API; nil for none.
  package var api: String?
  /// The path of a recording with the dwells of an archive's session; nil to derive them.
  package var dwells: String?
  /// The name of a profile; nil if the file has only one.
  package var profile: String?
  /// The column of items of a session log; nil for `item`, or for items in row order.
  package var itemColumn: String?
  /// The column of dwells of a session log; nil for the usual names.
  package var dwellColumn: String?
  /// The milliseconds in the unit of the dwells of a session log; nil to derive it from the column's name.
  package var dwellUnitMs: Int64?

  package init(input: String, output: String, format: Format) { (self.input, self.output, self.format) = (input, output, format) }

  /// The longest `joinedNs` and `latencyNs`: an hour, in nanoseconds.
  package static let durationLimit: Int64 = 3_600_000_000_000

  /// Returns the nanoseconds of a text like `10s`; nil for anything else.
  package static func duration(_ text: String) -> Int64? { (try? Quantity.duration(text)).flatMap { $0 >= 0 ? $0 : nil } }

  package struct Outcome: Sendable {
    package var rows: Int
    /// The noun for rows, in the plural.
    package var noun: String
    /// The lines, or entries of an archive, with nothing to import.
    package var ignored: Int
    /// The malformed lines that were skipped.
    package var skipped = 0
    package var firstSkipped: [Diagnostic] = []
    /// The reasons for which entries of an archive are not items, with their numbers.
    package var reasons: [(reason: String, count: Int)] = []
    /// Notes about the input and the written file for the user.
    package var notes: [String] = []

    /// The reasons as text, such as ` (2 no successful GET)`; empty if there is none.
    package var reasonText: String { reasons.isEmpty ? "" : " (\(reasons.map { "\($0.count) \($0.reason)" }.joined(separator: ", ")))" }
  }

  /// Runs the import; the output appears only when it is complete. O(bytes), in constant memory.
  /// Calls `progress` for each hundredth of the input, and `isCancelled` at least every 20 ms.
  /// - Throws: `InvalidInput`, `OutputProblem`, and `ImportCancelled` after `isCancelled` returns true.
  package func run(progress: @escaping (ImportProgress) -> Void, isCancelled: @escaping () -> Bool) throws -> Outcome {
    let source = try ImportSource(path: input, progress: progress, isCancelled: isCancelled)
    let targets = try OutputTargets([("--output", output, .imported)] + (timings.map { [("--timings", $0, .timings)] } ?? []))
    let files = try targets.open()
    // A slow disk writes this in a tenth of a second. No signal ends a process during a sync.
    for file in files { file.syncSize = 1 << 22 }
    var outcome = try read(source, into: files)
    for file in files {
      try source.check()
      try file.close()
    }
    try source.check()
    try targets.publish()
    if files[0].size > InputFile.sizeLimit {
      let remedy = format == .har || format == .session ? "shorten the input" : "join periods with --join, such as --join 10s"
      outcome.notes.append("the file has \(files[0].size) bytes, more than the \(InputFile.sizeLimit) that a sweep reads; \(remedy)")
    }
    return outcome
  }

  /// - Throws: `InvalidInput` if there is nothing to import; any error of reading and writing.
  private func read(_ source: ImportSource, into files: [OutputFile]) throws -> Outcome {
    let malformed = MalformedLines(file: source.name, isSkipping: skipsMalformed)
    var outcome: Outcome
    switch format {
    case .har:
      var items = try HARItems(feed: files[0], timings: files.dropFirst().first, page: page)
      outcome = try readArchive(source, into: &items, malformed)
    case .session: outcome = try readSession(source, into: files[0], malformed)
    case .profile: return try readProfile(source, into: files[0])
    default: outcome = try readThroughput(source, into: files[0], malformed)
    }
    try malformed.finish()
    guard outcome.rows > 0 else {
      let problem =
        malformed.count > 0 ? "has only malformed lines" : "has nothing that a \(format.rawValue) import can use\(outcome.reasonText)"
      throw malformed.fatal(problem, remedy: "check --format")
    }
    (outcome.skipped, outcome.firstSkipped) = (malformed.count, malformed.named)
    return outcome
  }

  /// Calls `emit` with the measurements of a log, and returns the number of lines without one and the log's note.
  /// - Throws: `InvalidInput` at a line that may not be malformed; any error of reading and `emit`.
  private func readLines(
    _ log: any LineLog, _ source: ImportSource, _ malformed: MalformedLines, _ emit: (Int64, Int64) throws -> Void
  ) throws -> (ignored: Int, notes: [String]) {
    var log = log
    var ignored = 0
    let count = try source.forEachLine(malformed) { if try !log.read($0, emit) { ignored += 1 } }
    try malformed.noting(line: count) { try log.finish(emit) }
    return (ignored, [log.note].compactMap(\.self))
  }

  /// - Throws: `InvalidInput` if no rate is above 0; any error of reading and writing.
  private func readThroughput(_ source: ImportSource, into file: OutputFile, _ malformed: MalformedLines) throws -> Outcome {
    var trace = TraceWriter(file, joined: joinedNs, latency: latencyNs)
    let logs: [Format: any LineLog] = [.irish: NetTrackLog(), .iperf: IperfLog()]
    let (ignored, notes) = try readLines(logs[format] ?? SixColumnLog(), source, malformed) { try trace.add(duration: $0, bits: $1) }
    try trace.finish()
    if trace.count > 0, trace.isEmpty { throw malformed.fatal("every rate of the log is 0", remedy: "import a log with data") }
    return Outcome(rows: trace.count, noun: "periods", ignored: ignored, notes: notes)
  }

  /// - Throws: `InvalidInput` if it is no profile; any error of reading and writing.
  private func readProfile(_ source: ImportSource, into file: OutputFile) throws -> Outcome {
    let sink = DiagnosticSink()
    let bytes = try source.contents(atMost: ProfileReader.sizeLimit)
    let network = ProfileReader.read(InputFile(name: source.name, bytes: bytes), profile: profile, into: sink)
    try sink.throwIfAny()
    guard let network else { return Outcome(rows: 0, noun: "settings", ignored: 0) }
    try file.append(network.text(source: source.name).utf8)
    let notes = network.notes.map { note in "\(note.location.map { "\($0): " } ?? "")\(note.text)" }
    return Outcome(rows: network.settings.count, noun: "settings", ignored: 0, notes: notes)
  }

  /// - Throws: any error of reading and writing.
  private func readSession(_ source: ImportSource, into file: OutputFile, _ malformed: MalformedLines) throws -> Outcome {
    var rows = 0
    try file.append("item,dwellMs\n".utf8)
    let (ignored, _) = try readLines(SessionLog(self), source, malformed) { item, dwell in
      try file.append("\(item),\(ExactDecimal.text(dwell, decimals: 6))\n".utf8)
      rows += 1
    }
    return Outcome(rows: rows, noun: "visits", ignored: ignored)
  }

  /// - Throws: `InvalidInput` if it is no archive; any error of reading and writing.
  func readArchive(_ source: ImportSource, into items: inout HARItems, _ malformed: MalformedLines) throws -> Outcome {
    var splitter = HARSplitter(malformed)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ImportSource.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try source.read(into: buffer), count > 0 {
      try splitter.read(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { try items.add($0) }
    }
    let log = try splitter.finish()
    do { try items.finish(log) } catch let error as ValueProblem { throw malformed.fatal(error.problem, remedy: error.remedy) }
    let reasons = HAREntry.Omission.allCases.compactMap { reason in items.omitted[reason].map { (reason.rawValue, $0) } }
    let unsized = items.unsized.map { "\(source.name): \(quoted($0)) has no size, so that it is no item" }
    return Outcome(rows: items.count, noun: "items", ignored: reasons.reduce(0) { $0 + $1.1 }, reasons: reasons, notes: unsized)
  }
}
