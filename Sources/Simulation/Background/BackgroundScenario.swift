// The input of one background run, and the run itself: a pure function of (scenario, seed).

/// An app that caches resources for offline use, slice by slice, in the background.
package struct BackgroundScenario: Sendable {
  package var resources = 30
  package var slices = 300
  package var sliceBytes = Distribution.constant(100_000)
  /// The network. Its `offset` holds unless `startsAnywhere`.
  package var network: NetworkConfiguration
  /// True if each repetition starts at a random offset of the network's trace.
  package var startsAnywhere: Bool
  package var strategy: DownloadStrategy
  package var life = AppLife()
  package var daemon = DaemonSettings()
  package var energy = EnergyProxy()
  /// A time at which progress is reported; in the article, the last slice arrived at 1290 s.
  package var mark = Interval.seconds(1290)

  /// The duration of a run, 8 h.
  package static let horizon = Interval.seconds(BackgroundMetrics.hours.reduce(0, max) * 3600)
  package static let taskLimit = 1_000_000
  /// The concurrent streams of an HTTP/2 or HTTP/3 server, a common setting. They ignore `HTTPMaximumConnectionsPerHost`.
  static let streamLimit = 100

  package init(network: NetworkConfiguration, startsAnywhere: Bool = false, strategy: DownloadStrategy) {
    (self.network, self.startsAnywhere, self.strategy) = (network, startsAnywhere, strategy)
  }

  /// True if all seeds give the same run.
  package var isDeterministic: Bool {
    sliceBytes.isConstant && !startsAnywhere && !network.isRandom && life.assertion.isConstant && daemon.startDelay.isConstant
      && daemon.discretionary.isConstant
  }

  package var connections: Int { network.http.version != .http1 ? Self.streamLimit : strategy.connections ?? daemon.connections }

  /// Runs once within the default limits, which the run is known not to reach.
  package func run(seed: UInt64) -> BackgroundMetrics { RunLimits.ended { () throws(RunStop) in try run(seed: seed, limits: RunLimits()) } }

  /// Runs once, up to `horizon`. Equal seeds give the same slices, network and delays; a repetition's seed is `RandomStream.seed`.
  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  package func run(seed: UInt64, limits: RunLimits) throws(RunStop) -> BackgroundMetrics {
    let watch = RunWatch(limits)
    var network = network.drawn(runSeed: seed, startsAnywhere: startsAnywhere)
    network.http.connectionsPerHost = connections
    switch (network.transport, network.http.version) {
    case (.fluid, _): return try play(over: FluidTransport(network, transfers: connections), seed: seed, watch)
    case (.packet, .http3): return try play(over: QUICTransport(network, watch: watch), seed: seed, watch)
    case (.packet, _): return try play(over: PacketTransport(network, watch: watch), seed: seed, watch)
    }
  }

  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
  private func play<Link: Transport & ~Copyable>(
    over link: consuming Link, seed: UInt64, _ watch: RunWatch
  ) throws(RunStop) -> BackgroundMetrics {
    var loop = BackgroundLoop(link: link, scenario: self, seed: seed, watch: watch)
    try loop.run()
    return loop.finished()
  }

  /// Returns the queue of files: slices, or one archive of the same bytes for each resource.
  func queue(seed: UInt64) -> TaskQueue {
    var stream = RandomStream(runSeed: seed, name: "background.slices")
    let bytes = ContiguousArray((0..<(resources * slices)).map { _ in sliceBytes.draw(from: &stream) })
    guard strategy.isArchive else { return TaskQueue(bytes: bytes, filesPerResource: slices) }
    let archives = (0..<resources).map { resource in bytes[(resource * slices)..<((resource + 1) * slices)].reduce(0, +) }
    return TaskQueue(bytes: ContiguousArray(archives), filesPerResource: 1)
  }
}
