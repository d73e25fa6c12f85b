// Everything that a transport must know of the network of one run.

/// A network between the client and its servers: two directions with rate, delay, loss and queue.
public struct NetworkConfiguration: Hashable, Sendable {
  /// What lies under the transfers.
  public enum TransportKind: String, Hashable, Sendable, CaseIterable {
    /// Rates shared, one latency a request: exact, for cross-checks.
    case fluid
    /// Flows of TCP: windows, queue and losses in runs of packets.
    case tcp
    /// Segments of a Linux-like TCP, one by one.
    case packet
  }

  /// Losses that come in bursts (Gilbert 1960, Elliott 1963): a chain of two states, one step for each packet.
  public struct BurstLoss: Hashable, Sendable {
    /// The chance that a packet finds the good state turned bad.
    public var enter: Double
    /// The chance that a packet finds the bad state turned good.
    public var leave: Double
    /// The share lost in the bad state; the good state loses `lossDown` or `lossUp`.
    public var loss: Double

    /// A chain with the given chances.
    public init(enter: Double, leave: Double, loss: Double) {
      self.enter = enter
      self.leave = leave
      self.loss = loss
    }
  }

  /// A time without service in both directions: a handover, a tunnel. What is queued waits.
  public struct Outage: Hashable, Sendable {
    /// When it begins, from the start of the run.
    public var start: Interval
    /// How long it lasts.
    public var duration: Interval

    /// An outage of `duration` that begins at `start`.
    public init(start: Interval, duration: Interval) {
      self.start = start
      self.duration = duration
    }
  }

  /// The rate towards the client.
  public var down: LinkRate
  /// The rate from the client.
  public var up: LinkRate
  /// The constant delay towards the client, after serialisation.
  public var delayDown: Interval
  /// The constant delay from the client.
  public var delayUp: Interval
  /// The share of packets lost towards the client, 0 ..< 1; the fluid has no packets and ignores it.
  public var lossDown: Double
  /// The share of packets lost from the client.
  public var lossUp: Double
  /// The drop-tail queue of each direction, in packets, the one being sent included.
  public var queuePackets: Int
  /// Where in the traces the run starts; zero unless a random offset is asked for.
  public var offset: Interval
  /// How long the radio stays in its active state after the last byte.
  public var radioTail: Interval
  /// What lies under the transfers.
  public var transport: TransportKind
  /// What a request costs, and how connections are used.
  public var http = HTTPConfiguration()
  /// Losses in bursts, for each direction by itself; nil for independent ones only.
  public var burstLoss: BurstLoss?
  /// The most that a packet's delay exceeds the constant one; drawn evenly, and no packet overtakes another.
  public var jitter: Interval = .zero
  /// Times without service, in order and apart from each other.
  public var outages: [Outage] = []
  /// How long an idle radio takes to come up before the client's first packet leaves.
  public var radioPromotion: Interval = .zero
  /// Where the rates are drawn for each run; `down` and, mostly, `up` only stand in for them then.
  public var mobile: MobileRates?
  /// What the operating system calls it; nil where it has no name, and is judged by its round trip and rate.
  public var networkClass: NetworkClass?
  /// The seed of the losses and the jitter of this run.
  public var seed: UInt64 = 1

  /// Whether chance has a part in it: rates that each run draws, or losses and jitter, which the fluid does not have.
  public var isRandom: Bool {
    if let mobile, mobile.seed == nil { return true }
    return transport != .fluid && (lossDown > 0 || lossUp > 0 || burstLoss != nil || jitter > .zero)
  }

  /// What an app is told of it. O(1).
  var effectiveClass: NetworkClass {
    if let networkClass { return networkClass }
    return NetworkClass.effective(roundTrip: delayDown + delayUp, bitsPerSecond: Double(down.perPass) / Double(down.length.nanoseconds))
  }

  /// A network of the given parts.
  public init(
    down: LinkRate, up: LinkRate, delayDown: Interval, delayUp: Interval, lossDown: Double = 0, lossUp: Double = 0,
    queuePackets: Int = 50, offset: Interval = .zero, radioTail: Interval = .zero, transport: TransportKind = .fluid
  ) {
    self.down = down
    self.up = up
    self.delayDown = delayDown
    self.delayUp = delayUp
    self.lossDown = lossDown
    self.lossUp = lossUp
    self.queuePackets = queuePackets
    self.offset = offset
    self.radioTail = radioTail
    self.transport = transport
  }
}
