// Everything that a transport must know of the network of one run.

/// A network between the client and its servers: two directions with rate, delay, loss and queue.
public struct NetworkConfiguration: Hashable, Sendable {
  /// What lies under the transfers.
  public enum TransportKind: String, Hashable, Sendable, CaseIterable {
    /// Rates shared, one latency a request: exact, for cross-checks.
    case fluid
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
