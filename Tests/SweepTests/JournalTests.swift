import Analysis
import Foundation
import Synchronization
import Testing

@testable import Base
@testable import Sweep

/// The journal: kept runs, recovery, and notes about damage.
@Suite struct JournalTests {
  static let text = """
    { sweep: "small", repeats: 4, axes: { "prefetcher.ahead": [0, 1, 2] },
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
    """

  static func runner(_ text: String = text, repeats: Int? = nil, settings: [(String, String)] = []) throws -> SweepRunner {
    var overrides = SweepOverrides()
    overrides.repeats = repeats
    overrides.settings = settings.map { .init(path: $0.0, value: $0.1) }
    return try SweepRunner(ResolvedSweep(file: InputFile(name: "small.json5", bytes: Array(text.utf8)), overrides: overrides), jobs: 2)
  }

  static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  /// Executes the missing runs; returns all rows and the number of executed runs.
  @discardableResult
  static func run(_ runner: SweepRunner, in folder: String, shard: Shard = .whole, rule: ResumeRule = .resume) throws
    -> (rows: [RunRow], made: Int, notes: [String])
  {
    let sweep = try JournaledSweep(runner, shard: shard, folder: ResultsFolder(path: folder), rule: rule)
    try sweep.run()
    var rows: [RunRow] = []
    try sweep.rows.forEachRow { rows.append($0) }
    return (rows, sweep.progress.done - sweep.resumedCount, sweep.notes)
  }

  private static func journal(_ folder: String) -> String { "\(folder)/.journal/runs" }

  /// Returns the record decoded from its own payload, and the records decoded from the payload's prefixes.
  private static func readBack(_ run: FinishedRun) -> (whole: JournalRecord?, truncated: [JournalRecord]) {
    RecordCoding.bytes(.run(run)).withUnsafeBytes { bytes in
      let payload = UnsafeRawBufferPointer(rebasing: bytes[RecordCoding.headerSize...])
      let truncated = (0..<payload.count).compactMap { RecordCoding.record(UnsafeRawBufferPointer(rebasing: payload[..<$0])) }
      return (RecordCoding.record(payload), truncated)
    }
  }

  @Test func aRecordReadsBackAsItWas() throws {
    var metrics = RunMetrics()
    let values: [Double?] = [0, 1, 127, 128, 16_384, 9_007_199_254_740_991, 0.1, -3, 1e300, -0.0, nil, 5.5]
    for (metric, value) in zip(Metric.allCases, values) { metrics[metric] = value }
    metrics.digest = (1 << 52) - 1
    let run = FinishedRun(key: RunKey(point: .max, repetition: 1_000_000, seed: .max), outcome: .metrics(metrics))
    let (whole, truncated) = Self.readBack(run)
    #expect(whole == .run(run) && truncated == [])
    guard case .run(let again)? = whole else { return }
    #expect(again.metrics?[.unrequested]?.sign == .minus)
  }

  @Test(arguments: [nil, 0, 127, 128, 3_600_000, Int.max])
  func runsAndFailuresKeepTheTimeOfADevice(_ time: Int?) {
    for outcome in [RunOutcome.metrics(RunMetrics()), .failure("")] {
      let run = FinishedRun(key: RunKey(point: 3, repetition: 2, seed: 42), outcome: outcome, deviceMs: time)
      let (whole, truncated) = Self.readBack(run)
      #expect(whole == .run(run) && truncated == [])
    }
  }

