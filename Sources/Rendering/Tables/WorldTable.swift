// The table of worlds: in how many each setting is better than the baseline, and which unknown decides it.

import Analysis

/// The share of worlds in which each setting is better or worse than the baseline, the best setting first.
struct WorldTable {
  static let title = "In how many worlds"
  private static let rowLimit = 30

  let part: ReportPart
  private let unknowns: (values: [[String]], levels: [[Int]])

  /// Creates the table; nil without worlds.
  init?(_ part: ReportPart) {
    guard let unknowns = part.summary.unknowns(of: part.sweep) else { return nil }
    (self.part, self.unknowns) = (part, unknowns)
  }

  private var names: [String] { PointNames.short(part.sweep.strata?.paths ?? []) }

  private func shares(of point: PointSummary) -> WorldShares? { part.summary.worldShares(of: point, levels: unknowns.levels) }

  var table: Table {
    var table = Table(
      columns: part.nameColumns + [
        .right("better in"), .right("worse in"), "decided by", .right("explains"), "better in, at each value",
      ])
    for point in part.best(Self.rowLimit) where !point.isBaseline {
      guard let shares = shares(of: point) else { continue }
      let deciding = shares.influences.first
      table.append(
        part.nameCells(point) + [Self.text(shares.better), Self.text(shares.worse)]
          + (deciding.map { [names[$0.unknown], Words.share($0.explained), levels($0)] } ?? ["no unknown alone", "", ""]))
    }
    return table
  }

  var legend: String {
    "Each of \(unknowns.levels.count) worlds has a value of every unknown: \(Words.list(names)). The baseline is that of the same world, and a verdict "
      + "holds for all points of the world at once. Brackets are the 95 % interval of the share (Wilson 1927). An unknown explains the share of "
      + "the variance between worlds that goes with its values (first-order index, ε²); below 5 % none is named."
  }

  /// Returns the sentence about the best setting.
  func sentence(about point: PointSummary, markup: Markup) -> String {
    guard let shares = shares(of: point) else { return "" }
    let deciding = shares.influences.first.map {
      " What decides it most is \(markup.strong(names[$0.unknown])), which explains \(Words.share($0.explained)): "
        + "better in \(markup.text(levels($0)))."
    }
    return " It is better than the baseline in \(Self.text(shares.better)) of \(shares.better.trials) worlds, and worse in "
      + "\(Self.text(shares.worse)).\(deciding ?? "")"
  }

  private func levels(_ influence: Influence) -> String {
    zip(unknowns.values[influence.unknown], influence.means).map { "\(Self.percent($1)) at \(PointNames.full($0))" }.joined(separator: ", ")
  }

  private static func text(_ share: Proportion) -> String {
    guard let value = share.share, let interval = share.interval() else { return "" }
    return "\(percent(value)) [\(whole(interval.low)), \(whole(interval.high))]"
  }

  private static func percent(_ share: Double) -> String { "\(whole(share)) %" }
  private static func whole(_ share: Double) -> String { DecimalText.fixed(share * 100, decimals: 0) }
}

extension StrataSummary {
  /// The strata that a confirmation is about, in words.
  var confirmedName: String { kind == .axes || kind == .models ? "all strata" : wholeName }

  /// All strata in words, as the scope of the weighted whole.
  var together: String {
    switch kind {
    case .population: "the population"
    case .axes, .models: "all \(members.count) strata together"
    case .worlds: "all \(members.count) worlds together"
    }
  }
}
