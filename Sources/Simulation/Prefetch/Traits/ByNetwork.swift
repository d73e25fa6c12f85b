// A setting that depends on what the operating system calls the network.

/// One value for each class of network.
public struct ByNetwork<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value on a wireless LAN, and on each class of mobile network.
  public var wifi: Value
  /// On LTE and later.
  public var cellular4G: Value
  /// On UMTS.
  public var cellular3G: Value
  /// On GPRS and EDGE.
  public var cellular2G: Value

  /// A value for each class.
  public init(wifi: Value, cellular4G: Value, cellular3G: Value, cellular2G: Value) {
    self.wifi = wifi
    self.cellular4G = cellular4G
    self.cellular3G = cellular3G
    self.cellular2G = cellular2G
  }

  /// The value on one class.
  public subscript(network: NetworkClass) -> Value {
    switch network {
    case .wifi: wifi
    case .cellular4G: cellular4G
    case .cellular3G: cellular3G
    case .cellular2G: cellular2G
    }
  }
}