  /// Version 1.0.0 wrote the identity's values under sentences.
  @Test func aJournalWithAnEarlierIdentityIsRefusedAndKeptOnRequest() throws {
    try Self.withFolder { folder in
      let runner = try Self.runner()
      try Self.run(runner, in: folder)
      var bytes: [UInt8] = []
      try JournalReader(path: Self.journal(folder)).forEach { payload, _ in
        guard let record = RecordCoding.record(payload) else { return }
        if case .identity = record {
          let values = #"{"the seed":"7","the version of the journal":"2","what makes the runs":"the emulator"}"#
          bytes += RecordCoding.bytes(.identity(Array(#"{"backend":{},"files":{},"paths":[],"scenario":"{}","values":\#(values)}"#.utf8)))
        } else {
          bytes += RecordCoding.bytes(record)
        }
      }
      try Data(bytes).write(to: URL(fileURLWithPath: Self.journal(folder)))
      let refusal = #expect(throws: Refusal.self) { try Self.run(runner, in: folder) }
      let says =
        "holds 12 runs of an earlier version of the program; finish them with that program, keep what still fits with --resume-anyway, "
        + "discard it with --fresh, or name another folder with --output"
      #expect(refusal?.description.contains(says) == true, "\(refusal?.description ?? "")")
      #expect(try Self.run(runner, in: folder, rule: .resumeAnyway).made == 0)
      // The identity is then one of this version.
      #expect(try Self.run(runner, in: folder).made == 0)
    }
  }

  @Test func theChecksumIsThatOfZlib() {
    Array("123456789".utf8).withUnsafeBytes { #expect(RecordCoding.checksum($0) == 0xCBF4_3926) }
  }

  @Test func rowsComeByPointAndThenByRepetition() throws {
    try Self.withFolder { folder in
      let rows = try Self.run(Self.runner(), in: folder).rows
      #expect(rows.map(\.repetition) == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
      #expect(rows.map { $0.axisValues[0] } == ["0", "0", "0", "0", "1", "1", "1", "1", "2", "2", "2", "2"])
    }
  }

  @Test func recordsAreReadInAnyOrder() throws {
    try Self.withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let journal = try Journal(path: folder + "/runs", folder: folder, size: 0)
      let failures = (0..<2000).map { number in
        FinishedRun(
          key: RunKey(point: 1, repetition: number + 1, seed: 1), outcome: .failure(String(repeating: "x", count: number % 2000)))
      }
      var metrics = RunMetrics()
      for metric in Metric.allCases { metrics[metric] = 0.5 }
      let runs = (0..<70_000).map { FinishedRun(key: RunKey(point: 2, repetition: $0, seed: 1), outcome: .metrics(metrics)) }
      let long = try failures.map { try journal.append(.run($0)) }
      let many = try runs.map { try journal.append(.run($0)) }
      let reader = try JournalReader(path: folder + "/runs", pieceSize: 1 << 9)
      for number in stride(from: 0, to: 70_000 * 37, by: 37).map({ $0 % 70_000 }) {
        guard reader.record(at: many[number]) == .run(runs[number]) else {
          Issue.record("run \(number)")
          return
        }
        let other = number % 2000
        guard number % 50 != 0 || reader.record(at: long[other]) == .run(failures[other]) else {
          Issue.record("failure \(other)")
          return
        }
      }
      #expect(reader.record(at: SystemFile.size(folder + "/runs") - 3) == nil, "beyond the end")
      #expect(reader.record(at: many[0] + 1) == nil, "no header begins there")
    }
  }

  @Test func aTornRecordOfAnyLengthIsTruncatedAndRepeated() throws {
    try Self.withFolder { folder in
      let runner = try Self.runner()
      let rows = try Self.run(runner, in: folder).rows
      let whole = try Data(contentsOf: URL(fileURLWithPath: Self.journal(folder)))
      // From one byte to more than the last record.
      for missing in 1...140 {
        try whole.dropLast(missing).write(to: URL(fileURLWithPath: Self.journal(folder)))
        let again = try Self.run(runner, in: folder)
        #expect(again.rows == rows)
        #expect(again.made >= 1 && again.made <= 3, "\(again.made)")
        #expect(again.notes.count <= 1)
      }
    }
  }

  @Test func aFlippedBitIsFoundAndNamedAndCostsOneRun() throws {
    try Self.withFolder { folder in
      let runner = try Self.runner()
      let rows = try Self.run(runner, in: folder).rows
      let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.journal(folder))))
      for offset in stride(from: 0, to: whole.count, by: 23) {
        var bytes = whole
        bytes[offset] ^= 1 << UInt8(offset % 8)
        try Data(bytes).write(to: URL(fileURLWithPath: Self.journal(folder)))
        let again: (rows: [RunRow], made: Int, notes: [String])
        do { again = try Self.run(runner, in: folder) } catch let refusal as Refusal {
          // In the head, the identity of the runs is unknown.
          #expect(refusal.description.contains("head of its journal is damaged"))
          again = try Self.run(runner, in: folder, rule: .resumeAnyway)
        }
        #expect(again.rows == rows)
        #expect(again.made <= 1, "byte \(offset): \(again.made) runs were repeated")
        #expect(again.notes.count == 1 && again.notes[0].contains("byte"), "byte \(offset): \(again.notes)")
      }
    }
  }

