// Which of a sweep's runs are made: points times repetitions, and of these the part of one machine.

/// Points times repetitions, in the order in which they run: repetition by repetition.
struct RunBatch: Sendable {
  /// The points' places, ascending; nil for all.
  var points: [Int]?
  /// From 1.
  var repetitions: ClosedRange<Int>
  let pointCount: Int
  var width: Int { points?.count ?? pointCount }
  var count: Int { width * repetitions.count }

  /// The last repetition of each point of the sweep; 0 for one that is not in the batch.
  var limits: [Int] {
    var limits = [Int](repeating: 0, count: pointCount)
    for point in points ?? Array(0..<pointCount) { limits[point] = repetitions.upperBound }
    return limits
  }

  func run(_ order: Int) -> (point: Int, repetition: Int) {
    let slot = order % width
    return (points?[slot] ?? slot, repetitions.lowerBound + order / width)
  }

  func index(_ run: (point: Int, repetition: Int)) -> Int { (run.repetition - 1) * pointCount + run.point }
}

/// A part of a sweep that one machine runs.
///
/// Every run whose index is `index` modulo `count`; runs are counted from 0, repetition by repetition over all points.
package struct Shard: Hashable, Codable, Sendable {
  /// Which part, from 0.
  package let index: Int
  /// Of how many.
  package let count: Int
  static let countLimit = 1_000_000
  package static let whole = Shard(index: 0, count: 1)

  private init(index: Int, count: Int) { (self.index, self.count) = (index, count) }

  /// A part from text such as `3/16`; nil if it is none.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]), (1...Self.countLimit).contains(count),
      (0..<count).contains(index)
    else { return nil }
    self.init(index: index, count: count)
  }

  package var text: String { "\(index)/\(count)" }
  func size(of total: Int) -> Int { max(0, (total - index + count - 1) / count) }
  func contains(_ run: Int) -> Bool { run % count == index }
}
