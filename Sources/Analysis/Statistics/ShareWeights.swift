// The weights of classes of users: their shares of sessions, or of the items viewed in them.

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
      /// Returns the share of items that a share of sessions makes.
      func ofItems(_ share: Double) -> Double { share == 0 ? 0 : share / (share + (1 - share) * ratio) }
      let bounds = Proportion(sessions[index], of: total).interval(confidence: confidence) ?? ConfidenceInterval(low: 0, high: 1)
      return (ofItems(Double(sessions[index]) / Double(total)), ConfidenceInterval(low: ofItems(bounds.low), high: ofItems(bounds.high)))
    }
  }
}
