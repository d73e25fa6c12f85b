// The class of a network that an app can ask for: a word, never the rates.

/// The class of a network as an operating system tells it to an app.
public enum NetworkClass: String, Hashable, Sendable, CaseIterable {
  /// A wireless LAN or a cable.
  case wifi
  /// LTE and later.
  case cellular4G
  /// UMTS.
  case cellular3G
  /// GPRS and EDGE.
  case cellular2G

  /// The class of a network that has no name, by its round trip and its mean rate: the effective connection types of the Network
  /// Information API (W3C draft, table 1) without "slow-2g". It never says Wi-Fi.
  package static func effective(roundTrip: Interval, bitsPerSecond: Double) -> NetworkClass {
    if roundTrip.nanoseconds >= 1_400_000_000 || bitsPerSecond <= 70_000 { return .cellular2G }
    if roundTrip.nanoseconds >= 270_000_000 || bitsPerSecond <= 700_000 { return .cellular3G }
    return .cellular4G
  }
}
