// What decides whether a finding holds: how much of the difference between worlds goes with one unknown.

/// The part that one unknown has in what varies between worlds.
struct Influence: Sendable {
  /// The unknown's place in `Unknown.all`.
  let unknown: Int
  /// The mean at each level.
  let means: [Double]
  /// The share of the variance between worlds that the levels explain, less what levels of no effect would seem to: ε² (Kelley 1935),
  /// ((SSB − (k − 1) s²) / SST) with s² the mean square within levels. 0 where nothing varies.
  let explained: Double

  /// The influence of an unknown on a value of worlds.
  init(of unknown: Int, on outcomes: [WorldOutcome], value: (WorldOutcome) -> Double) {
    self.unknown = unknown
    let levelCount = Unknown.all[unknown].levels.count
    var (sums, counts, squares) = ([Double](repeating: 0, count: levelCount), [Double](repeating: 0, count: levelCount), 0.0)
    for outcome in outcomes {
      let x = value(outcome)
      sums[outcome.world.levels[unknown]] += x
      counts[outcome.world.levels[unknown]] += 1
      squares += x * x
    }
    means = zip(sums, counts).map { $1 > 0 ? $0 / $1 : 0 }
    let n = Double(outcomes.count)
    let mean = sums.reduce(0, +) / max(1, n)
    let total = squares - n * mean * mean
    let between = zip(means, counts).reduce(0) { $0 + $1.1 * ($1.0 - mean) * ($1.0 - mean) }
    let levels = Double(counts.count { $0 > 0 })
    guard total > 1e-9 * max(1, squares), n > levels else {
      explained = 0
      return
    }
    explained = max(0, (between - (levels - 1) * (total - between) / (n - levels)) / total)
  }

  /// The unknowns that explain at least a twentieth, the strongest first; at most three.
  static func strongest(on outcomes: [WorldOutcome], value: (WorldOutcome) -> Double) -> [Influence] {
    let all = Unknown.all.indices.map { Influence(of: $0, on: outcomes, value: value) }
    let ranked = all.filter { $0.explained >= 0.05 }.sorted { ($0.explained, $1.unknown) > ($1.explained, $0.unknown) }
    return Array(ranked.prefix(3))
  }
}
