// The targets of fuzzing: a table with one entry for each. An entry reads an input and throws what the user would see.

import Analysis
import Base
import Foundation
import Import
import Inputs
import Oracles
import Rendering
import Simulation
import StudyParts
import Sweep
import SweepTool

/// A reader under test. It works in an empty working folder, in which `corpus` is the corpus.
struct FuzzTarget {
  /// The name on the command line, and the folder of the corpus.
  let name: String
  /// The multiple of the processor time that an input may take.
  let timeFactor: Int
  /// Returns files of the corpus that depend on the program, such as its results.
  let prepare: () throws -> [[UInt8]]
  /// Changes a mutated input, such as its checksums.
  let complete: (_ input: [UInt8], _ random: inout RandomStream) -> [UInt8]
  /// Reads an input and throws the reader's refusal.
  let read: (_ input: InputFile) throws -> Void

  private init(
    _ name: String, timeFactor: Int = 1, prepare: @escaping () throws -> [[UInt8]] = { [] },
    complete: @escaping (_ input: [UInt8], _ random: inout RandomStream) -> [UInt8] = { input, _ in input },
    read: @escaping (_ input: InputFile) throws -> Void
  ) {
    (self.name, self.timeFactor, self.prepare, self.complete, self.read) = (name, timeFactor, prepare, complete, read)
  }

  /// All targets. `self-test` fails in all four ways and is no part of them.
  static var all: [FuzzTarget] {
    [
      FuzzTarget("json5") { input in
        guard let value = try reading({ JSON5Parser.parse(input.bytes, file: input.name, into: $0) }) else { return }
        let again = try reading { JSON5Parser.parse(Array(value.canonicalJSON.utf8), file: input.name, into: $0) }
        if again?.canonicalJSON != value.canonicalJSON { throw StudyProblem(description: "another value after a round trip") }
      },
      // Each point of a grid is decoded: 90 000 points take 3 s.
      FuzzTarget("sweep", timeFactor: 10) { input in _ = try ResolvedSweep(file: input) },
      FuzzTarget("candidate", timeFactor: 10, prepare: writeSweep) { input in
        var request = GateScenarios.Request(sweep: "sweep.json5")
        request.candidate = try input.written()
        _ = try GateScenarios(request)
      },
      FuzzTarget("feed") { input in try reading { FeedReader.read(input, into: $0) } },
      FuzzTarget("telemetry") { input in _ = FittedWorld(try TelemetryReader.read(input)) },
      FuzzTarget("telemetry-log") { input in
        let key = [nil, "com.example-radio", "radio"][input.bytes.count % 3]
        _ = FittedWorld(try TelemetryLog.read(path: input.written(), classKey: key).networks)
      },
      FuzzTarget("recording") { input in try reading { RecordingReader.read(input, into: $0) } },
      trace("sabre", "format: \"sabre\""), trace("mahimahi", "format: \"mahimahi\", scale: 1.5"),
      trace("rows", "format: \"rows\", rowsApply: \"backward\""),
      trace(
        "csv", "format: \"csv\", timeColumn: \"t\", rateColumn: \"rate\", timeUnit: \"s\", rateUnit: \"Mbps\", rowsApply: \"forward\""),
    ] + ImportJob.Format.allCases.map(importing) + [
      // The session of an archive, rebuilt as a sweep.
      FuzzTarget("import-scenario") { input in
        var job = ImportJob(input: try input.written(), output: "session.json5", format: .har)
        job.api = input.bytes.count.isMultiple(of: 2) ? "api" : nil
        _ = try job.rebuild(to: "session.json5", progress: { _ in }, isCancelled: { false })
      },
      FuzzTarget("runs") { input in _ = try RunColumns(RunReader(name: input.name, bytes: input.bytes)) },
      FuzzTarget("sweep.json", prepare: { [try finishedSweep(["sweep.json"])] }) { input in
        _ = try SweepDescription(json: input.bytes, file: input.name)
      },
      FuzzTarget("results", prepare: { [try finishedSweep(["sweep.json", "runs.csv"])] }) { input in
        try input.unpacked()
        let sweep = try SweepDescription(json: try SystemFile.contents("sweep.json"), file: "sweep.json")
        _ = Report.make(
          summary: try RunColumns(RunReader(path: "runs.csv", sweep: sweep), objective: sweep.objective).summary(sweep: sweep), sweep: sweep
        )
      },
      FuzzTarget("calibrate", prepare: { [try finishedSweep(["sweep.json", "runs.csv"])] }) { input in
        try input.unpacked()
        _ = try DeviceResults(path: ".")
      },
      FuzzTarget("shards", prepare: { [try finishedSweep(shardFiles, shard: "0/2") + finishedSweep(shardFiles, shard: "1/2")] }) { input in
        try input.unpacked()
        let merge = try ShardMerge(folders: ["0", "1"])
        let columns = RunColumns(merge.description)
        try merge.forEachRow { columns.add($0) }
      },
      FuzzTarget("journal", prepare: { [try finishedSweep([".journal/runs"])] }, complete: withChecksums) { input in
        let results = try ResultsFolder(path: "results")
        _ = try InputFile(name: "results/.journal/runs", bytes: input.bytes).written()
        let runner = try SweepRunner(ResolvedSweep(path: "sweep.json5"), jobs: 1)
        let sweep = try JournaledSweep(runner, folder: results, rule: .resumeAnyway)
        try sweep.run()
        try sweep.rows.forEachRow { _ in }
      },
      FuzzTarget("kept-results", prepare: { [try finishedSweep([".journal/runs"])] }, complete: withChecksums) { input in
        _ = try InputFile(name: "results/.journal/runs", bytes: input.bytes).written()
        let kept = try KeptResults(folder: "results")
        let columns = RunColumns(kept.description)
        try kept.forEachRow { columns.add($0) }
        _ = Report.make(summary: try columns.summary(sweep: kept.description), sweep: kept.description)
      },
      FuzzTarget("waivers") { input in
        let guards = [GateGuard(.loadersPer1000, .rise, by: .percent(2)), GateGuard(.bytesReceived, .rise, by: .absolute(1e6))]
        _ = try GateWaiver.read(input, guards: guards, strata: ["3G", "all"], today: "2026-11-23")
      },
      FuzzTarget("history", complete: withLineChecksums) { input in
        let report = HistoryReport(HistorySeries.all(try HistoryFile.contents(input).entries))
        _ = (report.files, report.text(isColored: false))
      },
      FuzzTarget("device") { input in
        for reader in outputReaders { _ = try reader.metrics(in: input.bytes) }
      },
      // Several runs with invariants checked after each event.
      FuzzTarget(scenarioName, timeFactor: 10, read: runScenario),
    ]
  }

