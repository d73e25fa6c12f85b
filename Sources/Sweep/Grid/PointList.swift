// The points of a sweep as lines, however many there are.

import Import

/// The points of a sweep, each as a row: its id, its values of the axes, and `baseline` if it is that.
package final class PointList {
  private let sweep: SweepFile
  private let decoder: PointDecoder
  /// The values of each dimension's paths as columns show them.
  private let texts: [[[String]]]

  /// The points of a sweep. O(axis values).
  package init(_ sweep: SweepFile) {
    self.sweep = sweep
    decoder = PointDecoder(sweep.grid)
    texts = sweep.grid.dimensions.map { dimension in
      (0..<dimension.count).map { place in dimension.values.map { $0[place].canonicalText } }
    }
  }

  /// The cells of the head.
  package var head: [String] { ["point"] + sweep.grid.paths + ["baseline"] }

  /// The cells of a point, by its place.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func row(_ index: Int) throws(InvalidInput) -> [String] {
    let mark = [sweep.isBaseline(index) ? "baseline" : ""]
    guard index < sweep.grid.count else { return [try sweep.decoded(index).point] + sweep.axisValues(index) + mark }
    let id = PointID.text(try decoder.id(index))
    var values: [[String]] = []
    sweep.grid.forEachPlace(index) { values.append(texts[$0][$1]) }
    return [id] + values.reversed().joined() + mark
  }
}
