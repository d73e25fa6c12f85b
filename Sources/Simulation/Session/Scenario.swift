// The input of one feed run, and the run itself: a pure function of (scenario, seed).

package struct Scenario: Sendable {
  package enum FeedSource: Sendable {
    /// A list of items, equal in all runs, and the renditions of its videos.
    case fixed(ContiguousArray<Item>, Renditions? = nil)
    case generated(FeedGenerator)
  }

  package var feed: FeedSource
  /// The network. Its `offset` holds unless `startsAnywhere`.
  package var network: NetworkConfiguration
  /// True if each repetition starts at a random offset of the network's trace.
  package var startsAnywhere: Bool
  package var decodeTimes = DecodeTimes()
  package var downloads: DownloadSettings
  package var user: UserScript
  package var prefetcher: any Prefetcher
  /// The pages of the feed; nil if all items are listed from the start.
  package var pages: PageSettings?
  package var hosts = FeedHosts()
  /// The powers of the radio, for the metric `energyJ`.
  package var energy = EnergyProxy()
  /// The height of the viewport, in points.
  package var viewportHeight = 667.0

  package init(
    feed: FeedSource, network: NetworkConfiguration, startsAnywhere: Bool = false, downloads: DownloadSettings, user: UserScript,
    prefetcher: any Prefetcher
  ) {
    (self.feed, self.network, self.startsAnywhere) = (feed, network, startsAnywhere)
    (self.downloads, self.user, self.prefetcher) = (downloads, user, prefetcher)
  }

  /// The renditions of its videos; nil if each has one encoding.
  package var renditions: Renditions? {
    switch feed {
    case .fixed(_, let renditions): renditions
    case .generated(let generator): generator.sizes[Int(ItemKind.video.rawValue)].renditions
    }
  }

  package var isDeterministic: Bool {
    if case .generated(let generator) = feed, !generator.isConstant { return false }
    return !startsAnywhere && user.isConstant && !network.isRandom
  }

  /// Runs once. Equal seeds give the same feed, network and scroll script; a repetition's seed is `RandomStream.seed`.
  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  package func run(seed: UInt64, limits: RunLimits, timesFirstFrames: Bool = false) throws(RunStop) -> SessionMetrics {
    SessionMetrics(try record(seed: seed, limits), timesFirstFrames: timesFirstFrames)
  }

  /// Runs once within the default limits, which the run is known not to reach.
  package func run(seed: UInt64) -> SessionMetrics { RunLimits.ended { () throws(RunStop) in try run(seed: seed, limits: RunLimits()) } }

  /// Runs once over a real network, with the feed, script and prefetcher of the emulated run with this seed.
  /// The scenario's own network decides the bound and the reasons `impossible` and `late`.
  package func run(seed: UInt64, over real: any RealNetwork, timesFirstFrames: Bool = false) -> SessionMetrics {
    SessionMetrics(RunLimits.ended { () throws(RunStop) in try record(seed: seed, over: real) }, timesFirstFrames: timesFirstFrames)
  }

  /// Runs once with an event log.
  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  package func explain(seed: UInt64, limits: RunLimits) throws(RunStop) -> SessionExplanation {
    var limits = limits
    limits.events = min(limits.events, RunLimits.loggedEvents)
    return SessionExplanation(try record(seed: seed, limits, isLogged: true))
  }

  /// Runs once over a real network with an event log.
  package func explain(seed: UInt64, over real: any RealNetwork) -> SessionExplanation {
    SessionExplanation(RunLimits.ended { () throws(RunStop) in try record(seed: seed, over: real, isLogged: true) })
  }

  /// Runs once without computing metrics, for benchmarks of the loop. Counts requests, and packets sent to the client (0 on a fluid link).
  package func play(seed: UInt64) -> (requests: Int, packets: Int) {
    let record = RunLimits.ended { () throws(RunStop) in try self.record(seed: seed, RunLimits()) }
    return (record.metrics.requests, record.counters.packetsSent)
  }

  /// Returns the duration of the script, dwells and times in the background, without the first page and waits of a patient user. O(items).
  package func scriptedTime(seed: UInt64) -> Interval { Interval(nanoseconds: scriptedTime(of: draw(seed: seed).script, patience: nil)) }

  /// Returns the duration of a script in nanoseconds, each visit with the whole patience; saturates at `Int64.max`.
  private func scriptedTime(of script: DrawnScript, patience: Interval?) -> Int64 {
    var time: Int64 = 0
    func add(_ more: Int64) {
      let (sum, overflow) = time.addingReportingOverflow(more)
      time = overflow ? .max : sum
    }
    for visit in script.visits { add(visit.dwell.nanoseconds + (patience?.nanoseconds ?? 0)) }
    for case .background(let pause) in script.interruptions.map(\.kind) { add(pause) }
    return time
  }

  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  private func record(seed: UInt64, _ limits: RunLimits, isLogged: Bool = false) throws(RunStop) -> Recorder {
    let run = draw(seed: seed, isLogged: isLogged)
    let watch = RunWatch(limits, time: RunLimits.time(script: scriptedTime(of: run.script, patience: user.patience)))
    // The most transfers in flight at once.
    let transfers = downloads.connections * hosts.itemHosts + (pages == nil ? 0 : Pages.poolConnections)
    switch (run.network.transport, run.network.http.version) {
    case (.fluid, _): return try record(run, over: FluidTransport(run.network, transfers: transfers), watch)
    case (.packet, .http3): return try record(run, over: QUICTransport(run.network, watch: watch), watch)
    case (.packet, _): return try record(run, over: PacketTransport(run.network, watch: watch), watch)
    }
  }

  /// Runs over a real network, which has its own clock and ends all transfers when the program must stop.
  /// - Throws: `RunStop`; never within these limits.
  private func record(seed: UInt64, over real: any RealNetwork, isLogged: Bool = false) throws(RunStop) -> Recorder {
    var limits = RunLimits()
    limits.events = .max
    return try record(draw(seed: seed, isLogged: isLogged), over: RealTransport(real), RunWatch(limits))
  }

  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  private func record<Link: Transport & ~Copyable>(
    _ run: DrawnRun, over link: consuming Link, _ watch: RunWatch
  ) throws(RunStop) -> Recorder {
    var scenario = self
    if var schedule = prefetcher as? Clairvoyant {
      schedule.foresee(items: run.items, visits: run.script.visits, network: run.network, run.decodeTimes)
      scenario.prefetcher = schedule
    }
    var session = SessionLoop(link: link, scenario, run, watch: watch)
    try session.run()
    return session.finished()
  }

  /// Draws the feed, the script and the network of a run from its seed.
  func draw(seed: UInt64, isLogged: Bool = false) -> DrawnRun {
    var userStream = RandomStream(runSeed: seed, name: "user")
    var network = network.drawn(runSeed: seed, startsAnywhere: startsAnywhere)
    network.http.connectionsPerHost = downloads.connections
    network.http.hosts = pages?.source == .network ? hosts.names.count : hosts.itemHosts
    var items: ContiguousArray<Item>
    // Items of a fixed feed may have heights; a generated feed has them if its description does.
    var hasHeights = true
    switch feed {
    case .fixed(let fixed, _): items = fixed
    case .generated(let generator): (items, hasHeights) = (generator.draw(seed: seed), generator.hasHeights)
    }
    let geometry = FeedGeometry(items: hasHeights ? items : [], viewportHeight: viewportHeight)
    let script = user.draw(items: items, geometry: geometry, random: &userStream)
    return DrawnRun(
      items: items, script: script, network: network, geometry: geometry, decodeTimes: decodeTimes, hasPatience: user.patience != nil,
      isLogged: isLogged)
  }
}
