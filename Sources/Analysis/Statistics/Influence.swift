// The influence of an unknown on an outcome that differs between worlds.

import Base

package struct Influence: Sendable {
  package let unknown: Int
  /// The share of worlds with the outcome at each level; 0 at a level without worlds.
  package let means: [Double]
  /// The first-order index, corrected for chance: ε² = (SSB − (k − 1) s²) / SST with s² the mean square within levels (Kelley 1935,
  /// doi:10.1073/pnas.21.9.554). 0 without variance.
  package let explained: Double
  /// The probability of a level that differs as much from the others by chance alone: Fisher's exact test (1935, The Design of Experiments)
  /// of each level, with Bonferroni's correction; 1 without variance.
  package let pValue: Double

  /// Creates the influence of `unknown` on the outcomes of worlds, whose levels of it are given.
  package init(of unknown: Int, levels: [Int], on outcomes: [Bool]) {
    self.unknown = unknown
    var groups = [(with: Int, all: Int)](repeating: (0, 0), count: (levels.max() ?? -1) + 1)
    for (level, outcome) in zip(levels, outcomes) {
      groups[level].with += outcome ? 1 : 0
      groups[level].all += 1
    }
    let (count, all) = (outcomes.count { $0 }, outcomes.count)
    let (n, mean) = (Double(all), Double(count) / Double(max(1, all)))
    means = groups.map { $0.all == 0 ? 0 : Double($0.with) / Double($0.all) }
    let total = n * mean * (1 - mean)
    let between = zip(means, groups).reduce(0) { $0 + Double($1.1.all) * ($1.0 - mean) * ($1.0 - mean) }
    let occupied = groups.count { $0.all > 0 }
    guard total > 0, all > occupied else {
      (explained, pValue) = (0, 1)
      return
    }
    let within = max(0, total - between)
    explained = max(0, (between - Double(occupied - 1) * within / Double(all - occupied)) / total)
    // Of two levels, one differs as the other does.
    let tests = occupied == 2 ? 1 : occupied
    let least = groups.filter { $0.all > 0 }.map { Self.tail($0.with, of: $0.all, with: count, among: all) }.min() ?? 1
    pValue = occupied < 2 ? 1 : min(1, least * Double(tests))
  }

  /// Returns the two-sided probability that `size` of `all` worlds, of which `count` have the outcome, include as unusual a number of them.
  private static func tail(_ observed: Int, of size: Int, with count: Int, among all: Int) -> Double {
    func choose(_ n: Int, _ k: Int) -> Double {
      Elementary.logGamma(Double(n + 1)) - Elementary.logGamma(Double(k + 1)) - Elementary.logGamma(Double(n - k + 1))
    }
    let possible = max(0, size + count - all)...min(size, count)
    func chance(_ range: some Sequence<Int>) -> Double {
      range.reduce(0) { $0 + StableMath.exp(choose(count, $1) + choose(all - count, size - $1) - choose(all, size)) }
    }
    return min(1, 2 * min(chance(possible.lowerBound...observed), chance(observed...possible.upperBound)))
  }

  /// Returns the influence of each unknown, the strongest first. `levels` has a row for each world.
  package static func ranked(levels: [[Int]], on outcomes: [Bool]) -> [Influence] {
    let all = (levels.first ?? []).indices.map { unknown in Influence(of: unknown, levels: levels.map { $0[unknown] }, on: outcomes) }
    return all.sorted { ($0.explained, $1.unknown) > ($1.explained, $0.unknown) }
  }
}