  @Test func anotherGridRunsOnlyItsNewPointsAndMoreRepeatsOnlyTheNewRepetitions() throws {
    try Self.withFolder { folder in
      #expect(try Self.run(Self.runner(), in: folder).made == 12)
      #expect(try Self.run(Self.runner(), in: folder).made == 0)
      #expect(try Self.run(Self.runner(repeats: 6), in: folder).made == 6)
      #expect(try Self.run(Self.runner(repeats: 2), in: folder).rows.count == 6)
      let wider = Self.text.replacing("[0, 1, 2]", with: "[5, 1, 2, 0]")
      let rows = try Self.run(Self.runner(wider), in: folder)
      #expect(rows.made == 4)
      #expect(rows.rows.map { $0.axisValues[0] }.prefix(5) == ["5", "5", "5", "5", "1"])
      // A second axis at the previous value does not change the scenario.
      let second = Self.text.replacing("axes: {", with: "axes: { \"downloads.connections\": [4, 2],")
      #expect(try Self.run(Self.runner(second), in: folder).made == 12)
      // An explicit default does not either.
      let written = Self.text.replacing("feed: { items: 20 }", with: "feed: { items: 20 }, downloads: { cancel: \"keep\" }")
      #expect(try Self.run(Self.runner(written), in: folder).made == 0)
      let fresh = try Self.run(Self.runner(), in: folder, rule: .fresh)
      #expect(fresh.made == 12)
    }
  }

  @Test func anotherScenarioOrSeedIsRefusedWithItsChanges() throws {
    try Self.withFolder { folder in
      let rows = try Self.run(Self.runner(), in: folder).rows
      let changed = try Self.runner(settings: [("user.dwell", "2s")])
      let refusal = #expect(throws: Refusal.self) { try Self.run(changed, in: folder) }
      #expect(refusal?.description.contains("user: not set → {\"dwell\":\"2s\"}") == true, "\(refusal?.description ?? "")")
      #expect(refusal?.description.contains("--fresh") == true)
      let reseeded = try Self.runner(Self.text.replacing("repeats: 4", with: "repeats: 4, seed: 9"))
      let other = #expect(throws: Refusal.self) { try Self.run(reseeded, in: folder) }
      #expect(other?.description.contains("the seed was 1 and is 9") == true)
      #expect(try Self.run(reseeded, in: folder, rule: .resumeAnyway).made == 12)
      // Runs that fitted before still fit.
      #expect(try Self.run(Self.runner(), in: folder, rule: .resumeAnyway).made == 0)
      #expect(try Self.run(Self.runner(), in: folder).rows == rows)
    }
  }

  /// A scenario's file, its key and its path.
  @Test(arguments: [
    (
      "feed: { items: 20 }", "feed: { file: \"FILE\" }, user: { scroll: 2 }",
      "{ items: [{ kind: \"image\", bytes: 1000 }, { kind: \"image\", bytes: 2000 }] }"
    ),
    ("profile: \"3G\"", "trace: \"FILE\", format: \"sabre\"", #"[{"duration_ms": 60000, "bandwidth_kbps": 1000, "latency_ms": 100}]"#),
    ("feed: { items: 20 }", "feed: { items: 20 }, user: { recording: \"FILE\" }", "item,dwellMs\n0,1000\n1,500\n"),
  ])
  func aNamedFileWithOtherContentsIsRefusedByItsPath(_ part: String, _ naming: String, _ contents: String) throws {
    try Self.withFolder { folder in
      let file = "\(folder).input"
      defer { try? FileManager.default.removeItem(atPath: file) }
      let text = Self.text.replacing(part, with: naming.replacing("FILE", with: file))
      try contents.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try Self.run(Self.runner(text), in: folder).made > 0)
      #expect(try Self.run(Self.runner(text), in: folder).made == 0)
      try contents.replacing("1000", with: "3000").write(toFile: file, atomically: true, encoding: .utf8)
      let refusal = #expect(throws: Refusal.self) { try Self.run(Self.runner(text), in: folder) }
      #expect(refusal?.description.contains("\(file) has other contents") == true, "\(refusal?.description ?? "")")
    }
  }

