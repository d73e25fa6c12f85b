// Writes the results of a sweep from its rows, for `run` and `merge`.

import Analysis
import Base
import Rendering
import Sweep

struct Interrupted: Error {
  /// The message for the user; nil for none.
  var message: String?

  static let withoutOutput = Interrupted(message: "stopped; nothing was written")
}

extension ResultsFolder {
  /// - Throws: `OutputProblem` if a file cannot be written.
  func add(_ report: ReportFiles) throws(OutputProblem) {
    let table = try open(SummaryTable.fileName)
    try SummaryTable(report.summary).write(as: CSVFormat()) { lines throws(OutputProblem) in try table.append(lines) }
    try table.close()
    for file in report.files { try add(file.name, file.contents.utf8) }
  }

  /// - Throws: `OutputProblem` if a file cannot be written.
  func publish(_ files: [ReportFile]) throws(OutputProblem) {
    for file in files { try add(file.name, file.contents.utf8) }
    try publish()
  }

  /// Calls `body` with the folder at a path, which is created if needed. Unpublished files are removed. `names` are the files that `body`
  /// may write, and `outputs` those that other options write.
  /// - Throws: `OutputProblem` if the folder cannot be made, or has another file with such a name; `UsageProblem`; and what `body` throws.
  static func with<Result>(
    _ path: String, writes names: [String] = [], beside outputs: [(option: String, path: String, form: OutputForm)] = [],
    fault: FileFault? = nil, _ body: (ResultsFolder) throws -> Result
  ) throws -> Result {
    for file in names.map({ "\(path)/\($0)" }) {
      try check(file)
      if let other = outputs.first(where: { SystemFile.wouldBeSame($0.path, file) }) {
        throw UsageProblem("\(other.option): \(shown(other.path)): is a file of the results; name another file")
      }
    }
    let folder = try ResultsFolder(path: path, fault: fault)
    defer { folder.discard() }
    return try body(folder)
  }
}

/// Writes the files of a sweep under hidden names, and publishes them together.
struct Publication {
  let folder: ResultsFolder
  let description: SweepDescription
  /// The sweep if it was read from standard input; nil for a file.
  var standardInput: [UInt8]?

  /// Adds runs.csv with every row of a source, sweep.json and a copy of a sweep from standard input. Returns the number of rows.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal, and what reading the rows throws.
  @discardableResult func addRows(of rows: some RowSequence, receive: (RunRow) throws -> Void = { _ in }) throws -> Int {
    let count = try add("runs.csv", rows, receive: receive)
    try folder.add("sweep.json", description.json)
    if let standardInput { try folder.add(ResolvedSweep.keptInputName, standardInput) }
    return count
  }

  /// - Throws: `OutputProblem` if the file cannot be written, `Interrupted` after a signal, and what reading the rows throws.
  private func add(_ name: String, _ rows: (any RowSequence)?, receive: (RunRow) throws -> Void) throws -> Int {
    let writer = RunWriter(axes: description.axes.map(\.path), schema: description.schema)
    let runs = try folder.open(name)
    try runs.append(writer.header)
    var count = 0
    var line: [UInt8] = []
    try rows?.forEachRow { row in
      line.removeAll(keepingCapacity: true)
      writer.append(row, to: &line)
      try runs.append(line)
      try receive(row)
      count += 1
      if count % 1000 == 0, Interruption.signal != 0 { throw Interrupted() }
    }
    try runs.close()
    return count
  }

  /// Adds runs.csv, sweep.json and their tables. If the sweep has `confirm`, the closure runs the points with the given ids again, for
  /// confirmation.csv. Returns nil, and adds no tables, if there is no row.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal, and what `confirm` throws.
  func addTables(of rows: some RowSequence, confirm: ([String]) throws -> JournaledRows?) throws -> SweepSummary? {
    let columns = RunColumns(description)
    guard try addRows(of: rows, receive: { columns.add($0) }) > 0 else { return nil }
    let summary = try columns.summary(sweep: description) { summary in
      guard let best = description.confirm?.best else { return nil }
      let finalists = summary.finalists(best)
      let confirming = finalists.isEmpty ? nil : try confirm(finalists)
      let fresh = RunColumns(description)
      _ = try add(RunWriter.confirmationName, confirming, receive: { fresh.add($0) })
      return fresh
    }
    let report = Report.make(summary: summary, sweep: description.located(in: folder.path))
    try folder.add(report)
    folder.remove(Array(report.absent))
    return summary
  }

  /// Adds the manifest and the failures and publishes all files. Removes an older list of failures if there are none.
  /// - Throws: `OutputProblem` if a file cannot be written, `Interrupted` after a signal.
  func publish(_ manifest: Manifest, _ failures: [FailedRun]) throws {
    try folder.add("manifest.json", manifest.sortedJSON(isIndented: true))
    if !failures.isEmpty { try folder.add(FailureTable.fileName, FailureTable(failures, of: description).csv.utf8) }
    if Interruption.signal != 0 { throw Interrupted() }
    try folder.publish()
    if failures.isEmpty { folder.remove([FailureTable.fileName]) }
  }

