// The article's findings as yes-or-no questions to a world, the numbers that worlds are fitted to, and the influence of each unknown.

import Analysis

/// The article's numbers: loaders per 1000 items, and gains in per cent.
enum ArticleNumber {
  static let (system, budget) = (30.0, 25.0)
  /// The gains of five items over production.
  static let (labGain, fieldGain) = (8.0, 3.0)
}

/// A finding of the article; the raw value is its claim.
enum Finding: String, CaseIterable, Sendable {
  case budgetInLab = "the budget beats the system’s prefetching, in the lab"
  case budgetAmongUsers = "the budget beats the system’s prefetching, among users"
  case budgetGainInLab = "its gain is about that of 30 → 25, in the lab"
  case budgetGainAmongUsers = "its gain is about that of 30 → 25, among users"
  case fiveInLab = "five items beat production, in the lab"
  case fiveGainInLab = "their gain is about 8 %, in the lab"
  case fiveAmongUsers = "five items beat production, among users"
  case fiveGainAmongUsers = "their gain is about 3 %, among users"
  case labPromisesMore = "the lab promises more than users get"
  case fiveIsBest = "neither three nor eight items beat five, in the lab"

  func holds(_ world: WorldOutcome) -> Bool {
    switch self {
    case .budgetInLab: world.lab(.production) < world.lab(.system)
    case .budgetAmongUsers: world.field(.production) < world.field(.system)
    case .budgetGainInLab: Self.isLikeBudgets(world.lab(.production), over: world.lab(.system))
    case .budgetGainAmongUsers: Self.isLikeBudgets(world.field(.production), over: world.field(.system))
    case .fiveInLab: world.lab(.five) < world.lab(.production)
    case .fiveGainInLab: Self.isLike(ArticleNumber.labGain, world.labGain)
    case .fiveAmongUsers: world.field(.five) < world.field(.production)
    case .fiveGainAmongUsers: Self.isLike(ArticleNumber.fieldGain, world.fieldGain)
    case .labPromisesMore: (world.labGain ?? 0) > (world.fieldGain ?? 0)
    case .fiveIsBest: world.lab(.five) <= world.lab(.three) && world.lab(.five) <= world.lab(.eight)
    }
  }

  func share(in outcomes: [WorldOutcome]) -> Proportion { Proportion(outcomes.count(where: holds), of: outcomes.count) }

  /// True if a gain is between half and twice the article's.
  static func isLike(_ number: Double, _ gain: Double?) -> Bool { gain.map { $0 >= number / 2 && $0 <= number * 2 } ?? false }

  /// True if the budget's gain is about that of 30 → 25.
  private static func isLikeBudgets(_ budget: Double, over system: Double) -> Bool {
    isLike((ArticleNumber.system - ArticleNumber.budget) / ArticleNumber.system * 100, WorldOutcome.gain(budget, over: system))
  }
}

/// A number of the article that worlds must match within a fifth.
enum Fit: String {
  case systemAmongUsers = "system’s 30 among users"
  case systemInLab = "system’s 30 in the lab"
  case budgetInLab = "budget’s 25 in the lab"

  func kept(of outcomes: [WorldOutcome]) -> [WorldOutcome] {
    outcomes.filter { world in
      let (number, value) =
        switch self {
        case .systemAmongUsers: (ArticleNumber.system, world.field(.system))
        case .systemInLab: (ArticleNumber.system, world.lab(.system))
        case .budgetInLab: (ArticleNumber.budget, world.lab(.production))
        }
      return (0.8 * number...1.2 * number).contains(value)
    }
  }
}

/// The influence of one unknown on the differences between worlds.
struct Influence: Sendable {
  /// The unknown's index in `Unknown.all`.
  let unknown: Int
  let means: [Double]
  /// The share of the variance between worlds that the levels explain, corrected for chance: ε² = (SSB − (k − 1) s²) / SST with s² the mean
  /// square within levels (Kelley 1935). 0 without variance.
  let explained: Double

  init(of unknown: Int, on outcomes: [WorldOutcome], value: (WorldOutcome) -> Double) {
    self.unknown = unknown
    var groups = [[Double]](repeating: [], count: Unknown.all[unknown].levels.count)
    for outcome in outcomes { groups[outcome.world.levels[unknown]].append(value(outcome)) }
    let (values, n) = (groups.joined(), Double(outcomes.count))
    let mean = values.reduce(0, +) / max(1, n)
    let squares = values.reduce(0) { $0 + $1 * $1 }
    means = groups.map { $0.isEmpty ? 0 : $0.reduce(0, +) / Double($0.count) }
    let total = squares - n * mean * mean
    let between = zip(means, groups).reduce(0) { $0 + Double($1.1.count) * ($1.0 - mean) * ($1.0 - mean) }
    let levels = Double(groups.count { !$0.isEmpty })
    guard total > 1e-9 * max(1, squares), n > levels else {
      explained = 0
      return
    }
    explained = max(0, (between - (levels - 1) * (total - between) / (n - levels)) / total)
  }

  /// Returns the unknowns that explain at least a twentieth of the variance, the strongest first; at most three.
  static func strongest(on outcomes: [WorldOutcome], value: (WorldOutcome) -> Double) -> [Influence] {
    let all = Unknown.all.indices.map { Influence(of: $0, on: outcomes, value: value) }
    let ranked = all.filter { $0.explained >= 0.05 }.sorted { ($0.explained, $1.unknown) > ($1.explained, $0.unknown) }
    return Array(ranked.prefix(3))
  }
}
