// The configuration of the network of one run, for all transports.

package struct NetworkConfiguration: Hashable, Sendable {
  package enum TransportKind: String, Hashable, Sendable, CaseIterable {
    /// Shared rates and one latency for each request: exact, for cross-checks.
    case fluid
    /// Single packets of a Linux-like TCP, or of QUIC for HTTP/3.
    case packet
  }

  package enum Congestion: String, Hashable, Sendable, CaseIterable {
    /// CUBIC (RFC 9438) as in Linux 6.18.
    case cubic
    /// BBR version 1 as in Linux 6.18.
    case bbr
  }

  /// Burst losses (Gilbert 1960, Elliott 1963): a chain of two states with one step for each packet.
  package struct BurstLoss: Hashable, Sendable {
    /// The probability of a step from the good to the bad state.
    package var enter: Double
    /// The probability of a step from the bad to the good state.
    package var leave: Double
    /// The loss probability in the bad state; in the good state it is `lossDown` or `lossUp`.
    package var loss: Double

    package init(enter: Double, leave: Double, loss: Double) { (self.enter, self.leave, self.loss) = (enter, leave, loss) }
  }

  /// A time without service in both directions, such as a handover or a tunnel. Queued packets wait.
  package struct Outage: Hashable, Sendable {
    /// The start of the outage, from the start of the run.
    package var start: Interval
    package var duration: Interval

    package init(start: Interval, duration: Interval) { (self.start, self.duration) = (start, duration) }
  }

  /// Outages drawn for each run, such as handovers and times in which others occupy a channel.
  package struct Interruptions: Hashable, Sendable {
    /// The most interruptions of a run, and the time after which none begins.
    private static let limit: (count: Int, time: Interval) = (20_000, .seconds(86_400))
    /// The time from the end of an interruption to the start of the next one; the length of one.
    package var gap: Distribution, length: Distribution

    package init(gap: Distribution, length: Distribution) { (self.gap, self.length) = (gap, length) }

    /// Returns the outages of a run, from its random stream "interruptions". O(interruptions).
    func drawn(runSeed: UInt64) -> [Outage] {
      var random = RandomStream(runSeed: runSeed, name: "interruptions")
      var (outages, time): ([Outage], Interval) = ([], .zero)
      while outages.count < Self.limit.count {
        time += Interval(nanoseconds: gap.draw(from: &random))
        if time > Self.limit.time { break }
        outages.append(Outage(start: time, duration: Interval(nanoseconds: length.draw(from: &random))))
        time += outages[outages.count - 1].duration
      }
      return outages
    }
  }

  package var down: LinkRate, up: LinkRate
  /// The constant delays, after serialisation.
  package var delayDown: Interval, delayUp: Interval
  /// The loss probabilities, 0 ..< 1; the fluid transport ignores them.
  package var lossDown: Double, lossUp: Double
  /// The drop-tail queue of each direction, in packets, including the one being sent.
  package var queueDown: Int, queueUp: Int
  /// The position in the traces at which the run starts; zero unless a random offset is requested.
  package var offset: Interval
  package var radioTail: Interval
  package var transport: TransportKind
  package var congestion: Congestion = .cubic
  package var http = HTTPConfiguration()
  /// Burst losses of each direction; nil for independent losses only.
  package var burstLoss: BurstLoss?
  /// The maximum of the random delay added to the constant one, uniform; packets keep their order.
  package var jitter: Interval = .zero
  /// The outages, in order and without overlap.
  package var outages: [Outage] = []
  /// The outages drawn for each run in place of `outages`; nil for none.
  package var interruptions: Interruptions?
  /// The time that an idle radio needs before the first packet of the client leaves.
  package var radioPromotion: Interval = .zero
  package var radioCycles = RadioCycles()
  /// The generator of rates for each run; `down`, and mostly `up`, are placeholders then.
  package var mobile: MobileRates?
  /// The class that the operating system reports; nil to derive it from round trip and rate.
  package var networkClass: NetworkClass?
  /// The seed of losses and jitter of this run.
  package var seed: UInt64 = 1

  /// True if runs differ: by drawn rates, by losses or jitter, which the fluid transport does not have, or by the phases of BBR.
  package var isRandom: Bool {
    if let mobile, mobile.seed == nil { return true }
    if transport == .packet, congestion == .bbr { return true }
    if transport != .fluid, let interruptions, !interruptions.gap.isConstant || !interruptions.length.isConstant { return true }
    return transport != .fluid && (lossDown > 0 || lossUp > 0 || burstLoss != nil || jitter > .zero)
  }

  /// The queue of both directions, or of the downlink if they differ.
  package var queuePackets: Int {
    get { queueDown }
    set { (queueDown, queueUp) = (newValue, newValue) }
  }

  /// The network class that an app can query. O(1).
  var effectiveClass: NetworkClass {
    if let networkClass { return networkClass }
    return NetworkClass.effective(roundTrip: delayDown + delayUp, bitsPerSecond: Double(down.perPass) / Double(down.length.nanoseconds))
  }

  /// The latency of a request on the fluid transport, in nanoseconds; nil if it varies along the trace.
  var fluidLatency: Int64? {
    switch down.latency {
    case .unknown: (delayDown + delayUp).nanoseconds
    case .constant(let latency): latency.nanoseconds
    case .varying: nil
    }
  }

  package init(
    down: LinkRate, up: LinkRate, delayDown: Interval, delayUp: Interval, lossDown: Double = 0, lossUp: Double = 0,
    queuePackets: Int = 50, offset: Interval = .zero, radioTail: Interval = .zero, transport: TransportKind = .fluid
  ) {
    (self.down, self.up, self.delayDown, self.delayUp) = (down, up, delayDown, delayUp)
    (self.lossDown, self.lossUp, queueDown, queueUp) = (lossDown, lossUp, queuePackets, queuePackets)
    (self.offset, self.radioTail, self.transport) = (offset, radioTail, transport)
  }

  /// Returns the network of one run, with its own seed, drawn rates and random offset. O(1), or O(length) of drawn rates.
  /// A seed gives the same network with or without a session.
  package func drawn(runSeed: UInt64, startsAnywhere: Bool) -> NetworkConfiguration {
    var network = self
    network.seed = RandomStream.seed(runSeed: runSeed, name: "packets")
    if let interruptions { network.outages = interruptions.drawn(runSeed: runSeed) }
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
  /// Returns the first time at or after `start`, in nanoseconds, outside of outages. O(outages passed).
  /// `next` is the first outage that is not over; it advances, so times never decrease from call to call.
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
