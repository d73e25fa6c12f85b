// The units that a quantity can be written in.

/// What a quantity measures.
package enum Dimension: String, CaseIterable, Sendable {
  case duration, rate, size, percent

  /// The name with its article, for messages.
  package var described: String {
    switch self {
    case .percent: "a percentage"
    default: "a \(rawValue)"
    }
  }

  /// A quantity that a remedy can show.
  package var example: String {
    switch self {
    case .duration: "\"1s\""
    case .rate: "\"780kbps\""
    case .size: "\"200KB\""
    case .percent: "\"2%\""
    }
  }

  /// The units, smallest first; the first is the base unit.
  package var units: [QuantityUnit] { QuantityUnit.all.filter { $0.dimension == self } }
}

/// A unit and its worth in base units: nanoseconds, bits a second, bytes, hundredths.
package struct QuantityUnit: Hashable, Sendable {
  /// As it is written; case matters, because Mbps and mbps are far apart.
  package let name: String
  /// What it measures.
  package let dimension: Dimension
  /// How many base units it is worth.
  package let worth: Int64

  /// All units there are; within a dimension, smallest first.
  package static let all: [QuantityUnit] = [
    QuantityUnit(name: "ns", dimension: .duration, worth: 1),
    QuantityUnit(name: "us", dimension: .duration, worth: 1000),
    QuantityUnit(name: "ms", dimension: .duration, worth: 1_000_000),
    QuantityUnit(name: "s", dimension: .duration, worth: 1_000_000_000),
    QuantityUnit(name: "min", dimension: .duration, worth: 60_000_000_000),
    QuantityUnit(name: "h", dimension: .duration, worth: 3_600_000_000_000),
    QuantityUnit(name: "bps", dimension: .rate, worth: 1),
    QuantityUnit(name: "kbps", dimension: .rate, worth: 1000),
    QuantityUnit(name: "Mbps", dimension: .rate, worth: 1_000_000),
    QuantityUnit(name: "Gbps", dimension: .rate, worth: 1_000_000_000),
    QuantityUnit(name: "B", dimension: .size, worth: 1),
    QuantityUnit(name: "KB", dimension: .size, worth: 1000),
    QuantityUnit(name: "KiB", dimension: .size, worth: 1024),
    QuantityUnit(name: "MB", dimension: .size, worth: 1_000_000),
    QuantityUnit(name: "MiB", dimension: .size, worth: 1_048_576),
    QuantityUnit(name: "GB", dimension: .size, worth: 1_000_000_000),
    QuantityUnit(name: "GiB", dimension: .size, worth: 1_073_741_824),
    QuantityUnit(name: "%", dimension: .percent, worth: 1),
  ]

  /// What people write for a unit that is called otherwise here.
  private static let otherNames: [(other: String, name: String)] = [
    ("sec", "s"), ("second", "s"), ("seconds", "s"), ("m", "min"), ("minutes", "min"), ("hours", "h"), ("msec", "ms"), ("µs", "us"),
    ("μs", "us"), ("kbit/s", "kbps"), ("Mbit/s", "Mbps"), ("Gbit/s", "Gbps"), ("bit/s", "bps"), ("bytes", "B"), ("K", "KB"), ("M", "MB"),
  ]

  /// The unit of that exact name.
  package static func named(_ name: some StringProtocol) -> QuantityUnit? { all.first { $0.name == name } }

  /// The unit of `dimension` (any, if nil) that was probably meant by `name`.
  package static func nearest(to name: String, in dimension: Dimension?) -> String? {
    let known = all.filter { dimension == nil || $0.dimension == dimension }.map(\.name)
    let other = otherNames.first { $0.other.lowercased() == name.lowercased() }?.name
    if let other, known.contains(other) { return other }
    return known.first { $0.lowercased() == name.lowercased() } ?? NearestName.suggestion(for: name, among: known)
  }
}
