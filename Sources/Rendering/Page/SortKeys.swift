// By what the page's script sorts a table of points: texts are rounded to what their intervals support, and axes have an order of their own.

import Analysis

/// The sort keys of a table of points: whole numbers, because only the order counts.
struct SortKeys {
  let data: ChartData
  let shown: [PointSummary]

  /// The keys of each row for the columns that need some, by their places; nil where a row has no number.
  func keys(_ parts: [PointTable.Part]) -> [Int: [Int?]] {
    var keys: [Int: [Int?]] = [:]
    var column = 0
    for part in parts {
      guard part == .axes else {
        if let values = values(part) { keys[column] = ranks(values) }
        column += 1
        continue
      }
      for axis in data.summary.axes.indices {
        // In the sweep file's order: 500ms before 1s.
        let place = Dictionary(
          data.summary.values(axis: axis, sweep: data.sweep).enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        keys[column + axis] = shown.map { place[$0.axisValues[axis]] }
      }
      column += max(1, data.summary.axes.count)
    }
    return keys
  }

  /// The numbers behind a column's texts; nil for a column that is sorted by its texts.
  private func values(_ part: PointTable.Part) -> [Double?]? {
    switch part {
    case .rank, .axes, .front, .verdict: nil
    case .loaders: shown.map(\.headlineMean)
    case .difference: shown.map { $0.isBaseline ? 0 : $0.comparison?.difference }
    case .percent: shown.map { $0.isBaseline ? 0 : $0.comparison?.percent }
    case .megabytes: shown.map { $0.mean(data.summary.schema.cost) }
    case .headroom: shown.map(\.headroomMean)
    }
  }

  /// The place of each number among all of them from 0; equal numbers share one. O(n log n).
  private func ranks(_ values: [Double?]) -> [Int?] {
    var ranks = [Int?](repeating: nil, count: values.count)
    let order = values.indices.compactMap { index in values[index].map { (value: $0, index: index) } }.sorted {
      ($0.value, $0.index) < ($1.value, $1.index)
    }
    var rank = -1
    var last: Double?
    for item in order {
      if item.value != last { rank += 1 }
      ranks[item.index] = rank
      last = item.value
    }
    return ranks
  }
}
