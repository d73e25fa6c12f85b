// What chance decides of a network before a run starts.

extension NetworkConfiguration {
  /// The network of one run: its own losses and jitter, its own rates where they are drawn, and its own place of the trace where
  /// that is asked for. Whoever has the run's seed gets the same network, a session or not. O(1), or O(length) of drawn rates.
  package func drawn(runSeed: UInt64, startsAnywhere: Bool) -> NetworkConfiguration {
    var network = self
    network.seed = RandomStream.seed(runSeed: runSeed, name: "packets")
    if let mobile {
      network.down = mobile.trace(runSeed: runSeed)
      if mobile.coversUplink { network.up = network.down }
    }
    if startsAnywhere {
      var stream = RandomStream(runSeed: runSeed, name: "network")
      network.offset = Interval(nanoseconds: Int64(stream.below(UInt64(network.down.length.nanoseconds))))
    }
    return network
  }
}
