// A point against the baseline, repetition by repetition: with common random numbers only the paired differences tell.

/// Paired values of a candidate and the baseline, and all that is said of their difference (candidate less baseline).
public struct PairedComparison: Hashable, Sendable {
  /// The differences, one a repetition.
  public let differences: [Double]
  /// Their mean, spread and skewness.
  public let sample: Sample
  /// The candidate's mean in relation to the baseline's.
  public let ratio: RatioOfMeans

  /// Compares paired values: both arrays have one value a repetition, in the same order. O(n).
  public init(baseline: [Double], candidate: [Double]) {
    precondition(baseline.count == candidate.count, "paired values come in pairs")
    let size = zip(baseline, candidate).reduce(0) { max($0, $1.0.magnitude, $1.1.magnitude) }
    // A difference that rounding alone explains is none.
    differences = zip(baseline, candidate).map { ($1 - $0).magnitude <= size * 1e-12 ? 0 : $1 - $0 }
    sample = Sample(differences)
    ratio = RatioOfMeans(baseline: baseline, candidate: candidate)
  }

  /// The number of pairs.
  public var count: Int { differences.count }

  /// Whether candidate and baseline are equal in every repetition (and there is one).
  public var isIdentical: Bool { count > 0 && differences.allSatisfy { $0 == 0 } }

  /// Whether the difference is the same in each of at least two repetitions, and not zero.
  public var isConstantShift: Bool { count > 1 && sample.standardDeviation == 0 && !isIdentical }

  /// The interval of the mean difference: Student's, widened where the differences lean to one side; nil below two pairs.
  ///
  /// A skewness that is no more than chance makes of few values widens nothing: a single interval would then cover too well. Who looks
  /// more than once, as the gate does, takes `Sample.widenedInterval` itself.
  public func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    sample.isSkewed ? sample.widenedInterval(confidence: confidence) : sample.interval(confidence: confidence)
  }

  /// The interval of the difference in per cent of the baseline's mean; nil where Fieller's has no ends.
  ///
  /// Fieller's, which knows by what the baseline's mean itself is uncertain; where the differences lean to one side, together with
  /// their widened interval, which knows that. It holds 0 if and only if the interval of the difference does.
  public func percentInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard let fieller = ratio.percentInterval(confidence: confidence) else { return nil }
    guard sample.isSkewed, let difference = interval(confidence: confidence) else { return fieller }
    return fieller.hull(with: difference.scaled(by: 100 / ratio.baselineMean))
  }

  /// Student's paired test: t and its two-sided p-value; nil below two pairs or without any spread.
  public var studentTest: (t: Double, pValue: Double)? {
    guard count > 1, sample.standardDeviation > 0 else { return nil }
    let t = sample.mean / sample.standardError
    return (t, StudentT.twoSidedTail(t, degreesOfFreedom: Double(count - 1)))
  }

  /// The exact sign-flip test of the differences.
  public var signFlipTest: SignFlipTest { SignFlipTest(differences: differences) }
}
