import Analysis
import Foundation
import Simulation
import Testing

@testable import Base
@testable import Sweep
@testable import SweepTool

/// Calibrations of the emulator against itself with planted unknowns, and the parts of a calibration.
@Suite struct CalibrationTests {
  private static let text = """
    { sweep: "c", repeats: 10, seed: 11, axes: { "prefetcher.ahead": [0, 1, 2, 3, 5, 8] },
      scenario: {
        network: { profile: "3G", transport: "fluid" }, feed: { items: 60, mix: { image: 0.9, video: 0.1 } },
        user: { dwell: "800ms" }, prefetcher: "itemsAhead" } }
    """

  /// A sweep whose points the device did not measure.
  private static let other = """
    { sweep: "small", repeats: 4, axes: { "prefetcher.ahead": [0, 1, 2] },
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
    """

  private static func sweep(_ settings: [(String, String)] = [], seed: UInt64? = nil) throws -> ResolvedSweep {
    var overrides = SweepOverrides()
    overrides.settings = settings.map { .init(path: $0.0, value: $0.1) }
    overrides.seed = seed
    return try ResolvedSweep(file: InputFile(name: "c.json5", bytes: Array(text.utf8)), overrides: overrides)
  }

  /// Runs a sweep as if it were a device, with seeds of its own, and writes its runs.csv.
  private static func withDevice(_ planted: [(String, String)], seed: UInt64 = 99, _ body: (DeviceResults) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let runner = try SweepRunner(try sweep(planted, seed: seed), jobs: 2)
      let played = try JournaledSweep(runner, shard: .whole, folder: ResultsFolder(path: folder.path), rule: .resume)
      try played.run()
      let writer = RunWriter(axes: runner.sweep.grid.paths, schema: runner.schema)
      var bytes = writer.header
      try played.rows.forEachRow { bytes += writer.line($0) }
      let file = folder.appendingPathComponent("device.csv")
      try Data(bytes).write(to: file)
      try body(try DeviceResults(path: file.path))
    }
  }

  private static func options(_ fit: [String], jobs: Int = 2) -> Calibration.Options {
    var options = Calibration.Options()
    options.fit = fit
    options.repeats = 6
    options.jobs = jobs
    return options
  }

  private static func milliseconds(_ text: String) throws -> Double {
    Double(try Quantity(text, dimension: .duration).baseValue()) / 1e6
  }

  @Test func plantedUnknownsAreFoundWithinTheirIntervals() throws {
    // A fluid link has no servers.
    let packets = [("network.transport", "packet")]
    try Self.withDevice(packets + [("user.overhead", "230ms"), ("network.serverTime", "120ms")]) { device in
      let calibration = try Calibration(
        device: device, sweep: try Self.sweep(packets),
        options: Self.options(["user.overhead=0...500ms", "network.serverTime=0...300ms"]))
      let result = try calibration.run()
      for (fitted, planted) in zip(result.fitted, [230.0, 120]) {
        #expect(fitted.isIdentified, "\(fitted)")
        let (low, high) = (try fitted.low.map(Self.milliseconds) ?? 0, try fitted.high.map(Self.milliseconds) ?? 500)
        #expect(low <= planted && planted <= high, "\(fitted)")
        #expect((try Self.milliseconds(fitted.value) - planted).magnitude < 80, "\(fitted)")
      }
      // Held-out points are predicted within chance.
      let miss = try #require(result.miss(0, heldOut: true))
      #expect(miss.after < miss.before / 4 && miss.after < 3 * miss.noise, "\(miss)")
      #expect(result.misfit < 3, "\(result.misfit)")
      #expect(result.points.count { $0.isHeldOut } == 2 && result.warnings.isEmpty)
    }
  }

  /// The device's dwells vary as the sweep's do not, and nothing else differs: a fit of the overhead finds chance alone.
  @Test func aFitThatIsNoNearerKeepsThePresentSettings() throws {
    var kept = 0
    for seed in UInt64(99)..<104 {
      try Self.withDevice([], seed: seed) { device in
        let result = try Calibration(device: device, sweep: try Self.sweep(), options: Self.options(["user.overhead=0...500ms"])).run()
        let misses = try [false, true].map { try #require(result.miss(0, heldOut: $0)) }
        #expect(result.keepsPresent || misses.contains { $0.after < $0.before } || misses.allSatisfy { $0.after == $0.before })
        #expect(result.keepsPresent == result.warnings.contains { $0.contains("no settings are written") })
        kept += result.keepsPresent ? 1 : 0
      }
    }
    #expect(kept > 0)
  }

  @Test func theResultDoesNotDependOnJobs() throws {
    try Self.withDevice([("user.overhead", "100ms")]) { device in
      let reports = try [1, 3].map { jobs in
        let calibration = try Calibration(
          device: device, sweep: try Self.sweep(), options: Self.options(["user.overhead=0...500ms"], jobs: jobs))
        let report = try calibration.run()
        return [report.markdown, report.csv, report.settings]
      }
      #expect(reports[0] == reports[1])
    }
  }

  /// A fluid link has no queue, so every queue length fits equally well.
  @Test func aSettingThatTheRunsDoNotIdentifyIsReported() throws {
    try Self.withDevice([("user.overhead", "150ms")]) { device in
      let calibration = try Calibration(
        device: device, sweep: try Self.sweep(), options: Self.options(["network.queue=10...200", "user.overhead=0...500ms"]))
      let result = try calibration.run()
      #expect(!result.fitted[0].isIdentified && result.fitted[1].isIdentified, "\(result.fitted)")
      #expect(result.warnings.contains { $0.contains("These runs do not identify network.queue") }, "\(result.warnings)")
      let settings = result.settings
      #expect(settings.contains("\n  // \"network.queue\": ") && settings.contains("\n  \"user.overhead\": \""), "\(settings)")
      // A sweep that names the settings file runs with the identified settings.
      try BuiltTool.withFolder { folder in
        try settings.write(toFile: "\(folder.path)/calibrated.json5", atomically: true, encoding: .utf8)
        let named = Self.text.replacing("{ sweep: \"c\",", with: "{ sweep: \"c\", settings: \"calibrated.json5\",")
        let file = InputFile(name: "\(folder.path)/c.json5", bytes: Array(named.utf8))
        let described = try ResolvedSweep(file: file).decoded(0).description.parts.first { $0.label == "user" }?.text
        #expect(described == "60 items, 800ms each and \(result.fitted[1].value) of overhead", "\(described)")
      }
    }
  }

  /// Two settings with overlapping effects, and the residuals of three repetitions.
  @Test func repetitionsThatMoveTogetherWidenTheIntervals() {
    let slopes = CalibrationSlopes(slopes: [[3, 4, 0], [3, 4, 5]])
    // By least squares the second compensates a share of the first: −25/50, and the first all of the second: −25/25.
    #expect((slopes.following(0)[1] + 0.5).magnitude < 1e-6 && (slopes.following(1)[0] + 1).magnitude < 1e-6)
    let t2 = StudentT.criticalValue(alpha: 0.05, degreesOfFreedom: 2)
    let t9 = StudentT.criticalValue(alpha: 0.05, degreesOfFreedom: 9)
    // The remainder of the second is (0, 0, 5). It moves with repetitions of ±0.2 by 0.2·5: a variance of (1 + 1)/2·(1/3 + 1/2) over 25.
    let rises = slopes.rises([[0, 0, 0.2], [0, 0, -0.2], [0, 0, 0]], emulated: 2, misfit: 0.5, freedom: 9)
    #expect((rises[1] - max(t9 * t9, t2 * t2 * (5.0 / 6) / 25)).magnitude < 1e-6)
    let wide = slopes.rises([[0, 0, 20], [0, 0, -20], [0, 0, 0]], emulated: 2, misfit: 0.5, freedom: 9)
    #expect((wide[1] / (t2 * t2 * (10_000 * 5.0 / 6) / 25) - 1).magnitude < 1e-6)
    let alone = slopes.rises([], emulated: 2, misfit: 4, freedom: 9)
    #expect(alone.count == 2 && alone.allSatisfy { ($0 / (4 * t9 * t9) - 1).magnitude < 1e-9 }, "\(alone)")
  }

  /// Residuals are a smooth function plus noise; the surface recovers the function.
  @Test func aSurfaceRecoversASmoothFunctionFromNoise() {
    let box = [0.2...0.8, 0.0...1.0]
    let locations = HaltonSequence.locations(200, in: box, skipping: 0)
    #expect(locations.allSatisfy { (0.2...0.8).contains($0[0]) && (0.0...1.0).contains($0[1]) } && locations[0] == [0.5, 1.0 / 3])
    func truth(_ x: [Double]) -> [Double] { [8 * (x[0] - 0.4) + 3 * (x[1] - 0.7), 5 * (x[1] - 0.7) * (x[0] + 1)] }
    var luck = RandomStream(runSeed: 5, name: "luck")
    let trials = locations.map { location in (shares: location, residuals: truth(location).map { $0 + luck.unit() - 0.5 }) }
    let surface = CalibrationSurface(box: box, trials: trials)
    let minimum = surface.minimum(from: [0.5, 0.5])
    #expect((minimum.shares[0] - 0.4).magnitude < 0.03 && (minimum.shares[1] - 0.7).magnitude < 0.03, "\(minimum)")
    #expect(surface.minimum(from: [0.6, 0.5], holding: 0).shares[0] == 0.6)
    for location in locations.prefix(20) {
      for (found, expected) in zip(surface.residuals(location), truth(location)) { #expect((found - expected).magnitude < 0.2) }
    }
  }

  @Test func pointsAreHeldOutByAxisValuesAndNotByOrder() {
    let points = (0..<12).map { ["\($0 / 3)", "\($0 % 3)"] }
    let split = Calibration.split(points, share: 1.0 / 3)
    #expect(split.count { $0 } == 4)
    #expect(Calibration.split(points.reversed(), share: 1.0 / 3) == split.reversed())
    #expect(Calibration.split(Array(points.prefix(4)), share: 1.0 / 3).allSatisfy { !$0 }, "too few to spare any")
    #expect(Calibration.split(points, share: 0).allSatisfy { !$0 })
  }

  @Test(arguments: [
    ("user.overhead=0...500ms", ["0ms", "250ms", "500ms"]), ("network.queue=10...200", ["10", "45", "200"]),
    ("network.lossDown=0.0...0.05", ["0.0", "0.025", "0.05"]), ("network.down=500kbps…2Mbps", ["500kbps", "1250kbps", "2Mbps"]),
  ])
  func aRangeHasBothEndsAndItsMiddle(_ text: String, values: [String]) throws {
    let parameter = try CalibrationParameter(text)
    #expect([0, 0.5, 1].map(parameter.text) == values)
    for share in [0, 0.25, 1] {
      #expect((parameter.writtenShare(share) - share).magnitude < 0.01)
    }
  }

  @Test func badRangesAreRefusedAllAtOnce() throws {
    try Self.withDevice([]) { device in
      let wrong = [
        "overhead", "user.overhead=5", "user.overhead=2s...1s", "network.lossDown=0%...5%", "prefetcher.ahead=1...3", "user.dwell=1s...2",
      ]
      do {
        _ = try Calibration(device: device, sweep: try Self.sweep(), options: Self.options(wrong))
        Issue.record("nothing was refused")
      } catch let refusal as Refusal {
        let lines = refusal.description.split(separator: "\n")
        #expect(lines.count == wrong.count && lines.allSatisfy { $0.hasPrefix("--fit: ") && $0.contains("; ") }, "\(refusal)")
      }
      #expect(throws: Refusal.self) {
        _ = try Calibration(
          device: device, sweep: try ResolvedSweep(file: InputFile(name: "o.json5", bytes: Array(Self.other.utf8))))
      }
    }
  }

  @Test func overheadIsAddedToEveryDwell() throws {
    let plain = try Self.sweep().decoded(0)
    let slow = try Self.sweep([("user.overhead", "50ms")]).decoded(0)
    let (first, second) = (
      plain.scenario.deviceMs(seed: 1, metrics: RunMetrics()), slow.scenario.deviceMs(seed: 1, metrics: RunMetrics())
    )
    #expect(second - first == 60 * 50)
    #expect(!plain.settings.contains { $0.path.hasPrefix("user.overhead") })
    #expect(slow.settings.contains { $0.line == "user.overhead=50000000" })
  }
}
