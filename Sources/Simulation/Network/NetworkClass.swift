// The network class that an app can query: a name, not the rates.

/// The class of a network as an operating system reports it to an app.
public enum NetworkClass: String, Hashable, Sendable, CaseIterable {
  /// A wireless LAN or a cable.
  case wifi
  /// A mobile network of LTE or later.
  case cellular4G
  /// A mobile network of UMTS or HSPA.
  case cellular3G
  /// A mobile network of GPRS or EDGE.
  case cellular2G

  /// Returns the class of a network by its round trip and its mean rate; never `wifi`.
  /// Source: effective connection types of the Network Information API (W3C draft, table 1), without "slow-2g".
  package static func effective(roundTrip: Interval, bitsPerSecond: Double) -> NetworkClass {
    if roundTrip.nanoseconds >= 1_400_000_000 || bitsPerSecond <= 70_000 { return .cellular2G }
    if roundTrip.nanoseconds >= 270_000_000 || bitsPerSecond <= 700_000 { return .cellular3G }
    return .cellular4G
  }
}
