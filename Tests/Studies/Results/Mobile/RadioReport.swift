// The report of the radios: misses first, then the judged bins and the fitted times.

import Analysis
import Base
import Foundation
import Oracles
import Rendering
import StudyParts

/// The page that `run-studies fit-radio` prints.
struct RadioReport {
  /// The round trips of an idle time in milliseconds: medians of the judging half, of ours, without cycles and of the fitting half.
  struct Row {
    let idleMs: Int64
    let measured: Double, ours: Double, plain: Double, other: Double
  }

  let judged: [RadioFit.Judged]
  /// The rows of the fitted times.
  let fitted: [[String]]

  /// Returns the page.
  /// - Throws: `StudyProblem` if it cannot be read.
  func text() throws -> String {
    try page(
      "radio",
      [
        "misses": misses, "judged": table, "missed": judged.map(missed).joined(separator: "\n\n"),
        "fitted": unpaddedTable(
          texts: ["radio"], numbers: ["drxInactivity", "drxCycle", "radioTail", "radioSettling", "pagingCycle", "radioPromotion"], fitted),
      ])
  }

  /// A sentence on each phone with missed seconds or idle times.
  private var misses: String {
    let lines = judged.sorted { share($0.rows) < share($1.rows) }.compactMap { one -> String? in
      let (rows, seconds) = (one.rows, Self.seconds(one))
      let missed = rows.count { !Self.isNear($0.ours, $0.measured) }
      if missed == 0 { return nil }
      let near = seconds.count { !Self.isNear($0.ours, $0.measured) }
      return "- \(one.name): \(missed) of \(rows.count) idle times and \(near) of \(seconds.count) whole seconds are more than 15 % off."
    }
    if lines.isEmpty { return "Nothing is more than 15 % off." }
    func near(_ one: RadioFit.Judged, _ value: KeyPath<Row, Double>) -> Int {
      one.rows.count { Self.isNear($0[keyPath: value], $0.measured) }
    }
    let better = judged.count { near($0, \.ours) >= near($0, \.other) }
    return "**Misses.** The aim is 15 % at each idle time.\n\n" + lines.joined(separator: "\n")
      + "\n\nBeside the measurement itself: for \(better) of \(judged.count) phones, the radio is near the judging half at least as often as the fitting half is."
  }

  private var table: String {
    let head = [
      "round trip, ms", "to the tail", "5 s beyond", "later", "all", "median error", "whole seconds", "without cycles",
      "fitting half",
    ]
    return unpaddedTable(
      texts: ["radio, phone"], numbers: head,
      judged.map { one in
        let (rows, tail) = (one.rows, one.tailMs)
        let errors = rows.map { abs($0.ours / $0.measured - 1) }
        return [
          one.name, DecimalText.fixed(one.roundTripMs, decimals: 0), percent(rows.filter { $0.idleMs <= tail }),
          percent(rows.filter { $0.idleMs > tail && $0.idleMs <= tail + 5000 }), percent(rows.filter { $0.idleMs > tail + 5000 }),
          percent(rows),
          DecimalText.fixed(100 * median(errors), decimals: 1) + " %", percent(Self.seconds(one)), percent(rows, \.plain),
          percent(rows, \.other),
        ]
      })
  }

  private func share(_ rows: [Row]) -> Double { Double(rows.count { Self.isNear($0.ours, $0.measured) }) / Double(max(1, rows.count)) }

  /// Returns how many idle times are within 15 % of the measured ones.
  private func percent(_ rows: [Row], _ value: KeyPath<Row, Double> = \.ours) -> String {
    "\(rows.count { Self.isNear($0[keyPath: value], $0.measured) }) of \(rows.count)"
  }

  /// Returns the medians over the idle times of each whole second.
  private static func seconds(_ one: RadioFit.Judged) -> [Row] {
    let groups = Dictionary(grouping: one.rows) { $0.idleMs / 1000 }
    return groups.keys.sorted().map { second in
      let rows = groups[second] ?? []
      func middle(_ value: KeyPath<Row, Double>) -> Double { median(rows.map { $0[keyPath: value] }) }
      return Row(
        idleMs: second * 1000, measured: middle(\.measured), ours: middle(\.ours), plain: middle(\.plain), other: middle(\.other))
    }
  }

  private func missed(_ one: RadioFit.Judged) -> String {
    let rows = one.rows.filter { !Self.isNear($0.ours, $0.measured) }.map { row in
      "\(DecimalText.fixed(Double(row.idleMs) / 1000, decimals: 1)): \(DecimalText.fixed(row.measured, decimals: 0))/\(DecimalText.fixed(row.ours, decimals: 0))"
    }
    return "\(one.name), s: measured/ours in ms. \(rows.isEmpty ? "None" : rows.joined(separator: ", "))."
  }

  /// True if two round trips are within 15 % of each other.
  private static func isNear(_ ours: Double, _ measured: Double) -> Bool { abs(ours / measured - 1) <= 0.15 }
}
