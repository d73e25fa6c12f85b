// The table of worlds: in how many each setting is better than the baseline, and which unknown decides it.

import Analysis

struct WorldTable {
  static let title = "Shares of worlds"
  private static let rowLimit = 30

  let part: ReportPart
  private let unknowns: (values: [[String]], levels: [[Int]])
  /// The setting that the headline is about: the winner, or else the point with the lowest mean that is not the baseline.
  private let subject: PointSummary?
  /// The settings of the report by id, with the unknowns that each depends on.
  private let settings: [String: (shares: WorldShares, named: [Int])]

  /// Creates the table; nil without worlds.
  init?(_ part: ReportPart) {
    guard let unknowns = part.summary.unknowns(of: part.sweep) else { return nil }
    (self.part, self.unknowns) = (part, unknowns)
    subject = part.summary.confirmedWinner ?? part.best(2).first { !$0.isBaseline && !$0.isOracle }
    var points = part.best(Self.rowLimit)
    if let subject, !points.contains(where: { $0.point == subject.point }) { points.append(subject) }
    let shares = points.compactMap { point in part.summary.worldShares(of: point, levels: unknowns.levels).map { (point.point, $0) } }
    settings = Dictionary(
      uniqueKeysWithValues: zip(shares, WorldShares.named(shares.map(\.1))).map { setting, named in (setting.0, (setting.1, named)) })
  }

  private var count: Int { part.summary.strata?.weightedCount ?? 0 }

  private var names: [String] { PointNames.short(part.sweep.strata?.paths ?? []) }

  var table: Table {
    var table = Table(
      columns: part.nameColumns + [
        .right("better in"), .right("worse in"), .right("lower mean in", id: .lowerMean), "depends most on", .right("explains"),
      ])
    for point in part.best(Self.rowLimit) where !point.isBaseline {
      guard let (shares, named) = settings[point.point] else { continue }
      table.append(
        part.nameCells(point) + [shares.better, shares.worse, shares.lower].map { .number(Self.percent($0)) }
          + (strongest(shares, named).map { [.text(names[$0.unknown]), .text(Words.share($0.explained))] } ?? ["no unknown alone", ""]))
    }
    return table
  }

  /// The title of `dependence`; nil without a setting that it could be about.
  var dependenceTitle: String? {
    subject.flatMap { point in
      settings[point.point].map { "Unknowns that decide whether \(part.name(point)) is \($0.shares.outcome.rawValue)" }
    }
  }

  /// The table with a row per value of an unknown: its influence on the best setting's verdict, and the share of worlds at the value.
  var dependence: Table {
    let setting = subject.flatMap { settings[$0.point] }
    let shares = setting?.shares
    var table = Table(columns: ["unknown", .right("explains"), "value", .right("\(shares?.outcome.rawValue ?? "") in")])
    for influence in shares?.influences ?? [] {
      let isNamed = setting?.named.contains(influence.unknown) ?? false
      let share = Words.share(influence.explained) + (isNamed ? "" : ", may be chance")
      for (index, (value, mean)) in zip(unknowns.values[influence.unknown], influence.means).enumerated() {
        table.append((index == 0 ? [names[influence.unknown], share] : ["", ""]) + [part.names.full(value), "\(Self.percent(mean))"])
      }
    }
    return table
  }

  var legend: String {
    "Each of the \(count) worlds has a value of every unknown: \(Words.list(names)). A setting is compared with the baseline in "
      + "the same world, and a world's verdicts hold for all its points at once; where it is neither better nor worse, the repetitions do not decide. "
      + "Brackets are the 95 % interval of a share (Wilson 1927). An unknown explains the share of the variance between worlds that goes with its "
      + "values (first-order index, ε², corrected for chance); none is named below 5 %, with fewer than five worlds of either kind, or if an unknown without influence came as "
      + "far for any setting in one of 20 reports (Fisher's exact test, Holm). A share of worlds is no probability: it depends on the values that were given."
  }

  /// The sentence of the headline about the best setting.
  func sentence(_ markup: Markup) -> String {
    guard let point = subject, let (shares, named) = settings[point.point] else { return "" }
    let strongest = strongest(shares, named).map {
      " That depends most on \(markup.strong(names[$0.unknown])), which explains \(Words.share($0.explained)) of it: "
        + "\(shares.outcome.rawValue) in \(markup.text(levels($0)))."
    }
    return " \(markup.strong(part.name(point))) is better than the baseline in \(Self.percent(shares.better)) of \(shares.better.trials) "
      + "worlds, and worse in \(Self.percent(shares.worse)).\(pooled(point, shares))\(strongest ?? "")"
  }

  /// Returns a sentence about a winner that few worlds show alone; empty for others.
  private func pooled(_ point: PointSummary, _ shares: WorldShares) -> String {
    guard point.isSame(as: part.summary.confirmedWinner), let better = shares.better.share, let worse = shares.worse.share, better < 0.5
    else { return "" }
    return " It wins by its mean over the \(count) worlds, for which all their repetitions count together; in "
      + "\(Self.percent(1 - better - worse)) of the worlds their own repetitions alone show no difference."
  }

  /// The unknown that explains most of those that a setting depends on.
  private func strongest(_ shares: WorldShares, _ named: [Int]) -> Influence? { shares.influences.first { named.contains($0.unknown) } }

  private func levels(_ influence: Influence) -> String {
    zip(unknowns.values[influence.unknown], influence.means).map { "\(Self.percent($1)) at \(part.names.full($0))" }.joined(separator: "; ")
  }

  private static func percent(_ share: Proportion) -> ShownNumber { percent(share.share, share.interval()) }

  private static func percent(_ share: Double?, _ interval: ConfidenceInterval? = nil) -> ShownNumber {
    ShownNumber(share.map { $0 * 100 }, interval?.scaled(by: 100), decimals: 0, unit: " %")
  }
}

extension StrataSummary {
  /// The strata that a confirmation is about, in words.
  var confirmedName: String { kind == .axes || kind == .models ? "all strata" : wholeName }

  /// All strata in words, as the scope of the weighted whole.
  var together: String {
    switch kind {
    case .population: "the population"
    case .axes, .models: "all \(members.count) strata together"
    case .worlds: "\(weightedCount < members.count ? "\(weightedCount) of \(members.count)" : "all \(members.count)") worlds together"
    }
  }
}
