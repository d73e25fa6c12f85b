import Analysis
import Foundation
import Testing

@testable import Base
@testable import Sweep

/// Results of the runs that a journal keeps, of this program or an older one.
@Suite struct KeptResultsTests {
  /// Stops a sweep after some runs in the folder `stopped`. Returns all rows of the whole sweep.
  private static func stopped(_ text: String = JournalTests.text, after count: Int, in folder: String) throws -> [RunRow] {
    let runner = try JournalTests.runner(text)
    let all = try JournalTests.run(runner, in: "\(folder)/whole").rows
    let description = try SweepDescription(runner, overrides: SweepOverrides())
    let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: "\(folder)/stopped"), description: description)
    try sweep.run(isCancelled: { [runs = sweep.runs] in runs.counts.done >= count })
    #expect((count..<all.count).contains(sweep.progress.done))
    return all
  }

  private static func rows(_ kept: KeptResults) throws -> [RunRow] {
    var rows: [RunRow] = []
    try kept.forEachRow { rows.append($0) }
    return rows
  }

  /// Writes the journal as a program of model 2 wrote it that knew no digests, but another metric; ids are others then.
  private static func makeOlder(_ path: String) throws {
    let reader = try JournalReader(path: path)
    var bytes: [UInt8] = []
    reader.forEach { payload, _ in
      func replaced(_ json: [UInt8], _ pairs: [(String, String)]) -> [UInt8] {
        var text = String(decoding: json, as: UTF8.self)
        for (old, new) in pairs {
          #expect(text.contains(old), "\(old)")
          text = text.replacing(old, with: new)
        }
        return Array(text.utf8)
      }
      switch RecordCoding.record(payload) {
      case .identity(let json):
        bytes += RecordCoding.bytes(
          .identity(replaced(json, [("modelVersion\":\"\(Program.modelVersion)\"", "modelVersion\":\"2\"")])))
      case .description(let json):
        bytes += RecordCoding.bytes(
          .description(
            replaced(json, [("\"modelVersion\":\"\(Program.modelVersion)\"", "\"modelVersion\":\"2\""), ("\"digest\"", "\"spinners\"")])))
      case .point(let id, let values): bytes += RecordCoding.bytes(.point(id ^ 0xFF, values))
      case .run(var run):
        run.key.point ^= 0xFF
        bytes += RecordCoding.bytes(.run(run))
      case nil: Issue.record("an unknown record")
      }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: [
    JournalTests.text,
    // The second point has the scenario of the first; the baseline is beside the grid.
    """
    { sweep: "small", repeats: 4, axes: { "prefetcher.ahead": [0, 1] }, baseline: { "prefetcher.ahead": 3 },
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
    """,
  ])
  func runsOfAStoppedSweepAreThoseOfTheWholeInItsOrder(_ text: String) throws {
    try JournalTests.withFolder { folder in
      let all = try Self.stopped(text, after: 5, in: folder)
      let kept = try KeptResults(folder: "\(folder)/stopped")
      let rows = try Self.rows(kept)
      #expect(rows == all.filter(rows.contains) && rows.count == kept.count && rows.count >= 5)
      #expect(kept.notes == [])
    }
  }

  @Test func aJournalOfAnOlderModelIsReadAndNotContinued() throws {
    try JournalTests.withFolder { folder in
      let all = try Self.stopped(after: 7, in: folder)
      let journal = "\(folder)/stopped/.journal/runs"
      let now = try Self.rows(KeptResults(folder: "\(folder)/stopped"))
      try Self.makeOlder(journal)
      let bytes = try SystemFile.contents(journal)
      let kept = try KeptResults(folder: "\(folder)/stopped")
      #expect(kept.description.program.modelVersion == "2")
      #expect(kept.notes.count == 1 && kept.notes[0].contains("does not know spinners"), "\(kept.notes)")
      let rows = try Self.rows(kept)
      let known = now.map { row in
        var row = row
        row.metrics.digest = nil
        row.point = PointID.text(UInt64(row.point, radix: 16)! ^ 0xFF)
        return row
      }
      #expect(rows == known && rows.count < all.count)
      let refusal = #expect(throws: Refusal.self) { _ = try JournalTests.run(JournalTests.runner(), in: "\(folder)/stopped") }
      let text = refusal?.description ?? ""
      #expect(text.contains("the version of the program's model was 2 and is \(Program.modelVersion)"), "\(text)")
      #expect(text.contains("keep what still fits with --resume-anyway") && text.contains("report makes results of them"), "\(text)")
      #expect(try SystemFile.contents(journal) == bytes)
      // Both models in one journal: only the last start's runs.
      let runner = try JournalTests.runner()
      let description = try SweepDescription(runner, overrides: SweepOverrides())
      let mixed = try JournaledSweep(
        runner, folder: ResultsFolder(path: "\(folder)/stopped"), rule: .resumeAnyway, description: description)
      try mixed.run()
      let both = try KeptResults(folder: "\(folder)/stopped")
      #expect(try Self.rows(both) == all)
      #expect(both.notes.contains { $0.contains("\(rows.count) runs before a change of model, scenario or seed are left out") })
    }
  }

  @Test func aJournalWithoutADescriptionSaysWhoCanRead() throws {
    try JournalTests.withFolder { folder in
      _ = try JournalTests.run(JournalTests.runner(), in: folder)
      let refusal = #expect(throws: Refusal.self) { _ = try KeptResults(folder: folder) }
      #expect(refusal?.description.contains("finish them with that program, or discard them with `run --fresh`") == true)
    }
  }
}
