// Everything one background run needs, and the run itself: a pure function of (scenario, seed).

/// Resources that an app caches for offline use, slice by slice, while the phone sleeps.
package struct BackgroundScenario: Sendable {
  package var resources = 30
  /// The slices of each.
  package var slices = 300
  package var sliceBytes = Distribution.constant(100_000)
  /// The network; its `offset` is used as it is unless `startsAnywhere`.
  package var network: NetworkConfiguration
  /// Whether each repetition starts at its own random place of the network's trace.
  package var startsAnywhere: Bool
  package var strategy: DownloadStrategy
  package var life = AppLife()
  package var daemon = DaemonSettings()
  package var energy = EnergyProxy()
  /// A moment of special interest; 1290 s is when the article saw the last slice come.
  package var mark = Interval.seconds(1290)

  /// How long a run is followed: a night.
  package static let horizon = Interval.seconds(BackgroundMetrics.hours.reduce(0, max) * 3600)
  /// The most tasks of a run.
  package static let taskLimit = 1_000_000
  /// The streams that a server of HTTP/2 allows at once, a common setting; HTTP/2 ignores `HTTPMaximumConnectionsPerHost`.
  static let streamLimit = 100

  package init(network: NetworkConfiguration, startsAnywhere: Bool = false, strategy: DownloadStrategy) {
    (self.network, self.startsAnywhere, self.strategy) = (network, startsAnywhere, strategy)
  }

  /// Whether every seed gives the same run.
  package var isDeterministic: Bool {
    sliceBytes.isConstant && !startsAnywhere && !network.isRandom && life.assertion.isConstant && daemon.startDelay.isConstant
      && daemon.discretionary.isConstant
  }

  /// Transfers that may be on the way at once.
  package var connections: Int {
    network.http.version == .http2 ? Self.streamLimit : strategy.connections ?? daemon.connections
  }

  /// Runs once, where it is known that the run ends within the usual limits.
  package func run(seed: UInt64) -> BackgroundMetrics {
    do throws(RunStop) { return try run(seed: seed, limits: RunLimits()) } catch {
      preconditionFailure("a run that may not end needs limits: \(error)")
    }
  }

  /// Runs once. `seed` is the repetition's (`RandomStream.seed`); equal seeds meet the same slices, network and delays.
  /// - Throws: why the run was stopped, where it does not end within the limits. It is followed to `horizon` and no further.
  package func run(seed: UInt64, limits: RunLimits) throws(RunStop) -> BackgroundMetrics {
    let watch = RunWatch(limits)
    var network = network.drawn(runSeed: seed, startsAnywhere: startsAnywhere)
    network.http.connectionsPerHost = connections
    switch network.transport {
    case .fluid: return try play(over: FluidTransport(network, transfers: connections), seed: seed, watch)
    case .tcp: return try play(over: FlowTransport(network, transfers: connections, watch: watch), seed: seed, watch)
    case .packet: return try play(over: PacketTransport(network, watch: watch), seed: seed, watch)
    }
  }

  /// - Throws: why the run was stopped, if it was.
  private func play<Link: Transport & ~Copyable>(
    over link: consuming Link, seed: UInt64, _ watch: RunWatch
  ) throws(RunStop) -> BackgroundMetrics {
    var loop = BackgroundLoop(link: link, scenario: self, seed: seed, watch: watch)
    try loop.run()
    return loop.finished()
  }

  /// The files to fetch: slices, or one archive a resource of the same bytes.
  func queue(seed: UInt64) -> TaskQueue {
    var stream = RandomStream(runSeed: seed, name: "background.slices")
    let bytes = ContiguousArray((0..<(resources * slices)).map { _ in sliceBytes.draw(from: &stream) })
    guard strategy.isArchive else { return TaskQueue(bytes: bytes, filesPerResource: slices) }
    let archives = (0..<resources).map { resource in bytes[(resource * slices)..<((resource + 1) * slices)].reduce(0, +) }
    return TaskQueue(bytes: ContiguousArray(archives), filesPerResource: 1)
  }
}