  /// The names of the files that a publication may write, without the copy of a sweep from standard input.
  static var fileNames: [String] {
    ["runs.csv", "sweep.json", "manifest.json", RunWriter.confirmationName, FailureTable.fileName, ShardLabel.fileName] + Report.fileNames
  }

  func removeTables() { folder.remove(Report.fileNames + [RunWriter.confirmationName]) }

  func sayFailed(_ count: Int, of total: Int, hasTables: Bool, remedy: String) {
    let what =
      hasTables
      ? "\(count) of \(total) runs failed and are left out of the tables"
      : "\(folder.path): every run failed (\(count) of \(total)), so there are no tables"
    printError("\(what); the failures are listed in \(folder.path)/\(FailureTable.fileName), and \(remedy)")
  }

  /// Prints the closing texts. False if the output is closed.
  func close(_ texts: [String]) -> Bool {
    // The table has colour codes; its texts are safe already.
    let isGood = texts.allSatisfy(printStyled)
    if !isGood { printError("standard output takes no more; the results are in \(folder.path)") }
    return isGood
  }

  /// Returns the table, the answer and the next steps for the terminal, and a line with the time, the runs and the page.
  func closing(_ summary: SweepSummary, runs: Int, resumed: Int = 0, since started: Date) -> [String] {
    let before = resumed == 0 ? "" : ", \(resumed == runs ? "all" : "\(resumed)") of them made before,"
    let isUsual = folder.path == ResultsFolder.path(ofSweep: description.name)
    return [
      TerminalSummary.text(
        summary, sweep: description.located(in: folder.path), width: Terminal.width, isColored: Terminal.isColored,
        folder: isUsual ? nil : folder.path),
      "\(Words.count(runs, "run"))\(before) in \(Self.time(since: started)). Report: \(SafeText.line(folder.path))/report.html",
    ]
  }

  /// Returns the time since a moment, e.g. `3.1 s`, `2 min 5 s` or `1 h 2 min`.
  static func time(since started: Date) -> String {
    let seconds = Date().timeIntervalSince(started)
    guard seconds >= 60 else { return "\(DecimalText.fixed(seconds, decimals: 1)) s" }
    let minutes = Int(seconds) / 60
    return minutes < 60 ? "\(minutes) min \(Int(seconds) % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

/// The contents of manifest.json: who made the results, where, when and how long it took. No other file differs between two runs of a sweep.
struct Manifest: Encodable {
  var program = Program.name
  var version = Program.version
  var modelVersion = Program.modelVersion
  var build = Program.build
  var commit = Program.commit
  var commandLine = CommandLine.arguments.map(ShellText.quoted).joined(separator: " ")
  var host = ProcessInfo.processInfo.hostName
  var system = Platform.system
  /// The processor's name; nil where the system does not say.
  var processor = Platform.processor
  var cores = WorkerPool.coreCount
  var started: String
  var seconds: Double
  /// The start of the first shard's runs; nil without a merge, and if all shards' runs were made before that.
  var runsStarted: String?
  /// The number of threads; nil after a merge, and if devices made the runs.
  var jobs: Int?
  /// The number of devices; nil if the emulator made the runs.
  var devices: Int?
  /// The number of merged shards; nil without a merge.
  var mergedShards: Int?
  var runs: Int
  var resumedRuns: Int?
  var failedRuns: Int?

  init(runs: Int, started: Date) {
    self.started = started.ISO8601Format()
    seconds = Date().timeIntervalSince(started)
    self.runs = runs
  }

  /// Adds the folders of merged shards. A merge makes no runs: they started with the first shard that made some.
  mutating func merged(_ folders: [String]) {
    mergedShards = folders.count
    runsStarted = folders.compactMap(RunOrigin.init).filter { !$0.isResumed }.compactMap(\.date).filter(HistoryEntry.isTimestamp).min()
    if runsStarted == nil { resumedRuns = runs }
  }
}

/// The parts of manifest.json that say when and by which program runs were made.
struct RunOrigin: Decodable {
  private let started: String?, runsStarted: String?
  let build: String?
  private let runs: Int?, resumedRuns: Int?

  /// Reads the manifest of a folder; nil without one.
  init?(folder: String) {
    guard let json = try? SystemFile.contents("\(folder)/manifest.json"),
      let origin = try? JSONDecoder().decode(RunOrigin.self, from: Data(json))
    else { return nil }
    self = origin
  }

  /// The start of the runs, which a merge does not change.
  var date: String? { runsStarted ?? started }
  /// True if all runs are those of earlier starts.
  var isResumed: Bool { resumedRuns.map { $0 > 0 && $0 == runs } ?? false }
}
