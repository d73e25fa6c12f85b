// failures.csv: the runs that failed, with their reasons.

import Analysis
import Base
import Simulation

package struct FailedRun: Codable, Hashable, Sendable {
  /// The most failures in the table; all are counted, and each is in a journal.
  package static let limit = 10_000
  package var point: Int
  /// The repetition, from 1.
  package var repetition: Int
  package var reason: String
  /// The point's id; nil for an invalid scenario.
  package var id: String?
  /// The point's axis values; none if its whole shard failed.
  package var axisValues: [String] = []
}

package struct FailureTable {
  package static let fileName = "failures.csv"
  package let csv: String

  package init(_ failures: [FailedRun], of sweep: SweepDescription) {
    let axes = sweep.axes.map(\.path)
    var bytes = CSVText.line(["point", "repetition", "seed"] + axes + ["reason"])
    for failure in failures {
      let known = failure.axisValues
      let values = axes.indices.map { $0 < known.count ? known[$0] : "" } + [failure.reason]
      let seed = RandomStream.seed(sweepSeed: sweep.seed, repetition: failure.repetition)
      bytes += CSVText.line([failure.id ?? "", "\(failure.repetition)", "\(seed)"] + values.map(SafeText.line))
    }
    csv = String(decoding: bytes, as: UTF8.self)
  }
}
