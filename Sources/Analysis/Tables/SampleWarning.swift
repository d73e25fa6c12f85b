// Warnings are data: they travel with the result and are printed as footnotes (as in benchstat).

/// Something that makes a result doubtful; it travels with the result and is printed as a footnote.
package enum SampleWarning: Hashable, Sendable, CustomStringConvertible {
  /// Fewer repetitions than an exact test at 0.05 needs (2¹⁻ⁿ ≤ 0.05 from n = 6).
  case tooFewRepetitions(count: Int)
  /// Fewer pairs than a gate's verdict needs.
  case tooFewPairs(count: Int, needed: Int)
  /// The differences are skewed: Student's interval would cover less than it says, so it is adjusted.
  case skewed(skewness: Double)
  /// The exact test cannot reach the level for so many comparisons, whatever the data.
  case familyOutOfReach(comparisons: Int, repetitions: Int, needed: Int)

  /// The level that the warnings about tests speak of.
  package static let level = 0.05

  /// Repetitions below which no exact paired test can reach `level`.
  package static let fewestRepetitions = 6

  /// The warning in a sentence.
  package var description: String {
    switch self {
    case .tooFewRepetitions(1):
      "One repetition says nothing about noise; an exact paired test at 0.05 needs at least \(SampleWarning.fewestRepetitions)."
    case .tooFewRepetitions(let count):
      "An exact paired test at 0.05 needs at least \(SampleWarning.fewestRepetitions) repetitions; there are \(count)."
    case .tooFewPairs(let count, let needed):
      "\(count) \(count == 1 ? "pair supports" : "pairs support") no verdict: what happens in one session of ten may not have shown yet. "
        + "At least \(needed) are needed."
    case .skewed(let skewness):
      "The paired differences are skewed (skewness \(DecimalText.fixed(skewness, decimals: 1))): the interval is adjusted for that."
    case .familyOutOfReach(let comparisons, let repetitions, let needed):
      "With \(repetitions) repetitions the exact sign-flip test cannot reach 0.05 for \(comparisons) "
        + "\(comparisons == 1 ? "comparison" : "comparisons at once"), whatever the data; it needs \(needed) repetitions."
    }
  }
}

extension Sample {
  /// What a reader of the interval must know.
  package var warnings: [SampleWarning] {
    var warnings: [SampleWarning] = []
    if count < SampleWarning.fewestRepetitions { warnings.append(.tooFewRepetitions(count: count)) }
    if isSkewed, let skewness { warnings.append(.skewed(skewness: skewness)) }
    return warnings
  }

  /// True if the values are more skewed than by chance (twice the standard error of the skewness, Cramer 1997), and by enough to move the
  /// coverage of Student's interval; never below five values.
  var isSkewed: Bool {
    guard let skewness, count >= 5 else { return false }
    let n = Double(count)
    let error = (6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))).squareRoot()
    return skewness.magnitude > max(1, 2 * error)
  }
}
