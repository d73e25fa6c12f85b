import Analysis
import Foundation
import Testing

@testable import Base
@testable import Sweep

/// The whole blocks of a gate on devices, and what is left of a damaged journal.
@Suite struct BlockJournalTests {
  private static let sweep = """
    { sweep: "phones", backend: { command: ["true", "{prefetcher.ahead}"], metrics: { loadersPer1000: "loaders" } },
      scenario: { feed: { items: 30 }, network: "3G", prefetcher: { kind: "itemsAhead" } }, axes: { "prefetcher.ahead": [2, 3] } }
    """

  private func withScenarios(_ body: (GateScenarios, String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blocks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("phones.json5").path
    try Self.sweep.write(toFile: path, atomically: true, encoding: .utf8)
    var request = GateScenarios.Request(sweep: path)
    request.settings = [("prefetcher.ahead", "3")]
    try body(GateScenarios(request), folder.appendingPathComponent("kept").path)
  }

  private func block(_ number: Int) -> DeviceBlock {
    DeviceBlock(
      number: number,
      runs: (0..<4).map { run in
        var metrics = RunMetrics()
        metrics[.loadersPer1000] = Double(10 * number + run)
        return FinishedRun(key: RunKey(point: 7, repetition: number, seed: 9), outcome: .metrics(metrics), deviceMs: 5)
      })
  }

  private func journal(_ scenarios: GateScenarios, _ folder: String, isFresh: Bool = false, limit: Int = 40) throws -> BlockJournal {
    let rule = GateRule(guards: [], comparisons: 1, blocks: 40)
    return try BlockJournal(folder: ResultsFolder(path: folder), scenarios, rule: rule, limit: limit, isFresh: isFresh)
  }

  @Test func aJournalThatEndsAnywhereHasWholeBlocksOnly() throws {
    try withScenarios { scenarios, folder in
      let path = "\(folder)/.journal/runs"
      var ends: [Int] = []
      do {
        let open = try journal(scenarios, folder)
        for number in 1...3 {
          try open.add(block(number))
          ends.append(SystemFile.size(path))
        }
      }
      let bytes = try SystemFile.contents(path)
      for size in stride(from: bytes.count, through: ends[0] - 1, by: -7) {
        try Data(bytes.prefix(size)).write(to: URL(fileURLWithPath: path))
        let whole = ends.count { $0 <= size }
        #expect(try journal(scenarios, folder).found.map(\.number) == Array((1...3).prefix(whole)))
        // The block in which it ended is made again, and then counts once.
        try journal(scenarios, folder).add(block(9))
        let found = try journal(scenarios, folder).found
        #expect(found.map(\.number) == Array((1...3).prefix(whole)) + [9] && found.allSatisfy { $0.runs.count == 4 })
      }
    }
  }

  @Test func aFailedBlockIsKnownToTheNextStart() throws {
    try withScenarios { scenarios, folder in
      let failed = FinishedRun(key: RunKey(point: 7, repetition: 2, seed: 9), outcome: .failure("no line"), deviceMs: 5)
      do {
        let open = try journal(scenarios, folder)
        try open.add(block(1))
        try open.add(DeviceBlock(number: 2, runs: [failed]))
        try open.add(block(3))
      }
      let again = try journal(scenarios, folder)
      #expect(again.found.map(\.number) == [1, 3] && again.failed.map(\.number) == [2])
    }
  }

  @Test func aSweepsFolderAndAnotherRuleAreRefused() throws {
    try withScenarios { scenarios, folder in
      try journal(scenarios, folder).add(block(1))
      #expect(throws: Refusal.self) { try journal(scenarios, folder, limit: 30) }
      #expect(try journal(scenarios, folder, isFresh: true, limit: 30).found.isEmpty)
      try "x".write(toFile: "\(folder)/runs.csv", atomically: true, encoding: .utf8)
      #expect(throws: Refusal.self) { try journal(scenarios, folder, isFresh: true) }
    }
  }

  @Test func anEndedCheckAndAFreshOneBeginAnew() throws {
    try withScenarios { scenarios, folder in
      try journal(scenarios, folder).add(block(1))
      #expect(try journal(scenarios, folder).found.count == 1)
      #expect(try journal(scenarios, folder, isFresh: true).found.isEmpty)
      #expect(try journal(scenarios, folder).found.isEmpty)
    }
  }
}
