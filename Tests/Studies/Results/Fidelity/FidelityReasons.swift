// The known reasons of the worst cases: each names a table, parts of the case's name, and the evidence.

import Analysis
import Base
import Oracles

enum FidelityReasons {
  /// The first entry whose table and parts fit a case explains it. "That bed" is that of `Scripts/measure`, on Linux 6.18.
  private static let reasons: [(table: String, parts: [String], reason: String)] = [
    (
      "sessions", ["nlc_3g 2000 50 0 mixed uniform 2 1 keep"],
      "the kernel's client grows its buffer a segment earlier; 0.5 ms earlier ours is 131"
    ),
    ("single", ["nlc_edge 50 warm_after_6000ms"], "chaotic: 9194 and 10028 on that bed; ours with 0.3 ms of jitter 8321 to 14779"),
    ("parallel", ["nlc_dsl 50 par4_h1", "par_first"], "chaotic: ours with 0.3 ms of jitter 2375 to 2867"),
    ("bbr", ["n5m 20 0 bbr cancel_500ms_of_1048576"], "few repeats: 20 on that bed are 293 to 871, median 351"),
    ("bbr", ["n5m 20 0 bbr cold 204800"], "few repeats: 20 on that bed are 442 to 456"),
    ("mahimahi", ["TMobile-LTE-short 60000 204800", "mahimahi"], phase("290 to 483")),
    ("mahimahi", ["TMobile-LTE-short 60000 51200", "ttfb"], phase("88 to 188")),
    ("mahimahi", ["TMobile-LTE-short 20000 51200", "ttfb"], phase("137 to 257")),
    ("mahimahi", ["TMobile-LTE-short 60000 1048576", "ttfb"], phase("83 to 116")),
    ("mahimahi", ["TMobile-LTE-short 20000 204800", "ttfb"], phase("94 to 127")),
    ("mahimahi", ["TMobile-LTE-short 0 204800", "mahimahi"], phase("256 to 360")),
    ("mahimahi", ["TMobile-LTE-short 0 1048576", "ttfb"], phase("85 to 118")),
    ("mahimahi", ["TMobile-LTE-short 0 51200", "mahimahi"], phase("173 to 201")),
  ]

  private static func phase(_ range: String) -> String { "a start up to 60 ms earlier or later in the trace gives \(range)" }

  /// Returns the known reason of a row's error; "not explained" if there is none. `again` is the same figure in `stacks/cubic.csv`.
  static func reason(for row: JudgedRow, again: JudgedRow? = nil) -> String {
    if let repeats = row.repeats, repeats.contains(row.ours) { return "inside the range of the repeats" }
    let known = reasons.first { entry in
      entry.table == row.table && entry.parts.allSatisfy { " \(row.name) \(row.category) ".contains(" \($0) ") }
    }
    if let known { return known.reason }
    if let repeats = again?.repeats, repeats.contains(row.ours) { return "measured again it is \(text(repeats))" }
    guard let seeds = row.seeds, seeds.contains(row.truth) else { return "not explained" }
    return "inside the middle 90 % of our seeds, \(text(seeds))"
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    "\(DecimalText.fixed(range.lowerBound, decimals: 0)) to \(DecimalText.fixed(range.upperBound, decimals: 0))"
  }
}
