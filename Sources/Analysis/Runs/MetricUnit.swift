// The units of metrics: their words, and how values in them are read and shown.

extension Metric {
  /// A unit of values; the raw value is its name in words.
  package enum Unit: String, Sendable, CustomStringConvertible {
    case items, stalls, requests, connections, resources, slices, kills, tasks, switches, bytes, ms, ratio, kbps
    case wakeUps = "wake-ups", perThousandItems = "per 1000 items", bytesPerHour = "bytes per hour", joules = "J"

    package var description: String { rawValue }

    /// True if values are whole numbers, as counts and bytes are.
    package var isWhole: Bool {
      switch self {
      case .ms, .ratio, .kbps, .perThousandItems, .bytesPerHour, .joules: false
      default: true
      }
    }

    /// A small amount with its unit, nil if amounts are plain numbers, and an amount that a run may reach.
    package var examples: (amount: String?, bound: String) {
      switch self {
      case .ms: ("50ms", "600s")
      case .bytes: ("1MB", "70MB")
      case .bytesPerHour: ("20MB", "300MB")
      case .kbps: ("100kbps", "1Mbps")
      case .ratio: ("0.01 ratio", "0.01")
      default: (nil, "3")
      }
    }
  }

  /// The values of the metric in words, such as "ms of waitMsMean". A ratio has no unit, and `bytesPerHour` has its unit's name.
  package var inWords: String {
    switch unit {
    case .ratio: rawValue
    case .bytesPerHour: unit.rawValue
    default: "\(unit) of \(rawValue)"
    }
  }

  /// The form of values in sentences: the factor from value to number, the suffix after the number, and its decimals.
  package var shown: (scale: Double, suffix: String, decimals: Int) {
    switch unit {
    case .bytes: (1e-6, " MB", 2)
    case .ms: (1, " ms", max(1, decimals))
    default: (1, "", max(1, decimals))
    }
  }

  /// The form of means in tables: the factor from value to number, and the column's heading.
  package var inTables: (scale: Double, heading: String) { unit == .bytesPerHour ? (1e-6, "\(rawValue), MB") : (1, rawValue) }

  /// The unit in the Go benchmark format: the quantity, then the measure after the last hyphen, per run.
  package var benchmarkUnit: String {
    switch unit {
    case .bytes:
      let what = rawValue.hasPrefix("bytes") ? String(rawValue.dropFirst(5)) : rawValue
      return "\(what.prefix(1).lowercased() + what.dropFirst())-B/run"
    case .ms: return "\(rawValue.replacing("Ms", with: ""))-ms/run"
    case .perThousandItems: return "loaders/1000"
    default: return "\(rawValue)/run"
    }
  }
}
