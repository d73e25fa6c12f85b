// The outcome of a world: the loaders of each setting, in the lab and among users.

import Analysis
import Import
import Rendering
import Simulation
import Sweep

/// The compared settings, in the order of the axis in `Sweeps/article-field.json5`.
enum Setting: Int, CaseIterable, Sendable {
  /// The system's own prefetching, one item ahead.
  case system
  case production
  /// Five, three or eight items ahead, whatever their kind.
  case five, three, eight

  static let field: [Setting] = [.system, .production, .five]
}

/// The mean loaders per 1000 items of the settings in one world.
struct WorldOutcome: Hashable, Sendable {
  let world: World
  /// The loaders in the lab, by setting.
  let lab: [Double]
  /// The loaders on each of the population's networks, by the settings that run among users.
  let networks: [[Double]]

  func lab(_ setting: Setting) -> Double { lab[setting.rawValue] }

  /// Returns the loaders of a setting among users, weighted by their networks' shares.
  func field(_ setting: Setting) -> Double { zip(world.weights, networks).reduce(0) { $0 + $1.0 * $1.1[setting.rawValue] } }

  /// Returns the reduction of loaders by `setting` relative to `other`, in per cent; nil if `other` has none.
  static func gain(_ setting: Double, over other: Double) -> Double? { other > 0 ? (other - setting) / other * 100 : nil }

  /// The gain of five items over production, in per cent.
  var labGain: Double? { Self.gain(lab(.five), over: lab(.production)) }
  var fieldGain: Double? { Self.gain(field(.five), over: field(.production)) }
}

extension WorldOutcome {
  /// Runs `world` in the sweep at `path`: each setting until `items` items are viewed, in the lab and on each network.
  /// - Throws: `InvalidInput` if the sweep does not fit these worlds.
  init(_ world: World, sweep path: String, items: Int, transport: NetworkConfiguration.TransportKind = .packet) throws {
    var overrides = ResolvedSweep.Overrides()
    overrides.settings = world.settings(transport: transport).map { setting in
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      return (parts[0], parts[1])
    }
    overrides.seed = world.seed
    let sweep = try ResolvedSweep(path: path, overrides: overrides)
    let networks = try Self.points(of: sweep, networks: world.weights.count + 1).enumerated().map { index, points in
      try points.prefix((index == 0 ? Setting.allCases : Setting.field).count).compactMap { try sweep.feedScenario($0) }.map {
        Self.loaders($0, seed: sweep.seed, items: items)
      }
    }
    self.init(world: world, lab: networks[0], networks: Array(networks.dropFirst()))
  }

  /// Returns the indices of a sweep's points by network, the lab first, and by setting within each.
  /// - Throws: `InvalidInput` if the sweep's points are not those of a world.
  private static func points(of sweep: ResolvedSweep, networks count: Int) throws(InvalidInput) -> [[Int]] {
    let axis = "prefetcher"
    let location = sweep.location(ofAxis: axis)
    func refusal(_ key: String, _ problem: String) -> InvalidInput {
      let remedy = "write the settings and networks of Sweeps/article-field.json5"
      return InvalidInput(diagnostics: [Diagnostic(location: location, key: key, problem: problem, remedy: remedy)])
    }
    guard try sweep.feedScenario(0) != nil else { throw refusal("scenario", "is no feed, and a world scrolls one") }
    guard let column = sweep.grid.paths.firstIndex(of: axis) else { throw refusal("axes", "has no \(axis), which a world compares") }
    // Points of one network are adjacent, in the axis' order; the lab is the first network.
    var networks: [(key: [String], points: [Int])] = []
    for index in 0..<sweep.pointCount {
      var key = sweep.axisValues(index)
      key.remove(at: column)
      if networks.last?.key != key { networks.append((key, [])) }
      networks[networks.count - 1].points.append(index)
    }
    let settings = Setting.allCases.count
    if let other = networks.first(where: { $0.points.count != settings }) {
      throw refusal("axes.\(axis)", "has \(other.points.count) settings on a network, and a world compares \(settings)")
    }
    guard networks.count == count else {
      throw refusal("axes", "make \(networks.count) networks with the population, and a world has \(count), the lab's among them")
    }
    return networks.map(\.points)
  }

  /// Returns the mean loaders per 1000 over the runs that it takes to view `items` items.
  private static func loaders(_ scenario: Scenario, seed: UInt64, items: Int) -> Double {
    var (loaders, viewed, repetition) = (0, 0, 0)
    while viewed < items {
      repetition += 1
      let run = scenario.run(seed: RandomStream.seed(sweepSeed: seed, repetition: repetition))
      loaders += run.loaders
      viewed += run.viewed
    }
    return Double(loaders) * 1000 / Double(viewed)
  }

  /// Runs all worlds on all cores; the outcomes do not depend on the number of cores.
  /// - Throws: the first error of a world's runs.
  static func all(
    _ worlds: [World], sweep path: String, items: Int, transport: NetworkConfiguration.TransportKind = .packet
  ) throws -> [WorldOutcome] {
    try WorkerPool.map(worlds.count) { index throws in
      try WorldOutcome(worlds[index], sweep: path, items: items, transport: transport)
    }
  }

  /// Returns all outcomes as CSV: a row per world with its levels and its loaders per 1000.
  static func csv(_ outcomes: [WorldOutcome]) -> String {
    let networkNames = ["Wi-Fi", "4G", "4G on the move", "3G on the move", "field"]
    let heads =
      ["world"] + Unknown.all.map(\.name) + Setting.allCases.map { "lab, \($0)" }
      + networkNames.flatMap { network in Setting.field.map { "\(network), \($0)" } }
    var table = Table(columns: heads.map { .init($0) })
    for outcome in outcomes {
      let levels = zip(Unknown.all, outcome.world.levels).map { unknown, level in unknown.levels[level].name }
      let values = outcome.lab + outcome.networks.joined() + Setting.field.map(outcome.field)
      table.append(["\(outcome.world.number)"] + levels + values.map { DecimalText.trimmed($0, decimals: 3) })
    }
    return table.csv
  }
}