  @Test func anotherBuildGoesOnIfARunOfEveryPointIsTheSameAndIsRefusedIfOneIsNot() throws {
    try Self.withFolder { folder in
      try Self.run(Self.runner(), in: folder)
      var rebuilt = try Self.runner(repeats: 6)
      rebuilt.build = "another"
      let again = try Self.run(rebuilt, in: folder)
      #expect(again.made == 6)
      #expect(again.notes.contains { $0.contains("another build") && $0.contains("are the same") }, "\(again.notes)")
      #expect(try Self.run(rebuilt, in: folder).notes == [], "this build wrote the last identity")
      // A build that changes one point in the middle: two samples at the ends do not detect it. Its run that ended first is repeated.
      var changed = try Self.runner()
      changed.build = "changed"
      let point = try PointID.text(changed.sweep.decoded(1).ready.id)
      let bytes = try (1...4).map { try #require(try changed.row(point: point, repetition: $0))[.bytesReceived] }
      changed.executor = MockExecutor { scenario, seed in
        var metrics = try scenario.metrics(seed: seed)
        if bytes.contains(metrics[.bytesReceived]) { metrics[.requests]? += 1 }
        return metrics
      }
      let refusal = #expect(throws: Refusal.self) { try Self.run(changed, in: folder) }
      #expect(refusal?.description.contains("another build of the program wrote these runs") == true, "\(refusal?.description ?? "")")
      #expect(refusal?.description.contains(point) == true)
      #expect(try Self.run(changed, in: folder, rule: .resumeAnyway).made == 0)
    }
  }

  @Test func theJournalIsSyncedEveryThousandRunsAndEverySecond() throws {
    try Self.withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let journal = try Journal(path: folder + "/runs", folder: folder, size: 0)
      let record = JournalRecord.run(FinishedRun(key: RunKey(point: 1, repetition: 1, seed: 1), outcome: .metrics(RunMetrics())))
      for _ in 1..<Journal.syncRuns { try journal.append(record) }
      #expect(journal.unsyncedCount == Journal.syncRuns - 1)
      // Each record is written at once, so a kill loses none.
      #expect(SystemFile.size(folder + "/runs") == (Journal.syncRuns - 1) * RecordCoding.bytes(record).count)
      try journal.append(record)
      #expect(journal.unsyncedCount == 0)
      try journal.append(record)
      usleep(UInt32(Journal.syncInterval / .microseconds(1)))
      journal.syncIfDue()
      #expect(journal.unsyncedCount == 0)
      // The runner checks 5 times a second.
      #expect(Journal.syncRuns <= 1000 && Journal.syncInterval + .milliseconds(200) < .seconds(1))
    }
  }

