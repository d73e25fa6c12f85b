import Testing

@testable import Sweep

/// The keys that a team ships: a candidate of `check` may set them, and they make no strata.
@Suite struct ShippedKeysTests {
  @Test func theShippedPartsAndKeysAreTheseAndNoOthers() {
    let network = [
      "http", "tls", "requestBytes", "responseHeaderBytes", "serverTime", "handshakeTime", "idleTimeout", "slowStartAfterIdle",
      "congestion", "priorities", "earlyData", "server", "streamWindow", "connectionWindow", "coalescing", "laterRequestBytes",
      "laterResponseHeaderBytes",
    ]
    #expect(
      ScenarioSchema.shipped == Set(["prefetcher", "downloads", "strategy", "feed.pages", "feed.hosts"] + network.map { "network.\($0)" }))
  }

  @Test(arguments: [
    ("prefetcher.maxCost", true), ("prefetcher", true), ("feed.pages", true), ("feed.pages.size", true), ("feed.hosts.image", true),
    ("network.tls", true), ("network", false), ("network.down", false), ("feed.items", false), ("user.dwell", false), ("energy", false),
  ])
  func aPathIsShippedWithItsPart(_ path: String, _ isShipped: Bool) {
    #expect(ScenarioSchema.isShipped(path) == isShipped)
    #expect(SweepStrata.isEnvironment(path) == (!isShipped && path != "energy"))
  }
}
