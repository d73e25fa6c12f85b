// A setting that depends on what the operating system calls the network.

/// One value for each class of network.
package struct ByNetwork<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value on a wireless LAN, and on each class of mobile network.
  package var wifi: Value
  /// On LTE and later.
  package var cellular4G: Value
  /// On UMTS.
  package var cellular3G: Value
  /// On GPRS and EDGE.
  package var cellular2G: Value

  /// A value for each class.
  package init(wifi: Value, cellular4G: Value, cellular3G: Value, cellular2G: Value) {
    self.wifi = wifi
    self.cellular4G = cellular4G
    self.cellular3G = cellular3G
    self.cellular2G = cellular2G
  }

  /// The value on one class.
  package subscript(network: NetworkClass) -> Value {
    switch network {
    case .wifi: wifi
    case .cellular4G: cellular4G
    case .cellular3G: cellular3G
    case .cellular2G: cellular2G
    }
  }
}
