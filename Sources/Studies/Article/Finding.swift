// The article's findings as yes-or-no questions to a world, the numbers that worlds are fitted to, and the unknowns that decide findings.

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

extension Influence {
  /// Returns the unknowns that explain at least a twentieth of the variance between worlds, the strongest first; at most three.
  static func strongest(on outcomes: [WorldOutcome], value: (WorldOutcome) -> Double) -> [Influence] {
    strongest(levels: outcomes.map(\.world.levels), on: outcomes.map(value))
  }
}
