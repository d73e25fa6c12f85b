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

  /// Outages drawn for each run, such as handovers and times in which others occupy a channel.
  package struct Interruptions: Hashable, Sendable {
    /// The most interruptions of a run, and the time after which none begins.
    private static let limit: (count: Int, time: Interval) = (20_000, .seconds(86_400))
    /// The time from the end of an interruption to the start of the next one; the length of one.
    package var gap: Distribution, length: Distribution

    package init(gap: Distribution, length: Distribution) { (self.gap, self.length) = (gap, length) }

    /// Returns the outages of a run, from its random stream "interruptions". O(interruptions).
    func drawn(runSeed: UInt64) -> [TimeSpan] {
      var random = RandomStream(runSeed: runSeed, name: "interruptions")
      var (outages, time): ([TimeSpan], Interval) = ([], .zero)
      while outages.count < Self.limit.count {
        time += Interval(nanoseconds: gap.draw(from: &random))
        if time > Self.limit.time { break }
        outages.append(TimeSpan(start: time, duration: Interval(nanoseconds: length.draw(from: &random))))
        time = outages[outages.count - 1].end
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
  /// Times without service in both directions, such as a tunnel, in order and without overlap. Queued packets wait.
  package var outages: [TimeSpan] = []
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
    networkClass ?? .effective(roundTrip: delayDown + delayUp, bitsPerSecond: Double(down.perPass) / Double(down.length.nanoseconds))
  }

  /// The latency of a request on the fluid transport, in nanoseconds; nil if it varies along the trace.
  var fluidLatency: Int64? { down.hasLatencies ? down.commonLatency?.nanoseconds : (delayDown + delayUp).nanoseconds }

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

extension [TimeSpan] {
  /// Returns the first time at or after `start`, in nanoseconds, outside of outages. O(outages passed).
  /// `next` is the first outage that is not over; it advances, so times never decrease from call to call.
  func served(from start: Int64, next: inout Int) -> Int64 {
    while next < count {
      if start < self[next].start.nanoseconds { return start }
      next += 1
      if start < self[next - 1].end.nanoseconds { return self[next - 1].end.nanoseconds }
    }
    return start
  }
}

// Scripts/fit mobile FOLDER --packets 10 prints the figures below with the quality of the fit.
extension NetworkConfiguration.Interruptions {
  /// The logs to which interruptions are fitted.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Two logs of a packet every 10 ms over two hops of Wi-Fi, at least one of them at 2.4 GHz (16 min).
    case wifi = "Wi-Fi 2.4 GHz"
  }

  package init(_ kind: Kind) {
    switch kind {
    // Source of the logs: roc-streaming/qa, 20241230_gh674_clock_offset/02 and 20250210_gh712_peak_jitter/05 (no licence stated): every
    // second minute of them.
    case .wifi:
      self.init(
        gaps: [1, 1, 11, 46, 112, 189, 309, 573, 858, 1805, 2693, 3121, 3468, 4057, 5670],
        lengths: [35, 36, 37, 37, 40, 45, 48, 55, 68, 101, 133, 157, 192, 258, 931])
    }
  }

  /// Creates interruptions from the quantiles of their gaps and lengths at `shares`, in ms.
  package init(gaps: [Int64], lengths: [Int64]) {
    func quantiles(_ milliseconds: [Int64]) -> Distribution { .quantiles(milliseconds.map { $0 * 1_000_000 }, at: Self.shares) }
    self.init(gap: quantiles(gaps), length: quantiles(lengths))
  }

  package static let shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 1]
}