  @Test func theJournalIsOrderedByRepetition() throws {
    try Self.withFolder { folder in
      var runner = try Self.runner()
      try Self.run(runner, in: folder, rule: .fresh)
      runner = try SweepRunner(runner.sweep, jobs: 1)
      try Self.run(runner, in: folder, rule: .fresh)
      let reader = try JournalReader(path: Self.journal(folder))
      var repetitions: [Int] = []
      reader.forEach { payload, _ in if case .run(let run)? = RecordCoding.record(payload) { repetitions.append(run.key.repetition) } }
      #expect(repetitions == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    }
  }

  @Test func aChangedModelUnderTheSameVersionIsDetected() throws {
    try Self.withFolder { folder in
      var runner = try Self.runner()
      try Self.run(runner, in: folder)
      runner.executor = MockExecutor { scenario, seed in
        var metrics = try scenario.metrics(seed: seed)
        metrics[.requests]? += 1
        return metrics
      }
      let refusal = #expect(throws: Refusal.self) { try Self.run(runner, in: folder) }
      #expect(refusal?.description.contains("another row") == true)
    }
  }

  private struct Broken: Error, CustomStringConvertible { let description = "the phone is gone" }

  @Test func failuresAreKeptWithTheirReasonRetriedAndNeverCounted() throws {
    try Self.withFolder { folder in
      var runner = try Self.runner()
      let seed = runner.sweep.seed(of: 2)
      runner.executor = MockExecutor { scenario, given in
        if given == seed { throw Broken() }
        return try scenario.metrics(seed: given)
      }
      let results = try ResultsFolder(path: folder)
      do {
        let sweep = try JournaledSweep(runner, folder: results)
        try sweep.run()
        #expect(sweep.progress.done == 9)
        #expect(sweep.progress.failed == 3)
        #expect(sweep.failures.map(\.point) == [0, 1, 2])
        let description = try SweepDescription(runner, overrides: SweepOverrides())
        #expect(FailureTable(sweep.failures, of: description).csv.contains("the phone is gone"))
        var repetitions: [Int] = []
        try sweep.rows.forEachRow { repetitions.append($0.repetition) }
        #expect(repetitions == [1, 3, 4, 1, 3, 4, 1, 3, 4])
      }
      let text = try #require(String(bytes: Data(contentsOf: URL(fileURLWithPath: Self.journal(folder))), encoding: .isoLatin1))
      #expect(text.components(separatedBy: "the phone is gone").count == 4)
      #expect(try Self.run(Self.runner(), in: folder).made == 3)
    }
  }

  @Test func stoppingFinishesRunningRunsAndLeavesCompletePairs() throws {
    try Self.withFolder { folder in
      let runner = try Self.runner(repeats: 40)
      do {
        let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
        let counted = StopAfter(limit: 50)
        try sweep.run(isCancelled: { counted.isOver })
        let done = sweep.progress.done
        #expect(done >= 49 && done <= 52)
        #expect(sweep.completeRepetitions == done / 3 || sweep.completeRepetitions == done / 3 - 1)
        var perPoint = [Int](repeating: 0, count: 3)
        try sweep.rows.forEachRow { perPoint[Int($0.axisValues[0]) ?? 0] += 1 }
        #expect((perPoint.max() ?? 0) - (perPoint.min() ?? 0) <= 2, "\(perPoint)")
      }
      #expect(try Self.run(runner, in: folder).rows.count == 120)
    }
  }

  private final class StopAfter: Sendable {
    private let asked = Atomic(0)
    private let limit: Int
    init(limit: Int) { self.limit = limit }
    var isOver: Bool { asked.wrappingAdd(1, ordering: .relaxed).oldValue >= limit }
  }

  @Test func aSecondWriterIsRefusedAndALockIsReleased() throws {
    try Self.withFolder { folder in
      let runner = try Self.runner()
      do {
        let first = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
        let refusal = #expect(throws: Refusal.self) { _ = try JournaledSweep(runner, folder: ResultsFolder(path: folder)) }
        #expect(refusal?.description.contains("process \(getpid()) ") == true, "\(refusal?.description ?? "")")
        _ = first.total
      }
      #expect(try Self.run(runner, in: folder).made == 12)
    }
  }

  @Test(arguments: [1, 2, 7, 16, 30])
  func shardsContainEveryRunOnce(_ count: Int) throws {
    try Self.withFolder { folder in
      let runner = try Self.runner()
      let whole = try Self.run(runner, in: folder + "/whole").rows
      var found: [RunRow] = []
      for index in 0..<count {
        let shard = try #require(Shard("\(index)/\(count)"))
        let rows = try Self.run(runner, in: "\(folder)/\(index)", shard: shard).rows
        #expect(rows.count == shard.size(of: 12))
        found += rows
      }
      #expect(found.count == 12)
      #expect(Set(found) == Set(whole))
    }
  }

  @Test(arguments: ["", "3", "3/", "/3", "3/3", "-1/3", "0/0", "1/2/3", "a/b"])
  func invalidShardsAreRefused(_ text: String) { #expect(Shard(text) == nil) }
}
