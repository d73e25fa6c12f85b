// The single differences of a comparison, which a chart shows and a summary has no room for.

/// Paired differences, point less baseline: their ends, and some of them at even distances.
package struct DifferenceDots: Sendable {
  /// More than this are thinned out evenly.
  package static let limit = 200

  /// How many differences there are.
  package let count: Int
  /// How many are below zero.
  package let belowCount: Int
  /// The least and the largest; nil without any.
  package let ends: (low: Double, high: Double)?
  /// Those that are drawn, in the order of repetitions, at most `limit`.
  package let drawn: [Double]

  /// What is shown of all differences in the order of repetitions. O(n).
  package init(_ differences: [Double]) {
    count = differences.count
    belowCount = differences.count { $0 < 0 }
    ends = differences.min().flatMap { low in differences.max().map { (low, $0) } }
    let every = max(1, (differences.count + Self.limit - 1) / Self.limit)
    drawn = stride(from: 0, to: differences.count, by: every).map { differences[$0] }
  }
}
