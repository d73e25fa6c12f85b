// The runs of a sweep as points times repetitions, and the shard that one machine executes.

/// Points times repetitions, in execution order: repetition by repetition.
struct RunBatch: Sendable {
  /// The indices of the points, ascending; nil for all.
  var points: [Int]?
  /// The repetitions, counted from 1.
  var repetitions: ClosedRange<Int>
  let pointCount: Int
  var width: Int { points?.count ?? pointCount }
  var count: Int { width * repetitions.count }

  /// The last repetition of each point of the sweep; 0 for a point outside the batch.
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

/// A part of a sweep for one machine: every run, counted repetition by repetition over all points, whose index modulo `count` is `index`.
package struct Shard: Hashable, Codable, Sendable {
  /// The number of this part, from 0.
  package let index: Int
  package let count: Int
  package static let countLimit = 1_000_000
  package static let whole = Shard(index: 0, count: 1)

  private init(index: Int, count: Int) { (self.index, self.count) = (index, count) }

  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]), (1...Self.countLimit).contains(count),
      (0..<count).contains(index)
    else { return nil }
    self.init(index: index, count: count)
  }

  package var text: String { "\(index)/\(count)" }
  package func folderName(of index: Int? = nil) -> String { "\(index ?? self.index)-of-\(count)" }
  func size(of total: Int) -> Int { max(0, (total - index + count - 1) / count) }
  func contains(_ run: Int) -> Bool { run % count == index }
}
