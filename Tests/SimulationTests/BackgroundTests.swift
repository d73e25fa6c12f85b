import Testing

@testable import Simulation

/// Background runs with results computed by hand: a link that carries 1 MB in 1 ms, with a latency of 10 ms.
@Suite struct BackgroundTests {
  private func network(
    bitsPerSecond: Int64 = 8_000_000_000, transport: NetworkConfiguration.TransportKind = .fluid
  ) -> NetworkConfiguration {
    let rate = LinkRate(constant: bitsPerSecond)
    return NetworkConfiguration(down: rate, up: rate, delayDown: .milliseconds(10), delayUp: .zero, transport: transport)
  }

  /// Returns a scenario of ten resources with twenty slices; the app leaves the foreground before any slice arrives.
  private func scenario(_ strategy: DownloadStrategy, network: NetworkConfiguration? = nil) -> BackgroundScenario {
    var scenario = BackgroundScenario(network: network ?? self.network(), strategy: strategy)
    (scenario.resources, scenario.slices, scenario.sliceBytes) = (10, 20, .constant(1000))
    scenario.strategy.creation = .zero
    scenario.life.foreground = .milliseconds(1)
    scenario.life.assertion = .constant(35_000_000_000)
    scenario.daemon.startDelay = .constant(0)
    return scenario
  }

  private func slices(_ scenario: BackgroundScenario, after seconds: Int64) -> Int {
    var scenario = scenario
    scenario.mark = .seconds(seconds)
    return scenario.run(seed: 1).atMark.slices
  }

  // MARK: Strategies

  @Test(arguments: zip([60, 180, 420, 900, 1860, 3780, 7620, 15300] as [Int64], 1...8))
  func fourPerWakeBringsFourSlicesAtEachEndOfTheLimiter(_ seconds: Int64, _ wake: Int) {
    let scenario = scenario(.fourPerWake)
    #expect(slices(scenario, after: seconds - 1) == 4 * wake)
    #expect(slices(scenario, after: seconds + 1) == 4 * (wake + 1))
  }

  @Test func resourcePerWakeBringsAWholeResourceInstead() {
    let metrics = scenario(.resourcePerWake).run(seed: 1)
    #expect(metrics.atMark.resources == 5)
    #expect(metrics.afterHours.map(\.resources) == [6, 8, 9])
    #expect(metrics.missing == 1)
    #expect(metrics.allResourcesMs == nil)
    #expect(metrics.wakes == 9)
  }

  @Test func everythingCreatedUpFrontWaitsForNoLimiterAndWakesTheAppOnce() {
    let metrics = scenario(.allAtOnce).run(seed: 1)
    #expect(metrics.missing == 0)
    #expect(metrics.limiterWaitMs == 0)
    #expect(metrics.wakes == 1)
    #expect(metrics.tasks == 200)
  }

  @Test func whatIsNotCreatedInTimeIsCreatedAtTheWakeUps() {
    var scenario = scenario(.allAtOnce)
    scenario.strategy.creation = .seconds(1)
    scenario.strategy.usesBackgroundTask = false
    scenario.life.foreground = .milliseconds(10_500)
    let metrics = scenario.run(seed: 1)
    // Ten tasks are created in the foreground and complete before its 10.5 s end, so nothing is left to wake the app.
    #expect(metrics.tasks == 10)
    #expect(metrics.wakes == 0)
    scenario.daemon.startDelay = .constant(5_000_000_000)
    scenario.strategy.creation = .milliseconds(500)
    // 21 tasks are created in the foreground, and 69 in the 35 s of each wake-up, which then kills the app.
    let later = scenario.run(seed: 1)
    #expect(later.kills == 2)
    #expect(later.wakes == 4)
    #expect(later.missing == 0)
  }

  @Test func theProcessThatStaysAwakeIsNeverWokenAndPaysForIt() {
    let metrics = scenario(.keepAlive, network: network(bitsPerSecond: 80_000)).run(seed: 1)
    #expect(metrics.missing == 0)
    #expect(metrics.wakes == 0)
    #expect(metrics.limiterWaitMs == 0)
    // 200 kB at 10 kB/s.
    #expect((20_000...22_100).contains(metrics.allResourcesMs ?? 0))
    #expect(abs(metrics.awakeMs - (metrics.allResourcesMs ?? 0)) < 2)
  }

  @Test func anArchiveIsOneTaskAResourceWithTheSameBytes() {
    let (archive, slices) = (scenario(.archive).run(seed: 1), scenario(.allAtOnce).run(seed: 1))
    #expect(archive.tasks == 10)
    #expect(archive.afterHours.last == slices.afterHours.last)
    #expect(archive.bytesReceived == slices.bytesReceived)
  }

