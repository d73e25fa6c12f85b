// Sums over groups of points within each repetition, to which one point after another adds what it shows.

/// Adds up points by groups, as many repetitions at a time as there is room for.
///
/// A group takes 8 bytes a repetition from its first point to its last. An axis has at most `GroupMeans.valueLimit` groups, and those of
/// the few maps are mostly of few points, so that one pass over the rows is enough for a million runs and many more.
struct GroupSums {
  /// The points' places in the source, ascending.
  let places: [Int]
  /// The repetitions that all of them have, rising.
  let repetitions: [Int]
  /// For each place of the source, its position among `places`.
  private let positions: [Int?]
  /// How many sums there may be at once.
  private let limit: Int

  init(places: [Int], repetitions: [Int], pointCount: Int, limit: Int) {
    (self.places, self.repetitions, self.limit) = (places, repetitions, limit)
    var positions = [Int?](repeating: nil, count: pointCount)
    for (position, place) in places.enumerated() { positions[place] = position }
    self.positions = positions
  }

  /// The means of groups by axes, and how far they are from the mean of all points; nil for a group without members. Groups are given
  /// by their members' positions, ascending.
  func effects(_ lists: [[[Int]]], _ samples: some SampleSource) throws -> [[GroupMeans.Group?]] {
    var results = lists.map { list in list.map { $0.isEmpty ? nil : GroupMeans.Group(count: $0.count) } }
    let owners = lists.map(owners)
    try forEachStretch(width: limit / (1 + lists.reduce(0) { $0 + $1.count })) { stretch in
      var all = [Double](repeating: 0, count: stretch.count)
      var sums = lists.map { [[Double]](repeating: all, count: $0.count) }
      try forEachPoint(stretch, samples) { position, values in
        add(values, to: &all)
        for list in lists.indices {
          if let group = owners[list][position] { add(values, to: &sums[list][group]) }
        }
      }
      for list in lists.indices {
        for (group, members) in lists[list].enumerated() where !members.isEmpty {
          for (sum, whole) in zip(sums[list][group], all) {
            let mean = sum / Double(members.count)
            results[list][group]?.mean.add(mean)
            results[list][group]?.effect.add(mean - whole / Double(places.count))
          }
        }
      }
    }
    return results
  }

  /// The means of lists of groups, each point in at most one group of a list; nil for a group without members.
  func means(_ lists: [[[Int]]], _ samples: some SampleSource) throws -> [[GroupMeans.Group?]] {
    var results = lists.map { list in list.map { $0.isEmpty ? nil : GroupMeans.Group(count: $0.count) } }
    let owners = lists.map(owners)
    let open = max(1, lists.reduce(0) { $0 + mostOpen($1) })
    try forEachStretch(width: limit / open) { stretch in
      var sums = lists.map { [[Double]](repeating: [], count: $0.count) }
      try forEachPoint(stretch, samples) { position, values in
        for list in lists.indices {
          guard let group = owners[list][position] else { continue }
          let members = lists[list][group]
          if position == members.first { sums[list][group] = [Double](repeating: 0, count: stretch.count) }
          add(values, to: &sums[list][group])
          guard position == members.last else { continue }
          for sum in sums[list][group] { results[list][group]?.mean.add(sum / Double(members.count)) }
          sums[list][group] = []
        }
      }
    }
    return results
  }

  /// For each position, the group that it is in.
  private func owners(_ groups: [[Int]]) -> [Int?] {
    var owners = [Int?](repeating: nil, count: places.count)
    for (group, members) in groups.enumerated() {
      for position in members { owners[position] = group }
    }
    return owners
  }

  /// How many groups are begun and not ended at once, at most.
  private func mostOpen(_ groups: [[Int]]) -> Int {
    var changes = [Int](repeating: 0, count: places.count + 1)
    for members in groups {
      guard let first = members.first, let last = members.last else { continue }
      changes[first] += 1
      changes[last + 1] -= 1
    }
    var (open, most) = (0, 0)
    for change in changes {
      open += change
      most = max(most, open)
    }
    return most
  }

  private func forEachStretch(width: Int, _ body: (ArraySlice<Int>) throws -> Void) throws {
    for first in stride(from: 0, to: repetitions.count, by: max(1, width)) {
      try body(repetitions[first..<min(repetitions.count, first + max(1, width))])
    }
  }

  /// Calls `body` with each point's values of some repetitions, by rising positions; points that come early wait.
  private func forEachPoint(_ stretch: ArraySlice<Int>, _ samples: some SampleSource, _ body: (Int, [Double]) throws -> Void) throws {
    var next = 0
    var early: [Int: [Double]] = [:]
    try samples.forEach(where: { positions[$0] != nil }) { place, sample in
      guard let position = positions[place] else { return }
      early[position] = values(of: sample, stretch)
      while let values = early.removeValue(forKey: next) {
        try body(next, values)
        next += 1
      }
    }
  }

  private func values(of sample: RunSample, _ stretch: ArraySlice<Int>) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(stretch.count)
    var next = stretch.startIndex
    for pair in sample.loaders where next < stretch.endIndex && pair.repetition == stretch[next] {
      values.append(pair.loadersPer1000)
      next += 1
    }
    return values
  }

  private func add(_ values: [Double], to sums: inout [Double]) {
    for (index, value) in values.enumerated() { sums[index] += value }
  }
}
