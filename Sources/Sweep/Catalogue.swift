// What a sweep file may name, as rows of text for whoever lists it.

import Simulation

/// The prefetchers and networks there are.
public enum Catalogue {
  /// Kind and summary of each prefetcher.
  public static var prefetchers: [[String]] { PrefetcherCatalogue.entries.map { [$0.name, $0.summary] } }

  /// Name, rates, delays, loss and source of each network profile.
  public static var networks: [[String]] {
    NetworkProfile.all.map { profile in
      [
        profile.name, Quantity.described(profile.down, .rate), Quantity.described(profile.up, .rate),
        Quantity.described(profile.delayDown, .duration), Quantity.described(profile.delayUp, .duration),
        profile.loss == 0 ? "0" : "\(profile.loss * 100) %", profile.source,
      ]
    }
  }
}

extension SweepFile {
  /// A row a point: its id, its values of the axes, and `baseline` if it is that. Points are computed as they are asked for.
  public func listings() throws(InvalidInput) -> [[String]] {
    var rows: [[String]] = []
    for index in 0..<pointCount {
      let isBaseline = index == baseline.index ?? grid.count
      rows.append([try decoded(index).point] + axisValues(index) + [isBaseline ? "baseline" : ""])
    }
    return rows
  }
}