  /// A target that traps, hangs, needs 400 MB or has a message without a remedy, by turns.
  static var selfTest: FuzzTarget {
    FuzzTarget("self-test", prepare: { ["0", "1", "2", "3"].map { Array($0.utf8) } }, read: fail)
  }

  /// - Throws: `InvalidInput` without a remedy for the input "3".
  private static func fail(_ input: InputFile) throws {
    switch input.bytes.first {
    case UInt8(ascii: "0"): preconditionFailure("self-test")
    case UInt8(ascii: "1"): while getpid() > 0 {}
    case UInt8(ascii: "2"): if [UInt8](repeating: 1, count: 400_000_000).last == 0 { return }
    case UInt8(ascii: "3"): throw InvalidInput(at: SourceLocation(file: input.name), key: "", problem: "is bad", remedy: "")
    default: return
    }
  }

  // MARK: Entries with a common form

  private static func trace(_ name: String, _ options: String) -> FuzzTarget {
    var reader = ObjectReader(.scalar(fromCommandLine: "{ \(options) }"), context: DecodingContext(sink: DiagnosticSink()))
    let options = TraceOptions.decode(from: &reader)
    return FuzzTarget("trace-\(name)") { input in try reading { TraceReader.read(input, options: options, into: $0) } }
  }

  private static func importing(_ format: ImportJob.Format) -> FuzzTarget {
    FuzzTarget("import-\(format.rawValue)") { input in
      var job = ImportJob(input: try input.written(), output: "output", format: format)
      job.skipsMalformed = input.bytes.count.isMultiple(of: 2)
      if format == .har { job.timings = "timings" }
      if format == .profile { job.profile = [nil, "media", "bus", "Lane", "Lossy", "Train & tunnel"][input.bytes.count % 6] }
      if input.bytes.count.isMultiple(of: 3) { job.joinedNs = 10_000_000_000 }
      _ = try job.run(progress: { _ in }, isCancelled: { false })
    }
  }

