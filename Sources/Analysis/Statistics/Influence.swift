// The influence of an unknown on a quantity that differs between worlds.

/// The means of a quantity at each level of an unknown, and the share of its variance that the levels explain.
package struct Influence: Sendable {
  package let unknown: Int
  /// The mean at each level; 0 at a level without worlds.
  package let means: [Double]
  /// The first-order index, corrected for chance: ε² = (SSB − (k − 1) s²) / SST with s² the mean square within levels (Kelley 1935,
  /// doi:10.1073/pnas.21.9.554). 0 without variance.
  package let explained: Double
  /// The probability of levels that differ as much by chance alone (F test, Fisher 1925); 1 without variance.
  package let pValue: Double

  /// Creates the influence of `unknown` on the values of worlds, whose levels of it are given.
  package init(of unknown: Int, levels: [Int], on values: [Double]) {
    self.unknown = unknown
    var groups = [[Double]](repeating: [], count: (levels.max() ?? -1) + 1)
    for (level, value) in zip(levels, values) { groups[level].append(value) }
    let (grouped, n) = (groups.joined(), Double(values.count))
    let mean = grouped.reduce(0, +) / max(1, n)
    let squares = grouped.reduce(0) { $0 + $1 * $1 }
    means = groups.map { $0.isEmpty ? 0 : $0.reduce(0, +) / Double($0.count) }
    let total = squares - n * mean * mean
    let between = zip(means, groups).reduce(0) { $0 + Double($1.1.count) * ($1.0 - mean) * ($1.0 - mean) }
    let occupied = Double(groups.count { !$0.isEmpty })
    guard total > 1e-9 * max(1, squares), n > occupied else {
      (explained, pValue) = (0, 1)
      return
    }
    let within = max(0, total - between)
    explained = max(0, (between - (occupied - 1) * within / (n - occupied)) / total)
    pValue = occupied < 2 ? 1 : SpecialFunctions.incompleteBeta(a: (n - occupied) / 2, b: (occupied - 1) / 2, x: within / total)
  }

  /// Returns the influence of each unknown, the strongest first. `levels` has a row for each world.
  package static func ranked(levels: [[Int]], on values: [Double]) -> [Influence] {
    let all = (levels.first ?? []).indices.map { unknown in Influence(of: unknown, levels: levels.map { $0[unknown] }, on: values) }
    return all.sorted { ($0.explained, $1.unknown) > ($1.explained, $0.unknown) }
  }
}
