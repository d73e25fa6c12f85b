// Many comparisons at once: p-values and confidence levels adjusted, so that "the best of a hundred" is not news.

/// Corrections of a family of tests, which bound the chance of any false alarm.
package enum MultipleTests {
  /// The p-values by Holm's steps (1979, https://www.jstor.org/stable/4615733), in their order: each is the smallest level at which its
  /// test is rejected. O(n log n).
  package static func adjusted(_ pValues: [Double]) -> [Double] {
    var adjusted = pValues
    var largest = 0.0
    let order = pValues.indices.sorted { (pValues[$0], $0) < (pValues[$1], $1) }
    for (step, index) in order.enumerated() {
      largest = max(largest, pValues[index] * Double(pValues.count - step))
      adjusted[index] = min(1, largest)
    }
    return adjusted
  }

  /// The confidence that each of `count` intervals needs, so that all of them hold at once with `confidence`:
  /// 1 − α/K (Bonferroni's inequality; Dunn 1961, doi:10.1080/01621459.1961.10482090).
  package static func simultaneousConfidence(_ confidence: Double, count: Int) -> Double {
    1 - (1 - confidence) / Double(max(1, count))
  }
}
