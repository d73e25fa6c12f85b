// Many comparisons at once: p-values and confidence levels adjusted, so that "the best of a hundred" is not news.

/// Corrections of a family of p-values.
package enum MultipleTests {
  /// Which error is held, and how.
  package enum Correction: Hashable, Sendable, CaseIterable {
    /// The chance of any false alarm: each p times their number (Dunn 1961, doi:10.1080/01621459.1961.10482090).
    case bonferroni
    /// The same, step by step from the smallest, never weaker (Holm 1979, https://www.jstor.org/stable/4615733).
    case holm
    /// The same for independent tests (Holm's steps with Šidák's 1967 levels, doi:10.1080/01621459.1967.10482935).
    case holmSidak
    /// The same for independent or positively dependent tests, from the largest (Hochberg 1988, doi:10.1093/biomet/75.4.800).
    case hochberg
    /// The share of false alarms among alarms (Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x).
    case benjaminiHochberg
    /// The same under any dependence (Benjamini & Yekutieli 2001, doi:10.1214/aos/1013699998).
    case benjaminiYekutieli
  }

  /// The p-values adjusted, in their order: each is the smallest level at which its test is rejected. O(n log n).
  package static func adjusted(_ pValues: [Double], by correction: Correction) -> [Double] {
    let count = pValues.count
    let order = pValues.indices.sorted { (pValues[$0], $0) < (pValues[$1], $1) }
    let harmonic = (0..<count).reduce(0.0) { $0 + 1 / Double($1 + 1) }
    let raw = order.enumerated().map { step, index -> Double in
      let p = pValues[index]
      let remaining = count - step
      return switch correction {
      case .bonferroni: p * Double(count)
      case .holm, .hochberg: p * Double(remaining)
      case .holmSidak: 1 - Elementary.power(1 - p, remaining)
      case .benjaminiHochberg: p * Double(count) / Double(step + 1)
      case .benjaminiYekutieli: p * Double(count) * harmonic / Double(step + 1)
      }
    }
    var result = [Double](repeating: 0, count: count)
    switch correction {
    case .bonferroni, .holm, .holmSidak:
      var largest = 0.0
      for (step, index) in order.enumerated() {
        largest = correction == .bonferroni ? raw[step] : max(largest, raw[step])
        result[index] = min(1, largest)
      }
    case .hochberg, .benjaminiHochberg, .benjaminiYekutieli:
      var smallest = 1.0
      for (step, index) in order.enumerated().reversed() {
        smallest = min(smallest, raw[step])
        result[index] = smallest
      }
    }
    return result
  }

  /// The confidence that each of `count` intervals needs, so that all of them hold at once with `confidence`:
  /// 1 − α/K (Bonferroni's inequality; Dunn 1961).
  package static func simultaneousConfidence(_ confidence: Double, count: Int) -> Double {
    1 - (1 - confidence) / Double(max(1, count))
  }
}
