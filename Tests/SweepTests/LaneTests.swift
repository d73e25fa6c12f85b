import Analysis
import Foundation
import Synchronization
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

/// Runs outside of the emulator: a repetition runs in one lane, with its points shuffled.
@Suite struct LaneTests {
  /// A device that records its runs.
  final class Device: RunExecutor {
    let laneCount: Int?
    private let made = Mutex<[RunRequest]>([])
    /// The runs so far.
    var runs: [RunRequest] { made.withLock { $0 } }
    let outcome: @Sendable (RunRequest) -> RunOutcome?

    init(lanes: Int = 1, outcome: @escaping @Sendable (RunRequest) -> RunOutcome? = Device.measured) {
      laneCount = lanes
      self.outcome = outcome
    }

    /// Returns loaders that depend on the prefetch distance, with noise of the repetition and of the run.
    static let measured: @Sendable (RunRequest) -> RunOutcome? = { run in
      var metrics = RunMetrics()
      let own = (run.repetition * 7 + Int(run.ahead) * run.repetition * run.repetition) % 5
      metrics[.loadersPer1000] = 10 + run.ahead + Double(run.repetition) + Double(own) / 10
      return .metrics(metrics)
    }

    func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome? {
      made.withLock { $0.append(run) }
      return outcome(run)
    }
  }

  static func runner(_ device: Device, _ more: String = "", seed: Int = 1, repeats: String = "6") throws -> SweepRunner {
    let text = """
      { sweep: "live", backend: "live", repeats: \(repeats), seed: \(seed), axes: { "prefetcher.ahead": [0, 1, 2, 3, 4, 5, 6, 7] }, \(more)
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """
    return try SweepRunner(ResolvedSweep(file: InputFile(name: "live.json5", bytes: Array(text.utf8))), jobs: 2, live: { _ in device })
  }

  private func orders(_ device: Device) -> [[UInt64]] {
    (1...6).map { repetition in device.runs.filter { $0.repetition == repetition }.map(\.point.id) }
  }

  @Test func eachRepetitionIsABlockShuffledByTheSeed() throws {
    let devices = [Device(), Device(), Device()]
    for (device, seed) in zip(devices, [1, 1, 2]) {
      try JournalTests.withFolder { folder in try JournalTests.run(try Self.runner(device, seed: seed), in: folder) }
    }
    let made = devices[0].runs.map(\.repetition)
    #expect(made == made.sorted() && made.count == 48, "one block after the other")
    let (first, second, other) = (orders(devices[0]), orders(devices[1]), orders(devices[2]))
    #expect(Set(first).count == 6, "six orders")
    #expect(Set(first.map { $0.sorted() }).count == 1, "of the same points")
    #expect(first == second)
    #expect(first != other)
  }

  @Test func noPointIsAlwaysLate() throws {
    // Over many repetitions each point has every rank in its block, and its mean rank is the middle.
    let device = Device()
    let runner = try Self.runner(device)
    let batch = RunBatch(repetitions: 1...400, pointCount: 8)
    var sums = [Int](repeating: 0, count: 8)
    for repetition in 1...400 { for (rank, point) in runner.order(of: batch, in: repetition).enumerated() { sums[point] += rank } }
    // A rank is uniform on 0 … 7: mean 3.5, standard error 2.29 / 20.
    for sum in sums { #expect(abs(Double(sum) / 400 - 3.5) < 0.46, "\(sums)") }
  }

  @Test func aRepetitionIsOneLanesAlsoAfterARestart() throws {
    try JournalTests.withFolder { folder in
      let left = Atomic(20)
      let device = Device(lanes: 3) { run in left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 ? Device.measured(run) : nil }
      let first = try JournaledSweep(try Self.runner(device), folder: ResultsFolder(path: folder))
      try first.run()
      #expect(first.progress.done == 20)
      #expect(first.progress.failed == 0, "a run that was cancelled has not failed")
    }
    try JournalTests.withFolder { folder in
      let stopped = Device(lanes: 3) { $0.repetition == 5 && $0.ahead == 3 ? nil : Device.measured($0) }
      _ = try JournalTests.run(try Self.runner(stopped), in: folder)
      let again = Device(lanes: 3)
      let rows = try JournalTests.run(try Self.runner(again), in: folder).rows
      for run in stopped.runs + again.runs { #expect(run.lane == (run.repetition - 1) % 3) }
      #expect(again.runs.allSatisfy { $0.repetition == 5 }, "the others were done")
      try JournalTests.withFolder { calm in
        let undisturbed = try JournalTests.run(try Self.runner(Device(lanes: 3)), in: calm).rows
        #expect(undisturbed == rows)
      }
    }
  }

  @Test func oneSlowLaneDoesNotHoldUpTheOthers() throws {
    try JournalTests.withFolder { folder in
      let isOpen = Atomic(false)
      let device = Device(lanes: 2) { run in
        // The first lane waits for the second's last run.
        if run.lane == 0 { while !isOpen.load(ordering: .relaxed) { usleep(1000) } }
        if run.repetition == 6 { isOpen.store(true, ordering: .relaxed) }
        return Device.measured(run)
      }
      let rows = try JournalTests.run(try Self.runner(device), in: folder).rows
      #expect(rows.count == 48)
    }
  }

  @Test func failuresAreCountedNamedAndTriedAgain() throws {
    try JournalTests.withFolder { folder in
      let device = Device { $0.repetition == 2 ? .failure("no phone") : Device.measured($0) }
      let sweep = try JournaledSweep(try Self.runner(device), folder: ResultsFolder(path: folder))
      try sweep.run()
      let failures = sweep.failures.filter { $0.reason == "no phone" && $0.repetition == 2 }
      #expect(sweep.progress.failed == 8 && failures.count == 8)
    }
  }

  @Test func pointsEndOnceTheirDifferenceIsKnownInLanesToo() throws {
    try JournalTests.withFolder { folder in
      let device = Device(lanes: 2)
      let runner = try Self.runner(device, repeats: "{ min: 3, max: 48, until: \"±20%\" }")
      let rows = try JournalTests.run(runner, in: folder).rows
      #expect(rows.count < runner.sweep.grid.count * 48 && device.runs.count == rows.count)
    }
  }

  @Test func roundsAndConfirmationRunInLanesToo() throws {
    for plan in ["search: \"halving\", confirm: { repeats: 3, best: 2 },", "confirm: { repeats: 3, best: 2 },"] {
      try JournalTests.withFolder { folder in
        let device = Device(lanes: 2)
        let runner = try Self.runner(device, plan)
        let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
        try sweep.run()
        let made = device.runs.count
        #expect(plan.hasPrefix("search") ? made < 48 : made == 48)
        let best = device.runs.filter { $0.repetition == 1 }.sorted { $0.ahead < $1.ahead }.prefix(2).map { PointID.text($0.point.id) }
        try sweep.confirm(best)
        var rows: [RunRow] = []
        try sweep.confirmingRows?.forEachRow { rows.append($0) }
        #expect(rows.map(\.repetition) == [7, 8, 9, 7, 8, 9])
        #expect(device.runs.count == made + 6)
      }
    }
  }
}

extension RunRequest {
  /// The number of items that its prefetcher looks ahead.
  var ahead: Double { (scenario?.prefetcher as? ItemsAhead).map { Double($0.ahead) } ?? -1 }
}
