// Everything one run needs, and the run itself: a pure function of (scenario, seed).

/// The configuration of a run.
package struct Scenario: Sendable {
  package enum FeedSource: Sendable {
    /// The same items in every run.
    case fixed(ContiguousArray<Item>)
    /// Drawn anew in each repetition.
    case generated(FeedGenerator)
  }

  package var feed: FeedSource
  /// The network; its `offset` is used as it is unless `startsAnywhere`.
  package var network: NetworkConfiguration
  /// Whether each repetition starts at its own random place of the network's trace.
  package var startsAnywhere: Bool
  /// How planned fetches become transfers.
  package var downloads: DownloadSettings
  package var user: UserScript
  /// The policy; each run gets a copy.
  package var prefetcher: any Prefetcher
  /// How the feed comes in pages; nil for one list, known from the start.
  package var pages: PageSettings?
  /// Where its items and pages come from.
  package var hosts = FeedHosts()
  /// The height of the viewport, in points.
  package var viewportHeight = 667.0

  package init(
    feed: FeedSource, network: NetworkConfiguration, startsAnywhere: Bool = false, downloads: DownloadSettings, user: UserScript,
    prefetcher: any Prefetcher
  ) {
    self.feed = feed
    self.network = network
    self.startsAnywhere = startsAnywhere
    self.downloads = downloads
    self.user = user
    self.prefetcher = prefetcher
  }

  package var isDeterministic: Bool {
    let isFeedFixed =
      switch feed {
      case .fixed: true
      case .generated(let generator): generator.isConstant
      }
    return isFeedFixed && !startsAnywhere && user.isConstant && !network.isRandom
  }

  /// Runs once. `seed` is the repetition's (`RandomStream.seed`); equal seeds meet the same feed, network and scroll script.
  ///
  /// - Throws: why the run was stopped, where it does not end within the limits.
  package func run(seed: UInt64, limits: RunLimits) throws(RunStop) -> SessionMetrics { SessionMetrics(try record(seed: seed, limits)) }

  /// Runs once, where it is known that the run ends within the usual limits.
  package func run(seed: UInt64) -> SessionMetrics { Self.ended { () throws(RunStop) in try run(seed: seed, limits: RunLimits()) } }

  /// Runs once over a real network and returns the metrics; feed, script and prefetcher are those of an emulated run with this seed.
  /// The bound, `impossible` and `late` are judged by the scenario's own network.
  package func run(seed: UInt64, over real: any RealNetwork) -> SessionMetrics {
    SessionMetrics(Self.ended { () throws(RunStop) in try record(seed: seed, over: real) })
  }

  /// Runs once with an event log.
  ///
  /// - Throws: why the run was stopped, where it does not end within the limits.
  package func explain(seed: UInt64, limits: RunLimits) throws(RunStop) -> SessionExplanation {
    var limits = limits
    limits.events = min(limits.events, RunLimits.loggedEvents)
    return SessionExplanation(try record(seed: seed, limits, isLogged: true))
  }

  /// Runs once over a network that is not emulated, with an event log.
  package func explain(seed: UInt64, over real: any RealNetwork) -> SessionExplanation {
    SessionExplanation(Self.ended { () throws(RunStop) in try record(seed: seed, over: real, isLogged: true) })
  }

  /// Plays the run without working out its metrics: what a benchmark of the loop times. Packets are those handed to the link towards the
  /// client; 0 on the fluid.
  package func play(seed: UInt64) -> (requests: Int, packets: Int) {
    let record = Self.ended { () throws(RunStop) in try self.record(seed: seed, RunLimits()) }
    return (record.requests, record.counters.packetsSent)
  }

  /// What a run gives that ends within its limits.
  private static func ended<Result: ~Copyable>(_ run: () throws(RunStop) -> Result) -> Result {
    do throws(RunStop) { return try run() } catch { preconditionFailure("a run that may not end needs limits: \(error)") }
  }

  /// How long the user of a run is at it by the script: the stays and the times in the background. What the first page takes, and the
  /// waits of a user with patience, come to it. O(items).
  package func scriptedTime(seed: UInt64) -> Interval {
    Interval(nanoseconds: scriptedTime(of: draw(seed: seed).script, patience: nil))
  }

  /// The stays and the times in the background, in nanoseconds, with the longest waits of a user with patience; at most what 64 bits hold.
  private func scriptedTime(of script: DrawnScript, patience: Interval?) -> Int64 {
    var time: Int64 = 0
    func add(_ more: Int64) {
      let (sum, overflow) = time.addingReportingOverflow(more)
      time = overflow ? .max : sum
    }
    for visit in script.visits { add(visit.dwell.nanoseconds + (patience?.nanoseconds ?? 0)) }
    for interruption in script.interruptions {
      if case .background(let pause) = interruption.kind { add(pause) }
    }
    return time
  }

  /// Plays a run over its emulated network.
  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  private func record(seed: UInt64, _ limits: RunLimits, isLogged: Bool = false) throws(RunStop) -> Recorder {
    let run = draw(seed: seed, isLogged: isLogged)
    let watch = RunWatch(limits, time: RunLimits.time(script: scriptedTime(of: run.script, patience: user.patience)))
    // The most transfers in flight at once.
    let transfers = downloads.connections * hosts.itemHosts + (pages == nil ? 0 : Pages.poolConnections)
    switch run.network.transport {
    case .fluid: return try record(run, over: FluidTransport(run.network, transfers: transfers), watch)
    case .tcp: return try record(run, over: FlowTransport(run.network, transfers: transfers, watch: watch), watch)
    case .packet: return try record(run, over: PacketTransport(run.network, watch: watch), watch)
    }
  }

  /// Plays a run over a real network, which has a clock of its own and ends its transfers when somebody wants the program to stop.
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
      schedule.foresee(items: run.items, visits: run.script.visits, network: run.network)
      scenario.prefetcher = schedule
    }
    var session = SessionLoop(link: link, scenario, run, watch: watch)
    try session.run()
    return session.finished()
  }

  /// Draws a run from its own streams before it starts.
  func draw(seed: UInt64, isLogged: Bool = false) -> DrawnRun {
    var userStream = RandomStream(runSeed: seed, name: "user")
    var network = network.drawn(runSeed: seed, startsAnywhere: startsAnywhere)
    network.http.connectionsPerHost = downloads.connections
    network.http.hosts = pages?.source == .network ? hosts.names.count : hosts.itemHosts
    var items: ContiguousArray<Item>
    // Items of a fixed feed may have heights; in a generated one the description tells whether any has.
    var hasHeights = true
    switch feed {
    case .fixed(let fixed): items = fixed
    case .generated(let generator): (items, hasHeights) = (generator.draw(seed: seed), generator.hasHeights)
    }
    let geometry = hasHeights ? FeedGeometry(items: items, viewportHeight: viewportHeight) : FeedGeometry(viewportHeight: viewportHeight)
    let script = user.draw(items: items, geometry: geometry, random: &userStream)
    return DrawnRun(
      items: items, script: script, network: network, geometry: geometry, hasPatience: user.patience != nil, isLogged: isLogged)
  }
}
