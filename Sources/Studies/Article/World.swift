// One plausible world: a value for each unknown of the article.

import Analysis
import Simulation
import Sweep

/// A combination of values for everything that the article leaves open.
struct World: Hashable, Sendable {
  let number: Int
  /// The level of each unknown, in the order of `Unknown.all`.
  let levels: [Int]

  /// Returns `count` reproducible worlds, a Latin hypercube.
  static func design(count: Int) -> [World] {
    let rows = LatinHypercube.design(Unknown.all.map { ($0.name, $0.levels.count) }, count: count, seed: 2019)
    return rows.enumerated().map { index, levels in World(number: index + 1, levels: levels) }
  }

  /// Returns the settings that make `Sweeps/article-field.json5` this world, in the form of `--set`.
  func settings(transport: NetworkConfiguration.TransportKind = .packet) -> [String] {
    let own = zip(Unknown.all, levels).flatMap { unknown, level in unknown.levels[level].settings }
    let users = weights.enumerated().flatMap { index, weight in
      ["population.\(index).weight=\(DecimalText.exact(weight))", "population.\(index).user.dwell=\(dwell)"]
    }
    return own + users + (transport == .packet ? [] : ["network.transport=\(transport.rawValue)"])
  }

  /// The dwell of users in the form of a sweep file.
  private var dwell: String {
    let mean = Int(level(of: Unknown.dwell).number * 1000)
    if level(of: Unknown.dwellVaries).name == "much" { return "{ distribution: \"exponential\", mean: \"\(mean)ms\", min: \"300ms\" }" }
    // The mean of a lognormal is its median times exp(σ²/2), 1.1331 for a sigma of 0.5.
    return "{ distribution: \"lognormal\", median: \"\(mean * 10_000 / 11_331)ms\", sigma: 0.5, min: \"300ms\" }"
  }

  /// The weights of Wi-Fi, 4G, 4G on the move and 3G on the move, in the order of `Sweeps/article-field.json5`. 4G is the rest, half of it
  /// on the move. Whole parts make them add up exactly.
  var weights: [Double] {
    let (wifi, threeG) = (level(of: Unknown.wifi).number, level(of: Unknown.threeG).number)
    let rest = 100 - wifi
    return [wifi * 200, rest * (100 - threeG), rest * (100 - threeG), rest * threeG * 2].map { $0 / 20_000 }
  }

  /// The world's own seed, so that worlds share no randomness.
  var seed: UInt64 { 2019 + UInt64(number) }

  /// The mean number of items ahead that production's budget pays for: the budget, less the active item's cost if that counts, over the
  /// mean cost of an item (1 for an image, 2 for a video).
  var reach: Double {
    let cost = 1 + level(of: Unknown.videoShare).number / 100
    let budget = level(of: Unknown.budget).number - (level(of: Unknown.activeItem).name == Unknown.activeItemCosts ? cost : 0)
    return budget / cost
  }

  func level(of name: String) -> Unknown.Level {
    guard let index = Unknown.all.firstIndex(where: { $0.name == name }) else { preconditionFailure("\(name) is no unknown") }
    return Unknown.all[index].levels[levels[index]]
  }
}
