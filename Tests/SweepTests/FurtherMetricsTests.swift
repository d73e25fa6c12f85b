import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Simulation
@testable import Sweep

/// Metrics whose columns exist only where a sweep names them, in sessions computed by hand: a link of 8 Mbit/s carries 1 MB/s.
@Suite struct FurtherMetricsTests {
  private static let all = RunSchema.feed.offered

  private func row(
    _ items: ContiguousArray<Item>, dwellMs: Int64 = 1000, tailMs: Int64 = 0, energy: EnergyProxy = EnergyProxy(),
    further: [Metric] = FurtherMetricsTests.all
  ) throws -> RunMetrics {
    let rate = LinkRate(constant: 8_000_000)
    var network = NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero, transport: .fluid)
    network.radioTail = .milliseconds(tailMs)
    var scenario = Scenario(
      feed: .fixed(items), network: network, downloads: DownloadSettings(connections: 1),
      user: UserScript(scroll: items.count, dwell: .constant(dwellMs * 1_000_000)), prefetcher: ItemsAhead(ahead: 0))
    scenario.energy = energy
    return try scenario.metrics(seed: 1, limits: RunLimits(), further: further)
  }

  private func images(_ kilobytes: Int64...) -> ContiguousArray<Item> {
    ContiguousArray(kilobytes.map { Item(kind: .image, bytes: $0 * 1000) })
  }

  // The prefix of 0.2 MB arrives at 0.2 s and plays at 2 MB/s. At 0.3, 0.35 and 0.375 s the buffer holds 50, 25 and 12.5 ms, at 0.3875 s
  // less than 10 ms, with 0.375 MB played. The stall ends at the first poll with half a second in the buffer, 1.375 MB: at 1.3775 s.
  @Test(arguments: [(1000, 612.5, 187.5), (2000, 990, 810), (3000, 990, 1000)])
  func theStallRatioIsTheTimeStalledOfTheTimeStalledOrPlayed(dwellMs: Int64, stalled: Double, played: Double) throws {
    let video = Item(videoBytes: 2_000_000, prefixBytes: 200_000, bitsPerSecond: 16_000_000)
    let row = try row([video], dwellMs: dwellMs)
    #expect(row[.stallMs] == stalled)
    #expect(row[.stallRatio] == stalled / (stalled + played))
  }

  @Test func withoutPlaybackThereIsNoStallRatioAndWithoutVideosNoFirstFrame() throws {
    let row = try row(images(100, 100))
    #expect(row[.stallRatio] == nil && row[.firstFrameMsP50] == nil && row[.firstFrameMsP99] == nil)
    // A video that never starts plays nothing.
    let late = try self.row([Item(videoBytes: 5_000_000, prefixBytes: 5_000_000, bitsPerSecond: 1_000_000)])
    #expect(late[.stallRatio] == nil && late[.firstFrameMsP50] == 1000)
  }

  @Test func theTimeToTheFirstFrameIsTheWaitOfVideosOnly() throws {
    func video(_ kilobytes: Int64) -> Item { Item(videoBytes: kilobytes * 1000, prefixBytes: kilobytes * 1000, bitsPerSecond: 0) }
    let row = try row([video(300), Item(kind: .image, bytes: 900_000), video(100), Item(kind: .image, bytes: 900_000), video(200)])
    #expect([.firstFrameMsP50, .firstFrameMsP90, .firstFrameMsP99].map { row[$0] } == [200, 300, 300])
    #expect([.waitMsP50, .waitMsP90, .waitMsP99].map { row[$0] } == [300, 900, 900])
  }

  @Test func bytesPerHourAreThoseOfTheSessionsLength() throws {
    // 0.3 MB in 3 s, and the same in 6 s.
    #expect(try row(images(100, 100, 100))[.bytesPerHour] == 360e6)
    #expect(try row(images(100, 100, 100), dwellMs: 2000)[.bytesPerHour] == 180e6)
  }

  // Transfers from 0, 1 and 2 s on take 0.1 s each; the session ends at 3 s. 0.3 MB are 2.4 megabits.
  @Test(arguments: [(0, 0.3), (400, 1.5), (900, 3), (5000, 3)])
  func energyIsThatOfTheRadiosActiveTimeAndOfTheBits(tailMs: Int64, activeSeconds: Double) throws {
    var energy = EnergyProxy()
    (energy.radioPower, energy.megabitEnergy, energy.awakePower, energy.wakeEnergy) = (2, 0.5, 100, 100)
    let row = try row(images(100, 100, 100), tailMs: tailMs, energy: energy)
    #expect(row[.radioActiveMs] == activeSeconds * 1000)
    #expect((try #require(row[.energyJ]) - (2 * activeSeconds + 0.5 * 2.4)).magnitude < 1e-12)
  }

  @Test func aRunHasOnlyTheMetricsThatAreNamed() throws {
    let row = try row(images(100), further: [.bytesPerHour])
    for metric in Self.all { #expect((row[metric] != nil) == (metric == .bytesPerHour), "\(metric)") }
    let plain = try self.row(images(100), further: [])
    #expect(Metric.allCases.allSatisfy { $0.isFurther || plain[$0] == row[$0] })
  }

  // MARK: Sweeps

  private static func text(_ more: String, feed: String = "items: 20") -> String {
    """
    { sweep: "small", repeats: 4, axes: { "prefetcher.ahead": [0, 1, 2] }, \(more)
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { \(feed) }, prefetcher: { kind: "itemsAhead" } } }
    """
  }

  private static func runner(_ more: String) throws -> SweepRunner { try JournalTests.runner(text(more)) }

  @Test func columnsFollowTheKeyTheObjectiveAndItsBoundsInOneOrder() throws {
    let more = "metrics: ['stallRatio', 'energyJ'], objective: { minimize: 'firstFrameMsP90', subjectTo: ['bytesPerHour <= 300MB'] },"
    let runner = try Self.runner(more)
    let names = ["energyJ", "firstFrameMsP90", "stallRatio", "bytesPerHour"]
    #expect(runner.sweep.metrics == names && runner.schema.metrics.suffix(4).map(\.rawValue) == names)
    #expect(runner.schema.metrics.dropLast(4) == RunSchema.feed.metrics[...])
    #expect(runner.sweep.objective?.subjectTo.first?.bound == 300e6)
    let description = try SweepDescription(runner, overrides: .init())
    #expect(description.metrics == names && description.schema.headline == .firstFrameMsP90)
    #expect(description.schema.metrics == runner.schema.metrics)
    let again = try SweepDescription(json: description.json, file: "sweep.json")
    #expect(again == description)
  }

  @Test func withoutTheirNamesNothingChanges() throws {
    let runner = try Self.runner("objective: { subjectTo: ['bytesReceived <= 70MB'] },")
    #expect(runner.schema == .feed && runner.sweep.metrics.isEmpty)
    let description = try SweepDescription(runner, overrides: .init())
    #expect(!String(decoding: description.json, as: UTF8.self).contains("\"metrics\""))
    let row = try #require(runner.row(point: try runner.sweep.decoded(0).point, repetition: 1))
    for metric in Self.all { #expect(row[metric] == nil) }
  }

  @Test(arguments: [
    ("metrics: ['stalRatio'],", "metrics.0: is \"stalRatio\", which is no metric of this scenario; did you mean \"stallRatio\"?"),
    ("metrics: ['energyJ', 'energyJ'],", "metrics.1: is \"energyJ\", which is listed twice; keep one of the two"),
    ("metrics: ['bytesReceived'],", "metrics.0: is \"bytesReceived\", a column of every sweep; take it out"),
    ("metrics: [7],", "metrics.0: "), ("metrics: 'energyJ',", "metrics: "),
    ("objective: { subjectTo: ['stallRatio <= 2'] },", "which every run keeps"),
    ("objective: { subjectTo: ['stallRatio <= 1%'] },", "write an amount such as 0.01"),
    ("objective: { subjectTo: ['bytesPerHour <= 5s'] },", "write an amount such as 300MB"),
    ("settings: { energy: { awake: 1 } },", "energy.awake: is of background downloads"),
    (
      "metrics: ['energyJ'], backend: { command: ['x'], metrics: { loadersPer1000: 'a' } },",
      "metrics.0: needs energyJ, which the backend does not measure; name its source in backend.metrics, or take it out"
    ),
  ])
  func mistakesAreNamed(more: String, problem: String) throws {
    let error = try #require(throws: InvalidInput.self) { try Self.runner(more) }
    #expect("\(error)".contains(problem), "\(error)")
  }

  @Test func aBackendsFurtherMetricsGetColumns() throws {
    let more = "backend: { command: ['cat', '{prefetcher.ahead}'], metrics: { loadersPer1000: 'a', energyJ: 'battery' } },"
    #expect(try Self.runner(more).sweep.metrics == ["energyJ"])
  }

  @Test func theRadiosPowersAreKeysWithoutWhichIdsStay() throws {
    let base = "network: \"3G\", feed: { items: 5 }, prefetcher: \"none\""
    func decoded(_ more: String) throws -> DecodedScenario {
      try ScenarioDecoder(files: InputFiles(folder: ".")).decoded(try parsed("{ \(base)\(more) }"))
    }
    let (plain, powers) = (try decoded(""), try decoded(", energy: { radio: 0.7 }"))
    #expect(!plain.lines.contains { $0.contains("energy") } && !plain.description.parts.contains { $0.label == "energy" })
    #expect(powers.point != plain.point && powers.description.parts.last?.text == "0.7 W radio active + 0.052 J a megabit")
    #expect((powers.scenario as? Scenario)?.energy.radioPower == 0.7)
    let axis = try JournalTests.runner(Self.text("metrics: ['energyJ'],").replacing("\"prefetcher.ahead\"", with: "\"energy.radio\""))
    let joules = try (0..<3).map { try axis.row(point: try axis.sweep.decoded($0).point, repetition: 1)?[.energyJ] ?? 0 }
    #expect(joules[0] > 0 && (joules[2] - 2 * joules[1] + joules[0]).magnitude < 1e-9 && joules[2] > joules[0])
  }

  // MARK: Files

  @Test func tablesJournalsAndResultsOfAStoppedSweepKeepThem() throws {
    try JournalTests.withFolder { folder in
      let runner = try Self.runner("metrics: ['stallRatio', 'bytesPerHour'],")
      let rows = try JournalTests.run(runner, in: folder).rows
      #expect(rows.count == 12 && rows.allSatisfy { $0[.bytesPerHour] ?? 0 > 0 && $0[.energyJ] == nil && $0.metrics.digest != nil })
      // A second start runs nothing again.
      #expect(try JournalTests.run(runner, in: folder).made == 0)
      let writer = RunWriter(axes: runner.sweep.grid.paths, schema: runner.schema)
      let csv = rows.reduce(into: writer.header) { writer.append($1, to: &$0) }
      let reader = RunReader(name: "runs.csv", bytes: csv)
      let columns = try RunColumns(reader)
      #expect(reader.schema == runner.schema && columns.count == 12)
      #expect(columns.points[1].mean(.bytesPerHour) == rows[4..<8].reduce(0) { $0 + ($1[.bytesPerHour] ?? 0) } / 4)
      // Another list of metrics needs other runs.
      let other = try Self.runner("metrics: ['stallRatio', 'energyJ'],")
      let refusal = try #require(throws: Refusal.self) { try JournalTests.run(other, in: folder) }
      let change = "the number of metrics in a row was 58, with stallRatio, bytesPerHour and is 58, with energyJ, stallRatio"
      #expect("\(refusal)".contains(change))
    }
  }

  /// Rows without a metric would be means of fewer repetitions.
  @Test func runsThatLackAMetricAreRepeatedEvenByResumeAnyway() throws {
    try JournalTests.withFolder { folder in
      #expect(try JournalTests.run(try Self.runner("metrics: ['stallRatio'],"), in: folder).made == 12)
      let more = try Self.runner("metrics: ['stallRatio', 'bytesPerHour'],")
      let again = try JournalTests.run(more, in: folder, rule: .resumeAnyway)
      #expect(again.made == 12 && again.rows.count == 12 && again.rows.allSatisfy { $0[.bytesPerHour] != nil })
      #expect(try JournalTests.run(more, in: folder).made == 0)
      // Fewer metrics are in the rows already.
      let fewer = try Self.runner("")
      #expect(try JournalTests.run(fewer, in: folder, rule: .resumeAnyway).made == 0)
      #expect(try JournalTests.run(fewer, in: folder).made == 0)
    }
  }

  @Test func theQuestionAndTheUnitsOfAMinimizedMetricAreEnglish() throws {
    let runner = try Self.runner("objective: { minimize: 'stallRatio' },")
    #expect(try SweepDescription(runner, overrides: .init()).question == "Which setting of prefetcher.ahead has the lowest stallRatio?")
    func words(_ metric: String) -> String {
      RunSchema.feed.judged(by: Objective(minimize: metric, subjectTo: [])).words.counted("2")
    }
    #expect(["stallRatio", "bytesPerHour", "energyJ"].map(words) == ["2 stallRatio", "2 bytes per hour", "2 J of energyJ"])
  }

  @Test func aColumnOutOfOrderIsRefused() {
    let header = (RunWriter.keyColumns + RunSchema.feed.metrics.map(\.rawValue)).joined(separator: ",")
    for (more, isGood) in [("energyJ,stallRatio", true), ("stallRatio,energyJ", false), ("energyJ,energyJ", false), ("wakes", false)] {
      let reader = RunReader(name: "runs.csv", bytes: Array("\(header),\(more)\n".utf8))
      var error: (any Error)?
      do { _ = try reader.row() } catch let problem { error = problem }
      #expect((error == nil) == isGood, "\(more)")
    }
  }

  @Test func recordsWithoutFurtherMetricsAreThoseOfOlderPrograms() throws {
    var metrics = RunMetrics()
    for metric in Metric.allCases.prefix(57) { metrics[metric] = Double(metric.index) / 3 }
    metrics.digest = 77
    let run = FinishedRun(key: RunKey(point: 3, repetition: 2, seed: 42), outcome: .metrics(metrics))
    // The format before there were further metrics: kind, point, repetition, seed and time, then 57 metrics and the digest.
    var payload: [UInt8] = [5, 3, 2, 42, 0]
    for value in Metric.allCases.prefix(57).map({ metrics[$0] ?? 0 }) + [77] {
      var rest = value.bitPattern.byteSwapped &+ 1
      while rest >= 128 {
        payload.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      payload.append(UInt8(rest))
    }
    #expect(Metric.fixedCount == 57 && RecordCoding.bytes(.run(run)).dropFirst(RecordCoding.headerSize) == payload[...])
    #expect(payload.withUnsafeBytes { RecordCoding.record($0) } == .run(run))
    metrics[.stallRatio] = 0.25
    let further = FinishedRun(key: run.key, outcome: .metrics(metrics))
    let bytes = Array(RecordCoding.bytes(.run(further)).dropFirst(RecordCoding.headerSize))
    #expect(bytes.starts(with: payload) && bytes.withUnsafeBytes { RecordCoding.record($0) } == .run(further))
  }

  @Test func theDigestOfADevicesResultIsThatOfOlderProgramsAndCoversFurtherMetrics() {
    var metrics = RunMetrics()
    metrics[.loaders] = 3
    var hash = ContentHash()
    for index in 0..<57 { hash.update(line: index == Metric.loaders.index ? "3" : "") }
    let plain = metrics.resultDigest
    #expect(plain == hash.highHalf >> 12)
    metrics[.stallRatio] = 0.5
    let first = metrics.resultDigest
    (metrics[.stallRatio], metrics[.bytesPerHour]) = (nil, 0.5)
    #expect(Set([plain, first, metrics.resultDigest]).count == 3)
  }

  @Test func playedRenditionsHaveARateByMediaTime() throws {
    // One rendition is played all the time; the rule of throughput chooses lower ones on a slow link.
    func row(_ rendition: String, link: String) throws -> RunMetrics {
      let text = """
        { network: { down: "\(link)", up: "1Mbps", delayDown: "10ms", delayUp: "10ms", transport: "fluid" }, user: { dwell: "10s" }, prefetcher: "none",
          downloads: { rendition: "\(rendition)" },
          feed: { items: 5, mix: { video: 1 }, video: { bytes: "1.25MB", renditions: ["500kbps", "1Mbps", "2Mbps"] } } }
        """
      let scenario = try ScenarioDecoder(files: InputFiles(folder: ".")).decoded(try parsed(text)).scenario
      return try scenario.metrics(seed: 1, limits: RunLimits(), further: Self.all)
    }
    let (lowest, highest) = (try row("lowest", link: "20Mbps"), try row("highest", link: "20Mbps"))
    for (row, rate) in [(lowest, 500.0), (highest, 2000)] {
      // Exactly, so that a run keeps the bound `playedKbps >= 500kbps`.
      #expect(row[.playedKbps] == rate && row[.renditionSwitches] == 0)
    }
    #expect(try row("lowest", link: "700kbps")[.playedKbps] == 500)
    let chosen = try row("throughput", link: "1.5Mbps")
    #expect((500.0..<1500).contains(chosen[.playedKbps] ?? 0) && chosen[.renditionSwitches] ?? 0 > 0)
    #expect(try self.row(images(100))[.playedKbps] == nil && self.row(images(100))[.renditionSwitches] == nil)
    #expect(try Constraint(reading: "playedKbps >= 1.2Mbps").bound == 1200)
    #expect(throws: InvalidInput.self) { try Self.runner("objective: { minimize: 'playedKbps' },") }
  }

  @Test func aLiveRunHasThemAsWell() {
    var session = SessionMetrics()
    (session.stallMs, session.playedMs, session.sessionMs, session.bytesUseful) = (1000, 3000, 3_600_000, 5000)
    guard case .metrics(let metrics) = RunOutcome.live(session, further: [.stallRatio, .bytesPerHour]) else {
      Issue.record("the run failed")
      return
    }
    #expect(metrics[.stallRatio] == 0.25 && metrics[.bytesPerHour] == 5000 && metrics[.energyJ] == nil)
  }

  @Test func guardsOfAGateMeasureWhatTheyName() throws {
    let rule = GateRule(guards: [try GateGuard(reading: "bytesPerHour +20MB"), try GateGuard(reading: "stallRatio <= 0.01")])
    #expect(rule.furtherMetrics == [.bytesPerHour, .stallRatio] && rule.guards[0].limit(baselineMean: 1) == 20e6)
    #expect(GateRule(guards: [try GateGuard(reading: "bytesReceived +5%")]).furtherMetrics.isEmpty)
  }
}
