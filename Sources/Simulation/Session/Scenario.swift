// Everything one run needs, and the run itself: a pure function of (scenario, seed).

/// The configuration of a run.
public struct Scenario: Sendable {
  /// Where the items come from.
  public enum FeedSource: Sendable {
    /// The same items in every run.
    case fixed(ContiguousArray<Item>)
    /// Drawn anew in each repetition.
    case generated(FeedGenerator)
  }

  /// The feed.
  public var feed: FeedSource
  /// The network; its `offset` is used as it is unless `startsAnywhere`.
  public var network: NetworkConfiguration
  /// Whether each repetition starts at its own random place of the network's trace.
  public var startsAnywhere: Bool
  /// How wishes become transfers.
  public var downloads: DownloadSettings
  /// The scripted user.
  public var user: UserScript
  /// The policy; each run gets a copy.
  public var prefetcher: any Prefetcher

  /// A scenario of the given parts.
  public init(
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
  public var isDeterministic: Bool {
    let isFeedFixed =
      switch feed {
      case .fixed: true
      case .generated(let generator): generator.isConstant
      }
    return isFeedFixed && !startsAnywhere && user.dwell.isConstant && !network.isRandom
  }

  /// Runs once. `seed` is the repetition's (`RandomStream.seed`); equal seeds meet the same feed, network and thumb.
  public func run(seed: UInt64) -> SessionMetrics {
    let (items, visits, network) = draw(seed: seed)
    switch network.transport {
    case .fluid:
      var session = SessionLoop(
        link: FluidTransport(network, transfers: downloads.connections), items: items, visits: visits, prefetcher: prefetcher,
        downloads: downloads, patience: user.patience)
      session.run()
      return SessionMetrics(session, network: network, hasPatience: user.patience != nil)
    case .tcp:
      var session = SessionLoop(
        link: FlowTransport(network), items: items, visits: visits, prefetcher: prefetcher, downloads: downloads, patience: user.patience)
      session.run()
      return SessionMetrics(session, network: network, hasPatience: user.patience != nil)
    case .packet:
      var session = SessionLoop(
        link: PacketTransport(network), items: items, visits: visits, prefetcher: prefetcher, downloads: downloads, patience: user.patience)
      session.run()
      return SessionMetrics(session, network: network, hasPatience: user.patience != nil)
    }
  }

  /// Plays the run without working out its metrics and returns how many requests it sent: what a benchmark of the loop times.
  package func play(seed: UInt64) -> Int {
    let (items, visits, network) = draw(seed: seed)
    switch network.transport {
    case .fluid:
      var session = SessionLoop(
        link: FluidTransport(network, transfers: downloads.connections), items: items, visits: visits, prefetcher: prefetcher,
        downloads: downloads, patience: user.patience)
      session.run()
      return session.ledger.requests
    case .tcp:
      var session = SessionLoop(
        link: FlowTransport(network), items: items, visits: visits, prefetcher: prefetcher, downloads: downloads, patience: user.patience)
      session.run()
      return session.ledger.requests
    case .packet:
      var session = SessionLoop(
        link: PacketTransport(network), items: items, visits: visits, prefetcher: prefetcher, downloads: downloads, patience: user.patience)
      session.run()
      return session.ledger.requests
    }
  }

  /// What chance decides, drawn from the run's own streams before it starts.
  private func draw(seed: UInt64) -> (ContiguousArray<Item>, ContiguousArray<Visit>, NetworkConfiguration) {
    var userStream = RandomStream(runSeed: seed, name: "user")
    var network = network.drawn(runSeed: seed, startsAnywhere: startsAnywhere)
    network.http.connectionsPerHost = downloads.connections
    return (items(seed: seed), user.visits(random: &userStream), network)
  }

  private func items(seed: UInt64) -> ContiguousArray<Item> {
    switch feed {
    case .fixed(let items):
      return items
    case .generated(let generator):
      var kinds = RandomStream(runSeed: seed, name: "feed.kinds")
      var sizes = ItemKind.allCases.map { RandomStream(runSeed: seed, name: "feed.sizes.\($0.name)") }
      return generator.draw(kinds: &kinds, sizes: &sizes)
    }
  }
}
