// The samples of a sweep's points: from memory as far as they are held there, else from the rows, which are gone over again.

/// The places of points by what their rows say of them.
package struct PointIndex: Sendable {
  private var places: [String: Int] = [:]

  private func key(_ row: RunRow) -> String { ([row.point] + row.axisValues).joined(separator: "\u{1F}") }

  /// The place of a row's point; nil if it has none yet.
  package func place(of row: RunRow) -> Int? { places[key(row)] }

  /// Gives a row's point a place.
  package mutating func add(_ row: RunRow, at place: Int) { places[key(row)] = place }
}

/// Goes over the rows of a sweep as often as samples are wanted that are not held. A pass holds one point's sample at a time, where the
/// rows of a point stand together, as the program writes them; where they do not, it takes so many passes that `limit` runs are enough.
package struct PointSamples: SampleSource {
  package let points: [PointSummary]
  package let index: PointIndex
  /// The whole samples of points that are held.
  package let held: [RunSample?]
  /// The same rows once more; nil where all are held.
  package let rows: (any RowSequence)?
  /// Whether the rows of each point follow each other.
  let isTogether: Bool
  /// How many runs one pass may hold where they do not.
  package let limit: Int
  let keepsCosts: Bool

  package func forEach(where wanted: (Int) -> Bool, _ body: (Int, RunSample) throws -> Void) throws {
    let all = points.indices.filter(wanted)
    if all.allSatisfy({ held[$0] != nil }) {
      for place in all { if let sample = held[place] { try body(place, sample) } }
      return
    }
    var first = 0
    while first < all.count {
      var end = first
      var runs = 0
      while end < all.count, isTogether || end == first || runs + points[all[end]].repetitions <= limit {
        runs += points[all[end]].repetitions
        end += 1
      }
      try pass(all[first..<end], body)
      first = end
    }
  }

  /// Goes over all rows once and gathers the samples of some points.
  private func pass(_ wanted: ArraySlice<Int>, _ body: (Int, RunSample) throws -> Void) throws {
    guard let rows else { preconditionFailure("a sweep of more runs than are held is finished with its rows") }
    var isWanted = [Bool](repeating: false, count: points.count)
    for place in wanted { isWanted[place] = true }
    var waiting: [Int: RunSample] = [:]
    var place = -1
    var sample = RunSample()
    var finished = 0
    try rows.forEachRow { row in
      if place < 0 || points[place].point != row.point || points[place].gridValues != row.axisValues {
        if sample.count > 0 { waiting[place] = sample }
        guard let known = index.place(of: row) else { throw ReportError.runsChanged }
        place = known
        sample = waiting.removeValue(forKey: place) ?? RunSample()
      }
      guard isWanted[place] else { return }
      sample.add(row, schema: points[place].schema, keepsCosts: keepsCosts)
      guard sample.count == points[place].repetitions else { return }
      guard sample.isOf(points[place]) else { throw ReportError.runsChanged }
      try body(place, sample)
      isWanted[place] = false
      sample = RunSample()
      finished += 1
    }
    if finished < wanted.count { throw ReportError.runsChanged }
  }
}
