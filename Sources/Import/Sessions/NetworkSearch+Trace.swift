// The search for a link whose rate differs from second to second.

import Base

extension NetworkSearch {
  /// The most bytes that are played to find the rates. A play takes as long as 20 MB over TCP and its own bytes; those of QUIC count 60 times.
  private static let playedBytes = 3.6e11, bytesOfPlay = 2e7, weightOfQUIC = 60.0
  /// The most candidates kept at a step, and the first ones; the most rates that one step changes.
  private static let keptLimit = 10.0, firstKept = 16, ratesOfStep = 40
  /// The seconds before those of a step that it changes too, and at every third step.
  private static let earlierSeconds = 2, moreEarlierSeconds = 20
  /// The shares of the rate of the last second that the next ones begin with.
  private static let nextRates = [0.25, 0.5, 1, 2, 4].map(StableMath.log)

  /// Searches a rate for each second, from candidates with roughly estimated ones. If a play takes too long for that, all rates change
  /// by the same factor.
  /// - Throws: `ImportCancelled` if the user ends the import.
  func varying(from starts: [NetworkCandidate]) throws -> NetworkCandidate {
    // Each set of assumptions is searched alone: the wrong one may explain the first requests better.
    let groups = starts.map(\.assumptions).distinct.map { assumptions in starts.filter { $0.assumptions == assumptions } }
    let bytes = replay.requests.reduce(0) { $0 + Double($1.bytes) } * (base.http.version == .http3 ? Self.weightOfQUIC : 1)
    // The search plays all requests about 7 times for each of them and each kept candidate, and the last changes 10 times for each second,
    // whose equations take longer the more seconds there are.
    let (affordablePlays, seconds) = (Self.playedBytes / (Self.bytesOfPlay + bytes), Double(replay.busySeconds.count))
    let (searchPlays, lastPlays) = (Double(7 * replay.requests.count * groups.count), 10 * seconds + seconds * seconds / 20)
    let keptCount = Int(min(Self.keptLimit, max(affordablePlays < searchPlays ? 0 : 1, (affordablePlays - lastPlays) / searchPlays)))
    var found = try groups.map { group in
      if keptCount > 0 { return try search(from: group, keptCount) }
      let first = try group.map { try rated($0, replay) }.min { $0.error < $1.error } ?? group[0]
      let other = try leastSquares(from: first, replay)
      return other.error < first.error ? other : first
    }
    found.sort { $0.error < $1.error }
    return affordablePlays < searchPlays + lastPlays ? found[0] : try polished(found[0])
  }

  /// Searches over the first requests, then over a few more at a time, so that each second's rate is found before those that depend on it.
  /// Several of the best candidates are kept at each step.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func search(from starts: [NetworkCandidate], _ keptCount: Int) throws -> NetworkCandidate {
    var (kept, known, count) = (starts, 0, 4)
    for index in 0... {
      let part = replay.first(count)
      let end = min(starts[0].factors.count, Int(part.lastEnd / 1_000_000_000) + 1)
      if index > 0, known < end {
        kept += kept.flatMap { candidate in Self.nextRates.map { candidate.extended(from: known, to: end, by: $0) } }
      }
      kept = try kept.map { try rated($0, part) }.sorted { $0.error < $1.error }
      // Of the seconds before, the last two and sometimes more depend on these requests.
      let changesMore = index % 3 == 2
      let first = max(0, min(known, end - 1) - (changesMore ? Self.moreEarlierSeconds : Self.earlierSeconds))
      let others = index < 3 || changesMore ? [NetworkCandidate.roundTrip, NetworkCandidate.uplink] : []
      let rates = busyFactors(starts[0]).filter { (first..<end).contains($0 - starts[0].factors.lowerBound) }
      let parameters = others + rates.suffix(Self.ratesOfStep)
      let best = kept.prefix(index == 0 ? Self.firstKept : keptCount)
      kept = try best.flatMap { [$0, try leastSquares(from: $0, part, parameters: parameters)] }
      kept = Array(NetworkCandidate.different(kept.sorted { $0.error < $1.error }, before: end).prefix(keptCount))
      known = max(known, end)
      if count >= replay.requests.count { break }
      count = min(replay.requests.count, count + 3)
    }
    return kept[0]
  }

  /// Returns the best candidate that changes of single seconds and the Levenberg–Marquardt method reach.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func polished(_ start: NetworkCandidate) throws -> NetworkCandidate {
    let seconds = busyFactors(start)
    var best = start
    for _ in 0..<8 {
      let before = best.error
      for index in seconds {
        let neighbours = [index - 1, index + 1].filter(best.factors.contains).map { best.logs[$0] - best.logs[index] }
        for change in [0.7, 0.2, -0.2, -0.7] + neighbours {
          let other = try rated(best.moved([(index, change)]), replay)
          if other.error < best.error { best = other }
        }
      }
      let other = try leastSquares(from: best, replay, parameters: [NetworkCandidate.roundTrip, NetworkCandidate.uplink] + seconds)
      if other.error < best.error { best = other }
      if best.error > before * 0.95 { break }
    }
    return best
  }

  /// Returns the mean rate of the busy seconds as a share of what it was, after the logarithm of each rate has been changed by `change` where
  /// the error stays below `limit`.
  /// - Throws: `ImportCancelled` if the user ends the import.
  func meanShare(of best: NetworkCandidate, changedBy change: Double, limit: Double) throws -> Double {
    var other = best
    for index in busyFactors(best) {
      let trial = try rated(other.moved([(index, change)]), replay)
      if trial.error < limit { other = trial }
    }
    func sum(_ candidate: NetworkCandidate) -> Double { busyFactors(best).reduce(0) { $0 + StableMath.exp(candidate.logs[$1]) } }
    return sum(other) / sum(best)
  }

  /// Returns the indices of the factors of the seconds in which requests wait or receive.
  private func busyFactors(_ candidate: NetworkCandidate) -> [Int] {
    replay.busySeconds.map { candidate.factors.lowerBound + $0 }.filter(candidate.factors.contains)
  }
}

extension NetworkCandidate {
  /// Returns the candidate with one rate from a second on: that of the second before, multiplied by the exponential of `change`.
  fileprivate func extended(from second: Int, to end: Int, by change: Double) -> NetworkCandidate {
    let last = logs[max(factors.lowerBound, factors.lowerBound + second - 1)]
    return moved((second..<end).map { (factors.lowerBound + $0, last + change - logs[factors.lowerBound + $0]) })
  }

  /// Returns candidates whose round trips or rates in the last three seconds before `end` differ by 5 % at least.
  fileprivate static func different(_ candidates: [NetworkCandidate], before end: Int) -> [NetworkCandidate] {
    var different: [NetworkCandidate] = []
    for candidate in candidates {
      let indices = [roundTrip] + (max(0, end - 3)..<end).map { candidate.factors.lowerBound + $0 }
      let isNew = different.allSatisfy { other in indices.contains { abs(other.logs[$0] - candidate.logs[$0]) >= 0.05 } }
      if isNew { different.append(candidate) }
    }
    return different
  }
}
