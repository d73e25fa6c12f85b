// The article's findings, each as a question that a world answers with yes or no; the numbers that worlds are fitted to; and how much of
// the difference between worlds goes with one unknown.

import Analysis

/// The article's numbers: loaders per 1000 items, and gains in per cent.
enum ArticleNumber {
  static let (system, budget) = (30.0, 25.0)
  /// 30 → 25 in per cent.
  static let budgetGain = (system - budget) / system * 100
  /// What five items won over production.
  static let (labGain, fieldGain) = (8.0, 3.0)
}

/// One of the article's findings.
struct Finding: Sendable {
  /// What is said.
  let claim: String
  /// Whether it is so in a world.
  let holds: @Sendable (WorldOutcome) -> Bool

  /// How often it holds.
  func share(in outcomes: [WorldOutcome]) -> Proportion { Proportion(outcomes.count(where: holds), of: outcomes.count) }

  /// Whether a gain is half as large as the article's, twice as large, or between.
  static func isLike(_ number: Double, _ gain: Double?) -> Bool { gain.map { $0 >= number / 2 && $0 <= number * 2 } ?? false }

  static let budgetInLab = Finding(claim: "the budget beats the system’s prefetching, in the lab") { $0.lab(.production) < $0.lab(.system) }
  static let budgetAmongUsers = Finding(claim: "the budget beats the system’s prefetching, among users") {
    $0.field(.production) < $0.field(.system)
  }
  static let budgetGainInLab = Finding(claim: "its gain is about that of 30 → 25, in the lab") {
    isLike(ArticleNumber.budgetGain, $0.labBudgetGain)
  }
  static let budgetGainAmongUsers = Finding(claim: "its gain is about that of 30 → 25, among users") {
    isLike(ArticleNumber.budgetGain, $0.fieldBudgetGain)
  }
  static let fiveInLab = Finding(claim: "five items beat production, in the lab") { $0.lab(.five) < $0.lab(.production) }
  static let fiveGainInLab = Finding(claim: "their gain is about 8 %, in the lab") { isLike(ArticleNumber.labGain, $0.labGain) }
  static let fiveAmongUsers = Finding(claim: "five items beat production, among users") { $0.field(.five) < $0.field(.production) }
  static let fiveGainAmongUsers = Finding(claim: "their gain is about 3 %, among users") { isLike(ArticleNumber.fieldGain, $0.fieldGain) }
  static let labPromisesMore = Finding(claim: "the lab promises more than users get") { ($0.labGain ?? 0) > ($0.fieldGain ?? 0) }
  static let fiveIsBest = Finding(claim: "neither three nor eight items beat five, in the lab") {
    $0.lab(.five) <= $0.lab(.three) && $0.lab(.five) <= $0.lab(.eight)
  }

  /// All of them, in the article's order.
  static let all = [
    budgetInLab, budgetAmongUsers, budgetGainInLab, budgetGainAmongUsers, fiveInLab, fiveGainInLab, fiveAmongUsers, fiveGainAmongUsers,
    labPromisesMore, fiveIsBest,
  ]
}

/// A number of the article that worlds must show to be kept: to a fifth.
struct Fit: Sendable {
  /// What is kept.
  let name: String
  private let number: Double
  private let value: @Sendable (WorldOutcome) -> Double

  /// Worlds that show it.
  func kept(of outcomes: [WorldOutcome]) -> [WorldOutcome] {
    outcomes.filter { (0.8 * number...1.2 * number).contains(value($0)) }
  }

  /// The system's prefetching shows 30 per 1000 among users, or in the lab; the budget 25 in the lab.
  static let systemAmongUsers = Fit(name: "system’s 30 among users", number: ArticleNumber.system) { $0.field(.system) }
  static let systemInLab = Fit(name: "system’s 30 in the lab", number: ArticleNumber.system) { $0.lab(.system) }
  static let budgetInLab = Fit(name: "budget’s 25 in the lab", number: ArticleNumber.budget) { $0.lab(.production) }
}

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
