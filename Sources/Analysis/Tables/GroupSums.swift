// Sums over groups of points within each repetition, to which one point after another adds what it shows.

/// Adds up points by groups, as many repetitions at a time as there is room for; those of several parts of a sweep in the same passes.
///
/// A group takes 8 bytes a repetition from its first point to its last. An axis has at most `GroupMeans.valueLimit` groups, and those of
/// the few maps are mostly of few points, so that one pass over the rows is enough for a million runs and many more.
package struct GroupSums {
  /// Points whose groups are made of them alone: all of a sweep's, or those of a stratum.
  package struct Part {
    /// The points' places in the source, ascending.
    package let places: [Int]
    /// The repetitions that all of them have, rising.
    package let repetitions: [Int]

    /// Those of them that stand at some indices.
    package func repetitions(_ stretch: Range<Int>) -> ArraySlice<Int> { repetitions[stretch.clamped(to: repetitions.indices)] }
  }

  /// Lists of groups, which are given by their members' positions in a part, ascending.
  typealias Lists = [[[Int]]]

  private let parts: [Part]
  /// For each place of the source, its part and its position in that.
  private let positions: [(part: Int, position: Int)?]
  /// How many sums there may be at once.
  private let limit: Int

  package init(_ parts: [Part], pointCount: Int, limit: Int) {
    (self.parts, self.limit) = (parts, limit)
    var positions = [(part: Int, position: Int)?](repeating: nil, count: pointCount)
    for (index, part) in parts.enumerated() {
      for (position, place) in part.places.enumerated() { positions[place] = (index, position) }
    }
    self.positions = positions
  }

  /// By part, the means of groups by axes, and how far they are from the mean of all its points; nil for a group without members.
  func effects(_ lists: [Lists], _ samples: some SampleSource) throws -> [[[GroupMeans.Group?]]] {
    var results = lists.map(Self.empty)
    let owners = owners(lists)
    let open = lists.reduce(0) { $0 + 1 + $1.reduce(0) { $0 + $1.count } }
    try forEachStretch(width: limit / max(1, open)) { stretch in
      var all = parts.map { [Double](repeating: 0, count: $0.repetitions(stretch).count) }
      var sums = zip(lists, all).map { lists, zeros in lists.map { [[Double]](repeating: zeros, count: $0.count) } }
      try forEachPoint(stretch, samples) { part, position, values in
        add(values, to: &all[part])
        for list in lists[part].indices {
          if let group = owners[part][list][position] { add(values, to: &sums[part][list][group]) }
        }
      }
      for part in parts.indices {
        let count = Double(parts[part].places.count)
        for list in lists[part].indices {
          for (group, members) in lists[part][list].enumerated() where !members.isEmpty {
            for (sum, whole) in zip(sums[part][list][group], all[part]) {
              let mean = sum / Double(members.count)
              results[part][list][group]?.mean.add(mean)
              results[part][list][group]?.effect.add(mean - whole / count)
            }
          }
        }
      }
    }
    return results
  }

  /// By part, the means of lists of groups, each point in at most one group of a list; nil for a group without members.
  func means(_ lists: [Lists], _ samples: some SampleSource) throws -> [[[GroupMeans.Group?]]] {
    var results = lists.map(Self.empty)
    let owners = owners(lists)
    let open = zip(parts, lists).reduce(0) { sum, part in
      part.1.reduce(sum) { $0 + mostOpen($1, count: part.0.places.count) }
    }
    try forEachStretch(width: limit / max(1, open)) { stretch in
      var sums = lists.map { $0.map { [[Double]](repeating: [], count: $0.count) } }
      try forEachPoint(stretch, samples) { part, position, values in
        for list in lists[part].indices {
          guard let group = owners[part][list][position] else { continue }
          let members = lists[part][list][group]
          if position == members.first { sums[part][list][group] = [Double](repeating: 0, count: values.count) }
          add(values, to: &sums[part][list][group])
          guard position == members.last else { continue }
          for sum in sums[part][list][group] { results[part][list][group]?.mean.add(sum / Double(members.count)) }
          sums[part][list][group] = []
        }
      }
    }
    return results
  }

  private static func empty(_ lists: Lists) -> [[GroupMeans.Group?]] {
    lists.map { list in list.map { $0.isEmpty ? nil : GroupMeans.Group(count: $0.count) } }
  }

  private func owners(_ lists: [Lists]) -> [[[Int?]]] {
    zip(parts, lists).map { part, lists in lists.map { owners($0, count: part.places.count) } }
  }

  /// For each position, the group that it is in.
  private func owners(_ groups: [[Int]], count: Int) -> [Int?] {
    var owners = [Int?](repeating: nil, count: count)
    for (group, members) in groups.enumerated() {
      for position in members { owners[position] = group }
    }
    return owners
  }

  /// How many groups are begun and not ended at once, at most.
  private func mostOpen(_ groups: [[Int]], count: Int) -> Int {
    var changes = [Int](repeating: 0, count: count + 1)
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

  /// Calls `body` with indices of the parts' repetitions, so many at once.
  private func forEachStretch(width: Int, _ body: (Range<Int>) throws -> Void) throws {
    let count = parts.map(\.repetitions.count).max() ?? 0
    for first in stride(from: 0, to: count, by: max(1, width)) { try body(first..<min(count, first + max(1, width))) }
  }

  /// Calls `body` with each point's values of some repetitions, by rising positions in each part; points that come early wait.
  private func forEachPoint(
    _ stretch: Range<Int>, _ samples: some SampleSource, _ body: (_ part: Int, _ position: Int, [Double]) throws -> Void
  ) throws {
    var next = [Int](repeating: 0, count: parts.count)
    var early = [[Int: [Double]]](repeating: [:], count: parts.count)
    let wanted = parts.map { $0.repetitions(stretch) }
    try samples.forEach(where: { positions[$0] != nil }) { place, sample in
      guard let (part, position) = positions[place] else { return }
      early[part][position] = values(of: sample, wanted[part])
      while let values = early[part].removeValue(forKey: next[part]) {
        try body(part, next[part], values)
        next[part] += 1
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