  @Test func aLeakedBackgroundTaskGetsTheAppKilledAndCancelsNothing() {
    let (leaked, ended) = (scenario(.leakedTask).run(seed: 1), scenario(.endedTask).run(seed: 1))
    #expect(ended.kills == 0)
    #expect(leaked.kills > 0)
    #expect(leaked.missing == ended.missing)
    #expect(leaked.awakeMs > ended.awakeMs)
  }

  @Test func aLeakedTaskIsKilledAfter180SecondsAndAtEveryWakeUp() {
    var scenario = scenario(.leakedTask)
    scenario.daemon.startDelay = .constant(200_000_000_000)
    let metrics = scenario.run(seed: 1)
    #expect(metrics.kills == metrics.wakes + 1)
    #expect(abs(metrics.awakeMs - (180_000 + 35_000 * Double(metrics.wakes))) < 1)
  }

  // MARK: The app's life

  @Test func aWakeUpThatTakesLongerThanItsAssertionGetsTheAppKilledButItsTasksGoOn() {
    var scenario = scenario(.resourcePerWake)
    scenario.strategy.creation = .seconds(2)
    scenario.life.foreground = .seconds(3)
    scenario.daemon.startDelay = .constant(10_000_000_000)
    let metrics = scenario.run(seed: 1)
    // One slice is created in the foreground, then 17 in each 35 s, the last three of a resource alone.
    #expect(metrics.kills > 2)
    #expect(metrics.tasks > 60)
    #expect((0...17).contains(metrics.tasks - metrics.afterHours[2].slices), "all have come but the last batch, which waits")
    #expect(metrics.afterHours[2].slices > 60)
    #expect(metrics.tasksCancelled == 0)
  }

  @Test func aCrashCancelsNothing() {
    var scenario = scenario(.fourPerWake)
    let undisturbed = scenario.run(seed: 1)
    scenario.life.crash = .seconds(30)
    let crashed = scenario.run(seed: 1)
    #expect(crashed.tasksCancelled == 0)
    #expect(crashed.afterHours == undisturbed.afterHours)
    #expect(crashed.kills == 0, "a crash is no kill")
  }

  @Test func aForceQuitCancelsAllTasksAndNothingWakesTheAppAgain() {
    var scenario = scenario(.fourPerWake)
    scenario.life.forceQuit = .seconds(100)
    let metrics = scenario.run(seed: 1)
    #expect(metrics.tasksCancelled == 4)
    #expect(metrics.afterHours.map(\.slices) == [8, 8, 8])
    #expect(metrics.wakes == 2)
  }

  @Test func afterAForceQuitTheUserStartsItAgainAndCancelledFilesAreRequestedAgain() {
    var scenario = scenario(.allAtOnce, network: network(bitsPerSecond: 80_000))
    scenario.life.forceQuit = .seconds(10)
    scenario.life.visits = [TimeSpan(start: .seconds(1000), duration: .seconds(5))]
    let metrics = scenario.run(seed: 1)
    #expect(metrics.tasksCancelled > 50)
    #expect(metrics.tasks == 200 + metrics.tasksCancelled)
    #expect(metrics.missing == 0)
    #expect(metrics.bytesReceived > 200_000, "what was in flight is received again")
  }

  @Test func aVisitResetsTheLimiterAndReleasesWhatWaitsForIt() {
    var scenario = scenario(.fourPerWake)
    scenario.daemon.startDelay = .constant(500_000_000)
    scenario.life.visits = [TimeSpan(start: .seconds(1000), duration: .milliseconds(100))]
    #expect(slices(scenario, after: 999) == 20)
    #expect(slices(scenario, after: 1002) == 24, "the task that would have waited until 1860 s")
    #expect(slices(scenario, after: 1050) == 24)
    #expect(slices(scenario, after: 1063) == 28, "and then the limiter begins again at 60 s")
  }

  // MARK: The daemon

  @Test func nothingStartsBeforeTheDaemonDoes() {
    var scenario = scenario(.fourPerWake)
    scenario.daemon.startDelay = .constant(7_000_000_000)
    #expect(slices(scenario, after: 6) == 0)
    #expect(slices(scenario, after: 8) == 4)
    let metrics = scenario.run(seed: 1)
    #expect(abs(metrics.startWaitMs - 7000 * 9) < 1, "nine batches complete in 8 h")
  }

  @Test func tasksCreatedInTheBackgroundWaitForSuitableConditions() {
    var scenario = scenario(.fourPerWake)
    scenario.daemon.discretionary = .constant(100_000_000_000)
    #expect(slices(scenario, after: 2) == 4, "the first batch was created in front")
    #expect(slices(scenario, after: 159) == 4)
    #expect(slices(scenario, after: 161) == 8)
    scenario.strategy.isDiscretionary = true
    #expect(slices(scenario, after: 99) == 0)
    #expect(slices(scenario, after: 101) == 4)
  }

