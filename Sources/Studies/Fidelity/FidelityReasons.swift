// The known reasons of the worst cases: each names a table, parts of the case's name, and the cause.

import Analysis

enum FidelityReasons {
  /// The first entry whose table and parts fit a case explains it.
  private static let reasons: [(table: String, parts: [String], reason: String)] = []

  /// Returns the known reason of a row's error; "not explained" if there is none.
  static func reason(for row: JudgedRow) -> String {
    if let repeats = row.repeats, repeats.contains(row.ours) { return "inside the range of the repeats" }
    let known = reasons.first { entry in
      entry.table == row.table && entry.parts.allSatisfy { " \(row.name) \(row.category) ".contains(" \($0) ") }
    }
    if let known { return known.reason }
    guard let seeds = row.seeds, seeds.contains(row.truth) else { return "not explained" }
    let text = { (value: Double) in DecimalText.fixed(value, decimals: 0) }
    return "inside the middle 90 % of our seeds, \(text(seeds.lowerBound)) to \(text(seeds.upperBound))"
  }
}
