// What a run outside of the emulator cannot have measured: seen when a result arrives, and in journals of programs that did not look.

import Analysis

extension RunRow {
  /// What of some metrics no run can have, such as "loaders 5 is more than the 3 items viewed"; nil if nothing.
  package static func impossible(_ metrics: [Double?]) -> String? {
    RunRow(point: "", repetition: 1, seed: 0, axisValues: [], metrics: metrics).impossible
  }

  /// The same of this row.
  package var impossible: String? {
    for schema in RunSchema.all {
      guard let violation = violation(in: schema) else { continue }
      let value = violation.value.description
      return "\(violation.metric.rawValue) \(value.hasSuffix(".0") ? String(value.dropLast(2)) : value) \(violation.problem)"
    }
    return nil
  }
}
