// Everything that a transport must know of the network of one run.

/// A network between the client and its servers: two directions with rate, delay, loss and queue.
package struct NetworkConfiguration: Hashable, Sendable {
  /// What lies under the transfers.
  package enum TransportKind: String, Hashable, Sendable, CaseIterable {
    /// Rates shared, one latency a request: exact, for cross-checks.
    case fluid
    /// Flows of TCP: windows, queue and losses in runs of packets.
    case tcp
    /// Segments of a Linux-like TCP, one by one.
    case packet
  }

  /// Losses that come in bursts (Gilbert 1960, Elliott 1963): a chain of two states, one step for each packet.
  package struct BurstLoss: Hashable, Sendable {
    /// The chance that a packet finds the good state turned bad.
    package var enter: Double
    /// The chance that a packet finds the bad state turned good.
    package var leave: Double
    /// The share lost in the bad state; the good state loses `lossDown` or `lossUp`.
    package var loss: Double

    package init(enter: Double, leave: Double, loss: Double) { (self.enter, self.leave, self.loss) = (enter, leave, loss) }
  }

  /// A time without service in both directions: a handover, a tunnel. What is queued waits.
  package struct Outage: Hashable, Sendable {
    /// When it begins, from the start of the run.
    package var start: Interval
    package var duration: Interval

    package init(start: Interval, duration: Interval) { (self.start, self.duration) = (start, duration) }
  }

  /// The rates towards the client and from it.
  package var down: LinkRate, up: LinkRate
  /// The constant delays, after serialisation.
  package var delayDown: Interval, delayUp: Interval
  /// The share of packets lost, 0 ..< 1; the fluid has no packets and ignores it.
  package var lossDown: Double, lossUp: Double
  /// The drop-tail queue of each direction, in packets, the one being sent included.
  package var queuePackets: Int
  /// Where in the traces the run starts; zero unless a random offset is asked for.
  package var offset: Interval
  /// How long the radio stays in its active state after the last byte.
  package var radioTail: Interval
  package var transport: TransportKind
  /// What a request costs, and how connections are used.
  package var http = HTTPConfiguration()
  /// Losses in bursts, for each direction by itself; nil for independent ones only.
  package var burstLoss: BurstLoss?
  /// The most that a packet's delay exceeds the constant one; drawn evenly, and no packet overtakes another.
  package var jitter: Interval = .zero
  /// Times without service, in order and apart from each other.
  package var outages: [Outage] = []
  /// How long an idle radio takes to come up before the client's first packet leaves.
  package var radioPromotion: Interval = .zero
  /// Where the rates are drawn for each run; `down` and, mostly, `up` only stand in for them then.
  package var mobile: MobileRates?
  /// What the operating system calls it; nil where it has no name, and is judged by its round trip and rate.
  package var networkClass: NetworkClass?
  /// The seed of the losses and the jitter of this run.
  package var seed: UInt64 = 1

  /// Whether chance has a part in it: rates that each run draws, or losses and jitter, which the fluid does not have.
  package var isRandom: Bool {
    if let mobile, mobile.seed == nil { return true }
    return transport != .fluid && (lossDown > 0 || lossUp > 0 || burstLoss != nil || jitter > .zero)
  }

  /// The class of the network that an app can ask for. O(1).
  var effectiveClass: NetworkClass {
    if let networkClass { return networkClass }
    return NetworkClass.effective(roundTrip: delayDown + delayUp, bitsPerSecond: Double(down.perPass) / Double(down.length.nanoseconds))
  }

  /// The latency of a request on the fluid link, in nanoseconds; nil where it varies along the trace.
  var fluidLatency: Int64? {
    switch down.latency {
    case .untold: (delayDown + delayUp).nanoseconds
    case .constant(let latency): latency.nanoseconds
    case .varying: nil
    }
  }

  package init(
    down: LinkRate, up: LinkRate, delayDown: Interval, delayUp: Interval, lossDown: Double = 0, lossUp: Double = 0,
    queuePackets: Int = 50, offset: Interval = .zero, radioTail: Interval = .zero, transport: TransportKind = .fluid
  ) {
    (self.down, self.up, self.delayDown, self.delayUp) = (down, up, delayDown, delayUp)
    (self.lossDown, self.lossUp, self.queuePackets) = (lossDown, lossUp, queuePackets)
    (self.offset, self.radioTail, self.transport) = (offset, radioTail, transport)
  }
}

extension NetworkConfiguration {
  /// The network of one run: its own losses and jitter, its own rates where they are drawn, and its own place of the trace where
  /// that is asked for. The same seed draws the same network, with or without a session. O(1), or O(length) of drawn rates.
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

extension [NetworkConfiguration.Outage] {
  /// The first time at or after `start`, in nanoseconds, that is not within an outage. `next` is the first outage that is not over, and
  /// moves on; from call to call times do not go back. O(outages passed).
  func served(from start: Int64, next: inout Int) -> Int64 {
    while next < count {
      let until = (self[next].start + self[next].duration).nanoseconds
      if start < self[next].start.nanoseconds { return start }
      next += 1
      if start < until { return until }
    }
    return start
  }
}
