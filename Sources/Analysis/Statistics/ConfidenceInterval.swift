// Confidence intervals, and those of shares counted in trials.

package struct ConfidenceInterval: Hashable, Sendable {
  package let low: Double, high: Double

  package init(low: Double, high: Double) { (self.low, self.high) = (low, high) }

  package var halfWidth: Double { (high - low) / 2 }

  package func contains(_ value: Double) -> Bool { low <= value && value <= high }

  func hull(with other: ConfidenceInterval) -> ConfidenceInterval {
    ConfidenceInterval(low: min(low, other.low), high: max(high, other.high))
  }

  /// Returns the interval with its ends multiplied by `factor`, which is positive.
  package func scaled(by factor: Double) -> ConfidenceInterval { ConfidenceInterval(low: low * factor, high: high * factor) }
}

/// The number of independent trials with some property.
package struct Proportion: Hashable, Sendable {
  package let count: Int, trials: Int

  package init(_ count: Int, of trials: Int) {
    precondition(count >= 0 && count <= trials, "no more trials have it than there are")
    (self.count, self.trials) = (count, trials)
  }

  /// The share, 0 … 1; nil without trials.
  package var share: Double? { trials > 0 ? Double(count) / Double(trials) : nil }

  /// Returns Wilson's score interval (1927), which stays within 0 … 1 and has a width even if all trials agree; nil without trials.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard let share else { return nil }
    let z = Normal.upperQuantile((1 - confidence) / 2)
    let (n, square) = (Double(trials), z * z)
    let middle = (share + square / (2 * n)) / (1 + square / n)
    let half = z / (1 + square / n) * (share * (1 - share) / n + square / (4 * n * n)).squareRoot()
    return ConfidenceInterval(low: count == 0 ? 0 : max(0, middle - half), high: count == trials ? 1 : min(1, middle + half))
  }
}

/// Shares with intervals, from the number of sessions of each class and the items viewed in one of them.
package enum ShareWeights {
  /// Returns each class's share of the items. A session's mean items are taken as known, because they vary far less than the number of
  /// sessions; with equal ones the share is that of the sessions, with Wilson's interval.
  package static func shares(
    sessions: [Int], itemsPerSession: [Double], confidence: Double = 0.9
  ) -> [(share: Double, interval: ConfidenceInterval)] {
    precondition(sessions.count == itemsPerSession.count && sessions.allSatisfy { $0 > 0 })
    let total = sessions.reduce(0, +)
    let items = zip(sessions, itemsPerSession).map { Double($0) * $1 }
    let all = items.reduce(0, +)
    return sessions.indices.map { index in
      let others = total - sessions[index]
      let ratio = others == 0 ? 1 : (all - items[index]) / Double(others) / itemsPerSession[index]
      func ofItems(_ share: Double) -> Double { share == 0 ? 0 : share / (share + (1 - share) * ratio) }
      let bounds = Proportion(sessions[index], of: total).interval(confidence: confidence) ?? ConfidenceInterval(low: 0, high: 1)
      return (ofItems(Double(sessions[index]) / Double(total)), ConfidenceInterval(low: ofItems(bounds.low), high: ofItems(bounds.high)))
    }
  }
}