  /// - Throws: `InvalidInput` with the problems that `body` reports, `StudyProblem` if it reads nothing without a report.
  @discardableResult
  private static func reading<Contents>(_ body: (DiagnosticSink) -> Contents?) throws -> Contents? {
    let sink = DiagnosticSink()
    let contents = body(sink)
    try sink.throwIfAny()
    if contents == nil { throw StudyProblem(description: "refused without a reason") }
    return contents
  }

  // MARK: Results of a small sweep

  private static let sweepText = """
    { sweep: "small", repeats: 2, margin: "2%", axes: { "prefetcher.ahead": [0, 1], "user.dwell": ["1s", "2s"] }, strata: ["user.dwell"],
      scenario: { network: "3G", feed: { items: 3 }, user: { scroll: 3 }, prefetcher: { kind: "itemsAhead" } } }
    """
  fileprivate static let shardFiles = ["sweep.json", "runs.csv", "shard.json"]

  /// - Throws: any error of the file system.
  private static func writeSweep() throws -> [[UInt8]] {
    _ = try InputFile(name: "sweep.json5", bytes: Array(sweepText.utf8)).written()
    return []
  }

  /// Runs the small sweep, or a shard of it, and returns one of its files, or several as one.
  /// - Throws: `StudyProblem` if the tool fails, any error of the file system.
  private static func finishedSweep(_ files: [String], shard: String? = nil) throws -> [UInt8] {
    _ = try writeSweep()
    let folder = "made\(shard?.prefix(1) ?? "")"
    try runTool(["run", "sweep.json5", "--quiet", "--jobs", "1", "--output", folder] + (shard.map { ["--shard", $0] } ?? []))
    return try files.flatMap { name in
      let bytes = try SystemFile.contents("\(folder)/\(name)")
      return files.count == 1 ? bytes : Array("\(InputFile.partMark)\(shard.map { "\($0.prefix(1))/" } ?? "")\(name)\n".utf8) + bytes
    }
  }

  /// Makes the checksums of three quarters of the mutated journals valid, so that the decoder behind them is reached.
  private static func withChecksums(_ input: [UInt8], _ random: inout RandomStream) -> [UInt8] {
    guard random.below(4) > 0 else { return input }
    var (bytes, start) = (input, 0)
    while start < bytes.count {
      guard let length = bytes.withUnsafeBytes({ RecordCoding.length($0, at: start) }) else {
        start += 1
        continue
      }
      let end = min(bytes.count, start + RecordCoding.headerSize + length)
      // A record that lost bytes gets a shorter length.
      var header = UInt32(end - start - RecordCoding.headerSize).littleEndian
      withUnsafeBytes(of: &header) { bytes.replaceSubrange(start + 2..<start + 6, with: $0) }
      var sum = bytes.withUnsafeBytes { all in
        RecordCoding.checksum(UnsafeRawBufferPointer(rebasing: all[(start + RecordCoding.headerSize)..<end])).littleEndian
      }
      withUnsafeBytes(of: &sum) { bytes.replaceSubrange(start + 6..<start + 10, with: $0) }
      start = end
    }
    return bytes
  }

  /// Makes the checksums of half of the mutated histories valid.
  private static func withLineChecksums(_ input: [UInt8], _ random: inout RandomStream) -> [UInt8] {
    guard random.below(2) > 0 else { return input }
    let lines = input.split(separator: 0x0A).map { HistoryFile.withChecksum($0.dropFirst(HistoryFile.headSize).dropLast()) }
    return Array(lines.joined())
  }

  // MARK: Output of devices and scenarios

