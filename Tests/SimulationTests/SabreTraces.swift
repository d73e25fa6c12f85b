// Reads the traces of the reference for tests; the readers of the tool are in Import.

import Foundation
import TestSupport

@testable import Simulation

enum SabreTraces {
  private struct Row: Decodable {
    var duration_ms: Double
    var bandwidth_kbps: Double
    var latency_ms: Double
  }

  static func link(_ path: String, scale: Double = 1) throws -> LinkRate {
    let rows = try JSONDecoder().decode([Row].self, from: try Reference.data(path))
    return LinkRate(
      periods: rows.map { row in
        LinkRate.Period(
          duration: Interval(nanoseconds: Int64((row.duration_ms * 1e6).rounded())),
          bitsPerSecond: Int64((row.bandwidth_kbps * 1000 * scale).rounded()),
          latency: Interval(nanoseconds: Int64((row.latency_ms * 1e6).rounded())))
      })
  }

  static func network(_ link: LinkRate) -> NetworkConfiguration {
    NetworkConfiguration(down: link, up: link, delayDown: .zero, delayUp: .zero)
  }
}