  @Test(arguments: [1, 2, 4, 6])
  func noMoreConnectionsAreOpenedThanASessionAllows(_ connections: Int) {
    var scenario = scenario(.allAtOnce, network: network(bitsPerSecond: 8_000_000, transport: .packet))
    scenario.daemon.connections = connections
    #expect(scenario.run(seed: 1).newConnections == connections)
    scenario.strategy.connections = 3
    #expect(scenario.run(seed: 1).newConnections == 3)
  }

  @Test func httpTwoHasOneConnectionWhateverTheSessionAllows() {
    var link = network(bitsPerSecond: 8_000_000, transport: .packet)
    link.http.version = .http2
    let metrics = scenario(.allAtOnce, network: link).run(seed: 1)
    #expect(metrics.newConnections == 1)
    #expect(metrics.missing == 0)
  }

  // MARK: The books

  @Test func theEnergyProxyIsItsFormula() {
    let proxy = EnergyProxy()
    #expect(abs(proxy.joules(radioMs: 10_000, bytes: 1_000_000, awakeMs: 4000, wakes: 3) - 19.016) < 1e-9)
  }

  /// Returns a scenario drawn from a seed, over all that a sweep file allows.
  private func drawn(_ seed: UInt64, _ strategy: DownloadStrategy) -> BackgroundScenario {
    var random = RandomStream(runSeed: seed, name: "background.invariants")
    let transports = NetworkConfiguration.TransportKind.allCases
    let transport = transports[Int(random.below(UInt64(transports.count)))]
    var scenario = scenario(strategy, network: network(bitsPerSecond: 100_000 + Int64(random.below(20_000_000)), transport: transport))
    (scenario.resources, scenario.slices) = (1 + Int(random.below(6)), 1 + Int(random.below(40)))
    scenario.sliceBytes = .uniform(1, 1 + Int64(random.below(100_000)))
    scenario.strategy.creation = .milliseconds(Int64(random.below(3000)))
    scenario.strategy.isDiscretionary = random.unit() < 0.2
    scenario.life.foreground = .milliseconds(Int64(random.below(60_000)))
    scenario.life.assertion = .uniform(1_000_000_000, 40_000_000_000)
    if random.unit() < 0.3 { scenario.life.crash = .milliseconds(Int64(random.below(4_000_000))) }
    if random.unit() < 0.3 { scenario.life.forceQuit = .milliseconds(Int64(random.below(4_000_000))) }
    if random.unit() < 0.5 {
      scenario.life.visits = [
        TimeSpan(start: .seconds(60 + Int64(random.below(9000))), duration: .seconds(Int64(1 + random.below(300))))
      ]
    }
    scenario.daemon.startDelay = .uniform(0, Int64(random.below(30_000_000_000)))
    scenario.daemon.discretionary =
      random.unit() < 0.3 ? .exponential(mean: 600_000_000_000, minimum: 0, maximum: 7_200_000_000_000) : .constant(0)
    return scenario
  }

  @Test(arguments: DownloadStrategy.all)
  func theBooksBalanceInDrawnRuns(_ strategy: DownloadStrategy) {
    for seed in 0..<60 as Range<UInt64> {
      let scenario = drawn(seed, strategy)
      let metrics = scenario.run(seed: seed)
      let horizon = BackgroundScenario.horizon.milliseconds
      #expect(metrics == scenario.run(seed: seed), "seed \(seed)")
      #expect(metrics.missing == scenario.resources - metrics.afterHours[2].resources)
      #expect(zip(metrics.afterHours, metrics.afterHours.dropFirst()).allSatisfy { $0.slices <= $1.slices && $0.resources <= $1.resources })
      #expect(metrics.afterHours[2].slices <= scenario.resources * scenario.slices)
      #expect((metrics.missing == 0) == (metrics.allResourcesMs != nil))
      #expect(metrics.limiterWaitMs + metrics.occasionWaitMs + metrics.startWaitMs + metrics.radioActiveMs <= horizon + 1, "seed \(seed)")
      #expect(metrics.limiterWaitMs >= 0 && metrics.occasionWaitMs >= 0 && metrics.startWaitMs >= 0)
      #expect(metrics.awakeMs <= horizon)
      let files = strategy.isArchive ? scenario.resources : scenario.resources * scenario.slices
      #expect(metrics.tasks - metrics.tasksCancelled <= files)
      #expect(metrics.bytesReceived >= 0)
      if scenario.life.forceQuit == nil { #expect(metrics.tasksCancelled == 0) }
    }
  }
}
