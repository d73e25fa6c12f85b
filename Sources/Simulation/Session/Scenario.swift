// Everything one run needs, and the run itself: a pure function of (scenario, seed).

/// The configuration of a run.
package struct Scenario: Sendable {
  /// Where the items come from.
  package enum FeedSource: Sendable {
    /// The same items in every run.
    case fixed(ContiguousArray<Item>)
    /// Drawn anew in each repetition.
    case generated(FeedGenerator)
  }

  /// The feed.
  package var feed: FeedSource
  /// The network; its `offset` is used as it is unless `startsAnywhere`.
  package var network: NetworkConfiguration
  /// Whether each repetition starts at its own random place of the network's trace.
  package var startsAnywhere: Bool
  /// How wishes become transfers.
  package var downloads: DownloadSettings
  /// The scripted user.
  package var user: UserScript
  /// The policy; each run gets a copy.
  package var prefetcher: any Prefetcher
  /// How the feed comes in pages; nil for one list, known from the start.
  package var pages: PageSettings?
  /// Where its items and pages come from.
  package var hosts = FeedHosts()
  /// The height of the viewport, in points.
  package var viewportHeight = 667.0

  /// A scenario of the given parts.
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

  /// Whether every seed gives the same run.
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
  package func run(seed: UInt64, limits: RunLimits) throws(RunStop) -> SessionMetrics {
    let run = draw(seed: seed)
    return SessionMetrics(try record(run, limits), network: run.network, hasPatience: user.patience != nil)
  }

  /// Runs once, where it is known that the run ends within the usual limits.
  package func run(seed: UInt64) -> SessionMetrics { Self.ended { () throws(RunStop) in try run(seed: seed, limits: RunLimits()) } }

  /// Runs once over a real network and returns the metrics; feed, script and prefetcher are those of an emulated run with this seed.
  /// The bound, `impossible` and `late` are judged by the scenario's own network.
  package func run(seed: UInt64, over real: any RealNetwork) -> SessionMetrics {
    let run = draw(seed: seed)
    return SessionMetrics(record(run, over: real), network: run.network, hasPatience: user.patience != nil)
  }

  /// Runs once with an event log.
  ///
  /// - Throws: why the run was stopped, where it does not end within the limits.
  package func explain(seed: UInt64, limits: RunLimits) throws(RunStop) -> SessionExplanation {
    let run = draw(seed: seed, isLogged: true)
    var limits = limits
    limits.events = min(limits.events, RunLimits.loggedEvents)
    return SessionExplanation(try record(run, limits), network: run.network, hasPatience: user.patience != nil)
  }

  /// Runs once with an event log, where it is known that the run ends within the usual limits.
  package func explain(seed: UInt64) -> SessionExplanation {
    Self.ended { () throws(RunStop) in try explain(seed: seed, limits: RunLimits()) }
  }

  /// Runs once over a network that is not emulated, with an event log.
  package func explain(seed: UInt64, over real: any RealNetwork) -> SessionExplanation {
    let run = draw(seed: seed, isLogged: true)
    return SessionExplanation(record(run, over: real), network: run.network, hasPatience: user.patience != nil)
  }

  /// Plays the run without working out its metrics: what a benchmark of the loop times. Packets are those handed to the link towards the
  /// client; 0 on the fluid.
  package func play(seed: UInt64) -> (requests: Int, packets: Int) {
    Self.ended { () throws(RunStop) in
      let record = try record(draw(seed: seed), RunLimits())
      return (record.requests, record.counters.packetsSent)
    }
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
  private func record(_ run: DrawnRun, _ limits: RunLimits) throws(RunStop) -> Recorder {
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
  private func record(_ run: DrawnRun, over real: any RealNetwork) -> Recorder {
    var limits = RunLimits()
    limits.events = .max
    let watch = RunWatch(limits)
    return Self.ended { () throws(RunStop) in try record(run, over: RealTransport(real), watch) }
  }

  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  private func record<Link: Transport & ~Copyable>(
    _ run: DrawnRun, over link: consuming Link, _ watch: RunWatch
  ) throws(RunStop) -> Recorder {
    var prefetcher = prefetcher
    if var schedule = prefetcher as? Clairvoyant {
      schedule.foresee(items: run.items, visits: run.script.visits, network: run.network)
      prefetcher = schedule
    }
    var session = SessionLoop(
      link: link, items: run.items, visits: run.script.visits, prefetcher: prefetcher, downloads: downloads, patience: user.patience,
      features: run.features, watch: watch)
    try session.run()
    return session.finished()
  }

  /// What chance decides in one run.
  private struct DrawnRun {
    var items: ContiguousArray<Item>
    var script: DrawnScript
    var network: NetworkConfiguration
    var features: SessionFeatures
  }

  /// Draws a run from its own streams before it starts.
  private func draw(seed: UInt64, isLogged: Bool = false) -> DrawnRun {
    var userStream = RandomStream(runSeed: seed, name: "user")
    var network = network.drawn(runSeed: seed, startsAnywhere: startsAnywhere)
    network.http.connectionsPerHost = downloads.connections
    network.http.hosts = pages?.source == .network ? hosts.names.count : hosts.itemHosts
    let items = items(seed: seed)
    let geometry = hasHeights ? FeedGeometry(items: items, viewportHeight: viewportHeight) : FeedGeometry(viewportHeight: viewportHeight)
    let script = user.draw(items: items, geometry: geometry, random: &userStream)
    let features = SessionFeatures(
      pages: pages, motions: script.motions, interruptions: script.interruptions, geometry: geometry, viewportHeight: viewportHeight,
      networkClass: network.effectiveClass, radioTail: network.radioTail, hosts: hosts, isLogged: isLogged)
    return DrawnRun(items: items, script: script, network: network, features: features)
  }

  /// Whether any item may have a height of its own.
  private var hasHeights: Bool {
    switch feed {
    case .fixed: true
    case .generated(let generator): generator.hasHeights
    }
  }

  private func items(seed: UInt64) -> ContiguousArray<Item> {
    switch feed {
    case .fixed(let items):
      return items
    case .generated(let generator):
      var kinds = RandomStream(runSeed: seed, name: "feed.kinds")
      var sizes = ItemKind.allCases.map { RandomStream(runSeed: seed, name: "feed.sizes.\($0.name)") }
      let items = generator.draw(kinds: &kinds, sizes: &sizes)
      guard generator.hasHeights else { return items }
      var heights = ItemKind.allCases.map { RandomStream(runSeed: seed, name: "feed.heights.\($0.name)") }
      return generator.withHeights(items, heights: &heights)
    }
  }
}