  /// Readers by names, by patterns, and after a marker.
  private static let outputReaders: [ResultReader] = ["", "line: \"RESULT\",", "pattern"].compactMap { form in
    let pattern = "{ pattern: \"loaders[=: ]+([0-9.]+)\" }"
    let metrics =
      "{ loaders: \(form == "pattern" ? pattern : "\"loaders\""), viewed: \"result.viewed\", bytesReceived: { name: \"mb\", scale: 1e6 } }"
    let text = """
      { sweep: "device", scenario: { network: "3G", prefetcher: "none" },
        backend: { command: ["true"], \(form == "pattern" ? "" : form) metrics: \(metrics) } }
      """
    guard case .command(let backend)? = (try? ResolvedSweep(file: InputFile(name: "device", bytes: Array(text.utf8))))?.backend else {
      preconditionFailure("the sweep of the target device is invalid")
    }
    return ResultReader(backend)
  }

  /// The target whose inputs are drawn from the schema instead of mutated.
  static let scenarioName = "scenario"

  /// Runs a scenario on each transport that accepts it.
  /// - Throws: `InvalidInput` for an invalid scenario, `RunStop` for a run beyond the limits, `StudyProblem` for an impossible row.
  private static func runScenario(_ input: InputFile) throws {
    let (sink, decoder) = (DiagnosticSink(), ScenarioDecoder(files: InputFiles(folder: "")))
    guard let tree = JSON5Parser.parse(input.bytes, file: input.name, into: sink), decoder.decode(tree, into: sink) != nil else {
      throw sink.found
    }
    var limits = RunLimits()
    limits.events = 50_000
    var stop: RunStop?
    for transport in NetworkConfiguration.TransportKind.allCases {
      guard let decoded = ScenarioDrawing.scenario(tree, on: transport, decoder) else { continue }
      do {
        let metrics = try decoded.scenario.metrics(seed: 1, limits: limits)
        let schema = type(of: decoded.scenario).schema
        let problem = metrics.impossible ?? schema.metrics.first { !(metrics[$0]?.isFinite ?? true) }.map { "\($0) is not finite" }
        if let problem { throw StudyProblem(description: "\(transport): \(problem)") }
        if let scenario = decoded.scenario as? Scenario, scenario.downloads.store.memory != nil {
          try checkBytes(try scenario.explain(seed: 1, limits: limits), transport)
        }
      } catch let error as RunStop { stop = error }
    }
    if let stop { throw stop }
  }

  /// Checks that each byte that the requests read is counted once, also where a store evicts.
  /// - Throws: `StudyProblem` if bytes are lost or counted twice beyond the rounding of each request and item.
  private static func checkBytes(_ trace: SessionExplanation, _ transport: NetworkConfiguration.TransportKind) throws {
    let read = trace.requests.reduce(0) { $0 + $1.received }
    let slack = Int64(2 * (trace.requests.count + trace.items.count))
    guard abs(read - trace.metrics.bytesReceived) > slack else { return }
    throw StudyProblem(description: "\(transport): \(read) bytes read, \(trace.metrics.bytesReceived) counted")
  }
}

// MARK: Inputs of several files

extension InputFile {
  /// The text before each file of an input that is a folder.
  fileprivate static let partMark = "=== "

  /// Writes the input under its name and returns the name.
  /// - Throws: any error of the file system.
  fileprivate func written() throws -> String {
    let folder = name.lastIndex(of: "/").map { String(name[..<$0]) }
    if let folder, !SystemFile.exists(folder) { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    guard FileManager.default.createFile(atPath: name, contents: Data(bytes)) else {
      throw StudyProblem(description: "\(name): not written")
    }
    return name
  }

  /// Writes the files of an input that is a folder; the names of all other files are ignored.
  /// - Throws: any error of the file system.
  fileprivate func unpacked() throws {
    let names = FuzzTarget.shardFiles + ["0", "1"].flatMap { folder in FuzzTarget.shardFiles.map { "\(folder)/\($0)" } }
    names.forEach { unlink($0) }
    let mark = Array("\n\(Self.partMark)".utf8)
    let parts = ([0x0A] + bytes).split(separator: mark)
    for (index, part) in parts.enumerated() {
      let lines = part.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      guard lines.count == 2, case let name = String(decoding: lines[0], as: UTF8.self), names.contains(name) else { continue }
      // The line feed before a mark is the end of the file before it.
      _ = try InputFile(name: name, bytes: Array(lines[1]) + (index + 1 < parts.count ? [0x0A] : [])).written()
    }
  }
}
