import Analysis
import Foundation
import Testing

@testable import Base
@testable import Sweep

/// The device time of a race: failed runs and the confirmation spend it too.
@Suite struct DeviceTimeTests {
  /// 8 points; one fails after a second.
  private static let failing: @Sendable (RunRequest) -> RunOutcome? = { run in
    guard run.ahead == 7 else { return LaneTests.Device.measured(run) }
    usleep(1_000_000)
    return .failure("the phone is locked")
  }

  private static func race(_ device: LaneTests.Device, until: String, _ more: String = "") throws -> SweepRunner {
    try LaneTests.runner(device, "search: \"racing\", until: \"\(until)\", \(more)")
  }

  /// Runs a race and returns its rows and its notes on the device time.
  private static func run(_ runner: SweepRunner, in folder: String) throws -> (rows: [RunRow], notes: [String]) {
    let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
    try sweep.run()
    var rows: [RunRow] = []
    try sweep.rows.forEachRow { rows.append($0) }
    return (rows, sweep.budgetNotes)
  }

  private static func lastRepetition(_ rows: [RunRow]) -> Int { rows.map(\.repetition).max() ?? 0 }

  @Test func failedRunsSpendDeviceTimeAfterARestartToo() throws {
    try JournalTests.withFolder { folder in
      let calm = try Self.run(try Self.race(LaneTests.Device(), until: "900ms"), in: folder + "/calm")
      #expect(Self.lastRepetition(calm.rows) > 2 && calm.notes == [], "without failures there is time for more")
      // A second of failure before the first look.
      let failed = try Self.run(try Self.race(LaneTests.Device(outcome: Self.failing), until: "900ms"), in: folder)
      #expect(Self.lastRepetition(failed.rows) == 1 && failed.rows.count == 7)
      #expect(failed.notes.count == 1 && failed.notes[0].contains("the race ends: 1s of 1s of device time are spent"), "\(failed.notes)")
      let again = try Self.run(try Self.race(LaneTests.Device(), until: "900ms"), in: folder)
      #expect(again.rows.count == 8 && again.notes.count == 1, "what was missing is made; the hours are not given back")
    }
  }

  @Test func measuredRunsStayWhenAFailedRunIsRetried() throws {
    try JournalTests.withFolder { folder in
      let isBad: @Sendable (RunRequest) -> Bool = { $0.repetition == 2 && $0.ahead == 0 }
      let first = LaneTests.Device { isBad($0) ? .failure("no phone") : LaneTests.Device.measured($0) }
      let before = try Self.run(try Self.race(first, until: "900ms"), in: folder)
      #expect(Self.lastRepetition(before.rows) > 3)
      let second = LaneTests.Device { run in
        usleep(1_000_000)
        return isBad(run) ? .failure("no phone") : LaneTests.Device.measured(run)
      }
      let after = try Self.run(try Self.race(second, until: "900ms"), in: folder)
      #expect(after.rows == before.rows && after.notes == [])
      #expect(second.runs.count == 1, "no run but the one that had failed")
    }
  }

  @Test func theConfirmationStopsBeforeABlockThatWouldExceedTheDeviceTime() throws {
    try JournalTests.withFolder { folder in
      // Blocks run on two devices; a run of the confirmation takes half a second, and two of three points are confirmed.
      let device = LaneTests.Device(lanes: 2) { run in
        if run.repetition > 6 { usleep(500_000) }
        return LaneTests.Device.measured(run)
      }
      let runner = try Self.race(device, until: "2500ms", "confirm: { repeats: 20, best: 1 },")
      let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
      try sweep.run()
      try sweep.confirm(device.runs.prefix(2).map { PointID.text($0.point.id) })
      var rows: [RunRow] = []
      try sweep.confirmingRows?.forEachRow { rows.append($0) }
      let repetitions = Set(rows.map(\.repetition)).sorted()
      #expect(repetitions == Array(7..<7 + repetitions.count) && rows.count == repetitions.count * 2, "whole blocks")
      #expect(repetitions.count == 2 || repetitions.count == 4, "each device as many; the first are not known to be slow")
      #expect(sweep.progress.total == runner.total + rows.count && sweep.progress.done == device.runs.count)
      let note = try #require(sweep.budgetNotes.last)
      #expect(note.contains("the confirmation ends after \(repetitions.count) of 20 repetitions: "), "\(note)")
    }
  }
}
