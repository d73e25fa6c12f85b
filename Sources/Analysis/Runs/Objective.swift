// The objective of a sweep: the metric to minimize, and the bounds that the winner keeps.

package struct Objective: Codable, Hashable, Sendable {
  /// The metric's name; nil for the headline of the scenario's kind.
  package var minimize: String?
  package var subjectTo: [Constraint]

  package var metrics: [String] { (minimize.map { [$0] } ?? []) + subjectTo.map(\.metric) }

  package init(minimize: String? = nil, subjectTo: [Constraint]) { (self.minimize, self.subjectTo) = (minimize, subjectTo) }
}

/// A bound on the mean of a metric, such as `bytesReceived <= 70MB`.
package struct Constraint: Codable, Hashable, Sendable {
  package var metric: String
  /// True if the mean may not exceed the bound, false if it may not fall below it.
  package var isUpper: Bool
  package var bound: Double
  /// The constraint as its author wrote it.
  package var text: String

  package init(_ metric: Metric, isUpper: Bool, bound: Double, text: String) {
    (self.metric, self.isUpper, self.bound, self.text) = (metric.rawValue, isUpper, bound, text)
  }

  /// True if a mean lies within the bound; false without one.
  func holds(_ mean: Double?) -> Bool { mean.map { isUpper ? $0 <= bound : $0 >= bound } ?? false }
}

extension [Constraint] {
  /// All of them, as their author wrote them.
  package var text: String { map(\.text).joined(separator: " and ") }
}

package struct ConstraintFinding: Hashable, Sendable {
  /// `keeps`, `breaks`: the one-sided interval of the mean lies on one side of the bound. `unclear`: it does not, or there is none.
  package enum Outcome: String, Hashable, Sendable { case keeps, breaks, unclear }

  package let constraint: Constraint
  package let outcome: Outcome
  /// True if the mean lies beyond the bound, however unsure that is.
  package let isBeyond: Bool
  /// The number of runs that would probably decide an unclear outcome; nil for other outcomes.
  package let neededRepetitions: Int?

  /// Judges the values of a point's runs, of which one without a value is nan. Of `points` points judged together, the probability that one
  /// is said to keep a bound that it breaks is at most 1 − confidence; that one is said to break one of `constraints` that it keeps, too.
  package init(_ constraint: Constraint, values: [Double], confidence: Double, points: Int, constraints: Int, isDeterministic: Bool) {
    self.constraint = constraint
    let excess = Sample(values.filter { !$0.isNaN }.map { constraint.isUpper ? $0 - constraint.bound : constraint.bound - $0 })
    isBeyond = excess.mean > 0
    // A point that wins must keep all constraints, each judged at the whole error (Berger 1982, doi:10.1080/00401706.1982.10487790). It is
    // excluded if it breaks one of them, so that error is divided by their number. Both are divided by the number of points (Bonferroni).
    let error = (1 - confidence) / Double(max(1, points))
    func interval(_ error: Double) -> ConfidenceInterval? { excess.adjustedInterval(confidence: 1 - 2 * error) }
    // A run without a value, such as a download that never ended, has no place in a mean.
    if values.isEmpty || values.contains(where: \.isNaN) || !excess.mean.isFinite {
      outcome = .unclear
    } else if isDeterministic || excess.standardDeviation == 0 {
      // A bound that is exceeded by rounding alone is kept.
      let isBroken = excess.mean > 1e-12 * max(1, constraint.bound.magnitude)
      // Equal values exclude a point from a race or a ranking only if that holds for all points; they admit it one at a time.
      let level = isBroken ? error / Double(max(1, constraints)) : 1 - confidence
      let isSupported = isDeterministic || SignFlipTest.smallestPValue(count: values.count) <= level * (1 + 1e-12)
      outcome = !isSupported ? .unclear : isBroken ? .breaks : .keeps
    } else if let kept = interval(error), kept.high < 0 {
      outcome = .keeps
    } else if let broken = interval(error / Double(max(1, constraints))), broken.low > 0 {
      outcome = .breaks
    } else {
      outcome = .unclear
    }
    // The half width shrinks with the square root of the number of runs.
    let ratio = Normal.upperQuantile(error) * excess.standardDeviation / excess.mean
    let needed = ratio * ratio
    let isDecidable = outcome == .unclear && !isDeterministic && !values.contains(where: \.isNaN) && needed < 1e6
    neededRepetitions = isDecidable ? max(values.count + 1, Int(needed.rounded(.up))) : nil
  }
}

extension [ConstraintFinding] {
  /// True if all constraints are kept; true for none.
  package var areKept: Bool { allSatisfy { $0.outcome == .keeps } }
  package var areBroken: Bool { contains { $0.outcome == .breaks } }
  /// True if it takes more runs to tell whether all are kept.
  package var areUnclear: Bool { !areKept && !areBroken }

  /// The place of a point in a ranking, before its headline: 0 if its means are within the bounds, 1 beyond one of them, 2 surely beyond.
  package var rank: Int { areBroken ? 2 : contains { $0.outcome != .keeps && $0.isBeyond } ? 1 : 0 }

  /// The constraints that are broken or unclear, as a predicate; empty if all are kept.
  package var verbal: String { areBroken || areKept ? text : "is \(text)" }

  /// The constraints that are broken or unclear, in words; empty if all are kept.
  package var text: String {
    let groups = [(ConstraintFinding.Outcome.breaks, "breaks"), (.unclear, "unclear:")]
    return groups.compactMap { outcome, word in
      let texts = filter { $0.outcome == outcome }.map(\.constraint.text)
      return texts.isEmpty ? nil : "\(word) \(texts.joined(separator: ", "))"
    }.joined(separator: "; ")
  }
}

extension PointRuns {
  /// Returns the verdicts on constraints, each for `points` points at once. O(runs).
  func findings(_ constraints: [Constraint], confidence: Double, points: Int, isDeterministic: Bool) -> [ConstraintFinding] {
    constraints.map { constraint in
      ConstraintFinding(
        constraint, values: Metric(rawValue: constraint.metric).flatMap { values(of: $0) }.map(Array.init) ?? [], confidence: confidence,
        points: points, constraints: constraints.count, isDeterministic: isDeterministic)
    }
  }
}
